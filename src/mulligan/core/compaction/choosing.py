"""Decides when to compact, and what to remove: old tool results first, else everything before a cut."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mulligan.core.compaction.limits import (
    MIN_SUMMARY_TOKENS,
    UNCUT,
    CutPoint,
    RequestFrame,
    TextLimits,
    known_ledger,
    limits_for,
    possible_cuts,
)
from mulligan.core.context_budget import HIDDEN, MIN_CUT_CHARS, ContextBudget
from mulligan.core.payload import NOWHERE, HistoryPosition, Unit, View, render, shown_units
from mulligan.core.provenance import split_ledger
from mulligan.types.messages import ToolResultPart

KEPT_RESULTS = 40_000
"""Tokens of the newest results that stay visible; at most a quarter of the context."""

WORTH_HIDING = 20_000
"""Tokens that hiding must free, or a summary is written; at most an eighth of the context."""

KEPT_SHARE = 0.6
"""Share of the space next to a summary for units that stay. The rest is for the steps until the next compaction."""


@dataclass(frozen=True, slots=True)
class Hide:
    """Hide tool results up to a position, or cut long texts."""

    through: HistoryPosition
    limits: TextLimits = UNCUT


@dataclass(frozen=True, slots=True)
class Summarise:
    """Replace everything up to a position by a summary."""

    through: HistoryPosition
    units: tuple[Unit, ...]
    """What to summarise, in addition to the previous summary."""
    prompt: Unit | None
    """The user's newest message, which stays."""
    summary_chars: int
    """The longest summary, without its ledger."""
    limits: TextLimits = UNCUT


def choose(units: Sequence[Unit], view: View, frame: RequestFrame, *, forced: bool = False) -> Hide | Summarise | None:
    """How to compact, or None if that is not needed or not possible. `forced`: compact even if there is space left."""
    if not forced:
        if not frame.is_full(render(frame.system, units, view)):
            return None
        through = _hideable(units, view, frame.budget)
        if through and not frame.is_full(render(frame.system, units, replace(view, hidden=through))):
            return Hide(through)
    return _sum_up(units, view, frame, forced=forced)


def _hideable(units: Sequence[Unit], view: View, budget: ContextBudget) -> HistoryPosition | None:
    """The position up to which results can be hidden, if that frees enough. The newest step keeps its results, or the
    model would ask for them again."""
    budget_chars = budget.chars(min(KEPT_RESULTS, budget.context_length // 4))
    freed, through = 0, NOWHERE
    kept_one = False
    for unit in reversed(shown_units(units, view.covered)):
        results = [part.content for part in unit.parts if isinstance(part, ToolResultPart)]
        budget_chars -= sum(map(len, results))
        if budget_chars < 0 and kept_one and results:
            through = max(through, unit.position)
            if unit.position > view.hidden:
                freed += sum(max(0, len(content) - len(HIDDEN)) for content in results)
        kept_one = kept_one or bool(results)
    worth = budget.chars(min(WORTH_HIDING, budget.context_length // 8))
    return through if freed >= worth else None


def _sum_up(units: Sequence[Unit], view: View, frame: RequestFrame, *, forced: bool) -> Hide | Summarise | None:
    """Keep the newest units that fit next to a summary. If not even the newest fits, cut it; in the end, drop it."""
    live = [unit for unit in units if unit.position > view.covered]
    # A first summary of something shorter than itself would free nothing.
    worth = 0 if view.summary else frame.budget.chars(MIN_SUMMARY_TOKENS)
    cuts = [cut for cut in possible_cuts(units, view) if cut.gone_size > worth]
    keeping = [cut for cut in cuts if cut.gone < len(live)]
    budget_chars = frame.chars_beside_summary(known_ledger(units, view))
    wanted = min(KEPT_SHARE * budget_chars, frame.budget.chars(KEPT_RESULTS))
    if forced and cuts:
        wanted = min(wanted, cuts[-1].gone_size / 2)
    fitting = [cut for cut in keeping if cut.size <= wanted] or [
        cut for cut in keeping[-1:] if cut.size <= budget_chars
    ]
    if fitting:
        return _in_place_of(fitting[0], live, view, frame, UNCUT)
    if forced:
        return _in_place_of(keeping[-1], live, view, frame, UNCUT) if keeping else None
    if keeping:
        limits = limits_for(shown_units(units, keeping[-1].through), view, budget_chars)
        if limits:
            return _in_place_of(keeping[-1], live, view, frame, limits)
    elif limits := limits_for(shown_units(units, view.covered), view, budget_chars):
        return Hide(view.hidden, limits)
    if cuts:
        answered = [unit for unit in (cuts[-1].answered,) if unit]
        limits = limits_for(answered, view, budget_chars) or TextLimits(None, MIN_CUT_CHARS)
        return _in_place_of(cuts[-1], live, view, frame, limits)
    return Hide(view.hidden, TextLimits(MIN_CUT_CHARS, MIN_CUT_CHARS))


def _in_place_of(cut: CutPoint, live: Sequence[Unit], view: View, frame: RequestFrame, limits: TextLimits) -> Summarise:
    """Limits the summary to half the length of what it replaces."""
    before = len(split_ledger(view.summary)[0]) if view.summary else 0
    longest = max(frame.budget.chars(MIN_SUMMARY_TOKENS), before + cut.gone_size // 2)
    kept = live[cut.gone :]
    prompt = next((unit for unit in reversed(kept) if unit.prompt), cut.answered)
    return Summarise(cut.through, tuple(live[: cut.gone]), prompt, min(frame.summary_chars, longest), limits)
