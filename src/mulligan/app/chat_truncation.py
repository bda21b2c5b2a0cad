"""Going back in a chat: which checkpoint to use, and how to drop messages without one."""

from mulligan.store.store import SqlStore
from mulligan.types.checkpoints import Checkpoint
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat


async def first_checkpoint(store: SqlStore, chat: Chat, seq: int) -> Checkpoint | None:
    """The checkpoint of the first turn from this point on that has one."""
    seqs = {each.id: each.seq for each in await store.messages.list(chat.id) if each.seq >= seq}
    kept = await store.checkpoints.list(chat_id=chat.id)
    found = [each for each in kept if each.kind == "turn" and each.message_id in seqs]
    return min(found, key=lambda each: seqs[each.message_id or ""], default=None)


async def truncate_chat(store: SqlStore, chat: Chat, seq: int, *, remembering: bool) -> bool:
    """Drop the messages from this point on, if files did not change with them; false if there are none. Raises
    `ConfigurationError` if files changed, or if the agent itself is `remembering` the conversation."""
    left = {each.id for each in await store.messages.list(chat.id) if each.seq >= seq}
    if not left:
        return False
    changed = await store.changes.list(chat.project, statuses=("pending", "applied"), chat_id=chat.id)
    if any(each.message_id in left for each in changed):
        raise ConfigurationError(
            "files have changed since then, and there is no checkpoint to return to: send it again in a new chat"
        )
    if remembering:
        raise ConfigurationError(f"{chat.agent} remembers the conversation, and there is no checkpoint to return to")
    await store.copies.truncate(chat.id, before=seq)
    return True
