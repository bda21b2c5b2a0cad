"""Review of a turn's changes: the diff of each change, and a yes or a no."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mulligan.app.session import Session
from mulligan.cli.views.diffs import show_diff
from mulligan.types.changes import PendingChange
from mulligan.types.messages import Chat
from mulligan.types.turns import STOPS, UNFINISHED, WAITING
from mulligan.workspace.changes.change_text import summary

if TYPE_CHECKING:
    from mulligan.workspace.changes.pending import ChangeOutcome

ANSWERS = {"y": "yes", "n": "no", "a": "all", "l": "later"}


class NoticeSink(Protocol):
    def tell(self, words: str) -> None: ...


async def review(session: Session, chat: Chat, viewer: NoticeSink, exit_code: int, *, interactive: bool) -> int:
    """Show the pending changes of this chat. The user decides about each; without a user they stay pending."""
    pending = await session.store.changes.list(chat.project, statuses=("pending",), chat_id=chat.id)
    if not pending:
        viewer.tell("No change is pending.")
        return exit_code
    if exit_code == STOPS["aborted"].exit_code:  # a user who wants to quit gets no more questions
        viewer.tell(_pending_words(pending))
        return exit_code
    if not interactive:
        for change in pending:
            show_diff(change)
        viewer.tell(_pending_words(pending))
        return exit_code
    try:
        approved, rejected = await _decide(pending)
    except KeyboardInterrupt:
        viewer.tell(f"Nothing was applied. {_pending_words(pending)}")
        return STOPS["aborted"].exit_code
    outcomes = await _carry_out(session, chat, approved, rejected)
    for outcome in outcomes:
        viewer.tell(outcome.message)
    left = [change for change in pending if change not in approved and change not in rejected]
    if left:
        viewer.tell(_pending_words(left))
    if exit_code not in (0, WAITING):
        return exit_code
    if rejected or not all(outcome.success for outcome in outcomes):
        return UNFINISHED
    return WAITING if left else 0


async def _carry_out(
    session: Session, chat: Chat, approved: Sequence[PendingChange], rejected: Sequence[PendingChange]
) -> "list[ChangeOutcome]":
    changes = session.pending(Path(chat.project))
    return [*await changes.reject(rejected), *await changes.apply(approved)]


async def _decide(pending: Sequence[PendingChange]) -> tuple[list[PendingChange], list[PendingChange]]:
    """The approved changes, and the rejected ones. Raises `KeyboardInterrupt`."""
    from mulligan.cli.interactive.choice import choose

    approved: list[PendingChange] = []
    rejected: list[PendingChange] = []
    for number, change in enumerate(pending, 1):
        show_diff(change)
        answer = await choose(f"{number}/{len(pending)} {summary(change)}: apply?", ANSWERS, default="y")
        if answer == "a":
            return [*approved, *pending[number - 1 :]], rejected
        if answer == "y":
            approved.append(change)
        elif answer == "n":
            rejected.append(change)
    return approved, rejected


def _pending_words(pending: Sequence[PendingChange]) -> str:
    count = "1 change is" if len(pending) == 1 else f"{len(pending)} changes are"
    return f"{count} pending: mulligan changes apply, mulligan changes reject"
