"""Every kind of edit in the corpus: how it is drifted and what is expected of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from bench.edits import characters, layout, letters, wording, wrapping
from bench.edits.draft import Draft, Drift, in_order
from bench.edits.refusals import REFUSALS, UNCHANGED
from bench.edits.siblings import opposite_near_by, sibling_near_by

Expects = Literal["applied", "refused", "unchanged"]
"""`unchanged`: refused, or returned as it was; there is nothing to do."""


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    drift: Drift
    expects: Expects = "applied"
    shortest: int = 1
    longest: int = 25


def none(draft: Draft, _rng: Random) -> Draft | None:
    return draft


COMBINED: dict[str, Drift] = {
    "tabs to spaces + typo": in_order(layout.tabs_to_spaces, wording.one_typo),
    "indent 4 to 2 + blank line dropped": in_order(layout.blank_line_dropped, layout.four_to_two),
    "dedented + trailing spaces": in_order(layout.dedented_fully, layout.trailing_spaces_added),
    "over-indented + curly quotes": in_order(characters.curly_double_quotes, layout.over_indented),
    "comment dropped + trailing spaces": in_order(wording.comment_line_dropped, layout.trailing_spaces_added),
    "typo + blank line added": in_order(wording.one_typo, layout.blank_line_added),
    "dashes + no-break spaces": in_order(characters.long_dashes, characters.no_break_spaces),
    "line numbers + dedented": in_order(layout.dedented_fully, wrapping.numbered("{}: ")),
    "fence + line numbers": in_order(wrapping.numbered("{}| "), wrapping.fenced_with_language),
    "fence + indent 4 to 2": in_order(layout.four_to_two, wrapping.fenced),
    "quote marks + typo": in_order(wording.one_typo, wrapping.quoted),
    "CRLF file + over-indented": in_order(layout.crlf_file, layout.over_indented),
    "CRLF file + typo": in_order(layout.crlf_file, wording.one_typo),
    "literal \\n + trailing spaces": in_order(layout.trailing_spaces_added, wrapping.literal_newlines),
    "ellipsis + over-indented": in_order(wording.middle_elided, layout.over_indented),
    "sibling near by": sibling_near_by,
    "sibling + white space": in_order(sibling_near_by, layout.inner_spacing),
    "sibling + over-indented": in_order(sibling_near_by, layout.over_indented),
    "sibling + typo": in_order(sibling_near_by, wording.one_typo),
    "opposite near by + trailing spaces": in_order(opposite_near_by, layout.trailing_spaces_added),
}

SPANS = {
    "part of a line": (1, 1),
    "part of a line + wrong letter": (1, 1),
    "short part, spaced": (1, 1),
    "one wrong letter": (1, 40),
    "three wrong letters": (1, 40),
    "three wrong letters + sibling": (4, 40),
    "two wrong letters + over-indented": (1, 40),
    "line invented": (3, 40),
    "ellipsis, head twice": (6, 25),
    "middle elided": (8, 25),
    "ellipsis + over-indented": (8, 25),
    "ellipsis, two of each end": (7, 16),
    "all blank lines dropped": (8, 25),
    "sibling + typo": (4, 20),
    "two typos": (5, 25),
    "only a sibling": (3, 20),
    "only the opposite": (2, 20),
}
"""Lines of a span, where a kind has needs of its own."""


def kinds() -> tuple[Kind, ...]:
    should_apply = (
        {"none": none}
        | layout.LAYOUT
        | characters.CHARACTERS
        | wording.WORDING
        | letters.LETTERS
        | wrapping.WRAPPING
        | COMBINED
    )
    return (*_kinds(should_apply, "applied"), *_kinds(REFUSALS, "refused"), *_kinds(UNCHANGED, "unchanged"))


def _kinds(drifts: Mapping[str, Drift], expects: Expects) -> list[Kind]:
    return [Kind(name, drift, expects, *SPANS.get(name, (1, 25))) for name, drift in drifts.items()]
