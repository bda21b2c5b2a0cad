"""What may be thrown away without anybody missing it."""

from collections.abc import Collection, Sequence

from mulligan.types.checkpoints import Checkpoint

DAY = 24 * 3600
UNUSED_DAYS = 30
"""What was not used for so long, and can be made again or is the past of something that is over, may go."""
KEPT_CHECKPOINTS = 50
"""The newest of a work tree, however old they are."""


def is_unused(last_used: float, now: float) -> bool:
    return now - last_used > UNUSED_DAYS * DAY


def old_checkpoints(every: Sequence[Checkpoint], recent_chats: Collection[str], now: float) -> list[Checkpoint]:
    """Of one work tree, in the order they were made: those that may go. One made by hand never does."""
    older = every[: max(0, len(every) - KEPT_CHECKPOINTS)]
    return [
        each
        for each in older
        if each.kind != "manual" and each.chat_id not in recent_chats and is_unused(each.created_at, now)
    ]
