"""Where the messages of a turn are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # only signatures name these, and making their classes takes time at every start
    from mulligan.types.messages import Message, Metadata, Part, Role, Status, Text, TurnMeta, UserMeta


class MessageRepository(Protocol):
    """What a turn reads and writes. Every method is one transaction."""

    async def add(
        self, chat_id: str, *, role: Role, metadata: Metadata, parts: Sequence[Part] = (), step: int | None = None
    ) -> Message:
        """Append a message that is complete as it is."""
        ...

    async def open_turn(
        self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta, attached: Sequence[Text] = ()
    ) -> Message:
        """Append the person's message, after what is attached to it, and the assistant message that answers it, which
        is returned: `streaming`, owned by this process. Both or neither.

        Raises `ChatBusy` if a live process is already streaming into the chat; one left by a dead process is swept.
        """
        ...

    async def open_reply(self, chat_id: str, turn: TurnMeta) -> Message:
        """Append a further assistant message of the turn under way: `streaming`, owned by this process."""
        ...

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        """Write parts at the places `first`, `first + 1`, …; what stood at or after `first` is replaced.

        Also counts as a sign of life. Does nothing if the message was ended already.
        """
        ...

    async def heartbeat(self, message_id: str) -> None:
        """A sign of life for a message that streams."""
        ...

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        """End a streaming message. Does nothing if it was ended already, by the sweeper perhaps."""
        ...

    async def recent(self, chat_id: str) -> list[Message]:
        """Those messages of a chat on which a further turn depends, with their parts, in order: all since the last
        summary, and some before."""
        ...
