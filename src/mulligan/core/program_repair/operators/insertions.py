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
