"""Changes worth a test: whole new texts of a file, made by operators and from what a model wrote."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.findings.cures import cures
from mulligan.core.program_repair.operators.all_operators import edits_of
from mulligan.core.program_repair.rank import features_of, score
from mulligan.core.program_repair.sites.facts import ProjectFacts, project_facts
from mulligan.core.program_repair.sites.site import Site
from mulligan.core.retrieval.line_change import LineChange, LineLocation, changed_lines
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree, bodies_of
from mulligan.syntax.line_tokens import comment_mark, line_tokens
from mulligan.syntax.scopes import scope_of

LONGEST_NOTE = 100
LONGEST_UNIT = 2_000
"""Bytes of a statement that a person wrote. What is longer was made by a program, and takes long to look through."""
NEARLY = 70
"""How alike, of 100, a piece of code in plain words is to the line that it corrects."""

_VALUE = re.compile(r"(return |if |elif |while |(?:const |let |var )?[\w.]+ (?:[-+*/:]?=) )(.+?)(:|;| \{|)")


@dataclass(frozen=True, slots=True)
class Candidate:
    path: str
    lines: tuple[str, ...]
    """All lines of the file with the change made."""
    note: str
    """What is tried, in a few words for a person."""
    place: LineLocation | None = None
    """The line that it changes, where it is one."""


@dataclass(frozen=True, eq=False)
class Slip:
    """A change that an operator makes, and how likely it is."""

    tree: CodeTree
    unit: CodeNode
    edit: Edit
    features: Mapping[str, float]
    score: float
    suspected: bool = True
    """Whether failures point at the place."""

    @property
    def place(self) -> LineLocation:
        return LineLocation(self.tree.path, self.tree.row(self.unit.start) + 1)

    def candidate(self) -> Candidate:
        after = self.edit.applied(self.tree.text).decode("utf-8", "replace")
        return Candidate(
            self.tree.path, tuple(after.split("\n")), _note(f"{self.tree.path}: {self._told()}"), self.place
        )

    def changed(self) -> tuple[int, bytes, bytes]:
        """Where the lines begin that it changes, what stands there, and what stands there then."""
        ends = [end for _, end, _ in self.edit.pieces]
        bodies = bodies_of(self.unit)
        head = bodies[0].start if bodies else self.unit.end
        start = self.tree.line_start(
            min(self.unit.start, *(start for start, _, _ in self.edit.pieces), self.unit.start)
        )
        stop = self.tree.text.find(b"\n", max([*ends, head]))
        old = self.tree.text[start : len(self.tree.text) if stop < 0 else stop]
        new = Edit("", tuple((first - start, last - start, text) for first, last, text in self.edit.pieces)).applied(
            old
        )
        return start, old, new

    def key(self) -> tuple[str, int, bytes]:
        """The same for changes that differ only in quotes, or in spaces within a line."""
        start, _, new = self.changed()
        return self.tree.path, start, _squeezed(new)

    @property
    def is_one(self) -> bool:
        """Whether it changes more than spaces and quotes."""
        _, old, new = self.changed()
        return _squeezed(old) != _squeezed(new)

    def _told(self) -> str:
        _, old, new = self.changed()
        return f"`{_on_one_line(old)}` → `{_on_one_line(new)}`" if new.strip() else f"without `{_on_one_line(old)}`"


_SPACE = re.compile(rb"(?<=\S)[ \t]+|[ \t]+$", re.MULTILINE)


def _squeezed(text: bytes) -> bytes:
    return _SPACE.sub(b"", text).replace(b"'", b'"')


def _on_one_line(text: bytes) -> str:
    return " ⏎ ".join(row.strip() for row in text.decode("utf-8", "replace").strip().split("\n"))


def slips(brief: Brief, files: Mapping[str, Sequence[str]]) -> list[Slip]:
    """Every change that operators make of the suspicious places, the likeliest first and each but once."""
    facts = project_facts(brief, files)
    found = [
        slip
        for rank, (tree, unit, suspected) in enumerate(places(brief, facts.trees))
        for slip in slips_of(tree, unit, rank, facts, suspected=suspected)
    ]
    for tree, unit, edit in cures(brief, facts):
        features = features_of(edit, 0, facts.symptoms)
        found.append(Slip(tree, unit, edit, features, score(features)))
    return unique(found)


def slips_at(brief: Brief, files: Mapping[str, Sequence[str]], place: LineLocation) -> list[Slip]:
    """The changes of one line."""
    facts = project_facts(brief, files)
    tree = facts.trees.get(place.path)
    units = tree.units_at(place.line - 1) if tree else []
    return unique([slip for unit in units if tree for slip in slips_of(tree, unit, 0, facts)])


def chances(found: Sequence[Slip]) -> list[float]:
    """Of each, that it is the right one, if one of them is."""
    top = max((slip.score for slip in found), default=0.0)
    shares = [exp(slip.score - top) for slip in found]
    total = sum(shares)
    return [share / total for share in shares]


def new_text(before: Sequence[str], after: Sequence[str], line: int) -> str:
    """What stands in the place of one line then; empty where others change too, or where it only goes or moves."""
    rest = len(before) - line
    if tuple(before[: line - 1]) != tuple(after[: line - 1]) or tuple(before[line:]) != tuple(
        after[len(after) - rest :]
    ):
        return ""
    rows = after[line - 1 : len(after) - rest]
    text = "\n".join(row.strip() for row in rows).strip()
    return text if text != before[line - 1].strip() else ""


def unique(found: Sequence[Slip]) -> list[Slip]:
    """The likeliest first; of those that come to the same the likeliest alone."""
    best: dict[tuple[str, int, bytes], Slip] = {}
    for slip in sorted(found, key=lambda each: -each.score):
        best.setdefault(slip.key(), slip)
    return [slip for slip in best.values() if slip.is_one]


def slips_of(
    tree: CodeTree, unit: CodeNode, rank: int, facts: ProjectFacts, *, suspected: bool = True
) -> Iterator[Slip]:
    if unit.end - unit.start > LONGEST_UNIT and unit.kind in {"expression", "assign"}:
        return
    for edit in edits_of(Site(tree, unit, scope_of(tree, unit), facts)):
        features = features_of(edit, rank, facts.symptoms)
        yield Slip(tree, unit, edit, features, score(features), suspected)


def places(brief: Brief, trees: Mapping[str, CodeTree]) -> list[tuple[CodeTree, CodeNode, bool]]:
    """The units that suspicious lines belong to, the most suspicious first, then others that are shown."""
    found: dict[int, tuple[CodeTree, CodeNode, bool]] = {}
    shown = [LineLocation(each.path, line) for each in brief.sources for line in range(each.first, each.last + 1)]
    for number, place in enumerate((*brief.suspects, *shown)):
        tree = trees.get(place.path)
        for unit in tree.units_at(place.line - 1) if tree else ():
            if tree and unit.kind != "import":
                found.setdefault(id(unit), (tree, unit, number < len(brief.suspects)))
    return list(found.values())


def model_candidates(change: LineChange, lines: Sequence[str]) -> list[Candidate]:
    """What a model wrote for a line, and the same without lines that stand around the place already.

    Asked for a line, small models write the lines that follow it as well.
    """
    old = lines[change.place.line - 1].strip()
    rows = _unwrapped(change.new).split("\n")
    ways = [rows, _without_neighbours(rows, lines, change.place.line)]
    if len(rows) > 1:
        ways.append([row for row in rows if row.strip()][:1])
    mark = comment_mark(change.place.path)
    texts = dict.fromkeys("\n".join(way) for way in ways if _plain("\n".join(way), mark) != _plain(old, mark))
    return [_changed(LineChange(change.place, text), lines) for text in texts]


def prose_candidates(thought: str, lines: Collection[str]) -> list[tuple[str, str]]:
    """Corrections that stand in plain words: the line that each is for, and what it should be; the last word first.

    Every piece of code in it that is nearly a line that was shown, or nearly the value in one, but not quite, is one.
    """
    from rapidfuzz import fuzz, process

    values = {line: found for line in lines if (found := _VALUE.fullmatch(line))}
    wholes = {line: line for line in lines} | {f"{line} ": found[2] for line, found in values.items()}
    corrections: dict[tuple[str, str], None] = {}
    for piece in reversed(_pieces(thought)):
        best = process.extractOne(piece, wholes, scorer=fuzz.ratio, score_cutoff=NEARLY)
        if best and not any(piece in line for line in lines):
            line = best[2].rstrip()
            around = values[line] if best[2] != line else None
            corrections[line, f"{around[1]}{piece}{around[3]}" if around else piece] = None
    return list(corrections)


def _changed(change: LineChange, lines: Sequence[str]) -> Candidate:
    old = lines[change.place.line - 1].strip()
    new = " ⏎ ".join(row.strip() for row in change.new.strip().split("\n"))
    what = f"`{old}` → `{new}`" if new else f"without `{old}`"
    note = _note(f"{change.place.path}: {what}")
    return Candidate(change.place.path, tuple(changed_lines(lines, change)), note, change.place)


def _unwrapped(new: str) -> str:
    """Without the marks of code in prose that small models put around a line."""
    rows = [row for row in new.strip("\n").split("\n") if not row.strip().startswith("```")]
    text = "\n".join(rows)
    inner = text.strip()
    return inner[1:-1] if len(inner) > 1 and inner[0] == inner[-1] == "`" and inner.count("`") == 2 else text


def _plain(text: str, comment: str) -> list[str]:
    """The tokens of a line. Other quotes, and other spaces between tokens, change nothing."""
    tokens = line_tokens(text, comment)
    return [token.replace("'", '"') for token in (tokens[:-1] if tokens[-1:] == [";"] else tokens)]


def _without_neighbours(rows: Sequence[str], lines: Sequence[str], line: int) -> list[str]:
    below = [text.strip() for text in lines[line : line + len(rows)]]
    above = [text.strip() for text in lines[max(0, line - 1 - len(rows)) : line - 1]]
    said = [row.strip() for row in rows]
    tail = max((count for count in range(1, len(rows)) if said[-count:] == below[:count]), default=0)
    head = max((count for count in range(1, len(rows)) if said[:count] == above[-count:]), default=0)
    return list(rows[head : len(rows) - tail]) if head + tail < len(rows) else list(rows)


def _pieces(thought: str) -> list[str]:
    """Lines, and what stands between backquotes in them."""
    rows = (row.strip() for row in thought.split("\n") if not row.strip().startswith("```"))
    return [piece.strip() for row in rows for piece in (row, *re.findall(r"`([^`]+)`", row))]


def _note(text: str) -> str:
    return text if len(text) <= LONGEST_NOTE else f"{text[: LONGEST_NOTE - 1]}…"
