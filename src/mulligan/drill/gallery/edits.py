"""The text in the model's edits is not in the file: off by a space, wrapped, misspelt, or missing altogether.

One edit of one file, with all the deviations that models make, must produce the same bytes. An edit that fits two
places, or none, leaves the file unchanged, and the exit code says so whatever the model says.
"""

from collections.abc import Callable
from pathlib import Path

from mulligan.drill.claims import asks_exactly, ends, exits, fails, holds, leaves_files_alone, tells_the_model
from mulligan.drill.fault import Claim, CommandStep, Fault, FolderStep
from mulligan.drill.scripting import call, code, edit, say, script
from mulligan.models.scripted.script import ScriptedReply

BASKET = """\
def add(basket, name, count):
    if count < 1:
        raise ValueError("count - at least 1")

    basket[name] = basket.get(name, 0) + count
    return basket[name]


def clear(basket):
    basket.clear()
    return basket
"""
OLD = """\
    if count < 1:
        raise ValueError("count - at least 1")

    basket[name] = basket.get(name, 0) + count
"""
NEW = """\
    if count <= 0:
        report("count - too low")
        raise ValueError("count - at least 1")

    basket[name] = basket.get(name, 0) + count
"""
AFTER = BASKET.replace(OLD, NEW)
FEES = """\
def fee_of(order, rate):
    base = order.gross
    if rate > 7:
        raise ValueError(rate)
    return round(base * rate / 100)
"""
SIBLING = """\


def remove(shelf, label, amount):
    if amount < 1:
        raise KeyError("amount - at least 1")

    shelf[label] = shelf.get(label, 0) - amount
    return shelf[label]
"""
TWO_VISITS = """\
def visit(node):
    enter(node)
    return node.value


def visit(node):
    leave(node)
    log(node)
    return node.parent
"""
HANDBOOK = """\
# Setup

```sh
make setup
```

Then run the checks:

```sh
make check
```
"""
TAX = FEES.replace("fee", "tax").replace("gross", "net").replace("7", "19")
DONE = say("Done.")


def _lands(
    name: str,
    title: str,
    reply: ScriptedReply,
    *,
    path: str = "basket.py",
    before: str = BASKET,
    after: str = AFTER,
    more: tuple[Claim, ...] = (),
) -> Fault:
    """The edit is applied at the first attempt, with exactly these bytes."""
    claims = (ends("answered", 0), asks_exactly(2), holds(path, after), leaves_files_alone(but=(path,)), *more)
    return Fault(name, title, (code(script(reply, DONE), "--yes"),), claims, files={path: before})


def _drifted(
    name: str, title: str, drift: Callable[[str], str], *, context: str = "", more: tuple[Claim, ...] = ()
) -> Fault:
    """Old and new text deviate in the same way."""
    reply = edit("basket.py", drift(OLD), drift(NEW))
    return _lands(name, title, reply, before=BASKET + context, after=AFTER + context, more=more)


def _refused(name: str, title: str, reply: ScriptedReply, *feedback: str, before: str = BASKET) -> Fault:
    """The file stays unchanged, the model is told how to fix the edit, and its "Done." does not count."""
    claims = (
        ends("answered", 4),
        asks_exactly(2),
        fails("exec_error"),
        *map(tells_the_model, feedback),
        leaves_files_alone(),
    )
    return Fault(name, title, (code(script(reply, DONE), "--yes"),), claims, files={"basket.py": before})


def _each_line(text: str, mark: Callable[[int], str]) -> str:
    return "".join(mark(number) + line for number, line in enumerate(text.splitlines(keepends=True), 2))


def _three_letters(text: str) -> str:
    return text.replace("raise", "rase").replace("ValueError", "VxlueError").replace("basket.get", "basket.gqt")


def _two_letters_deeper(text: str) -> str:
    wrong = text.replace("raise", "raiise").replace("ValueError", "ValueErrpr")
    return _each_line(wrong, lambda _: "    ").replace("    \n", "\n")


def _halved(text: str) -> str:
    """Two spaces per level instead of four."""
    return text.replace("    ", "  ")


def _curled(text: str) -> str:
    return text.replace('("', "(\u201c").replace('")', "\u201d)")


def _with_long_signs(text: str) -> str:
    return text.replace(" - ", " \u2013 ").replace("basket[name] =", "basket[name]\u00a0=")


_DRIFTED = (
    _drifted("trailing-spaces", "spaces at the ends of lines", lambda text: text.replace("\n", "  \n")),
    _drifted("other-indent", "two spaces where the file has four", _halved),
    _drifted("tabs-for-spaces", "tabs where the file has spaces", lambda text: text.replace("    ", "\t")),
    _drifted("curly-quotes", "curly quotes for straight ones", _curled),
    _drifted("long-dash", "a long dash and a no-break space", _with_long_signs),
    _drifted("blank-line-dropped", "a blank line left out", lambda text: text.replace("\n\n", "\n")),
    _drifted(
        "blank-line-added", "a blank line too many", lambda text: text.replace("        raise", "\n        raise")
    ),
    _drifted("line-numbers", "line numbers before each line", lambda text: _each_line(text, "{}: ".format)),
    _drifted("fenced-edit", "a code fence around the edit", lambda text: f"```python\n{text}```"),
    _drifted("quote-marks", "quote marks before each line", lambda text: _each_line(text, lambda _: "> ")),
    _drifted("literal-newlines", r"\n written for line ends", lambda text: text.replace("\n", r"\n")),
    _drifted("typo", "a word misspelt", lambda text: text.replace("ValueError", "ValeuError")),
    _drifted(
        "wrong-letter",
        "one wrong letter",
        lambda text: text.replace("raise", "rjise"),
        more=(tells_the_model("alike: `rjise` read as `raise`"),),
    ),
    _drifted("three-wrong-letters", "three wrong letters", _three_letters),
    _drifted(
        "wrong-letters-sibling", "three wrong letters, and a block that looks alike", _three_letters, context=SIBLING
    ),
    _drifted("wrong-letters-deeper", "two wrong letters, and all of it deeper", _two_letters_deeper),
    _drifted(
        "line-invented",
        "a line that the file does not have",
        lambda text: text.replace("        raise", "        log(name)\n        raise"),
    ),
    _lands(
        "elided-head-twice",
        "... after lines that stand twice",
        edit(
            "basket.py",
            "def visit(node):\n    ...\n    return node.parent\n",
            "def visit(node):\n    ...\n    return node.children\n",
        ),
        before=TWO_VISITS,
        after=TWO_VISITS.replace("node.parent", "node.children"),
    ),
    _lands(
        "short-part",
        "a few characters, spaced otherwise",
        edit("basket.py", "0)+count", "0)-count"),
        after=BASKET.replace("0) + count", "0) - count"),
    ),
    _lands(
        "fence-around-fences",
        "a fence around the edit of a file that has fences",
        edit(
            "handbook.md",
            "```markdown\nThen run the checks:\n\n```sh\nmake check\n```\n```",
            "```markdown\nThen run the tests:\n\n```sh\nmake test\n```\n```",
        ),
        path="handbook.md",
        before=HANDBOOK,
        after=HANDBOOK.replace("the checks", "the tests").replace("make check", "make test"),
    ),
    _lands(
        "comment-not-sent",
        "a comment left out at the end, lines added after it",
        edit("basket.py", "    return rate", "    return rate\n\n\ndef free():\n    return 0"),
        before="def rate_of(rate):\n    return rate  # in percent\n",
        after="def rate_of(rate):\n    return rate  # in percent\n\n\ndef free():\n    return 0\n",
    ),
    _lands(
        "curly-new-text",
        "curly quotes in the new text alone",
        edit("basket.py", "    basket.clear()\n", "    report(\u201ccleared\u201d)\n    basket.clear()\n"),
        after=BASKET.replace("    basket.clear()\n", '    report("cleared")\n    basket.clear()\n'),
    ),
    _lands(
        "replace-all-beside-edits",
        "replace_all beside a list of edits",
        call(
            "edit_file",
            {
                "path": "basket.py",
                "replace_all": True,
                "edits": [{"old": "return basket", "new": "return dict(basket)"}],
            },
        ),
        after=BASKET.replace("return basket", "return dict(basket)"),
    ),
    Fault(
        "short-edit-twice",
        "a short edit, sent again after it was made",
        (code(script(edit("basket.py", "0) +", "0) -"), edit("basket.py", "0) +", "0) -"), DONE), "--yes"),),
        (
            ends("answered", 0),
            asks_exactly(3),
            tells_the_model("has this change already"),
            holds("basket.py", BASKET.replace("0) +", "0) -")),
        ),
        files={"basket.py": BASKET},
    ),
    _lands(
        "diff-marks",
        "plus and minus before the lines",
        edit("basket.py", _each_line(OLD, lambda _: "-"), _each_line(NEW, lambda _: "+")),
    ),
    _lands(
        "elided",
        "... for lines that stay",
        edit(
            "basket.py",
            "def add(basket, name, count):\n    ...\n    return basket[name]\n",
            "def add(basket, name, count=1):\n    ...\n    return basket\n",
        ),
        after=BASKET.replace("name, count)", "name, count=1)").replace("return basket[name]", "return basket"),
    ),
    _lands(
        "windows-line-ends",
        "a file with CRLF, an edit with LF",
        edit("basket.py", OLD, NEW),
        before=BASKET.replace("\n", "\r\n"),
        after=AFTER.replace("\n", "\r\n"),
    ),
    _lands(
        "already-applied",
        "an edit that was made before",
        edit("basket.py", OLD, NEW),
        before=AFTER,
        more=(tells_the_model("has this change already"),),
    ),
)

_REFUSED = (
    _refused(
        "edit-with-mask",
        "the mask of a password in the old and the new text",
        edit("basket.py", 'connect(password="[masked: password]")', 'connect(HOST, password="[masked: password]")'),
        "stands for a value that you are not shown",
        before='connect(password="q7Zp2Lw9Xc4V")\n',
    ),
    _refused(
        "two-places",
        "a text that stands at two places",
        edit("basket.py", "    return basket\n", "    return None\n"),
        "occurs in 2 places: line 6 and line 11",
        before=BASKET.replace("basket[name]\n", "basket\n"),
    ),
    _refused(
        "sibling",
        "a block that only looks like the one meant",
        edit("basket.py", TAX, TAX.replace("/ 100", "/ 1000")),
        "Lines 1-5, ",
        "3:     if rate > 7:",
        before=FEES,
    ),
    _refused(
        "lazy-rest",
        "a new text that leaves lines out",
        edit("basket.py", OLD, "    check(count)\n    # ... rest of the code ...\n"),
        "it must be written in full",
    ),
    _refused(
        "one-of-two-edits",
        "two edits at once, one of them of nothing",
        call(
            "edit_file",
            {"path": "basket.py", "edits": [{"old": OLD, "new": NEW}, {"old": "sell(basket, at=3)", "new": "pass"}]},
        ),
        "Edit 2 of 2, and so none of them, was made",
    ),
    _refused(
        "nothing-done",
        "an edit of nothing, and then: Done.",
        edit("basket.py", "sell(basket, at=3)\n", "sell(basket, at=4)\n"),
        "Nearest to it",
    ),
    _refused(
        "nearest-part",
        "a few characters that are not there",
        edit("basket.py", "unt < 7", "unt < 8"),
        "2:     if count < 1:",
    ),
    Fault(
        "nearest-lines",
        "an edit of lines that were never so",
        (code(script(edit("basket.py", OLD.replace("< 1", "> 99"), NEW), edit("basket.py", OLD, NEW), DONE), "--yes"),),
        (
            ends("answered", 0),
            asks_exactly(3),
            fails("exec_error"),
            tells_the_model("alike:\n2:     if count < 1:"),
            holds("basket.py", AFTER),
        ),
        files={"basket.py": BASKET},
    ),
    _lands(
        "broken-syntax",
        "an edit that breaks the file's syntax",
        edit("basket.py", "def clear(basket):", "def clear(basket:"),
        after=BASKET.replace("def clear(basket):", "def clear(basket:"),
        more=(tells_the_model("has a syntax error now"), tells_the_model("line 9: def clear(basket:")),
    ),
)


def _user_writes(text: str) -> FolderStep:
    def write(project: Path) -> None:
        (project / "basket.py").write_text(text, encoding="utf-8", newline="\n")

    return FolderStep(write)


_STAGE = code(script(edit("basket.py", OLD, NEW), DONE))
_APPLY = CommandStep(("changes", "apply"))
_OTHER_PLACE = BASKET.replace("basket.clear()", "basket.clear()  # all of it")
_SAME_PLACE = BASKET.replace("if count < 1:", "if count < minimum(name):")

_WAITING = (
    Fault(
        "unasked",
        "an edit that nobody agreed to",
        (_STAGE,),
        (ends("answered", 6), asks_exactly(2), leaves_files_alone()),
        files={"basket.py": BASKET},
    ),
    Fault(
        "changed-elsewhere",
        "the user edits another place meanwhile",
        (_STAGE, _user_writes(_OTHER_PLACE), _APPLY),
        (exits(6, run=0), exits(0), holds("basket.py", AFTER.replace("basket.clear()", "basket.clear()  # all of it"))),
        files={"basket.py": BASKET},
    ),
    Fault(
        "changed-there",
        "the user edits the same lines meanwhile",
        (_STAGE, _user_writes(_SAME_PLACE), _APPLY),
        (exits(6, run=0), exits(4), holds("basket.py", _SAME_PLACE)),
        files={"basket.py": BASKET},
    ),
)

EDITS = (*_DRIFTED, *_REFUSED, *_WAITING)
