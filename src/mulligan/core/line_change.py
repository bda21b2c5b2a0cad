"""A change that a very small model can make: it points at one line that was shown, and writes its replacement.

Such a model usually finds the line, but can't copy it without a mistake. So it chooses among the lines shown.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.runtime.lenient_json import parsed_object
from mulligan.types.model_io import SystemText, UserText, WireMessage
from mulligan.types.tool_calls import JsonObject

CHANGE_SYSTEM = (
    "You change a software project. You are given excerpts of its files and a task. You change one line, or put new "
    "lines beside it."
)
THINK = (
    "Say in two sentences what has to change and where. Then write the line as it is now, and the line or lines that "
    "must stand there instead."
)
EXTRACT = "Now give this change as JSON: `old` is the line as it is now, `new` is what must stand there instead."
MAX_LINES = 160
"""Most lines to choose from; more make a grammar that slows every token."""


@dataclass(frozen=True, slots=True)
class LineLocation:
    path: str
    line: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class LineChange:
    location: LineLocation
    new: str
    """As the model wrote it, without the location's indentation."""


def change_messages(task: str, excerpts: Sequence[Excerpt], instructions: str = "") -> list[WireMessage]:
    """Excerpts first, so that the second question finds them in the server's cache."""
    shown = [f"File {each.path}:\n```\n{each.text}\n```" for each in excerpts]
    if instructions:
        shown.append(f"How work is done in this project:\n{instructions}")
    return [SystemText(CHANGE_SYSTEM), UserText("\n\n".join([*shown, f"Task: {task.strip()}", THINK]))]


def line_choices(excerpts: Sequence[Excerpt]) -> dict[str, LineLocation]:
    """Every shown line that is unique, by its text.

    A line that occurs several times is identified with the line above it, and left out if that is not unique either.
    """
    lines = [line for each in excerpts for line in _placed(each)]
    count = Counter(text for _, text, _ in lines)
    named = [(text if count[text] == 1 else f"{above}\n{text}", location) for location, text, above in lines if text]
    unique = Counter(name for name, _ in named)
    return {name: location for name, location in named if unique[name] == 1 and not name.startswith("\n")}


def line_places(excerpts: Sequence[Excerpt]) -> dict[str, tuple[LineLocation, ...]]:
    """Every shown line with content, by its text: all its places."""
    places: dict[str, tuple[LineLocation, ...]] = {}
    for each in excerpts:
        for location, text, _ in _placed(each):
            if re.search(r"\w", text) and location not in places.get(text, ()):
                places[text] = (*places.get(text, ()), location)
    return places


def change_schema(choices: Sequence[str]) -> JsonObject:
    return {
        "type": "object",
        "properties": {"old": {"enum": list(choices[:MAX_LINES])}, "new": {"type": "string"}},
        "required": ["old", "new"],
        "additionalProperties": False,
    }


def read_object(text: str) -> JsonObject:
    """The JSON object of a reply; empty if it is not one."""
    return parsed_object(text) or {}


def read_change(given: JsonObject, choices: dict[str, LineLocation]) -> LineChange | None:
    """The model's change; None if it names no line that was shown, or changes nothing."""
    old, new = given.get("old"), given.get("new")
    location = choices.get(old) if isinstance(old, str) else None
    if location is None or not isinstance(old, str) or not isinstance(new, str):
        return None
    above, _, line = old.rpartition("\n")
    # A line that was identified by the one above it comes back with that line.
    text = new.removeprefix(f"{above}\n") if above else new
    return None if text.strip() == line.strip() else LineChange(location, text)


def changed_lines(lines: Sequence[str], change: LineChange) -> list[str]:
    """The file's lines with the change applied, indented like the line it replaces."""
    at = change.location.line - 1
    return [*lines[:at], *_indented(change.new, lines[at]), *lines[at + 1 :]]


def changed_stretch(lines: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """The smallest range of lines around the change that is unique in the file: start, and end exclusive."""
    shorter = min(len(lines), len(after))
    same = (at for at in range(shorter) if lines[at] != after[at])
    first = next(same, shorter)
    behind = next((at for at in range(shorter - first) if lines[-1 - at] != after[-1 - at]), shorter - first)
    for reach in range(len(lines)):
        start, end = max(0, first - reach), min(len(lines), max(first + 1, len(lines) - behind) + reach)
        piece = list(lines[start:end])
        if sum(list(lines[at : at + len(piece)]) == piece for at in range(len(lines) - len(piece) + 1)) == 1:
            return start, end
    return 0, len(lines)


def _placed(excerpt: Excerpt) -> list[tuple[LineLocation, str, str]]:
    """Each line of the excerpt: its location, its text, and the text of the line above.

    An excerpt from within a class is headed by the class's first line, which is elsewhere.
    """
    texts = [text.strip() for text in excerpt.text.split("\n")]
    head = len(texts) - (excerpt.last - excerpt.first + 1)
    return [
        (LineLocation(excerpt.path, excerpt.first - head + offset), text, above)
        for offset, (text, above) in enumerate(zip(texts, ["", *texts], strict=False))
        if offset >= head
    ]


def _indented(new: str, like: str) -> list[str]:
    rows = new.strip("\n").split("\n") if new.strip() else []
    indent = _indent(like)
    given = min((len(_indent(row)) for row in rows if row.strip()), default=0)
    return [indent + row[given:].rstrip() if row.strip() else "" for row in rows]


def _indent(line: str) -> str:
    found = re.match(r"[ \t]*", line)
    return found[0] if found else ""


def line_replacement(before: Sequence[str], after: Sequence[str], line: int) -> str:
    """The replacement of one line; empty if other lines change too, or if the line is only removed or moved."""
    end = len(after) - (len(before) - line)
    if (*before[: line - 1], *before[line:]) != (*after[: line - 1], *after[end:]):
        return ""
    text = "\n".join(row.strip() for row in after[line - 1 : end]).strip()
    return text if text != before[line - 1].strip() else ""
