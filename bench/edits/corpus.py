"""The corpus: any example of it, made from a seed and a number and never stored."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from bench.edits.changes import changed
from bench.edits.draft import Draft, Row, news, olds, places_of, squeezed
from bench.edits.drifts import Expects, Kind
from bench.edits.sources import Source, sources

MAX_DRAWS = 20_000
"""A kind that finds no span in so many is broken."""

SHARES = {"python": 5, "c": 3, "cython": 2, "sql": 2}
"""Languages of which there are many files or long ones come more often than those of one short sample."""


@dataclass(frozen=True, slots=True)
class Example:
    kind: str
    source: str
    """The language and the file."""
    expects: Expects
    content: str
    old: str
    new: str
    expected: str
    """The file as it should be; as it is, where the edit must not be applied."""
    above: str
    below: str
    """The file before and after the true span, whose bytes nothing may change."""


def examples(chosen: Sequence[Kind], seed: int, count: int) -> Iterator[tuple[Kind, Example]]:
    """The kinds in turn, until there are so many."""
    for place, kind in itertools.islice(enumerate(itertools.cycle(chosen)), count):
        yield kind, example(kind, seed, place // len(chosen))


def example(kind: Kind, seed: int, number: int, source: Source | None = None) -> Example:
    """One example of the kind, cut from the given file, or from any."""
    rng = Random(f"{seed}/{kind.name}/{number}")
    for _ in range(MAX_DRAWS):
        chosen = source or _any_source(rng)
        clean = _cut(chosen, kind, rng)
        draft = kind.drift(clean, rng) if clean else None
        if clean and draft and _is_fair(clean, draft, kind):
            return _finished(draft, kind)
    raise LookupError(f"no span for an edit of the kind {kind.name!r} in {MAX_DRAWS} draws")


def _any_source(rng: Random) -> Source:
    by_language = sources()
    (name,) = rng.choices(tuple(by_language), [SHARES.get(name, 1) for name in by_language])
    return rng.choice(by_language[name])


def _cut(source: Source, kind: Kind, rng: Random) -> Draft | None:
    """A span and an edit of it, as they are meant."""
    size = min(max(rng.choice((1, 2, *range(3, 13), *range(3, 13), 14, 17, 20, 25)), kind.shortest), kind.longest)
    if size > len(source.lines):
        return None
    start = rng.randrange(len(source.lines) - size + 1)
    lines = source.lines[start : start + size]
    if not (lines[0].strip() and lines[-1].strip()):
        return None
    rows = changed([Row(line, line) for line in lines], source, rng)
    if rows is None or squeezed(olds(rows)) == squeezed(news(rows)):
        return None
    ended = rng.random() < 0.3
    before, after = source.lines[:start], source.lines[start + size :]
    return Draft(source, before, after, rows, rows, old_ended=ended, new_ended=ended)


def _is_fair(clean: Draft, draft: Draft, kind: Kind) -> bool:
    """There is one place that is meant, what is written stands in no other, and the drift left a mark."""
    if kind.expects != "applied":
        return places_of(olds(clean.truth), clean) == 1 == _unbroken_places(clean) and _leaves_a_mark(clean, draft)
    if kind.name != "none" and not _leaves_a_mark(clean, draft):
        return False
    meant, written = olds(draft.truth), olds(draft.rows)
    if places_of(meant, draft) != 1:
        return False
    return squeezed(meant) == squeezed(written) or places_of(written, draft) == 0


def _unbroken_places(clean: Draft) -> int:
    """How often several lines stand in the file, wherever it breaks them: such a copy would be a true place as well."""
    lines, file = olds(clean.truth), (*clean.before, *olds(clean.truth), *clean.after)
    return 1 if len(lines) < 2 else squeezed(file).replace("\n", "").count(squeezed(lines).replace("\n", ""))


def _leaves_a_mark(clean: Draft, draft: Draft) -> bool:
    return (clean.old, clean.new, clean.content) != (draft.old, draft.new, draft.content)


def _finished(draft: Draft, kind: Kind) -> Example:
    return Example(
        kind=kind.name,
        source=f"{draft.source.language.name} {draft.source.name}",
        expects=kind.expects,
        content=draft.content,
        old=draft.old,
        new=draft.new,
        expected=draft.expected if kind.expects == "applied" else draft.content,
        above=draft.above,
        below=draft.below,
    )
