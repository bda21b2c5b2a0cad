"""Where chats are kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mulligan.types.messages import Chat, Message, Metadata, Part, Role, Status, TurnMeta, UserMeta


@dataclass(frozen=True, slots=True)
class Swept:
    """A message that its process left behind, failed by the sweeper."""

    chat_id: str
    message_id: str


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Some messages of a chat that follow each other, in order."""

    messages: tuple[Message, ...]
    earlier: bool
    """There are messages before the first of these."""


class Store(Protocol):
    """What is kept. Every method is one transaction."""

    async def create_chat(self, *, project: str, agent: str, title: str, run_id: str | None = None) -> Chat: ...

    async def find_chat(self, prefix: str) -> Chat:
        """The chat whose id begins so. Raises `ConfigurationError` if there is none, or more than one."""
        ...

    async def list_chats(self, *, project: str | None = None) -> list[Chat]:
        """The most recently used first."""
        ...

    async def set_agent(self, chat_id: str, agent: str) -> None: ...

    async def messages(self, chat_id: str) -> list[Message]:
        """All messages of a chat with their parts, in order."""
        ...

    async def message_page(
        self, chat_id: str, *, before: int | None = None, after: int | None = None, limit: int
    ) -> MessagePage:
        """At most `limit` messages with their parts: the first ones after a place, else the last ones before a place,
        else the last ones."""
        ...

    async def newest_turns(self, chat_id: str, count: int) -> list[Message]:
        """All messages since the person spoke `count` times, in order, without their parts."""
        ...

    async def streaming_chats(self) -> frozenset[str]:
        """The ids of chats in which a message streams, in whichever process."""
        ...

    async def refuse_busy(self, chat_id: str) -> None:
        """Raises `ChatBusy` where `open_turn` would."""
        ...

    async def add_message(
        self,
        chat_id: str,
        *,
        role: Role,
        metadata: Metadata,
        parts: Sequence[Part] = (),
        step: int | None = None,
    ) -> Message:
        """Append a message that is complete as it is."""
        ...

    async def open_turn(self, chat_id: str, prompt: str, user: UserMeta, turn: TurnMeta) -> Message:
        """Append the person's message and the assistant message that answers it, which is returned: `streaming`,
        owned by this process. Both or neither.

        Raises `ChatBusy` if a live process is already streaming into the chat; one left by a dead process is swept.
        """
        ...

    async def open_reply(self, chat_id: str, turn: TurnMeta) -> Message:
        """Append a further assistant message of the turn under way: `streaming`, owned by this process."""
        ...

    async def save_parts(self, message_id: str, first: int, parts: Sequence[Part]) -> None:
        """Write parts at the places `first`, `first + 1`, …; what stood at or after `first` is replaced.

        Also counts as a sign of life.
        """
        ...

    async def beat(self, message_id: str) -> None:
        """A sign of life for a message that streams."""
        ...

    async def close_reply(self, message_id: str, status: Status, metadata: TurnMeta) -> None:
        """End a streaming message. Does nothing if it was ended already."""
        ...

    async def sweep(self) -> list[Swept]:
        """Fail what streams with its process gone, or without a sign of life for 5 minutes. Adds an `interrupted`
        sentinel to each chat concerned."""
        ...

    async def close(self) -> None: ...
