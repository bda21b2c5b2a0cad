"""The families of the second corpus, and cases of them from a seed."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from bench.edits.corpus import Example
from bench.edits.drifts import Expects
from bench.edits.second import form, letters, lines, parts, refused
from bench.edits.second.finished import Made, applied
from bench.edits.second.siblings import beside, block, other_body, paired
from bench.edits.second.texts import any_text, borrowed, indent_of
from bench.edits.second.truth import Edit, deleted, inserted, kept, others_are_far, true_edit

MAX_DRAWS = 50_000

Drift = Callable[[Edit, Random], Edit | None]


@dataclass(frozen=True, slots=True)
class Family:
    name: str
    made: Callable[[Random], Made | None]
    expects: Expects = "applied"


def cases(seed: int, count: int, chosen: Sequence[Family] = ()) -> Iterator[tuple[Family, Example]]:
    """All families in turn, or those that are chosen."""
    for number, family in enumerate(itertools.islice(itertools.cycle(chosen or families()), count)):
        yield family, case(family, seed, number)


def case(family: Family, seed: int, number: int) -> Example:
    rng = Random(f"{seed} {family.name} {number}")
    for _ in range(MAX_DRAWS):
        if made := family.made(rng):
            return made.example(family.name)
    raise LookupError(f"no text here has a place for: {family.name}")


def families() -> list[Family]:
    drifted = [Family(name, _drifted(*drifts)) for name, drifts in DRIFTS.items()]
    built = [Family(name, made) for name, made in BUILT.items()]
    return [*drifted, *built, *(Family(name, made, "refused") for name, made in refused.REFUSED.items())]


def _nothing(edit: Edit, _rng: Random) -> Edit:
    return edit


DRIFTS: dict[str, tuple[Drift, form.Form]] = {
    "as it stands": (_nothing, form.as_it_is),
    "one wrong letter": (letters.typos(1), form.as_it_is),
    "two wrong letters": (letters.typos(2), form.as_it_is),
    "three wrong letters": (letters.typos(3), form.as_it_is),
    "a mark too many or too few": (letters.wrong_mark, form.as_it_is),
    "other casing": (letters.other_case, form.as_it_is),
    "other quote marks": (letters.other_quotes, form.as_it_is),
    "curly quotes": (letters.curly_quotes, form.as_it_is),
    "curly quotes everywhere": (_nothing, form.curly_everywhere),
    "line invented": (lines.line_invented, form.as_it_is),
    "line lost": (lines.line_lost, form.as_it_is),
    "blank line added": (lines.blank_line_added, form.as_it_is),
    "blank line lost": (lines.blank_line_lost, form.as_it_is),
    "comment lost": (lines.comment_lost, form.as_it_is),
    "arguments reflowed": (lines.arguments_reflowed, form.as_it_is),
    "middle elided": (lines.middle_elided, form.as_it_is),
    "other indentation": (_nothing, form.other_indentation),
    "first line at the margin": (_nothing, form.first_line_at_the_margin),
    "tabs and spaces": (_nothing, form.tabs_for_spaces),
    "in a fence": (_nothing, form.fenced),
    "numbered lines": (_nothing, form.numbered),
    "in quote marks": (_nothing, form.in_quote_marks),
    "edit with CRLF": (_nothing, form.with_carriage_returns),
    "wrong letter + other indentation": (letters.typos(1), form.other_indentation),
    "two wrong letters + other indentation": (letters.typos(2), form.other_indentation),
    "wrong letter + tabs and spaces": (letters.typos(1), form.tabs_for_spaces),
    "line lost + in a fence": (lines.line_lost, form.fenced),
    "line invented + other indentation": (lines.line_invented, form.other_indentation),
    "other casing + numbered lines": (letters.other_case, form.numbered),
    "comment lost + edit with CRLF": (lines.comment_lost, form.with_carriage_returns),
    "reflowed + in a fence": (lines.arguments_reflowed, form.fenced),
    "elided + other indentation": (lines.middle_elided, form.other_indentation),
    "wrong letter + in a fence": (letters.typos(1), form.fenced),
    "blank line lost + tabs and spaces": (lines.blank_line_lost, form.tabs_for_spaces),
}


def _drifted(drift: Drift, written: form.Form) -> Callable[[Random], Made | None]:
    def made(rng: Random) -> Made | None:
        return _sent(true_edit(any_text(rng), rng), drift, written, rng)

    return made


def _sent(edit: Edit | None, drift: Drift, written: form.Form, rng: Random) -> Made | None:
    drifted = edit and drift(edit, rng)
    if not drifted or not others_are_far(drifted):
        return None
    sent = written((drifted.old, drifted.new), drifted, rng)
    return applied(drifted, sent, rng) if sent else None


def _near_sibling(count: int, written: form.Form = form.as_it_is) -> Callable[[Random], Made | None]:
    def made(rng: Random) -> Made | None:
        pair = paired(any_text(rng), rng)
        edit = pair and true_edit(pair.text, rng, (pair.first, pair.last), least=2)
        return _sent(edit, letters.typos(count), written, rng) if edit else None

    return made


def _line_lost_near_sibling(rng: Random) -> Made | None:
    pair = paired(any_text(rng), rng)
    edit = pair and true_edit(pair.text, rng, (pair.first, pair.last), least=4)
    return _sent(edit, lines.line_lost, form.as_it_is, rng) if edit else None


def _elided_head_twice(rng: Random) -> Made | None:
    """Another block starts with the same lines; only one of them goes on to the tail before it ends."""
    text = any_text(rng)
    found = block(text, rng, least=7)
    twin = found and other_body(text, found, 2, rng)
    if not found or not twin:
        return None
    pair = beside(text, found, twin, rng)
    edit = true_edit(pair.text, rng, (pair.first, pair.last), least=pair.size)
    if edit is None or len(edit.below) != len(pair.text.lines) - pair.last or edit.start != pair.first:
        return None
    last = len(edit.rows) - 2
    if not all(row.plain for row in edit.rows[:last]) or not lines.stands_once(edit, edit.rows[last:]):
        return None
    drifted = lines.elided(edit, 2, last, rng)
    return applied(drifted, (drifted.old, drifted.new), rng)


def _elided_and_replaced(rng: Random) -> Made | None:
    """The old text is elided, the new one is whole."""
    text = any_text(rng)
    found = block(text, rng, least=6)
    if not found:
        return None
    block_lines = text.lines[found[0] : found[1]]
    fresh = borrowed(text, indent_of(block_lines[2]), rng.randint(2, 8), rng)
    if not fresh:
        return None
    gone = [*map(deleted, block_lines[2:-2]), *map(inserted, fresh)]
    rows = (*map(kept, block_lines[:2]), *gone, *map(kept, block_lines[-2:]))
    edit = Edit(text, found[0], rows)
    if not (lines.stands_once(edit, rows[:2]) and lines.stands_once(edit, rows[-2:])):
        return None
    drifted = lines.elided(edit, 2, len(block_lines) - 2, rng)
    whole = "\n".join(edit.wanted)
    return applied(drifted, (drifted.old, whole), rng)


def _file_with_carriage_returns(rng: Random) -> Made | None:
    edit = true_edit(any_text(rng), rng)
    found = applied(edit, (edit.old, edit.new), rng) if edit and others_are_far(edit) else None
    return found and found.with_carriage_returns()


def _markdown(written: form.Form) -> Callable[[Random], Made | None]:
    """Edits that take in a fence of the file's own."""

    def made(rng: Random) -> Made | None:
        text = any_text(rng)
        edit = true_edit(text, rng, least=3) if text.language == "markdown" else None
        return _sent(edit, _nothing, written, rng) if edit and "```" in edit.old else None

    return made


BUILT: dict[str, Callable[[Random], Made | None]] = {
    "near a sibling, one wrong letter": _near_sibling(1),
    "near a sibling, two wrong letters": _near_sibling(2),
    "near a sibling, wrong letter + other indentation": _near_sibling(1, form.other_indentation),
    "near a sibling, line lost": _line_lost_near_sibling,
    "elided, the head stands twice": _elided_head_twice,
    "elided, then replaced": _elided_and_replaced,
    "file with CRLF": _file_with_carriage_returns,
    "fences of the file's own": _markdown(form.as_it_is),
    "fences of the file's own, in a fence": _markdown(form.fenced),
    "part of a line": parts.part,
    "part of a line, one wrong letter": parts.mistyped_part,
}
