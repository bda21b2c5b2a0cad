"""Review of pending changes in the user's editor, change by change. Imports the SDK."""

from typing import TYPE_CHECKING

from acp.helpers import start_tool_call, update_tool_call
from acp.schema import ToolCallUpdate

from mulligan.acp.questions import ALWAYS, NO, YES, options
from mulligan.acp.updates import change_content
from mulligan.types.changes import PendingChange
from mulligan.types.messages import Chat
from mulligan.workspace.changes.change_text import summary

if TYPE_CHECKING:
    from mulligan.acp.session import EditorSession


async def review(session: "EditorSession", chat: Chat) -> None:
    """Ask about each pending change of a chat, as its diff. Unanswered changes stay pending."""
    changes = session.session.pending(session.project)
    pending = await session.session.store.changes.list(chat.project, statuses=("pending",), chat_id=chat.id)
    left, all_of_them = 0, False
    for change in pending:
        answer = YES if all_of_them else await _ask_about(session, change, several=len(pending) > 1)
        all_of_them = all_of_them or answer == ALWAYS
        if answer is None:
            left += 1
            continue
        (outcome,) = await (changes.reject if answer == NO else changes.apply)([change])
        done = answer != NO and outcome.success
        session.show(update_tool_call(f"review-{change.id}", status="completed" if done else "failed"))
        if not outcome.success:
            session.say(outcome.message)
    if left:
        session.say(f"{'1 change is' if left == 1 else f'{left} changes are'} pending: /apply, /reject or /changes")


async def _ask_about(session: "EditorSession", change: PendingChange, *, several: bool) -> str | None:
    content = change_content(change, session.project)
    call = start_tool_call(
        f"review-{change.id}",
        summary(change),
        kind="delete" if change.kind == "delete" else "edit",
        status="pending",
        content=[content] if content else None,
    )
    session.show(call)
    asked = ToolCallUpdate(**call.model_dump(exclude={"session_update"}, exclude_none=True))
    return await session.questions.ask(asked, options("Apply", "Reject", "Apply all" if several else ""))
