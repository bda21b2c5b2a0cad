"""Changes worth testing: whole new texts of a file, made by operators."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.conditional_edits import conditional_edits, diagnostic_edits
from mulligan.core.program_repair.findings.suggestions import suggestions
from mulligan.core.program_repair.operators.all_operators import edits_of
from mulligan.core.program_repair.rank import features_of, score
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.core.program_repair.sites.site import Site
from mulligan.syntax.code_edits import Edit
from mulligan.syntax.code_tree import CodeNode, CodeTree, bodies_of
from mulligan.syntax.line_tokens import equal_ends, line_tokens
from mulligan.syntax.scopes import scope_of
from mulligan.types.fixing import FailingTest

MAX_NOTE_CHARS = 100
MAX_UNIT_BYTES = 2_000
"""Without the blocks in it. A longer statement is not written by hand, and slow to analyse."""
Key = tuple[str, int, tuple[str, ...], tuple[str, ...]]
"""A file, the first row that differs, and the tokens of the rows before and after."""


@dataclass(frozen=True, slots=True)
class Candidate:
    path: str
    lines: tuple[str, ...]
    """All lines of the file with the change applied."""
    note: str
    """What is tried, in a few words for the user."""
    location: LineLocation | None = None
    """The changed line, if it is a single one."""
    slip: "Slip | None" = None
    """The change that an operator made."""
    fills_stub: bool = False
    """It writes what was missing."""

    @property
    def must_also_pass(self) -> tuple[FailingTest, ...]:
        """Tests that must pass with it besides those that fail."""
        return self.slip.must_also_pass if self.slip else ()

    @property
    def is_diagnostic(self) -> bool:
        return self.slip is not None and self.slip.is_diagnostic


@dataclass(frozen=True, eq=False)
class Slip:
    """A change that an operator makes, and how likely it is."""

    tree: CodeTree
    unit: CodeNode
    edit: Edit
    features: Mapping[str, float]
    score: float
    suspected: bool = True
    """Whether failures point at it."""
    is_diagnostic: bool = False
    """It only shows where a condition is missing, and is never kept."""
    must_also_pass: tuple[FailingTest, ...] = ()
    """Tests that the change breaks without its condition."""

    @property
    def location(self) -> LineLocation:
        return LineLocation(self.tree.path, self.tree.row(self.unit.start) + 1)

    def candidate(self) -> Candidate:
        _, old, new = self.changed()
        lines = tuple(self.edit.applied(self.tree.text).decode("utf-8", "replace").split("\n"))
        note = change_note(self.tree.path, old.decode("utf-8", "replace"), new.decode("utf-8", "replace"))
        return Candidate(self.tree.path, lines, note, self.location, self)

    def changed(self) -> tuple[int, bytes, bytes]:
        """Where the changed lines begin, their old text, and their new text."""
        pieces, bodies = self.edit.pieces, bodies_of(self.unit)
        head = bodies[0].start if bodies else self.unit.end
        start = self.tree.line_start(min(self.unit.start, *(start for start, _, _ in pieces)))
        stop = self.tree.text.find(b"\n", max(head, *(end for _, end, _ in pieces)))
        old = self.tree.text[start : len(self.tree.text) if stop < 0 else stop]
        moved = tuple((first - start, last - start, text) for first, last, text in pieces)
        return start, old, Edit("", moved).applied(old)

    @cached_property
    def key(self) -> Key:
        """Equal for changes that differ only in spaces between tokens, and in quotes that mean the same."""
        start, old, new = self.changed()
        before, after = old.split(b"\n"), new.split(b"\n")
        # Only the rows that differ: all rows of a long table, for each of its changes, would take minutes.
        first, end = equal_ends(before, after)
        rows = before[first : len(before) - end], after[first : len(after) - end]
        removed, added = (line_tokens(self.tree.path, b"\n".join(each).decode("utf-8", "replace")) for each in rows)
        return self.tree.path, self.tree.row(start) + first, removed, added

    @property
    def changes_code(self) -> bool:
        """Whether it changes more than spaces and quotes."""
        return self.key[2] != self.key[3]


def slips(brief: Brief, files: Mapping[str, Sequence[str]]) -> list[Slip]:
    """Every change that operators make of suspicious units, likeliest first, each once."""
    facts = RepairFacts(brief, files)
    found = [
        slip
        for rank, (tree, unit, suspected) in enumerate(suspicious_units(brief, facts.trees))
        for slip in slips_of(tree, unit, rank, facts, suspected=suspected)
    ]
    for tree, unit, edit in suggestions(brief, facts):
        features = features_of(edit, 0, facts.symptoms)
        found.append(Slip(tree, unit, edit, features, score(features)))
    return unique(found)


def diagnostic_slips(brief: Brief, facts: RepairFacts) -> list[Slip]:
    """Changes that show where a condition is missing, in the most suspicious units first."""
    units = [(tree, unit) for tree, unit, suspected in suspicious_units(brief, facts.trees) if suspected]
    made = ((tree, unit, edit) for tree, unit in units for edit in diagnostic_edits(_site(tree, unit, facts)))
    return [slip for each in made if (slip := Slip(*each, {}, 0.0, is_diagnostic=True)).changes_code]


def under_conditions(facts: RepairFacts, lead: Slip, broken: tuple[FailingTest, ...] = ()) -> Iterator[Slip]:
    """A change under each condition that can be written there, the likeliest first. Without one, it breaks
    these tests."""
    edits = conditional_edits(_site(lead.tree, lead.unit, facts), lead.edit)
    yield from (Slip(lead.tree, lead.unit, edit, {}, 0.0, must_also_pass=broken) for edit in edits)


def _site(tree: CodeTree, unit: CodeNode, facts: RepairFacts) -> Site:
    return Site(tree, unit, scope_of(tree, unit), facts)


def slips_at(brief: Brief, files: Mapping[str, Sequence[str]], location: LineLocation) -> list[Slip]:
    """The changes to one line."""
    facts = RepairFacts(brief, files)
    tree = facts.trees.get(location.path)
    units = tree.units_at(location.line - 1) if tree else []
    return unique([slip for unit in units if tree for slip in slips_of(tree, unit, 0, facts)])


def chances(found: Sequence[Slip]) -> list[float]:
    """For each, the probability that it is the right one, if one of them is."""
    top = max((slip.score for slip in found), default=0.0)
    shares = [exp(slip.score - top) for slip in found]
    total = sum(shares)
    return [share / total for share in shares]


def unique(found: Sequence[Slip]) -> list[Slip]:
    """Likeliest first; of equivalent ones only the likeliest."""
    best: dict[Key, Slip] = {}
    for slip in sorted(found, key=lambda each: -each.score):
        best.setdefault(slip.key, slip)
    return [slip for slip in best.values() if slip.changes_code]


def slips_of(
    tree: CodeTree, unit: CodeNode, rank: int, facts: RepairFacts, *, suspected: bool = True
) -> Iterator[Slip]:
    if unit.end - unit.start - sum(body.end - body.start for body in bodies_of(unit)) > MAX_UNIT_BYTES:
        return
    for edit in edits_of(_site(tree, unit, facts)):
        features = features_of(edit, rank, facts.symptoms)
        yield Slip(tree, unit, edit, features, score(features), suspected)


def suspicious_units(brief: Brief, trees: Mapping[str, CodeTree]) -> list[tuple[CodeTree, CodeNode, bool]]:
    """The units that contain suspicious lines, the most suspicious first, then others that are shown."""
    found: dict[int, tuple[CodeTree, CodeNode, bool]] = {}
    shown = [LineLocation(each.path, line) for each in brief.sources for line in range(each.first, each.last + 1)]
    for number, location in enumerate((*brief.suspects, *shown)):
        tree = trees.get(location.path)
        for unit in tree.units_at(location.line - 1) if tree else ():
            if tree and unit.kind != "import":
                found.setdefault(id(unit), (tree, unit, number < len(brief.suspects)))
    return list(found.values())


def change_note(path: str, old: str, new: str) -> str:
    was, now = (" ⏎ ".join(row.strip() for row in text.strip().split("\n")) for text in (old, new))
    change = f"`{was}` → `{now}`" if was and now else f"with `{now}`" if now else f"without `{was}`"
    text = f"{path}: {change}"
    return text if len(text) <= MAX_NOTE_CHARS else f"{text[: MAX_NOTE_CHARS - 1]}…"
