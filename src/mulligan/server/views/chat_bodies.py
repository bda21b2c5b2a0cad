"""What the API takes and answers about chats and their messages."""

from typing import Annotated, Literal

from pydantic import Field

from mulligan.core.images import MAX_IMAGES
from mulligan.server.frames.envelopes import Ask, Envelope
from mulligan.server.views.bodies import Given
from mulligan.server.views.body import Body
from mulligan.server.views.checkpoints import CheckpointView, RestoreMarkView
from mulligan.types.messages import Message, QueuedMessage, Role
from mulligan.types.model_io import ContextParts


class ChatView(Body):
    id: str
    project_id: str
    title: str
    agent: str
    external: bool
    """Its agent is external: messages go to it, in the chat's work tree."""
    busy: bool
    """Whether a turn is running."""
    pinned: bool
    created_at: float
    updated_at: float


class DeletedChat(Body):
    """A chat that can be restored."""

    id: str
    title: str
    deleted_at: float
    purged_at: float
    """When it will be purged."""


class ChatEdit(Given):
    title: str | None = Field(default=None, min_length=1, max_length=200)
    pinned: bool | None = None


class ForkFrom(Given):
    message_id: str | None = None
    """The last message of the history that the new chat starts with; None: all of it."""


class GivenImage(Given):
    """An image that was stored before."""

    digest: str = Field(pattern="^[0-9a-f]{64}$")
    name: str = Field(min_length=1, max_length=200)


GivenImages = Annotated[tuple[GivenImage, ...], Field(max_length=MAX_IMAGES)]


class Resend(Given):
    message_id: str
    """A message of the user. It and everything after it is dropped."""
    text: str = Field(min_length=1, max_length=400_000)
    agent: str | None = None
    model: str | None = Field(default=None, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    images: GivenImages = ()
    """Images that go with it, including those that the message had before."""
    where: Literal["here", "fork"] = "here"
    """`here`: files return to the checkpoint of that turn, if it has one. `fork`: in a new chat, and files stay."""


class QueuedEdit(Given):
    text: str = Field(min_length=1, max_length=400_000)


class SearchHitView(Body):
    chat_id: str
    chat_title: str
    message_id: str
    seq: int
    role: Role
    created_at: float
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    """Positions of the words in the excerpt."""


class ContextView(Body):
    tokens: int
    """Tokens of the last request, including its reply."""
    length: int | None
    parts: ContextParts | None = None
    """What they consist of. They add up to `tokens`."""
    estimated: bool = False
    """The chat was compacted since: the size of the next request is estimated from characters."""


class ChatDetail(Body):
    chat: ChatView
    messages: tuple[Message, ...]
    """Some of them, the newest or those requested, in order."""
    texts: dict[str, str]
    """The sentence for each sentinel among them, by message id."""
    earlier: bool
    """Whether there are messages before the first of these."""
    live: tuple[Envelope, ...]
    """All frames of the running turn so far. They describe its streaming messages from the start; for these, `parts`
    above may be out of date."""
    elsewhere: bool
    """A turn is running in another process, so no frames will come: poll instead."""
    seq: int
    """The response includes frames up to this number."""
    context: ContextView | None
    asks: tuple[Ask, ...]
    can_continue: bool
    continue_refused: str
    """Why not, in a sentence."""
    checkpoints: tuple[CheckpointView, ...]
    """Checkpoints of this chat, in the order they were made."""
    restores: tuple[RestoreMarkView, ...]
    """Restores of the chat that can be undone, in the order they were made."""
    pending: int
    """Pending changes of this chat."""
    queued: tuple[QueuedMessage, ...] = ()
    """Queued messages, in order."""


class NewMessage(Given):
    text: str = Field(min_length=1, max_length=400_000)
    agent: str | None = None
    """Native or external. By default the chat's own; for a new chat the configured one."""
    model: str | None = Field(default=None, max_length=500, pattern=r"^[^\x00-\x1f]*$")
    """Overrides agent and settings for this message. For an external agent: the model it should use."""
    images: GivenImages = ()
