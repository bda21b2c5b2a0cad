"""What a turn needs, and why it ended."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from mulligan.core.context_budget import ContextBudget
from mulligan.core.secrets import BY_LOOKS, Mask
from mulligan.ports.code import OpenIndex
from mulligan.ports.files import Workspace
from mulligan.ports.instructions import InstructionSource
from mulligan.ports.models import Model
from mulligan.ports.tools import Tool
from mulligan.types.frozen import frozen
from mulligan.types.instructions import SentInstructions
from mulligan.types.sentinels import Sentinel
from mulligan.types.tool_calls import Question
from mulligan.types.tuning import Replay
from mulligan.types.turns import StopReason

if TYPE_CHECKING:  # importing them takes some milliseconds, and most turns need neither
    from mulligan.core.attachments import AttachedText
    from mulligan.core.skills import Skill


def no_budget() -> ContextBudget | None:
    """The model's context is unknown."""
    return None


def no_speed() -> float | None:
    """The model's reading speed is unknown."""
    return None


async def nothing_to_prepare(_message_id: str) -> None:
    """The turn may start immediately."""


async def nothing_pending() -> int:
    """The agent changes nothing, so no change is pending."""
    return 0


AtEnd = Callable[[str, str], Awaitable[str]]
"""Called with the reason and answer when a turn is about to end. Returns why it should not; empty lets it end."""


@frozen
class TurnInstructions:
    """Instructions for the model from files of the project."""

    source: InstructionSource
    char_limit: int
    """Most characters they may take."""
    sent: tuple[SentInstructions, ...] = ()
    """Those in the system prompt."""


@frozen
class TurnPlan:
    """Who answers, with which model and tools, and within which limits."""

    chat_id: str
    agent: str
    system: str
    model: Model
    tools: tuple[Tool, ...]
    """Sorted by name."""
    step_limit: int
    """0 means one reply without tools."""
    budget: Callable[[], ContextBudget | None] = no_budget
    """The size of the model's context, read again at each step: it may become known during the turn."""
    prepare: Callable[[str], Awaitable[None]] = nothing_to_prepare
    """Started once the turn's message exists, with its id, and runs in parallel with the first request. Anything that
    may change something waits for it, and so does the end of the turn."""
    pending: Callable[[], Awaitable[int]] = nothing_pending
    """How many changes of this chat are pending."""
    changed: Callable[[], tuple[str, ...]] | None = None
    """The files that the turn has changed so far. None if its agent is read-only."""
    broken: Callable[[], tuple[str, ...]] = tuple
    """Problems that the project's checkers report since the turn's edits, a line each."""
    at_end: AtEnd | None = None
    """The user's hooks. They can object once, if the model drives the turn."""
    files: Workspace | None = None
    """Where a synthesis pass reads its sources. None means no synthesis."""
    instructions: TurnInstructions | None = None
    """None if the model gets none."""
    mask: Mask = BY_LOOKS
    """Applied to everything that is read for the model."""
    index: OpenIndex | None = None
    """The code index, for turns that Mulligan drives."""
    reads_per_second: Callable[[], float | None] = no_speed
    """The model's measured reading speed in tokens per second."""
    synthesis_seconds: float = 90.0
    """How long a whole synthesis pass may take."""
    temperature: float | None = None
    """What the user set. None uses the recommendation for the model."""
    replay: Replay = "none"
    """Which earlier reasoning is sent back to the model."""
    max_tokens: int | None = None
    attached: "tuple[AttachedText, ...]" = ()
    """What the user's message names: the model gets it with the message."""
    skills: "tuple[Skill, ...]" = ()
    """A guided model gets the one that its question is about."""


@frozen
class End:
    """Why the steps ended."""

    reason: StopReason
    sentinel: Sentinel | None = None
    question: Question | None = None
    explanation: str = ""
    """A sentence for the user, if neither the sentinel nor the reason says it."""
    is_summarized: bool = True
    """Whether a turn that a guard stopped is summarized. With an external agent there is no model to ask."""
