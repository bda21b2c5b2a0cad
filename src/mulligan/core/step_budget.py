"""How many steps a turn may take, and whether it may be continued."""

from collections.abc import Sequence

from mulligan.types.frozen import frozen
from mulligan.types.messages import Message, TurnMeta, UserMeta
from mulligan.types.turns import STOPS

STEP_CEILING = 200
MAX_CONTINUES = 3


@frozen
class ContinueRefused:
    reason: str


def step_limit(*limits: int | None) -> int:
    """The smallest limit that is set, and never more than the ceiling. 0 means one reply without tools."""
    return min([STEP_CEILING, *(limit for limit in limits if limit is not None)])


def why_not_continue(history: Sequence[Message]) -> ContinueRefused | None:
    """None if the chat's last turn can continue: only if a guard stopped it, at most three times in a row."""
    of_turns = [message for message in history if message.role != "system" and not _is_ignored(message)]
    if not of_turns:
        return ContinueRefused("there is nothing to continue: this chat has no turn yet")
    last = of_turns[-1].metadata
    reason = last.stop_reason if isinstance(last, TurnMeta) else None
    if reason is None or not STOPS[reason].can_continue:
        ending = f"ended: {STOPS[reason].label}" if reason else "was not stopped by a guard"
        return ContinueRefused(f"there is nothing to continue: the last turn {ending}")
    if continues_in_a_row(of_turns) >= MAX_CONTINUES:
        return ContinueRefused(
            f"this was continued {MAX_CONTINUES} times in a row: say in a message what to do differently"
        )
    return None


def continues_in_a_row(history: Sequence[Message]) -> int:
    """How often Continue was pressed since the user's last message."""
    count = 0
    for message in reversed(history):
        if isinstance(message.metadata, UserMeta) and not message.metadata.is_note:
            if not message.metadata.continues:
                break
            count += 1
    return count


def _is_ignored(message: Message) -> bool:
    return message.is_failed_synthesis or (isinstance(message.metadata, UserMeta) and message.metadata.is_note)
