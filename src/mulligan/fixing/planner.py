"""The planner: says what the next attempt does, and for which failure. The bound is not its business."""

from mulligan.core.fix_runs.attempts import repeated_attempt
from mulligan.core.fix_runs.planning import AGAIN, plan_by_code, planner_messages, read_plan, repeats_attempt
from mulligan.fixing.context import RunContext
from mulligan.types.fixing import Plan
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText

TRIES = 2
"""A reply that holds no plan gets one second chance."""
REPLY_TOKENS = 1200


async def make_plan(context: RunContext) -> Plan:
    """A plan that was tried before is refused once. Raises `ModelError`."""
    state = context.state
    if state.agency == "guided":
        return plan_by_code(state, "Guided: Mulligan plans, the model answers narrow questions.")
    messages = planner_messages(state, context.brief_chars, await context.planner_instructions())
    unread, refused = 0, False
    while unread < TRIES:
        text = await context.ask(ModelRequest(messages=tuple(messages), max_tokens=REPLY_TOKENS))
        plan = read_plan(text)
        tried = repeated_attempt(plan, state.attempts_made) if plan and not refused else None
        if plan and not tried:
            return plan
        if tried:
            refused = True
            context.note(f"The plan repeats that of attempt {tried.number}, which failed. The model is asked again.")
        else:
            unread += 1
        messages += [AssistantReply(text), UserText(repeats_attempt(tried) if tried else AGAIN)]
    context.note("The model gave no plan that could be read, twice. Mulligan made one from the failures.")
    return plan_by_code(state, "The model gave no plan that could be read.")
