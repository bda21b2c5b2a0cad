"""What can be deleted without being missed."""

from collections.abc import Collection, Sequence

from mulligan.types.checkpoints import Checkpoint
from mulligan.types.frozen import frozen

DAY = 24 * 3600
UNUSED_DAYS = 30
"""What was not used for so long, and can be recreated or belongs to something finished, may be deleted."""
KEPT_CHECKPOINTS = 50
"""The newest of a work tree, whatever their age."""


@frozen
class CachedRepository:
    """A repository that fleet jobs worked on; it can be fetched again."""

    name: str
    size: int
    """Bytes on the disk."""
    used_at: float
    in_use: bool


def is_unused(last_used: float, now: float, days: float = UNUSED_DAYS) -> bool:
    return now - last_used > days * DAY


def unneeded_repositories(
    cached: Sequence[CachedRepository], now: float, *, days: float = UNUSED_DAYS, most_bytes: int | None = None
) -> list[CachedRepository]:
    """Those unused for too long, and the least recently used until the others fit. None that is in use."""
    total = sum(each.size for each in cached)
    going: list[CachedRepository] = []
    for each in sorted(cached, key=lambda each: each.used_at):
        too_much = most_bytes is not None and total > most_bytes
        if not each.in_use and (too_much or is_unused(each.used_at, now, days)):
            going.append(each)
            total -= each.size
    return going


def old_checkpoints(every: Sequence[Checkpoint], recent_chats: Collection[str], now: float) -> list[Checkpoint]:
    """The checkpoints of one work tree, in order of creation, that may be deleted. Manual ones never are."""
    older = every[: max(0, len(every) - KEPT_CHECKPOINTS)]
    return [
        each
        for each in older
        if each.kind != "manual" and each.chat_id not in recent_chats and is_unused(each.created_at, now)
    ]
