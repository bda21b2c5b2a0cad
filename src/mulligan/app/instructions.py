"""Instructions from files for turns: read when a turn starts, and reports what is left out."""

from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.core.instructions import GUIDED_TOKENS, instruction_char_limit, left_out, system_instructions
from mulligan.loop.plan import TurnInstructions

if TYPE_CHECKING:
    from mulligan.app.ready_models import ReadyModel
    from mulligan.app.session import Session


async def given_instructions(
    session: "Session", project: Path, ready_model: "ReadyModel"
) -> tuple[TurnInstructions | None, str]:
    """What a turn gives its model, and its form in the system prompt: the same as long as the files are the same.

    A guided model has its own prompt, and gets the parts that its question is about.
    """
    source = session.instructions(project)
    if source is None:
        return None, ""
    budget = instruction_char_limit(ready_model.profile.context_length)
    fitted = system_instructions(await source.at_top(), budget)
    if ready_model.agency == "agent":
        for words in left_out(fitted.sent):
            session.announce_once(words)
        return TurnInstructions(source, budget, fitted.sent), fitted.text
    for file in fitted.sent:
        if file.of > GUIDED_TOKENS:
            session.announce_once(f"guided: only the parts of {file.path} that the question is about are sent")
    return TurnInstructions(source, budget), ""
