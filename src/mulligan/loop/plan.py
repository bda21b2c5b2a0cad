"""What a turn is run with, and why it ended."""

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

if TYPE_CHECKING:  # loading it takes some milliseconds, and most messages name nothing
    from mulligan.core.attachments import Attachment


def no_budget() -> ContextBudget | None:
    """Nothing is known of the model's context."""
    return None


def no_speed() -> float | None:
    """Nobody has measured how fast the model reads."""
    return None


async def nothing_to_prepare(_message_id: str) -> None:
    """The turn may begin at once."""


async def nothing_pending() -> int:
    """The agent changes nothing, so no change is pending."""
    return 0


AtEnd = Callable[[str, str], Awaitable[str]]
"""Told why a turn is about to end, and its answer. What comes back is why it should not: empty, and it ends."""


@frozen
class TurnInstructions:
    """The instructions that files of the project hold for the model."""

    source: InstructionSource
    room: int
    """Characters that they may take."""
    sent: tuple[SentInstructions, ...] = ()
    """Those in the system prompt."""


@frozen
class TurnPlan:
    """Who answers, where, with what, and how far it may go."""

    chat_id: str
    agent: str
    system: str
    model: Model
    tools: tuple[Tool, ...]
    """Sorted by name."""
    step_limit: int
    """0 means one reply without tools."""
    budget: Callable[[], ContextBudget | None] = no_budget
    """The room in the model's context, asked anew at each step: it may become known while the turn runs."""
    prepare: Callable[[str], Awaitable[None]] = nothing_to_prepare
    """Begun once the turn's message exists, which it is told the id of, and done beside the first request. Whatever may
    change something waits for it, and so does the end of the turn."""
    pending: Callable[[], Awaitable[int]] = nothing_pending
    """How many changes of this chat are pending."""
    changed: Callable[[], tuple[str, ...]] | None = None
    """The files that the turn has changed so far. None: its agent only reads."""
    at_end: AtEnd | None = None
    """The person's hooks. Their no is heard once, by a model that drives."""
    files: Workspace | None = None
    """Where a synthesis pass reads what its answer is written from. Without it there is none."""
    instructions: TurnInstructions | None = None
    """None: the model is given none."""
    mask: Mask = BY_LOOKS
    """Put on everything that is read for the model."""
    index: OpenIndex | None = None
    """What is known of the project's code, for turns that Mulligan drives."""
    reads_per_second: Callable[[], float | None] = no_speed
    """How many tokens the model reads a second, as far as it was measured by now."""
    synthesis_seconds: float = 90.0
    """How long a synthesis pass may take in all."""
    temperature: float | None = None
    """What the person set. None: what is recommended for the model."""
    replay: Replay = "none"
    """Which earlier reasoning the model is reminded of."""
    max_tokens: int | None = None
    attached: "tuple[Attachment, ...]" = ()
    """What the person's message names: the model is given it with the message."""


@frozen
class End:
    """Why the steps ended."""

    reason: StopReason
    sentinel: Sentinel | None = None
    question: Question | None = None
    explanation: str = ""
    """In a sentence for a person, where neither the sentinel nor the reason alone says it."""
    last_words: bool = True
    """Whether a turn that a guard stopped is summed up. An external agent leaves no model to ask."""
