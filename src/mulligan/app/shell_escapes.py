"""Shell commands that a user types in a chat (`!cmd`): run like an agent's, and the model sees their output."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.project_tools import Consent
from mulligan.app.turns import change_emitter
from mulligan.core.context_budget import clip_result
from mulligan.ports.callbacks import Emit
from mulligan.ports.commands import Approve
from mulligan.types.commands import Approval, PolicyVerdict
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.messages import AttachmentInfo, Chat, Text, UserMeta
from mulligan.types.tool_calls import Failed, Succeeded

if TYPE_CHECKING:
    from mulligan.app.session import Session

MODEL_CHARS = 12_000
"""Most characters of its output for the model."""
TIMEOUT = 600
"""Seconds."""


@dataclass(frozen=True, slots=True)
class ShellEscapeResult:
    output: str
    """For the user; the first line says how the command ended."""
    failed: bool


async def run_shell_escape(
    session: "Session", chat: Chat, command: str, emit: Emit, approve: Approve
) -> ShellEscapeResult:
    """Run it where the chat's pending changes are applied, in the sandbox. Denied commands are not run:
    `ConfigurationError` says why. Typing a command approves everything that stays in the sandbox."""
    await session.store.messages.refuse_busy(chat.id)
    tools = session.project_tools(Path(chat.project))
    consent = Consent(approve=_asking_for_more(approve))
    runner = tools.command_tool(chat_id=chat.id, consent=consent, on_change=change_emitter(emit))
    try:
        outcome = await runner.run({"command": command, "timeout": TIMEOUT})
    except CallRejected as refused:
        raise ConfigurationError(str(refused)) from refused
    if not isinstance(outcome, Succeeded | Failed):
        raise TypeError(f"a command came back as {type(outcome).__name__}")
    masked = session.mask(outcome.content)
    status, _, output = masked.text.partition("\n")
    name = f"!{command}"
    await session.store.messages.add(
        chat.id,
        role="user",
        metadata=UserMeta(attached=(AttachmentInfo(name=name, about=status, masked=masked.count),), is_note=True),
        parts=[Text(text=f"The user ran `{command}`: {clip_result(masked.text, MODEL_CHARS)}", attached=name)],
    )
    return ShellEscapeResult(f"{status}\n{output}", failed=isinstance(outcome, Failed))


def _asking_for_more(approve: Approve) -> Approve:
    async def ask(command: str, verdict: PolicyVerdict) -> Approval:
        return await approve(command, verdict) if verdict.opens else Approval(granted=True)

    return ask
