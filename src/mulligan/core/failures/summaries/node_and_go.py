"""Failed tests of node, vitest, jest and go, rewritten as a call, its result, and what was expected."""

import re
from collections.abc import Iterable, Iterator

from mulligan.syntax.blanking import blank_literals, closing_bracket, split_arguments
from mulligan.syntax.statements import joined_lines

MAX_VALUE_CHARS = 90


def summarize_node(text: str, statement: str, body: str) -> str | None:
    """For an assertion by node's `assert`, or by `expect` of vitest, jest and similar."""
    call = _tested(statement, body)
    if missing := _NOTHING_THROWN.search(text):
        expected = _wanted(statement) or next((each for each in missing.groups() if each), "an error")
        return f"{_inside_arrow(call) or 'the test'} raised nothing, expected {expected.strip(' ()')}"
    values = _values(text)
    if call and values:
        return f"{call} gave {short(values[0])}, expected {short(values[1])}"
    if call and (got := _GOT.search(text) or _CHAI_GOT.search(text)) and (expected := _wanted(statement)):
        return f"{call} gave {short(got[1])}, expected {short(expected)}"
    if call and "evaluated to a falsy value" in text:
        return f"{call} gave a false value, expected a true value"
    error = _ERROR.search(text)
    if error and not error[1].startswith("Assertion"):
        return f"{call or statement.rstrip(';') or 'the test'} raised {error[1]}: {short(_unquoted(error[2]))}"
    if named := _NODE_ERROR.search(text):
        message = re.search(r"^\s*error: (.+)$", text, re.MULTILINE)
        if named[1] != "AssertionError" and message:
            return f"{call or statement.rstrip(';') or 'the test'} raised {named[1]}: {short(_unquoted(message[1]))}"
    return None


def summarize_go(text: str, statement: str, body: str) -> str | None:
    """For a test that prints what it got and wanted in its own words, or for a panic."""
    if panic := re.search(r"^\s*panic: (.+?)(?: \[recovered\])?$", text, re.MULTILINE):
        return f"{statement.rstrip('{ ') or 'the test'} panicked: {short(panic[1])}"
    found = _GO_MESSAGE.search(text)
    message = joined_lines(found[1]) if found else ""
    if re.match(r"Error Trace:|$", message) and (values := _values(text)):
        return f"{_go_call(body, statement) or 'the test'} gave {short(values[0])}, expected {short(values[1])}"
    for pattern in _GO_WORDS:
        if matched := pattern.search(message):
            # A call in the test's own message shows its arguments; `got` shows none.
            call = (matched["call"] or "").strip(" :=;,")
            named = call if re.search(r"\w\(.+\)", call) else _go_call(body, statement) or call
            return f"{named or 'the test'} gave {short(matched['got'])}, expected {short(matched['want'])}"
    return None


def _tested(statement: str, body: str) -> str:
    """The subject of an assertion: its first argument, with variables replaced by the calls they hold."""
    found = _ASSERTION.search(statement)
    if found is None:
        return ""
    opening = found.end() - 1
    end = closing_bracket(blank_literals(".js", statement), opening)
    arguments = split_arguments(".js", statement[opening + 1 : end])
    if not arguments:
        return ""
    plain = _PLAIN.fullmatch(arguments[0]) and len(arguments) > 1
    return _called(arguments[1] if plain else arguments[0], body)


def _called(shown: str, body: str) -> str:
    for name, value in _HELD.findall(body):
        held = value.strip().rstrip(";")
        if re.search(r"\w\(", held) and len(held) < MAX_VALUE_CHARS:
            shown = re.sub(rf"(?<![\w.'\"$]){re.escape(name)}(?![\w'\"($])", lambda _, held=held: held, shown)
    return shown


def _inside_arrow(call: str) -> str:
    return re.sub(r"^(?:async\s*)?\(\)\s*=>\s*\{?\s*|[;\s}]+$", "", call)


def _values(text: str) -> tuple[str, str] | None:
    """The actual and the expected value."""
    if matched := _CHAI.search(text):
        return matched[1], matched[2]
    got = _GOT.search(text)
    wanted = _WANTED.search(text)
    if got and wanted:
        return got[1].strip().rstrip(","), wanted[1].strip().rstrip(",")
    if unequal := _UNEQUAL.search(text):
        return unequal[1].strip(), unequal[2].strip()
    listed = [_block_value(text, word) for word in ("actual", "expected")]
    if listed[0] and listed[1]:
        return listed[0], listed[1]
    return _from_diff(text)


def _block_value(text: str, word: str) -> str:
    """A value printed over several lines below its name, as YAML."""
    found = re.search(rf"^([ \t]*){word}:[ \t]*\n((?:\1[ \t]+\S[^\n]*\n?)+)", text, re.MULTILINE)
    if found is None:
        return ""
    rows = [row.strip() for row in found[2].splitlines()]
    numbered = [re.fullmatch(r"\d+: (.*)", row) for row in rows]
    if all(numbered):
        return f"[{', '.join(row[1] for row in numbered if row)}]"
    return f"{{ {', '.join(rows)} }}"


def _from_diff(text: str) -> tuple[str, str] | None:
    """From lines marked with plus and minus; a line above says which is which."""
    head = re.search(r"(?P<got>\+ (?:actual|Received))|(?P<wanted>- Expected)", text)
    if head is None:
        return None
    rows = list(_diff_rows(text[head.start() :]))
    got = _tidy(row for sign, row in rows if sign in " +")
    wanted = _tidy(row for sign, row in rows if sign in " -")
    return (got, wanted) if got and wanted and got != wanted else None


def _diff_rows(text: str) -> Iterator[tuple[str, str]]:
    begun = False
    for line in text.splitlines()[1:]:
        found = re.match(r"\s{0,8}?([+-]) (.*)$|\s+()([\[\]{}(),\w'\"].*)$", line)
        if found and not re.match(r"(?:Expected|Received|actual|expected)\b", found[2] or ""):
            begun = True
            yield (found[1] or " ", (found[2] or found[4] or "").strip())
        elif begun:
            return


def _tidy(rows: Iterable[str]) -> str:
    """Joins a value that was printed over several lines."""
    return re.sub(r",? ([\]}])", r" \1", re.sub(r"^(?:Array|Object) ", "", " ".join(rows)))


def _wanted(statement: str) -> str:
    """What an `expect` matcher says or takes."""
    found = _MATCHER.search(statement)
    if found is None:
        return ""
    expected = _MATCHERS.get(found[2], found[3].strip())
    return f"not {expected}" if found[1] and expected else expected


def _go_call(body: str, statement: str) -> str:
    """The call whose result was checked before the test failed."""
    above = body.partition(statement)[0] if statement else body
    conditions = _GO_IF.findall(above)
    looked_at = conditions[-1] if conditions else "got"
    if not re.fullmatch(r"\w+", looked_at):
        return looked_at
    held = re.findall(rf"\b{looked_at}\b(?:, \w+)*\s*:?=\s*([^\n;]+?)\s*(?:;|\{{?$)", above, re.MULTILINE)
    return held[-1] if held else ""


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def short(value: str) -> str:
    value = joined_lines(value)
    return value if len(value) <= MAX_VALUE_CHARS else f"{value[: MAX_VALUE_CHARS - 1]}…"


_ASSERTION = re.compile(r"(?:\b(?:assert|t|should|chai\.assert)(?:\.\w+)*|\bexpect)\s*\(")
_PLAIN = re.compile(r"-?[\d.]+|'[^']*'|\"[^\"]*\"|true|false|null|undefined|\[[\d\s,.'\"-]*\]")
_HELD = re.compile(r"(?:const|let|var)\s+([\w$]+)\s*=\s*(?:await\s+)?([^\n]+)")
_NOTHING_THROWN = re.compile(
    r"Missing expected (?:exception|rejection)( \(\w+\))?"
    r"|expected \[?[Ff]unction[^\n]* to throw (?:error )?([^\n]+?)(?: but|$)"
    r"|Expected constructor: (\w+)\s+Received function did not throw|Received function did not throw()",
    re.MULTILINE,
)
_GOT = re.compile(r"^\s*(?:actual\s*|Received|received|got)\s*:[ \t]*(\S[^\n]*)$", re.MULTILINE)
_WANTED = re.compile(r"^\s*(?:expected\s*|Expected|want(?:ed)?)\s*:[ \t]*(\S[^\n]*)$", re.MULTILINE)
_UNEQUAL = re.compile(r"^[^\S\n]*([^\n]+?) !==? ([^\n]+)$", re.MULTILINE)
_CHAI = re.compile(
    r"expected (\S[^\n]*?) to (?:be close to|be|equal|deeply equal|strictly equal|deep equal) "
    r"(?!(?:truthy|falsy|an? |close to|greater|less|at )\b)(\S[^\n]*?)(?:, received difference[^\n]*| //[^\n]*)?$",
    re.MULTILINE,
)
_CHAI_GOT = re.compile(r"expected (\S[^\n]*?) (?:not )?to ")
_MATCHER = re.compile(r"\)\.(not\.)?(?:resolves\.|rejects\.)?(to\w+)\((.*)\)[;\s]*$")
_MATCHERS = {
    "toBeTruthy": "a true value", "toBeFalsy": "a false value", "toBeNull": "null", "toBeUndefined": "undefined",
    "toBeDefined": "a defined value", "toBeNaN": "NaN",
}  # fmt: skip
_ERROR = re.compile(r"\b((?:[A-Z]\w*)?(?:Error|Exception))(?: \[\w+\])?: ([^\n]+)")
_NODE_ERROR = re.compile(r"^\s*name: '(\w+)'", re.MULTILINE)
_GO_MESSAGE = re.compile(r"_test\.go:\d+: ?([^\n]*(?:\n\s{8,}(?!\S+_test\.go:\d)\S[^\n]*)*)")
_GO_IF = re.compile(r"\bif (?:[^\n;]+; )?!?(?:reflect\.DeepEqual\()?([^\n;]+?)(?:,| [!=<>]=? )[^\n]*\{$", re.MULTILINE)
_GOT_WORD = r"\b(?:got|have|actual|received|returned)"
_WANT = r"(?:want(?:ed)?|expected)[ =:]*(?P<want>.+?)"
_GO_WORDS = (
    re.compile(rf"^(?P<call>.*?)(?:{_GOT_WORD}|=)[ =:]*+(?P<got>.+?)[,;:]? *+\(?(?:but )?{_WANT}\)?$", re.IGNORECASE),
    re.compile(rf"^(?P<call>.*?)\b{_WANT}[,;:]? *+\(?(?:but )?{_GOT_WORD}[ =:]*+(?P<got>.+?)\)?$", re.IGNORECASE),
)
