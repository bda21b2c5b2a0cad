"""State that a function was to change and does not: a count, a sum, a list, a set."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.operators.state_changes import forgotten_changes
from mulligan.core.program_repair.sites.line_context import LineContext, closes_block, indent_of
from mulligan.core.program_repair.sites.vocabulary import ProjectWords

Update = tuple[float, str, bool]
"""How likely, the new line, and whether it stands above the line that it is put beside."""

MOST_ROUNDS = 4

_BEGUN = re.compile(
    r"(?:const |let |var )?([A-Za-z_][\w.]*)(?:: [\w\[\], ]+)?(?: \w+)? ?(?::=|=) ?"
    r"(0|0\.0|\[\]|\{\}|set\(\)|list\(\)|dict\(\)|new Set\(\)|new Map\(\)|\[\]\w+\{\}"
    r"|make\(\[\]\w+, 0.*\)|map\[\w+\]\w+\{\});?"
)
_GO_BEGUN = re.compile(r"var (\w+) (\[\]\w+|u?int\d*|float\d+)")
_LOOPS = re.compile(
    r"for\s+\(?(?:const |let |var )?[\[({]?\s*([A-Za-z_]\w*)(?:,\s*([A-Za-z_]\w*))?[\])}]?\s*(?:in|of|:=)\b"
)
_CHANGE = re.compile(
    r"(?P<what>[A-Za-z_][\w.]*)(?:\[[^\]]*\])?\s*(?:(?P<sign>[-+])=\s*(?P<by>[^;]+)|(?P<step>\+\+|--));?"
    r"|(?P<list>[A-Za-z_][\w.]*)\.(?:append|add|push|remove|discard|delete|unshift|pop|set)\(.*\);?"
    r"|(?P<kept>[A-Za-z_][\w.]*) = append\((?P=kept), .*\)"
)
_NAMES = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?!['\"])")
_ENDS = re.compile(r"(?:return|raise|throw|break|continue)\b")
_WORKED_OUT = re.compile(r"(?:const |let |var )?([A-Za-z_]\w*) (?::=|=) (?![\[{0]|set\(|new )")
_GIVES_UP = re.compile(r"(?:raise|throw)\b")
_OPENS = re.compile(r"(?:for|while)\b")
_ALWAYS = frozenset({"self", "this", "append", "len", "int", "str", "new", "true", "false", "True", "False", "None"})


def forgotten_updates(
    path: str, lines: Sequence[str], line: int, around: LineContext, vocabulary: ProjectWords
) -> Iterator[Update]:
    """What may be missing beside a line that ends its block, or above a way out or a loop."""
    old = lines[line - 1].strip()
    opens = bool(_OPENS.match(old)) and line > around.first
    above = bool(_ENDS.match(old)) or opens
    if (old.endswith(("{", ":", ",", "(")) and not opens) or not around.in_function:
        return
    if not above and (line == around.first or not _may_follow(lines, line)):
        return
    usual = closes_block(lines, line) or bool(_ENDS.match(old))
    for weight, update in (
        *_never_changed(path, lines, line, around),
        *_changed_elsewhere(lines, around),
        *forgotten_changes(path, lines, line, around, vocabulary),
    ):
        # Who gives up mostly leaves everything as it is.
        yield weight + (0.0 if usual else 0.8) + (1.2 if _GIVES_UP.match(old) else 0.0), update, above


def _may_follow(lines: Sequence[str], line: int) -> bool:
    """Whether a statement may stand below the line: it is one by itself, and the next one begins there."""
    below = next((each for each in lines[line:] if each.strip()), "")
    return indent_of(below) <= indent_of(lines[line - 1]) and lines[line - 1].count("(") == lines[line - 1].count(")")


def _never_changed(path: str, lines: Sequence[str], line: int, around: LineContext) -> Iterator[tuple[float, str]]:
    """What begins with nothing in this function, and stays so."""
    rounds = _rounds(lines, line, around)
    changed = {_target(row.strip()) for row in around.code.split("\n")}
    for row in around.code.split("\n"):
        found = _BEGUN.fullmatch(row.strip()) or _GO_BEGUN.fullmatch(row.strip())
        if not found or found[1] in changed or len(re.findall(rf"\b{re.escape(found[1])}\b", around.code)) < 2:
            continue
        if re.search(rf"\b{re.escape(found[1])}(?:\[[^\]]*\])? ?=(?!=)", around.code.replace(row, "", 1)):
            continue
        yield from (
            (2.0 + 0.3 * rank, text) for rank, text in enumerate(_first_changes(path, found[1], found[2], rounds))
        )


def _rounds(lines: Sequence[str], line: int, around: LineContext) -> list[str]:
    """The variables of the loops around a line, the innermost first, then what was worked out above it."""
    found: list[str] = []
    inner = indent_of(lines[line - 1])
    for number in range(line - 1, around.first - 1, -1):
        text = lines[number - 1]
        if text.strip() and indent_of(text) < inner:
            inner = indent_of(text)
            loop = _LOOPS.match(text.strip())
            found += [name for name in (loop[2], loop[1]) if name and name != "_"] if loop else []
    above = [lines[number - 1].strip() for number in range(around.first, line + 1)]
    worked_out = [made[1] for row in reversed(above) if (made := _WORKED_OUT.match(row))]
    return list(dict.fromkeys([*(found or around.given), *worked_out]))[:MOST_ROUNDS]


def _first_changes(path: str, name: str, begun: str, rounds: Sequence[str]) -> Iterator[str]:
    end = "" if path.endswith((".py", ".go")) else ";"
    if begun in {"0", "0.0"} or re.match("u?int|float", begun):
        yield f"{name} += 1{end}" if not path.endswith(".go") else f"{name}++"
        yield from (f"{name} += {each}{end}" for each in rounds)
        return
    for each in rounds:
        if path.endswith(".go"):
            yield f"{name} = append({name}, {each})" if "map" not in begun else f"{name}[{each}] = true"
        elif path.endswith(".py"):
            yield f"{name}.add({each})" if "set" in begun else f"{name}.append({each})"
        else:
            yield f"{name}.add({each});" if "Set" in begun else f"{name}.push({each});"


def _changed_elsewhere(lines: Sequence[str], around: LineContext) -> Iterator[tuple[float, str]]:
    """What other functions of the file do to the same object, and the same turned round."""
    known = {*around.names, *around.given, *_ALWAYS}
    here = {_target(row.strip()) for row in around.code.split("\n")}
    elsewhere = [*lines[: around.first - 1], *lines[around.last :]]
    for text in dict.fromkeys(row.strip() for row in elsewhere):
        target = _target(text)
        owner = target.partition(".")[0]
        if "." not in target or target in here or f"{owner}." not in around.code:
            continue
        if not {*_NAMES.findall(text)} <= known:
            continue
        turned = _turned_round(text)
        yield 3.2, text
        if turned:
            yield 3.0, turned


def _target(text: str) -> str:
    """What a line changes; empty where it changes nothing."""
    found = _CHANGE.fullmatch(text)
    return (found["what"] or found["list"] or found["kept"] or "") if found else ""


def _turned_round(text: str) -> str:
    for one, other in (("+=", "-="), ("++", "--")):
        if one in text:
            return text.replace(one, other)
        if other in text:
            return text.replace(other, one)
    return ""
