"""What happens after a tool phase: go on, pause or stop. The first rule that fires decides."""

from dataclasses import dataclass

from mulligan.types.sentinels import MistakeRecovery, Sentinel
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


def next_move(*, question: Question | None, finding: ProjectFinding | None, guarded: Nudge | Stop | None) -> Move:
    """A question comes first, then a synthesis, then what the guards decide."""
    if question:
        return Pause(question)
    move = guarded or GoOn()
    return Synthesize(finding, otherwise=move) if finding else move
