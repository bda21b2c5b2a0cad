"""The planner: says what the next attempt does, and for which failure. Code enforces the limit of attempts."""

from mulligan.core.fix_runs.attempts import repeated_attempt
from mulligan.core.fix_runs.planning import AGAIN, plan_by_code, planner_messages, read_plan, repeats_attempt
from mulligan.core.payload import images_in, shown_with
from mulligan.fixing.context import RunContext
from mulligan.types.fixing import Plan
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText

TRIES = 2
"""A reply without a plan gets one second chance."""
REPLY_TOKENS = 1200


async def make_plan(context: RunContext) -> Plan:
    """Refuses a plan once if it was tried before. Raises `ModelError`."""
    state = context.state
    if state.agency == "guided":
        return plan_by_code(state, "Guided: Mulligan plans, the model answers narrow questions.")
    asked = planner_messages(state, context.brief_chars, await context.planner_instructions())
    messages = shown_with(asked, images_in(state.goal_images))
    unread, refused = 0, False
    while unread < TRIES:
        text = await context.ask(ModelRequest(messages=tuple(messages), max_tokens=REPLY_TOKENS))
        plan = read_plan(text)
        tried = repeated_attempt(plan, state.attempts_made) if plan and not refused else None
        if plan and not tried:
            return plan
        if tried:
            refused = True
            context.note(f"The plan repeats that of attempt {tried.number}, which failed. Asking the model again.")
        else:
            unread += 1
        messages += [AssistantReply(text), UserText(repeats_attempt(tried) if tried else AGAIN)]
    context.note("The model gave no readable plan in two tries. Mulligan made one from the failures.")
    return plan_by_code(state, "The model gave no readable plan.")
