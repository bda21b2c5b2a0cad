"""Slips that people make within one line, each turned round: what the line would be without the slip.

Every rule yields the new line with a weight: the less, the likelier the slip.
"""

import re
from collections.abc import Callable, Iterator

from mulligan.core.program_repair.operators.off_by_one import by_one, sorting
from mulligan.core.program_repair.operators.omissions import forgotten, more, texts
from mulligan.syntax.line_tokens import KEYWORDS, CodeLine, Weighted

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
ASKS = frozenset({"=>", "&&", "||", "and", "or", "return", "if"})
"""What stands before a question."""
QUESTIONED = re.compile(r"\.(?:filter|some|every|find|findIndex)\(|\bfor\b|\ball\(|\bany\(")
_CHOICE = re.compile(r"([\w.'\"()\[\]]+) if (.+) else ([\w.'\"()\[\]]+)")
_DIVIDED_FIRST = re.compile(r"(?P<of>[\w.]+) ?(?P<sign>//?) ?(?P<by>[\w.]+) ?\* ?(?P<factor>[\w.]+)")
STEPS = frozenset({"++", "--", "+=", "-=", "*="})
LOGIC = frozenset({"and", "or", "&&", "||"})
TWINS = (
    ("True", "False"), ("true", "false"), ("min", "max"), ("any", "all"), ("floor", "ceil"), ("floor", "round"),
    ("Floor", "Ceil"), ("break", "continue"), ("sum", "len"), ("KeyError", "IndexError"), ("KeyError", "ValueError"),
    ("TypeError", "ValueError"), ("parseInt", "parseFloat"), ("ceil", "round"), ("Ceil", "Round"), ("Floor", "Round"),
)  # fmt: skip
METHOD_TWINS = (
    ("some", "every"), ("append", "extend"), ("lstrip", "rstrip"), ("strip", "rstrip"), ("upper", "lower"),
    ("toUpperCase", "toLowerCase"), ("ToUpper", "ToLower"), ("startswith", "endswith"), ("startsWith", "endsWith"),
    ("HasPrefix", "HasSuffix"), ("keys", "values"), ("keys", "items"), ("values", "items"), ("union", "intersection"),
    ("push", "unshift"), ("shift", "pop"), ("indexOf", "lastIndexOf"), ("find", "rfind"), ("split", "rsplit"),
    ("map", "filter"), ("map", "flatMap"), ("slice", "splice"), ("add", "discard"), ("partition", "rpartition"),
    ("isalpha", "isalnum"), ("isdigit", "isalnum"), ("min", "max"), ("floor", "ceil"), ("floor", "round"),
    ("ceil", "round"), ("floor", "trunc"), ("Floor", "Ceil"), ("Floor", "Round"), ("Ceil", "Round"),
    ("trimStart", "trimEnd"), ("TrimLeft", "TrimRight"), ("TrimPrefix", "TrimSuffix"), ("find", "filter"),
    ("includes", "startsWith"), ("includes", "endsWith"), ("padStart", "padEnd"), ("ljust", "rjust"),
    ("removeprefix", "removesuffix"), ("popleft", "pop"), ("append", "appendleft"), ("append", "add"),
    ("match", "search"), ("match", "fullmatch"), ("search", "fullmatch"), ("Index", "LastIndex"), ("Before", "After"),
    ("has", "get"), ("get", "pop"), ("union", "difference"), ("issubset", "issuperset"), ("entries", "values"),
    ("entries", "keys"), ("keys", "values"), ("replace", "replaceAll"), ("Replace", "ReplaceAll"), ("update", "add"),
    ("add", "delete"), ("getDay", "getDate"), ("getYear", "getFullYear"),
    ("title", "capitalize"), ("reduce", "reduceRight"), ("concat", "push"), ("isdigit", "isnumeric"),
)  # fmt: skip


PYTHON_ONLY = frozenset({
    "append", "appendleft", "capitalize", "difference", "discard", "endswith", "extend", "fullmatch", "get", "isalnum",
    "isalpha", "isdigit", "isnumeric", "issubset", "issuperset", "items", "ljust", "lower", "lstrip", "partition",
    "popleft", "removeprefix", "removesuffix", "rfind", "rjust", "rpartition", "rsplit", "rstrip",
    "startswith", "strip", "title", "update", "upper",
})  # fmt: skip
SCRIPT_ONLY = frozenset({
    "concat", "delete", "endsWith", "entries", "every", "filter", "flatMap", "getDate", "getDay", "getFullYear", "has",
    "includes", "indexOf", "lastIndexOf", "padEnd", "padStart", "push", "reduce", "reduceRight", "replaceAll", "shift",
    "slice", "some", "splice", "startsWith", "toLowerCase", "toUpperCase", "trimEnd", "trimStart", "trunc", "unshift",
})  # fmt: skip
"""Names of methods that the other languages don't have. JavaScript's `get` is a Map's."""


def operators(line: CodeLine, path: str) -> Iterator[Weighted]:
    # A loop whose condition or step is turned round may never end, and so take all the time there is.
    loops = line.at(0) in {"for", "while"}
    for index, token in enumerate(line.tokens):
        compared = COMPARED.get(token.text, ())
        for place, other in enumerate(compared[:1] if loops else compared):
            yield 2.0 + 0.5 * place, line.replaced(index, index + 1, other)
        if (token.text == "//" and not path.endswith(".py")) or (loops and token.text in STEPS):
            continue
        for place, other in enumerate(COUNTED.get(token.text, ())):
            if line.left_operand(index) is None and token.text in {"-", "+", "*", "**"}:
                break
            if (other in {"//", "**"} and not path.endswith(".py")) or (other == "??" and path.endswith(".go")):
                continue
            first = 1.8 if token.text in LOGIC else 2.5
            yield first + 0.5 * place, line.replaced(index, index + 1, other)
    yield from _all_compared(line)


def _all_compared(line: CodeLine) -> Iterator[Weighted]:
    """The same comparison several times, as two ends of a stretch have it, and each of them wrong."""
    for sign in dict.fromkeys(token.text for token in line.tokens if token.text in COMPARED):
        if sum(token.text == sign for token in line.tokens) > 1:
            other = COMPARED[sign][0]
            yield 2.6, "".join(other if token.text == sign else token.text for token in line.tokens) + line.trail


def assignments(line: CodeLine, _path: str) -> Iterator[Weighted]:
    """A value that is set where it should be added, or that is none at all."""
    for index, token in enumerate(line.tokens):
        if token.text == "=" and line.at(index + 1) in {"+", "-"}:
            yield 1.2, line.replaced(index, index + 2, f"{line.at(index + 1)}=")
        elif token.text == "=" and index and line.left_operand(index) == 0 and line.at(line.after(index)) not in "[{":
            yield (3.5 if line.at(line.before(index)) == "]" else 5.0), line.replaced(index, index + 1, "+=")


def word_pairs(line: CodeLine, path: str) -> Iterator[Weighted]:
    """One word of a well-known pair for the other; `in`, `is` and `not` put in or taken out."""
    for index, token in enumerate(line.tokens):
        if token.kind != "name":
            continue
        for pair in METHOD_TWINS if line.at(index - 1) == "." else TWINS:
            if pair in METHOD_TWINS and line.at(index + 1) != "(":
                continue
            other = pair[1 - pair.index(token.text)] if token.text in pair else ""
            if other and _is_of(path, other) and (path.endswith(".py") or pair != ("sum", "len")):
                yield 3.0, line.replaced(index, index + 1, other)
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


def _is_of(path: str, method: str) -> bool:
    """Whether the language of a file may have a method of this name."""
    if path.endswith(".py"):
        return method not in SCRIPT_ONLY
    return path.endswith(".go") or method not in PYTHON_ONLY - {"get"}


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
    if path.endswith(".py") and start < end and line.at(start) not in {"not", "True", "False", "None"}:
        condition, simple = line.text(start, end), _is_operand(line, start, end)
        negated = f"not {condition}" if simple else f"not ({condition})"
        yield (5.6 if head == "return" else 3.5), line.replaced(start, end, negated)
        if head != "return" and simple:
            yield 5.0, line.replaced(start, end, f"{condition} is not None")
    elif path.endswith(".py") and head != "return" and _is_operand(line, line.after(start), end):
        yield 4.0, line.replaced(start, end, f"{line.text(line.after(start), end)} is None")
    elif not path.endswith((".py", ".go")) and head in {"if", "while"} and line.at(start) == "(":
        closing = line.closing(start)
        if closing is not None:
            simple = _is_operand(line, start + 1, closing)
            asked = line.text(start + 1, closing)
            yield (2.7 if simple else 4.0), line.replaced(start + 1, closing, f"!{asked}" if simple else f"!({asked})")
    elif path.endswith(".go") and head == "if" and _is_operand(line, start, end):
        yield 2.7, line.replaced(start, start, "!")


def negations(line: CodeLine, path: str) -> Iterator[Weighted]:
    """A question that was meant the other way round, where it is asked within an expression."""
    for index, token in enumerate(line.tokens):
        if token.text not in ASKS:
            continue
        start = line.after(index)
        end = line.right_operand(index)
        asked = end is not None and end > start and line.tokens[start].kind == "name"
        if not asked or end is None or line.at(start) in KEYWORDS or line.at(line.after(end - 1)) in COMPARED:
            continue
        called = line.at(end - 1) == ")"
        within = bool(QUESTIONED.search(line.text(0, index)))
        weight = 2.8 if within and called else 3.0 if called or token.text in LOGIC else 3.4
        yield weight, line.replaced(start, start, "not " if path.endswith(".py") else "!")


def swapped_branches(line: CodeLine, path: str) -> Iterator[Weighted]:
    """The two values of a choice the wrong way round."""
    text = line.text(0, len(line.tokens))
    found = _CHOICE.search(text) if path.endswith(".py") else None
    if found:
        turned = f"{found[3]} if {found[2]} else {found[1]}"
        yield 3.2, f"{text[: found.start()]}{turned}{text[found.end() :]}{line.trail}"
    for index, token in enumerate(line.tokens):
        if token.text != "?" or path.endswith((".py", ".go")):
            continue
        ends = [end for end in range(index + 1, len(line.tokens)) if _is_outside(line, index + 1, end)]
        middle = next((end for end in ends if line.at(end) == ":"), None)
        last = next((end for end in ends if line.at(end) in {",", ";", ")", "]", "}"}), len(line.tokens))
        if middle is not None and middle < last:
            one, other = line.text(index + 1, middle).strip(), line.text(middle + 1, last).strip()
            yield 3.2, line.replaced(index + 1, last, f" {other} : {one}")


def _is_outside(line: CodeLine, first: int, last: int) -> bool:
    """Whether every bracket that is opened between is closed again."""
    between = [line.at(index) for index in range(first, last)]
    return sum(text in {"(", "[", "{"} for text in between) == sum(text in {")", "]", "}"} for text in between)


def division_order(line: CodeLine, _path: str) -> Iterator[Weighted]:
    """Divided before it is multiplied, so that a rest is lost."""
    text = line.text(0, len(line.tokens))
    for found in _DIVIDED_FIRST.finditer(text):
        turned = f"{found['of']} * {found['factor']} {found['sign']} {found['by']}"
        yield 3.0, f"{text[: found.start()]}{turned}{text[found.end() :]}{line.trail}"


def brackets(line: CodeLine, _path: str) -> Iterator[Weighted]:
    """Brackets that make something come first which was not meant to."""
    for index, token in enumerate(line.tokens):
        closing = line.closing(index) if token.text == "(" else None
        before = line.before(index)
        bound = before >= 0 and (line.tokens[before].kind in {"name", "string"} or line.at(before) in {")", "]"})
        if closing is None or (bound and line.at(before) not in _BEFORE_VALUES) or line.at(line.after(closing)) == "=>":
            continue
        inner = [line.at(each) for each in range(index + 1, closing)]
        whole = len(line.split(index + 1, closing, ",")) == 1 and "for" not in inner
        counted = any(text in COUNTED for text in inner)
        beside = {line.at(before), line.at(line.after(closing))}
        if counted and whole and beside & {*COUNTED, *COMPARED}:
            early = "*" in beside and bool({"/", "//"} & set(inner))
            yield 2.2 if early else 3.0, line.replaced(index, closing + 1, line.text(index + 1, closing))


_BEFORE_VALUES = frozenset({"return", "and", "or", "not", "in", "if", "else", "yield"})


def argument_order(line: CodeLine, _path: str) -> Iterator[Weighted]:
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
        plain = all(text.replace(".", "").isidentifier() for text in swapped)
        yield (3.6 if plain and len(parts) == 2 else 4.4), line.replaced(opening + 1, closing, ", ".join(swapped))


def _is_operand(line: CodeLine, first: int, last: int) -> bool:
    return first < last and line.right_operand(first - 1) == last


RULES: tuple[Callable[[CodeLine, str], Iterator[Weighted]], ...] = (
    operators,
    assignments,
    word_pairs,
    by_one,
    argument_order,
    brackets,
    negations,
    swapped_branches,
    division_order,
    sorting,
    forgotten,
    texts,
    more,
)

EXPRESSION_RULES = (operators, word_pairs, by_one, argument_order, negations, swapped_branches)
"""Those that make an expression of an expression."""
