"""What happens after a tool phase: continue, pause or stop. The first rule that applies decides."""

from mulligan.types.frozen import frozen
from mulligan.types.sentinels import MistakeRecovery, Sentinel
from mulligan.types.tool_calls import Question, Succeeded
from mulligan.types.turns import StopReason

SYNTHESIS_TOOLS = frozenset({"get_codebase_overview", "get_framework_analysis", "get_semantic_neighborhoods"})
"""Tools whose result is not an answer yet: the model has to write one from the files behind it."""


@frozen
class Continue:
    """Take the next step."""


@frozen
class Nudge:
    """Take the next step with a note that only its request contains."""

    note: str
    sentinel: MistakeRecovery


@frozen
class Pause:
    """Wait for the user."""

    question: Question


@frozen
class Stop:
    """End the turn, after one last call without tools."""

    reason: StopReason
    sentinel: Sentinel


@frozen
class ProjectFinding:
    """What a call found out about the project as a whole."""

    tool: str
    result: Succeeded


@frozen
class Synthesize:
    """Write the answer from a finding."""

    finding: ProjectFinding
    otherwise: Continue | Nudge | Stop
    """The other guards' decision, if the synthesis fails."""


Move = Continue | Nudge | Pause | Synthesize | Stop


def next_move(*, question: Question | None, finding: ProjectFinding | None, guarded: Nudge | Stop | None) -> Move:
    """A question comes first, then a synthesis, then the guards' decision."""
    if question:
        return Pause(question)
    move = guarded or Continue()
    return Synthesize(finding, otherwise=move) if finding else move
