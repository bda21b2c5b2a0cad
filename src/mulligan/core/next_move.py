"""What happens after a tool phase: go on, pause or stop. The first rule that fires decides."""

from dataclasses import dataclass

from mulligan.core.mistakes import MistakePattern, MistakeState, recovery_note
from mulligan.core.repetition import Loop
from mulligan.types.sentinels import CapHit, DoomLoop, MistakeRecovery, Sentinel
from mulligan.types.tool_calls import Question, Succeeded
from mulligan.types.turns import StopReason

SYNTHESIS_TOOLS = frozenset({"get_codebase_overview", "get_framework_analysis", "get_semantic_neighborhoods"})
"""Tools whose result is no answer yet: the model is made to write one from the files behind it."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """Take the next step."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Take the next step with a note that only its request carries."""

    note: str
    sentinel: MistakeRecovery


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for the person."""

    question: Question


@dataclass(frozen=True, slots=True)
class Stop:
    """End the turn, after one last call without tools."""

    reason: StopReason
    sentinel: Sentinel


@dataclass(frozen=True, slots=True)
class ProjectFinding:
    """What a call found out about the project as a whole."""

    tool: str
    result: Succeeded


@dataclass(frozen=True, slots=True)
class Synthesize:
    """Have the answer written from a finding."""

    finding: ProjectFinding
    otherwise: GoOn | Nudge | Stop
    """What the other guards decide, if that comes to nothing."""


Move = GoOn | Nudge | Pause | Synthesize | Stop


def next_move(
    *,
    question: Question | None,
    finding: ProjectFinding | None,
    loop: Loop | None,
    mistakes: MistakeState,
    pattern: MistakePattern | None,
    steps: int,
    limit: int,
) -> Move:
    """Pause, synthesis, doom loop, mistakes, step cap, in this order."""
    if question:
        return Pause(question)
    guarded = _guarded(loop, mistakes, pattern, steps=steps, limit=limit)
    return Synthesize(finding, otherwise=guarded) if finding else guarded


def _guarded(
    loop: Loop | None, mistakes: MistakeState, pattern: MistakePattern | None, *, steps: int, limit: int
) -> GoOn | Nudge | Stop:
    """A nudge needs a step to be of use: with none left, the cap decides."""
    if loop:
        return Stop("doom_loop", DoomLoop(tools=loop.calls, cycle=len(loop.calls), count=loop.rounds))
    if pattern == "escalate":
        return Stop("mistakes", _mistake_sentinel(mistakes, escalated=True))
    if steps >= limit:
        return Stop("step_cap", CapHit(steps=steps))
    if pattern == "nudge":
        return Nudge(recovery_note(mistakes.run), _mistake_sentinel(mistakes, escalated=False))
    return GoOn()


def _mistake_sentinel(mistakes: MistakeState, *, escalated: bool) -> MistakeRecovery:
    return MistakeRecovery(
        failure_kinds=tuple(mistakes.run),
        count=len(mistakes.run),
        escalated=escalated,
        can_continue=True if escalated else None,
    )
