"""The functions of a file: where they begin and end, and what they name."""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mulligan.syntax.blanking import blank_literals, closing_bracket


@dataclass(frozen=True, slots=True)
class CodeFunction:
    """Lines `first` to `last`, counted from 1, both included; decorators belong to it."""

    name: str
    first: int
    last: int
    owner: str = ""
    """Its class, or the type of its receiver."""
    owner_line: int | None = None
    """Where the head of that class stands in the file."""


def functions_in(path: str, lines: Sequence[str]) -> list[CodeFunction]:
    """In the order of the file. A function inside another one is listed too."""
    text = "\n".join(lines)
    if path.endswith((".py", ".pyi")):
        tree = parse_python(text)
        return list(_python_functions(tree)) if tree else list(_indented_functions(lines))
    return list(_brace_functions(path, text))


def innermost(functions: Sequence[CodeFunction], line: int) -> CodeFunction | None:
    around = [each for each in functions if each.first <= line <= each.last]
    return max(around, key=lambda each: each.first, default=None)


def names_in(path: str, text: str) -> set[str]:
    """The identifiers that stand in a piece of code. Words in strings and comments are none."""
    bare = _PYTHON_TEXT.sub(" ", text) if path.endswith((".py", ".pyi")) else blank_literals(path, text)
    return set(_IDENTIFIER.findall(bare)) - _WORDS


@lru_cache(maxsize=64)
def parse_python(text: str) -> ast.Module | None:
    """Python's syntax tree; None for what does not parse."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # broken, or nested beyond all measure
        return None


_WORDS = frozenset({
    "and", "as", "assert", "async", "await", "break", "case", "class", "const", "continue", "def", "defer", "del",
    "elif", "else", "except", "export", "false", "False", "finally", "for", "from", "func", "function", "if", "import",
    "in", "is",
    "lambda", "let", "new", "nil", "None", "not", "null", "or", "pass", "raise", "range", "return", "self", "switch",
    "this", "throw", "true", "True", "try", "undefined", "var", "while", "with", "yield",
})  # fmt: skip
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*")
_PYTHON_TEXT = re.compile(
    r"\"\"\".*?\"\"\"|'''.*?'''|(?<![fF])\"(?:\\.|[^\"\\\n])*\"|(?<![fF])'(?:\\.|[^'\\\n])*'|#[^\n]*", re.DOTALL
)
_DEF = re.compile(r"(?P<indent>[ \t]*)(?:async\s+)?def\s+(?P<name>\w+)")


def _python_functions(tree: ast.AST, owner: str = "", owner_line: int | None = None) -> Iterator[CodeFunction]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield CodeFunction(node.name, first, node.end_lineno or node.lineno, owner, owner_line)
            yield from _python_functions(node)
        elif isinstance(node, ast.ClassDef):
            yield from _python_functions(node, node.name, node.lineno)
        else:
            yield from _python_functions(node, owner, owner_line)


def _indented_functions(lines: Sequence[str]) -> Iterator[CodeFunction]:
    """For Python that does not parse."""
    for number, line in enumerate(lines, 1):
        if found := _DEF.match(line):
            last = number
            for later in range(number, len(lines)):
                bare = lines[later].strip()
                outside = len(lines[later]) - len(lines[later].lstrip()) <= len(found["indent"])
                if bare and outside and not bare.startswith(")"):
                    break
                last = later + 1 if bare else last
            yield CodeFunction(found["name"], number, last)


_PARAMETERS = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"
_FUNCTION_VALUE = rf"(?:async\s+)?(?:function\b|(?={_PARAMETERS}\s*(?::[^=\n]+)?=>|[\w$]+\s*=>))"
_SCRIPT = re.compile(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?P<function>[\w$]+)"
    rf"|^[ \t]*(?:export\s+)?(?:const|let|var)\s+(?P<bound>[\w$]+)\s*(?::[^=\n]+)?=\s*{_FUNCTION_VALUE}"
    rf"|^[ \t]*(?:module\.)?exports\.(?P<exported>[\w$]+)\s*=\s*{_FUNCTION_VALUE}"
    rf"|^[ \t]+(?:static\s+)?(?P<field>[\w$]+)\s*[:=]\s*{_FUNCTION_VALUE}"
    r"|^[ \t]+(?:(?:static|async|get|set|public|private|protected|override)\s+|\*\s*)*(?P<method>#?[\w$]+)\s*"
    rf"(?={_PARAMETERS}\s*(?::[^{{;=\n]+)?\{{)",
    re.MULTILINE,
)
_GO = re.compile(
    r"^func\s+(?:\(\s*(?:\w+\s+)?\*?(?P<owner>\w+)(?:\[[^\]]*\])?\s*\)\s*)?(?P<function>\w+)", re.MULTILINE
)
_OTHER = re.compile(
    r"^[ \t]*(?:[\w()]+\s+){0,4}(?:fn|fun|function|func)\s+(?P<function>\w+)"
    r"|^[ \t]*(?:[\w<>\[\],*&.:?]+\s+){1,5}(?P<method>\w+)\s*(?=\([^;{}]{0,400}\)[^;{}()]{0,200}\{)",
    re.MULTILINE,
)
_CLASS = re.compile(r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?P<name>[\w$]+)", re.MULTILINE)
_EMPTY_TYPE = re.compile(r"\b(interface|struct)\{\}")
_SPACE = re.compile(r"\s*(?=\S)")
_GOES_ON = re.compile(r"\s*[.?:&|+*/-]")
_CONTROL = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "match", "function", "with", "do"})
SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")


def _brace_functions(path: str, text: str) -> Iterator[CodeFunction]:
    pattern = _SCRIPT if path.endswith(SCRIPTS) else _GO if path.endswith(".go") else _OTHER
    # In Go these braces belong to a type, not to the body that comes after it.
    code = _EMPTY_TYPE.sub(r"\1  ", blank_literals(path, text))
    begins = [0, *(found.end() for found in re.finditer(r"\n", code))]
    classes = list(_classes(code)) if path.endswith(SCRIPTS) else []
    for found in pattern.finditer(code):
        groups = found.groupdict()
        owner = groups.pop("owner", None) or ""
        name = next((each for each in groups.values() if each), "")
        start = _body(code, found.end())
        if name in _CONTROL or start is None:
            continue
        end = closing_bracket(code, start) if code[start] == "{" else _expression_end(code, start)
        holder = max(
            (each for each in classes if each[1] < found.start() < each[2]), key=lambda each: each[1], default=None
        )
        yield CodeFunction(
            name.lstrip("#"),
            bisect_right(begins, found.start()),
            bisect_right(begins, end),
            holder[0] if holder else owner,
            bisect_right(begins, holder[1]) if holder else None,
        )


def _classes(code: str) -> Iterator[tuple[str, int, int]]:
    for found in _CLASS.finditer(code):
        brace = code.find("{", found.end())
        if brace >= 0:
            yield found["name"], found.start(), closing_bracket(code, brace)


def _body(code: str, at: int) -> int | None:
    """Where the body begins of a function whose parameters come next; None where it has none."""
    while at < len(code):
        match code[at]:
            case "(" | "[":
                at = closing_bracket(code, at)
            case "{":
                return at
            case ";" | "}" | ")":
                return None
            case "=" if code.startswith("=>", at):
                after = _SPACE.match(code, at + 2)
                return after.end() if after else None
            case _:
                pass
        at += 1
    return None


def _expression_end(code: str, at: int) -> int:
    """Where an expression ends that stands for a whole body."""
    while at < len(code):
        match code[at]:
            case "(" | "[" | "{":
                at = closing_bracket(code, at)
            case ";" | ")" | "]" | "}" | ",":
                return at - 1
            case "\n" if not _GOES_ON.match(code, at):
                return at - 1
            case _:
                pass
        at += 1
    return len(code) - 1
