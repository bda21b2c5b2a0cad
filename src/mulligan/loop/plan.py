"""What a turn is run with, and why it ended."""

from collections.abc import Callable
from dataclasses import dataclass

from mulligan.core.context_budget import ContextBudget
from mulligan.ports import Model, Tool
from mulligan.types.sentinels import Sentinel
from mulligan.types.tool_calls import Question
from mulligan.types.turns import StopReason


def no_budget() -> ContextBudget | None:
    """Nothing is known of the model's context."""
    return None


@dataclass(frozen=True, slots=True)
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
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """Why the steps ended."""

    reason: StopReason
    sentinel: Sentinel | None = None
    question: Question | None = None
