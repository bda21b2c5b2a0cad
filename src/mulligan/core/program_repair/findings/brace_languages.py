"""What cheap checks notice in JavaScript, TypeScript and Go, without a syntax tree."""

import re
from collections import Counter
from collections.abc import Iterator

from mulligan.core.program_repair.findings.finding import CodeFinding, Known, nearest_to
from mulligan.core.program_repair.sites.ranking import SourceFile
from mulligan.syntax.blanking import blank_literals
from mulligan.syntax.functions import CodeFunction


def notice_in_braces(file: SourceFile, known: Known) -> Iterator[CodeFinding]:
    code = blank_literals(file.path, "\n".join(file.lines)).split("\n")
    patterns = _OF_GO if file.path.endswith(".go") else _OF_SCRIPTS
    for number, line in enumerate(code, 1):
        shown = file.lines[number - 1].strip()
        for pattern, words, weight in (*_OF_BOTH, *patterns):
            if pattern.search(line):
                yield CodeFinding(number, f"`{shown}` {words}", weight)
        if _RETURN.match(line) and _ends_a_loop(code, number):
            yield CodeFinding(number, f"`{shown}` stands in the loop and ends it in the first round", 2.5)
        if not file.path.endswith(".go") and _UNFILLED.search(file.lines[number - 1]):
            yield CodeFinding(number, f"`{shown}` is no template: it needs backquotes", 2.0)
    yield from _misspelt(code, known)
    for function in file.functions:
        body = code[function.first - 1 : function.last]
        yield from _of_go(function, body) if file.path.endswith(".go") else _missing_return(function, body, known)


def _ends_a_loop(code: list[str], number: int) -> bool:
    """The line is the last of a loop's own body, and nothing in the body goes on to the next round."""
    indent = _indent(code[number - 1])
    below = next((line for line in code[number:] if line.strip()), "")
    if not below.strip().startswith("}") or _indent(below) >= indent:
        return False
    for above in range(number - 2, -1, -1):
        if code[above].strip() and _indent(code[above]) < indent:
            body = code[above + 1 : number]
            return bool(_LOOP.match(code[above])) and not any(re.search(r"\bcontinue\b", line) for line in body)
    return False


def _misspelt(code: list[str], known: Known) -> Iterator[CodeFinding]:
    """A name that stands once, and nearly as one that stands more often, or that a failing test uses."""
    words = [(name, number) for number, line in enumerate(code, 1) for name in _NAME.findall(line)]
    count = Counter(name for name, _ in words)
    meant = _COMMON | known.keys | known.defined.keys() | {name for name, times in count.items() if times > 1}
    for name, number in words:
        if name in meant or _DECLARES.search(code[number - 1]):
            continue
        near = nearest_to(name, meant)
        # A name that differs by case alone is another one: what Go exports, what a class is called.
        if near and near.lower() != name.lower():
            yield CodeFinding(number, f"`{name}` is nearly `{near}`", 2.0)


def _missing_return(function: CodeFunction, body: list[str], known: Known) -> Iterator[CodeFinding]:
    text = "\n".join(body)
    if function.name in known.results_used and "{" in text and not re.search(r"\breturn\b|=>\s*[^{\s]|\bthrow\b", text):
        yield CodeFinding(function.last, f"`{function.name}` returns nothing, but its result is used", 2.5)
    for found in _CALLBACK.finditer(text):
        if "return" not in found["body"]:
            line = function.first + text.count("\n", 0, found.start())
            yield CodeFinding(line, f"the function given to `.{found['method']}()` returns nothing", 2.5)


def _of_go(function: CodeFunction, body: list[str]) -> Iterator[CodeFinding]:
    yield from _lost_in_a_copy(function, body)
    declared: dict[str, int] = {}
    for offset, line in enumerate(body):
        found = _GO_DECLARED.match(line)
        if found is None:
            continue
        name = found[1] or found[2]
        if _indent(line) > declared.get(name, 1_000) and ":=" in line and name not in {"err", "ok", "_"}:
            yield CodeFinding(function.first + offset, f"`{name} :=` declares a new `{name}` in this block", 2.5)
        declared.setdefault(name, _indent(line))


def _lost_in_a_copy(function: CodeFunction, body: list[str]) -> Iterator[CodeFinding]:
    receiver = re.match(r"func \((\w+) \w+\)", body[0])
    if receiver is None:
        return
    setting = re.compile(rf"\b{receiver[1]}\.\w+(?:\[[^\]]*\])?\s*(?:[-+*/]?=(?!=)|\+\+|--)")
    first = next((offset for offset, line in enumerate(body) if setting.search(line)), None)
    if first is not None:
        words = f"the receiver `{receiver[1]}` is a copy, so that what is set in it is lost"
        yield CodeFinding(function.first + first, words, 2.5)


def _indent(line: str) -> int:
    bare = line.expandtabs(4)
    return len(bare) - len(bare.lstrip())


_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARES = re.compile(r"\b(?:import|export \{|require|package)\b|\bfunc\s|\bfunction\s|\btype\s")
_COMMON = frozenset({
    "length", "push", "slice", "splice", "concat", "filter", "reduce", "forEach", "indexOf", "includes", "toString",
    "constructor", "return", "undefined", "Object", "String", "Number", "Array", "Math",
})  # fmt: skip
_GO_DECLARED = re.compile(r"\s*(?:var (\w+)\b|(\w+)(?:, \w+)* :=)")
_RETURN = re.compile(r"\s*return\b")
_LOOP = re.compile(r"\s*(?:for|while)\b")
_UNFILLED = re.compile(r"(?:'[^'`]*\$\{\w[^'`]*\}[^'`]*'|\"[^\"`]*\$\{\w[^\"`]*\}[^\"`]*\")")
_CALLBACK = re.compile(
    r"\.(?P<method>map|filter|find|findIndex|some|every|reduce|sort)\(\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*"
    r"\{(?P<body>[^{}]*)\}"
)
_OF_BOTH = ((re.compile(r"^\s*[\w.$\[\]()]+\s*===?\s*[^=;{]+;?\s*$"), "compares and has no effect", 2.5),)
_OF_SCRIPTS = (
    (re.compile(r"\b(?:if|while)\s*\(\s*[\w.$\[\]]+\s*=(?![=>])"), "sets a value, it does not compare", 3.0),
    (re.compile(r"===?\s*[^|&()=]+\|\|\s*(?:'|\"|\d)"), "is always true: each side needs its own comparison", 2.5),
    (re.compile(r"\.sort\(\s*\)"), "sorts as text, numbers too", 1.5),
    (re.compile(r"\bfor\s*\(\s*(?:const|let|var)\s+[\w$]+\s+in\b"), "goes over keys, not over values", 1.5),
    (re.compile(r"(?:===?|!==?)\s*NaN\b"), "is always the same: NaN equals nothing", 2.5),
    (re.compile(r"[^=!<>]==[^=]"), "compares loosely", 0.3),
)
_OF_GO = ()
