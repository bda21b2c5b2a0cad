"""The planner: says what the next attempt does, and for which failure. The bound is not its business."""

from mulligan.core.fix_runs.planning import AGAIN, plan_by_code, planner_messages, read_plan
from mulligan.fixing.context import RunContext
from mulligan.types.fixing import Plan
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText

TRIES = 2
"""A reply that holds no plan gets one second chance."""
REPLY_TOKENS = 1200


async def make_plan(context: RunContext) -> Plan:
    """Raises `ModelError`."""
    state = context.state
    if state.agency == "guided":
        return plan_by_code(state, "Guided: Mulligan plans, the model answers narrow questions.")
    messages = planner_messages(state, await context.planner_instructions())
    for _ in range(TRIES):
        text = await context.ask(ModelRequest(messages=tuple(messages), max_tokens=REPLY_TOKENS))
        plan = read_plan(text)
        if plan:
            return plan
        messages += [AssistantReply(text), UserText(AGAIN)]
    context.note("The model gave no plan that could be read, twice. Mulligan made one from the failures.")
    return plan_by_code(state, "The model gave no plan that could be read.")
