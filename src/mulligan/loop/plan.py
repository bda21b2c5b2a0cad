"""What a turn is run with, and why it ended."""

from dataclasses import dataclass

from mulligan.core.context_budget import ContextBudget
from mulligan.ports import Model, Tool
from mulligan.types.sentinels import Sentinel
from mulligan.types.tool_calls import Question
from mulligan.types.turns import StopReason


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
    budget: ContextBudget | None = None
    """The room in the model's context; None where it isn't known."""
    temperature: float | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    """Why the steps ended."""

    reason: StopReason
    sentinel: Sentinel | None = None
    question: Question | None = None
