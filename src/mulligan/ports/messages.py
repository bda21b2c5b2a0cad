"""Where the messages of a turn are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures use these, and defining their classes takes time at every start
    from mulligan.types.messages import Message, Metadata, Part, Role, Status, Text, TurnMeta, UserMeta


class MessageRepository(Protocol):
    """What a turn reads and writes. Every method is one transaction."""

    async def add(
        self, chat_id: str, *, role: Role, metadata: Metadata, parts: Sequence[Part] = (), step: int | None = None
    ) -> Message:
        """Append a complete message."""
        ...

    async def open_turn(
        self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta, attached: Sequence[Text] = ()
    ) -> Message:
        """Append the user's message, after its attachments, and the assistant message that answers it, which is
        returned: `streaming`, owned by this process. Both or neither.

        Raises `ChatBusy` if a live process is already streaming into the chat; one left by a dead process is swept.
        """
        ...

    async def open_reply(self, chat_id: str, turn: TurnMeta) -> Message:
        """Append another assistant message of the running turn: `streaming`, owned by this process."""
        ...

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        """Write parts at the positions `first`, `first + 1`, …; replaces everything from `first` on.

        Also counts as a heartbeat. Does nothing if the message has already ended.
        """
        ...

    async def heartbeat(self, message_id: str) -> None:
        """A heartbeat for a streaming message."""
        ...

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        """End a streaming message. Does nothing if it has already ended, perhaps by the sweeper."""
        ...

    async def recent(self, chat_id: str) -> list[Message]:
        """The messages of a chat that a further turn depends on, with their parts, in order: all since the last
        summary, and some before."""
        ...
