"""Names that are made anew where the one outside was meant, and results that a function within another keeps."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.line_context import LineContext, closes_block, indent_of
from mulligan.syntax.line_tokens import Weighted

_GO_SET = re.compile(r"(?P<head>(?:if |for )?)(?P<names>\w+(?:, \w+)*) := (?P<value>.+)")
_SCRIPT_SET = re.compile(r"(?:const|let|var) (?P<name>[A-Za-z_$][\w$]*) = (?P<value>.+)")
_CALLBACK = re.compile(r"(?:\((?P<given>[^()]*)\)|(?P<one>\w+)) => \{$|function\s*\w*\((?P<named>[^()]*)\)\s*\{$")
_FOLDS = re.compile(r"\.reduce(?:Right)?\(\s*(?:async )?\(")
_HELD = re.compile(r"(?:const|let|var) ([A-Za-z_$][\w$]*) = ")
_RETURNS = re.compile(r"\breturn\b[ (]*[\w'\"\[{(`-]")
_MAY_BE_NEW = frozenset({"_", "ok", "err"})
MOST_HELD = 3


def made_anew(path: str, lines: Sequence[str], line: int, around: LineContext) -> Iterator[Weighted]:
    """A line that makes a variable within a block, where the function has one of that name outside of it."""
    old = lines[line - 1].strip()
    if not around.in_function or path.endswith(".py"):
        return
    if path.endswith(".go"):
        found = _GO_SET.fullmatch(old)
        names = found["names"].split(", ") if found and not found["head"] else []
        outer = [name for name in names if _is_outside(name, lines, line, around)]
        meant = [name for name in outer if name not in _MAY_BE_NEW]
        if found and outer and outer == names:
            yield 1.5 if meant else 3.4, f"{found['names']} = {found['value']}"
        elif found and meant:
            made = ", ".join(f"{name}Now" if name in meant else name for name in names)
            kept = "\n".join(f"{name} = {name}Now" for name in meant)
            yield 1.6, f"{made} := {found['value']}\n{kept}"
    else:
        found = _SCRIPT_SET.fullmatch(old)
        if found and _is_outside(found["name"], lines, line, around):
            yield 1.5, f"{found['name']} = {found['value']}"


def _is_outside(name: str, lines: Sequence[str], line: int, around: LineContext) -> bool:
    """Whether the function is given it, or makes it further up and further out."""
    if name in around.given:
        return True
    made = re.compile(rf"(?:let|var) {re.escape(name)}\b|(?:\w+, )*{re.escape(name)}(?:, \w+)* :=")
    above = (lines[number - 1] for number in range(around.first + 1, line))
    return any(made.match(row.strip()) and indent_of(row) < indent_of(lines[line - 1]) for row in above)


def kept_within(path: str, lines: Sequence[str], line: int) -> Iterator[Weighted]:
    """The last line of a function without a name that returns nothing: with a return of what it is given or holds."""
    old = lines[line - 1].strip()
    if path.endswith((".py", ".go")) or not closes_block(lines, line) or not old.endswith((";", ")", "}")):
        return
    head = next((n for n in range(line - 1, 0, -1) if indent_of(lines[n - 1]) < indent_of(lines[line - 1])), 0)
    found = _CALLBACK.search(lines[head - 1].rstrip()) if head and lines[head - 1].strip() else None
    body = lines[head : line - 1]
    if found is None or _RETURNS.search("\n".join([*body, old])):
        return
    given = [name.split("=")[0].strip() for name in (found["given"] or found["one"] or found["named"] or "").split(",")]
    held = [each[1] for row in reversed([*body, old]) if (each := _HELD.match(row.strip()))]
    folds = bool(_FOLDS.search(lines[head - 1]))
    names = [name for name in dict.fromkeys([*held, *given[: 1 if folds else 2]]) if name.isidentifier()]
    for rank, name in enumerate(names[:MOST_HELD]):
        sure = (folds and name == given[0]) or (rank == 0 and bool(_HELD.match(old)))
        weight = 1.5 if sure else 3.0 + 0.3 * rank
        yield weight, f"{old}\nreturn {name};"
