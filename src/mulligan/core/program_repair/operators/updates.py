"""State that a function was to change and does not: a count, a sum, a list, a set."""

import re
from collections.abc import Iterator, Sequence

from mulligan.core.program_repair.sites.line_context import LineContext, closes_block, indent_of
from mulligan.core.program_repair.sites.vocabulary import ProjectWords

MOST_CHANGES = 14
MOST_AT_HAND = 3

_BEGINS = (
    ("list", re.compile(r"(?:= ?|: )(?:\[|list\(|new Array|make\(\[\]|field\(default_factory=list)| \[\][\w*.]+$")),
    ("set", re.compile(r"= ?(?:set\(|new Set)|: set\b")),
    ("Map", re.compile(r"= ?new Map")),
    ("map", re.compile(r"(?:= ?|: )(?:\{|dict\(|defaultdict|Counter|make\(map|map\[)| map\[")),
    ("number", re.compile(r"(?:= ?|: )-?\d+(?:\.\d+)?[,;]?$| (?:u?int\d*|float\d+)$")),
)
_FIELD = re.compile(r"(?:\b(?:self|this)\.|^[ \t]+)([A-Za-z_]\w*)(?=[ \t]*[:=]| +[\w\[*]+.*$)")
_RECEIVER = re.compile(r"func \((\w+) \*?\w+\)")
_LOOP = re.compile(
    r"\bfor\s+\(?(?:const |let |var )?[\[({]?\s*([A-Za-z_]\w*)(?:,\s*([A-Za-z_]\w*))?[\])}]?\s*(?:in|of|:=)\b"
)
_LOCAL = re.compile(r"^(?:const |let |var )?([A-Za-z_]\w*)(?:, \w+)? :?= ")
_PLACE = r"[A-Za-z_][\w.]*(?:\[[\w.'\"]+\])?"
_ROOM = re.compile(rf"\bif\b[^\n]*?(?<![\w.])(?P<of>{_PLACE}) ?\+ ?(?P<more>{_PLACE}(?:\(\))?) ?>")
_ENOUGH = re.compile(
    rf"\bif\b[ (]*(?:(?P<of>{_PLACE}) <=? (?P<less>{_PLACE})|(?P<wants>{_PLACE}) >=? (?P<has>{_PLACE}))\)?\s*[:{{]"
)
_PUT_IN_GROUP = re.compile(
    r"(?P<of>[A-Za-z_][\w.]*)(?:\[(?P<key>\w+)\]|\.get\((?P<got>\w+)\))\.(?P<put>add|append|push)\((?P<what>[\w.]+)\)"
)
_WRITTEN_AT = re.compile(r"^\s*(?P<list>[\w.]+)\[(?P<place>[\w.]+)\] = ", re.MULTILINE)
_KEY_BEGUN = re.compile(r"['\"](\w+)['\"]: 0(?=[,}])")
_CHANGES = (
    r"(?:(?:\[[^\]]*\])?\s*(?:[-+*/]?=(?!=)|\+\+|--)"
    r"|\.(?:append|push|add|set|remove|pop|shift|unshift|delete|discard|splice)\()"
)
"""What stands behind the name of a thing that is changed."""


def forgotten_changes(
    path: str, lines: Sequence[str], line: int, around: LineContext, vocabulary: ProjectWords
) -> list[tuple[float, str]]:
    """Statements that may be missing beside a line, the likeliest first."""
    owner = _owner(path, around)
    at_hand = _at_hand(lines, line, around)
    made: dict[str, float] = {}
    for name, kind in _fields(path, lines).items() if owner else ():
        field = f"{owner}.{name}"
        if re.search(rf"{re.escape(field)}\b{_CHANGES}|del {re.escape(field)}\b", around.code):
            continue
        weight = 3.4 - 0.6 * (name in vocabulary.tested) - 0.8 * _never_changes(field, name, lines)
        weight -= 0.4 * (field in around.code)
        for rank, text in enumerate(_changes(path, field, kind, at_hand)):
            made.setdefault(text, weight + 0.12 * rank)
    others = (
        *_counted_keys(lines, around),
        *_counted_down(lines, line, around),
        *_not_kept(owner, around),
        *_not_taken(around),
        *_left_behind(path, around),
        *_stays_in_place(around),
    )
    for weight, text in others:
        made.setdefault(text, weight)
    end = "" if path.endswith((".py", ".go")) else ";"
    return sorted((weight, f"{text}{end}") for text, weight in made.items())[:MOST_CHANGES]


def _owner(path: str, around: LineContext) -> str:
    if path.endswith(".go"):
        found = _RECEIVER.match(around.code)
        return found[1] if found else ""
    owner = "self" if path.endswith(".py") else "this"
    return owner if re.search(rf"\b{owner}\b", around.code) else ""


def _fields(path: str, lines: Sequence[str]) -> dict[str, str]:
    """The fields of the file's classes with their kinds, as far as these can be told."""
    found: dict[str, str] = {}
    for row in lines:
        field = _FIELD.search(row)
        if field is None or (path.endswith(".go") and not row.startswith(("\t", "type "))):
            continue
        kind = next((kind for kind, begins in _BEGINS if begins.search(row.rstrip(" ,;"))), "")
        if kind:
            found.setdefault(field[1], kind)
    owned = "\n".join(lines)
    return {name: kind for name, kind in found.items() if re.search(rf"\b\w+\.{name}\b", owned)}


def _never_changes(field: str, name: str, lines: Sequence[str]) -> bool:
    """Whether nothing in the file changes a field after it was made."""
    changed = re.compile(
        rf"\.{name}\b(?:\[[^\]]*\])?\s*(?:[-+*/]=|\+\+|--)|\.{name}\.\w+\(|= append\({re.escape(field)},"
    )
    return not any(changed.search(row) for row in lines)


def _at_hand(lines: Sequence[str], line: int, around: LineContext) -> list[str]:
    """What a change may be made with: the variables of the loops around, what the function is given, what it sets."""
    loops: list[str] = []
    inner = indent_of(lines[line - 1])
    for number in range(line - 1, around.first - 1, -1):
        text = lines[number - 1]
        if text.strip() and indent_of(text) < inner:
            inner = indent_of(text)
            found = _LOOP.match(text.strip())
            loops += [name for name in (found[2], found[1]) if name and name != "_"] if found else []
    above = (lines[number - 1].strip() for number in range(around.first, line))
    local = [found[1] for row in above if (found := _LOCAL.match(row))]
    return list(dict.fromkeys([*loops, *around.given, *reversed(local)]))[:MOST_AT_HAND]


def _changes(path: str, field: str, kind: str, at_hand: Sequence[str]) -> Iterator[str]:
    language = "py" if path.endswith(".py") else "go" if path.endswith(".go") else "js"
    forms = _FORMS[language].get(kind, ())
    if kind == "number":
        yield f"{field}++" if language == "go" else f"{field} += 1"
    for form in forms:
        if "{one}" not in form:
            yield form.format(of=field)
        elif "{other}" in form:
            yield from (
                form.format(of=field, one=one, other=each) for one in at_hand for each in at_hand if each != one
            )
        else:
            yield from (form.format(of=field, one=one) for one in at_hand)


def _counted_keys(lines: Sequence[str], around: LineContext) -> Iterator[tuple[float, str]]:
    """A key that begins with nothing, is read somewhere, and that no line changes."""
    whole = "\n".join(lines)
    for key in dict.fromkeys(_KEY_BEGUN.findall(whole)):
        if re.search(rf"\[['\"]{key}['\"]\]\s*[-+]?=(?!=)", whole):
            continue
        for holder in dict.fromkeys(re.findall(rf"(\w+)\[['\"]{key}['\"]\]", around.code)):
            yield 1.8, f'{holder}["{key}"] += 1'


def _counted_down(lines: Sequence[str], line: int, around: LineContext) -> Iterator[tuple[float, str]]:
    """What a loop is steered by, and that does not change in it, less what the loop works out."""
    body = around.code.partition("\n")[2]
    for name in around.given if re.search(r"\b(?:for|while)\b", body) else ():
        steers = re.search(rf"(?:[<>]=?|[=!]=) ?{name}\b(?![.\[(])|(?<!\.)\b{name} ?(?:[<>]|==|!=)", body)
        if steers and not re.search(rf"\b{name}\b\s*(?:[-+*/]?=(?!=)|\+\+|--)", body):
            yield from (
                (3.4, f"{name} -= {made}") for made in _at_hand(lines, line, around) if made not in around.given
            )


def _not_kept(owner: str, around: LineContext) -> Iterator[tuple[float, str]]:
    """What a method is given and does nothing with."""
    for name in sorted(around.unused.intersection(around.given)) if owner in {"self", "this"} else ():
        yield 3.4, f"{owner}.{name} = {name}"


def _not_taken(around: LineContext) -> Iterator[tuple[float, str]]:
    """What is asked whether there is room for more, or enough of it, and then neither filled nor taken from."""
    for found in _ROOM.finditer(around.code):
        yield 2.0, f"{found['of']} += {found['more']}"
    for found in _ENOUGH.finditer(around.code):
        of, less = (found["of"], found["less"]) if found["of"] else (found["has"], found["wants"])
        if "." in of and not less.endswith(".length"):
            yield 2.6, f"{of} -= {less}"


def _left_behind(path: str, around: LineContext) -> Iterator[tuple[float, str]]:
    """A thing that is put into another group, and is not taken out of the one it is in."""
    for found in _PUT_IN_GROUP.finditer(around.code):
        of, key, put, what = found["of"], found["key"] or found["got"], found["put"], found["what"]
        for holder in dict.fromkeys(re.findall(rf"^\s*(\w+\.\w+) = {key};?$", around.code, re.MULTILINE)):
            group = f"{of}[{holder}]" if found["key"] else f"{of}.get({holder})"
            if path.endswith(".py"):
                yield 1.8, f"{group}.{'discard' if put == 'add' else 'remove'}({what})"
            elif put == "add":
                yield 1.8, f"{group}.delete({what})"
            else:
                yield 1.8, f"{group}.splice({group}.indexOf({what}), 1)"


def _stays_in_place(around: LineContext) -> Iterator[tuple[float, str]]:
    """A place of a list that is written to, and the same the next time."""
    for found in _WRITTEN_AT.finditer(around.code):
        listed, place = found["list"], found["place"]
        if "." in place and not re.search(rf"{re.escape(place)} ?(?:[-+]?=|\+\+)", around.code):
            length = f"{listed}.length" if listed.startswith("this.") else f"len({listed})"
            yield 2.2, f"{place} = ({place} + 1) % {length}"
            yield 2.4, f"{place} += 1"


_FORMS: dict[str, dict[str, tuple[str, ...]]] = {
    "py": {
        "list": ("{of}.append({one})", "{of}.remove({one})", "{of}.pop(0)", "{of}.pop()", "{of}.clear()"),
        "set": ("{of}.add({one})", "{of}.discard({one})", "{of}.clear()"),
        "map": ("del {of}[{one}]", "{of}[{one}] = {other}", "{of}[{one}] += 1", "{of}[{one}] = None"),
        "number": ("{of} += {one}", "{of} -= {one}", "{of} -= 1", "{of} = 0"),
    },
    "js": {
        "list": ("{of}.push({one})", "{of}.splice({of}.indexOf({one}), 1)", "{of}.shift()", "{of}.pop()", "{of} = []"),
        "set": ("{of}.add({one})", "{of}.delete({one})", "{of}.clear()"),
        "Map": ("{of}.set({one}, {other})", "{of}.delete({one})", "{of}.clear()"),
        "map": ("delete {of}[{one}]", "{of}[{one}] = {other}", "{of}[{one}] += 1"),
        "number": ("{of} += {one}", "{of} -= {one}", "{of} -= 1", "{of} = 0"),
    },
    "go": {
        "list": ("{of} = append({of}, {one})", "{of} = {of}[1:]", "{of} = {of}[:len({of})-1]", "{of}[{one}] = true"),
        "map": ("delete({of}, {one})", "{of}[{one}] = {other}", "{of}[{one}]++", "{of}[{one}] = true"),
        "number": ("{of} += {one}", "{of} -= {one}", "{of}--", "{of} = 0"),
    },
}  # fmt: skip


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
