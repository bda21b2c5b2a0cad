"""Lines that were forgotten: a way out of a branch, a guard for what is empty, an update of what is counted or kept.

Each is put beside a line that is there. What is put in is taken from the function, its class and its documentation.
"""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.operators.updates import forgotten_updates
from mulligan.core.program_repair.sites.line_context import LineContext, closes_block, indent_of
from mulligan.core.program_repair.sites.vocabulary import ProjectWords
from mulligan.syntax.line_tokens import Weighted

MOST_SENTINELS = 4
MOST_RETURNS = 3
_LEAVES = re.compile(r"(?:return|raise|throw|break|continue|panic|yield|pass)\b")
_BRANCH = re.compile(r"\}?\s*(?:if|elif|else|case|default|except|catch)\b")
_LOOP = re.compile(r"(?:for|while)\b")
_RETURN = re.compile(r"return\b.*")
_LAST_VALUE = re.compile(r"return (.*, )?(?:nil|Err\w+)$")
_GUARD = re.compile(r"if \(?([\w.]+) (<=?|>=?) ([\w.]+)\)?\s*[:{]$")
_LITERAL = re.compile(r"-?\d+(?:\.\d+)?|None|null|nil|true|false|True|False|\[\]|\{\}|''|\"\"|``|undefined")
_SENTINEL = re.compile(r"\b(Err[A-Z]\w*)\s*=")
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def inserted(
    path: str, lines: Sequence[str], line: int, around: LineContext, vocabulary: ProjectWords
) -> Iterator[Weighted]:
    """The line together with one that was forgotten beside it."""
    old = lines[line - 1].strip()
    if not old or old in {"}", "});", ")"}:
        return
    if closes_block(lines, line) and not _LEAVES.match(old) and not old.endswith(("{", ":", ",", "(")):
        for weight, way in _ways_out(path, lines, line, around, vocabulary):
            yield weight, f"{old}\n{way}"
    for weight, guard in (*_for_empty(path, old, around, vocabulary), *_twin_guard(lines, line, around)):
        yield weight, f"{guard}\n{old}"
    for weight, update, above in forgotten_updates(path, lines, line, around, vocabulary):
        yield weight, f"{update}\n{old}" if above else f"{old}\n{update}"


def _ways_out(
    path: str, lines: Sequence[str], line: int, around: LineContext, vocabulary: ProjectWords
) -> Iterator[Weighted]:
    """What may end a branch: an error that has a name, what is returned elsewhere, the next round of a loop."""
    openers = list(_openers(lines, line, around.first))
    if not openers or not _BRANCH.match(openers[0]):
        return
    end = "" if path.endswith((".py", ".go")) else ";"
    returns = dict.fromkeys(
        text for row in around.code.split("\n") if (text := row.strip()) and _RETURN.fullmatch(text)
    )
    named = dict.fromkeys([*vocabulary.sentinels, *_SENTINEL.findall("\n".join(lines))])
    for name in list(named)[:MOST_SENTINELS] if path.endswith(".go") else ():
        weight = 1.8 if name in around.documented else 3.0
        made = dict.fromkeys(f"return {found[1] or ''}{name}" for each in returns if (found := _LAST_VALUE.match(each)))
        yield from ((weight, text) for text in made)
    for text in list(returns)[:MOST_RETURNS]:
        yield 3.8, text
    if any(_LOOP.match(each) for each in openers):
        yield 3.4, f"continue{end}"
        yield 4.2, f"break{end}"
    if not returns:
        yield 3.6, f"return{end}"


def _openers(lines: Sequence[str], line: int, first: int) -> Iterator[str]:
    """The heads of the blocks around a line, the innermost first, without that of its function."""
    inner = indent_of(lines[line - 1])
    for number in range(line - 1, first, -1):
        text = lines[number - 1]
        if text.strip() and indent_of(text) < inner:
            inner = indent_of(text)
            yield text.strip()


def _for_empty(path: str, old: str, around: LineContext, vocabulary: ProjectWords) -> Iterator[Weighted]:
    """A way out before a line that can't do with nothing, where a failure says that it was given nothing."""
    if "empty" not in vocabulary.symptoms or _BRANCH.match(old):
        return
    wanted = [text for _, text in vocabulary.differences if _LITERAL.fullmatch(text)]
    python, go = path.endswith(".py"), path.endswith(".go")
    usual = ("None", "0", "[]") if python else ("0", "nil") if go else ("null", "0", "[]")
    for name in around.given:
        if not re.search(rf"\b{name}\b", old):
            continue
        for rank, value in enumerate(dict.fromkeys([*wanted, *usual])):
            if python:
                yield 2.2 + 0.6 * rank, f"if not {name}:\n    return {value}"
            elif go:
                yield 2.2 + 0.6 * rank, f"if len({name}) == 0 {{\n\treturn {value}\n}}"
            else:
                yield 2.2 + 0.6 * rank, f"if (!{name}?.length) return {value};"


def _twin_guard(lines: Sequence[str], line: int, around: LineContext) -> Iterator[Weighted]:
    """One bound is looked after, and the function does nothing with the other that it is given."""
    found = _GUARD.match(lines[line - 1].strip())
    limits = sorted(around.unused.intersection(around.given))
    if not found or not limits or line >= len(lines):
        return
    rows = [lines[line - 1].strip(), *_body(lines, line)]
    for other in limits:
        head = f"{found[1]} {_TURNED[found[2]]} {found[3]}"
        turned = "\n".join(rows).replace(f"{found[1]} {found[2]} {found[3]}", head)
        yield 2.0, re.sub(rf"\b{re.escape(found[3])}\b", other, turned)


def _body(lines: Sequence[str], line: int) -> Iterator[str]:
    """The block that a line opens, with what closes it, as deep as it stands below the line."""
    indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
    for row in lines[line:]:
        inside = indent_of(row) > indent_of(lines[line - 1])
        if not inside and row.strip() != "}":
            return
        yield row.removeprefix(indent)
        if not inside:
            return


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
