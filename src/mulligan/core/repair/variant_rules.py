"""Slips that people make within one line, each turned round: what the line would be without the slip.

Every rule yields the new line with a weight: the less, the likelier the slip.
"""

import re
from collections.abc import Callable, Iterator

from mulligan.core.repair.line_tokens import BLOCK_STARTS, KEYWORDS, CodeLine

Weighted = tuple[float, str]

COMPARED: dict[str, tuple[str, ...]] = {
    "<": ("<=", ">", ">="),
    "<=": ("<", ">=", ">"),
    ">": (">=", "<", "<="),
    ">=": (">", "<=", "<"),
    "==": ("!=", ">=", "<="),
    "!=": ("==",),
    "===": ("!==", ">=", "<="),
    "!==": ("===",),
}
COUNTED: dict[str, tuple[str, ...]] = {
    "+": ("-", "*"),
    "-": ("+", "/"),
    "*": ("/", "+", "**"),
    "/": ("//", "*", "%"),
    "//": ("/", "%", "*"),
    "%": ("//", "/"),
    "**": ("*",),
    "+=": ("-=", "=", "*="),
    "-=": ("+=", "="),
    "*=": ("+=", "/="),
    "++": ("--",),
    "--": ("++",),
    "&&": ("||",),
    "||": ("&&", "??"),
    "??": ("||",),
    "and": ("or",),
    "or": ("and",),
}
TWINS = (
    ("True", "False"), ("true", "false"), ("min", "max"), ("any", "all"), ("floor", "ceil"), ("floor", "round"),
    ("Floor", "Ceil"), ("break", "continue"), ("sum", "len"), ("KeyError", "IndexError"), ("KeyError", "ValueError"),
    ("TypeError", "ValueError"),
)  # fmt: skip
METHOD_TWINS = (
    ("some", "every"), ("append", "extend"), ("lstrip", "rstrip"), ("strip", "rstrip"), ("upper", "lower"),
    ("toUpperCase", "toLowerCase"), ("ToUpper", "ToLower"), ("startswith", "endswith"), ("startsWith", "endsWith"),
    ("HasPrefix", "HasSuffix"), ("keys", "values"), ("keys", "items"), ("values", "items"), ("union", "intersection"),
    ("push", "unshift"), ("shift", "pop"), ("indexOf", "lastIndexOf"), ("find", "rfind"), ("split", "rsplit"),
    ("map", "filter"), ("map", "flatMap"), ("slice", "splice"), ("add", "discard"), ("partition", "rpartition"),
    ("isalpha", "isalnum"), ("isdigit", "isalnum"), ("min", "max"), ("floor", "ceil"), ("floor", "round"),
)  # fmt: skip
BOUNDED_CALLS = frozenset({"range", "slice", "substring", "substr", "len", "islice"})
WITHOUT_CALL = frozenset({
    "strip", "lower", "upper", "items", "keys", "values", "copy", "sort", "reverse", "split", "title", "trim",
    "toLowerCase", "toUpperCase", "isdigit",
})  # fmt: skip
"""Methods that are of no use unless they are called."""
TEXT_METHODS = frozenset({"replace", "replaceAll", "split", "strip", "trim", "join", "startswith", "startsWith"})


def operators(line: CodeLine, path: str) -> Iterator[Weighted]:
    for index, token in enumerate(line.tokens):
        for place, other in enumerate(COMPARED.get(token.text, ())):
            yield 2.0 + 0.5 * place, line.replaced(index, index + 1, other)
        if token.text == "//" and not path.endswith(".py"):
            continue
        for place, other in enumerate(COUNTED.get(token.text, ())):
            if line.left_operand(index) is None and token.text in {"-", "+", "*", "**"}:
                break
            if (other in {"//", "**"} and not path.endswith(".py")) or (other == "??" and path.endswith(".go")):
                continue
            yield 2.5 + 0.5 * place, line.replaced(index, index + 1, other)


def words(line: CodeLine, path: str) -> Iterator[Weighted]:
    """One word of a well-known pair for the other; `in`, `is` and `not` put in or taken out."""
    for index, token in enumerate(line.tokens):
        if token.kind != "name":
            continue
        for pair in METHOD_TWINS if line.at(index - 1) == "." else TWINS:
            if token.text in pair:
                yield 3.0, line.replaced(index, index + 1, pair[1 - pair.index(token.text)])
        before = line.at(line.before(index))
        if token.text == "in" and line.at(0) != "for" and before != "not":
            yield 3.0, line.replaced(index, index + 1, "not in")
        if token.text == "not" and line.at(line.after(index)) == "in":
            yield 3.0, line.replaced(index, line.after(index), "")
        elif token.text == "not":
            yield 2.5, line.replaced(index, line.after(index), "")
        if token.text == "is":
            negated = line.at(line.after(index)) == "not"
            end = line.after(index) + 1 if negated else index + 1
            yield 3.0, line.replaced(index, end, "is" if negated else "is not")
        if token.text == "await":
            yield 6.0, line.replaced(index, line.after(index), "")
    yield from _negated(line, path)


def _negated(line: CodeLine, path: str) -> Iterator[Weighted]:
    for index, token in enumerate(line.tokens):
        if token.text == "!" and line.at(index + 1) != "=":
            yield 2.5, line.replaced(index, index + 1, "")
    head = line.at(0)
    if head not in {"if", "elif", "while", "return"}:
        return
    start, end = line.after(0), len(line.tokens)
    if line.at(end - 1) in {":", "{", ";"}:
        end = line.before(end - 1) + 1
    if path.endswith(".py") and start < end and line.at(start) != "not":
        condition, simple = line.text(start, end), _is_operand(line, start, end)
        yield 3.5, line.replaced(start, end, f"not {condition}" if simple else f"not ({condition})")
        if head != "return" and simple:
            yield 5.0, line.replaced(start, end, f"{condition} is not None")
    elif path.endswith(".py") and head != "return" and _is_operand(line, line.after(start), end):
        yield 4.0, line.replaced(start, end, f"{line.text(line.after(start), end)} is None")
    elif not path.endswith(".py") and head in {"if", "while"} and line.at(start) == "(":
        closing = line.closing(start)
        if closing is not None:
            yield 4.0, line.replaced(start + 1, closing, f"!({line.text(start + 1, closing)})")


def by_one(line: CodeLine, path: str) -> Iterator[Weighted]:
    """Numbers, bounds and indices that are one too many or one too few."""
    for index, token in enumerate(line.tokens):
        if token.kind == "number" and token.text.isdecimal():
            value = int(token.text)
            yield 3.5, line.replaced(index, index + 1, str(value + 1))
            if value:
                yield 3.5, line.replaced(index, index + 1, str(value - 1))
            operator = line.before(index)
            if value == 1 and line.at(operator) in {"+", "-"} and line.left_operand(operator) is not None:
                yield 2.0, line.replaced(line.before(operator) + 1, index + 1, "")
        if token.text == "length" and line.at(line.before(index)) == "." and not _counts_on(line, index):
            yield 3.0, line.replaced(index, index + 1, "length - 1")
        if token.text == "[" and _subscripts(line, index):
            yield from _bounds(line, index, path)
        if token.text in BOUNDED_CALLS and line.at(index + 1) == "(":
            yield from _call_bounds(line, index)
        if token.kind == "name" and _stands_in_sum(line, index):
            yield 4.5, line.replaced(index, index + 1, f"({token.text} - 1)")
            yield 4.6, line.replaced(index, index + 1, f"({token.text} + 1)")


def _bounds(line: CodeLine, opening: int, path: str) -> Iterator[Weighted]:
    closing = line.closing(opening)
    if closing is None:
        return
    inner = line.text(opening + 1, closing)
    if path.endswith(".py") and inner in {"0", "-1"}:
        yield 2.5, line.replaced(opening + 1, closing, "-1" if inner == "0" else "0")
    for first, last in line.split(opening + 1, closing, ":"):
        bound = line.text(first, last).strip()
        if bound and not re.fullmatch(r"""-?\d+|['"`].*""", bound):
            yield 3.0, line.replaced(first, last, f"{bound} + 1")
            yield 3.0, line.replaced(first, last, f"{bound} - 1")


def _call_bounds(line: CodeLine, name: int) -> Iterator[Weighted]:
    closing = line.closing(name + 1)
    if closing is None:
        return
    if line.at(name) == "len":
        if not _counts_on(line, closing):
            yield 3.0, line.replaced(closing, closing + 1, ") - 1")
            yield 3.2, line.replaced(closing, closing + 1, ") + 1")
        return
    parts = line.split(name + 2, closing, ",")
    last = line.text(*parts[-1]).strip()
    if last and len(parts) < 3:
        start = "" if len(parts) == 1 else " "
        yield 2.5, line.replaced(*parts[-1], f"{start}{last} + 1")
        yield 2.6, line.replaced(*parts[-1], f"{start}{last} - 1")
    if line.at(name) == "range" and len(parts) == 1 and last:
        yield 3.0, line.replaced(*parts[0], f"1, {last}")
        yield 3.0, line.replaced(*parts[0], f"1, {last} + 1")
    if line.at(name) == "range" and len(parts) == 2 and line.text(*parts[0]).strip() in {"0", "1"}:
        yield 2.8, line.replaced(parts[0][0], parts[1][1], last)


def order(line: CodeLine, _path: str) -> Iterator[Weighted]:
    """Arguments and operands the wrong way round, and sums that were meant to come first."""
    for index, token in enumerate(line.tokens):
        if token.text in {"+", "-", "/", "//", "%"}:
            left, right = line.left_operand(index), line.right_operand(index)
            if left is None or right is None:
                continue
            mine, other = line.text(left, line.before(index) + 1), line.text(line.after(index), right)
            between = line.text(line.before(index) + 1, line.after(index))
            yield (3.5 if token.text != "+" else 6.0), line.replaced(left, right, f"{other}{between}{mine}")
            if token.text in {"+", "-"} and line.at(line.after(right - 1)) in {"*", "/", "//", "%"}:
                yield 3.0, line.replaced(left, right, f"({line.text(left, right)})")
        if token.text == "(" and index and line.tokens[index - 1].kind == "name" and line.at(0) not in {"def", "func"}:
            yield from _swapped_arguments(line, index)


def _swapped_arguments(line: CodeLine, opening: int) -> Iterator[Weighted]:
    closing = line.closing(opening)
    if closing is None or line.at(opening - 1) in KEYWORDS - {"range"}:
        return
    parts = line.split(opening + 1, closing, ",")
    texts = [line.text(*part).strip() for part in parts]
    for place in range(len(parts) - 1) if len(parts) <= 4 else ():
        swapped = [*texts[:place], texts[place + 1], texts[place], *texts[place + 2 :]]
        yield 5.0, line.replaced(opening + 1, closing, ", ".join(swapped))


def forgotten(line: CodeLine, path: str) -> Iterator[Weighted]:
    """What is easily left out: a return, an assignment, the mark of a template, a call's brackets."""
    text = line.text(0, len(line.tokens))
    if _is_expression(line):
        called = text.rstrip(";").endswith(")")
        yield (4.0 if called else 1.5), f"return {text}{line.trail}"
        compared = re.match(r"([\w.\[\]'\"]+) ===? (.+)", text)
        if compared:
            yield 1.5, f"{compared[1]} = {compared[2]}{line.trail}"
    yield from _missing_marks(line, path)
    if path.endswith(".py"):
        yield from _default_for_none(line)
        yield from _mutable_default(line)


def more(line: CodeLine, path: str) -> Iterator[Weighted]:
    """Rare slips: a result that wants another form, a line that should not be there."""
    if path.endswith(".py") and line.at(0) == "return" and len(line.tokens) > 2:
        value = line.text(2, len(line.tokens))
        for wrapped in ("sorted({})", "-{}", "round({})", "list({})", "int({})"):
            yield 6.5, f"return {wrapped.format(value)}{line.trail}"
    if line.at(0) not in BLOCK_STARTS and line.at(len(line.tokens) - 1) not in {"{", "}", ":", "(", "[", ","}:
        yield 7.0, ""


def texts(line: CodeLine, path: str) -> Iterator[Weighted]:
    """Text that is meant without its case, or without the space around it."""
    added = {"py": (".lower()", ".upper()", ".strip()"), "go": ()}
    calls = added.get(path.rpartition(".")[2], (".toLowerCase()", ".toUpperCase()", ".trim()"))
    for index, token in enumerate(line.tokens):
        if token.text not in TEXT_METHODS or line.at(index - 1) != "." or line.at(index + 1) != "(":
            continue
        end = line.closing(index + 1)
        for place in (index - 1, *(() if end is None else (end + 1,))):
            yield from ((4.2, line.replaced(place, place, call)) for call in calls)


def _missing_marks(line: CodeLine, path: str) -> Iterator[Weighted]:
    python = path.endswith(".py")
    for index, token in enumerate(line.tokens):
        if token.kind == "string" and python and re.match(r"""['"].*\{\w[^{}]*\}""", token.text):
            yield 1.5, line.replaced(index, index + 1, f"f{token.text}")
        if token.kind == "string" and not python and re.match(r"""['"].*\$\{""", token.text):
            yield 1.5, line.replaced(index, index + 1, f"`{token.text[1:-1]}`")
        if token.text in WITHOUT_CALL and line.at(index - 1) == "." and line.at(index + 1) != "(":
            yield 1.5, line.replaced(index, index + 1, f"{token.text}()")
        if token.text == "=" and not python and line.at(0) in {"if", "while", "}"}:
            yield 1.5, line.replaced(index, index + 1, "==" if path.endswith(".go") else "===")


def _default_for_none(line: CodeLine) -> Iterator[Weighted]:
    """`x or 10` also replaces a nought."""
    for index, token in enumerate(line.tokens):
        left, right = line.left_operand(index), line.right_operand(index)
        if token.text == "or" and left is not None and right is not None:
            value, default = line.text(left, line.before(index) + 1), line.text(line.after(index), right)
            yield 3.0, line.replaced(left, right, f"{default} if {value} is None else {value}")


def _mutable_default(line: CodeLine) -> Iterator[Weighted]:
    text = line.text(0, len(line.tokens))
    found = re.match(r"(?:async )?def .*?\b(\w+)(?:: ?[^=,]+?)?( ?= ?)(\[\]|\{\}|set\(\)|dict\(\)|list\(\))", text)
    if found and text.endswith(":"):
        shown = f"{text[: found.start(3)]}None{text[found.end(3) :]}"
        yield 1.0, f"{shown}{line.trail}\n    {found[1]} = {found[3]} if {found[1]} is None else {found[1]}"


def _is_expression(line: CodeLine) -> bool:
    texts = [token.text for token in line.tokens]
    if (
        not texts
        or texts[0] in KEYWORDS - {"self", "this", "not", "await", "new"}
        or texts[0] in {"@", "}", ")", "]", "#"}
    ):
        return False
    if texts[-1] in {":", "{", "(", "[", ",", "}"} or line.tokens[0].kind == "string":
        return False
    depth = 0
    for text in texts:
        depth += (text in "([{") - (text in ")]}")
        if depth == 0 and text in {"=", "+=", "-=", "*=", "/=", ":=", "++", "--", "<-", ":"}:
            return False
    return depth == 0


def _is_operand(line: CodeLine, first: int, last: int) -> bool:
    return first < last and line.right_operand(first - 1) == last


def _subscripts(line: CodeLine, opening: int) -> bool:
    before = opening - 1
    return before >= 0 and (line.tokens[before].kind == "name" or line.at(before) in {")", "]"})


def _counts_on(line: CodeLine, index: int) -> bool:
    return line.at(line.after(index)) in {"-", "+"}


def _stands_in_sum(line: CodeLine, index: int) -> bool:
    around = {line.at(line.before(index)), line.at(line.after(index))}
    return line.at(index) not in KEYWORDS and bool(around & {"*", "%", "//"}) and line.at(index + 1) not in {"(", "."}


RULES: tuple[Callable[[CodeLine, str], Iterator[Weighted]], ...] = (
    operators,
    words,
    by_one,
    order,
    forgotten,
    texts,
    more,
)
