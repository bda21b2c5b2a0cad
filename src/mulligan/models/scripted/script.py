"""Scripts: what a scripted model says, request by request.

A script is JSON. This one reads a file, is cut off once, and then answers:

    {"replies": [
        {"tool_calls": [{"name": "view_file", "arguments": {"path": "app.py"}}]},
        {"text": "The file holds", "cut_after": 1},
        {"text": "The file holds one function.", "chunk_size": 8}
    ]}

`ScriptedModel` plays it in process, `server` over HTTP; both say the same. A reply with `when` is for the
requests that match it; the others come in order. `server_style` makes the server look and fail like a known one.
"""

import re
from typing import Literal

from mulligan.types.base import Record, field
from mulligan.types.model_io import Usage
from mulligan.types.tool_calls import JsonObject

_REQUEST_NUMBER = re.compile(r"\$n\b")


class ScriptedCall(Record):
    name: str
    arguments: JsonObject | str = field(default_factory=dict)
    """An object, or the raw text that the model wrote instead."""
    id: str | None = None
    """Generated from the numbers of request and call unless given."""


class When(Record):
    """Which requests a reply is for: those that match everything set here."""

    contains: str | None = None
    """A message contains this text, as far as the server saw them."""
    tools: bool | None = None
    """Tools were offered, and the server uses them."""
    json_schema: bool | None = None
    """The reply must match a schema, and the server enforces it."""


class ScriptedReply(Record):
    """What one request gets. `$n` in any text stands for the number of the request, from 1."""

    when: When | None = None
    """Without it the reply comes in order; with it, it answers every matching request."""
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    calls_as: Literal["native", "text"] = "native"
    """`text`: calls are written into the text as `<tool_call>`, as many small models do."""
    finish_reason: str | None = "auto"
    """`auto`: `tool_calls` if there are native calls, else `stop`. Null: never sent."""
    usage: Usage | None = None
    """Counted at 4 characters per token unless given."""
    times: int = field(default=1, ge=1)
    """Repeat this reply so many times."""

    chunk_size: int = field(default=24, ge=1)
    """Characters per chunk, for text, reasoning and arguments."""
    delay: float = field(default=0.0, ge=0)
    """Seconds before the first byte."""
    reading: float = field(default=0.0, ge=0)
    """Seconds to read the prompt before the reply. llama.cpp reports progress, batch by batch, if requested
    (`return_progress`); the others are silent."""
    chunk_delay: float = field(default=0.0, ge=0)
    """Seconds from chunk to chunk. Over HTTP, a late chunk does not delay those after it."""
    timed: bool = False
    """`$t` in a chunk stands for the time at which it leaves, in microseconds of the system's monotonic clock."""

    status: int | None = field(default=None, ge=300, le=599)
    """An HTTP error instead of a reply."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent with the HTTP error, such as `Retry-After`."""
    body: JsonObject | str = field(default_factory=dict)
    """The error's body; an OpenAI-like one unless given."""
    cut_after: int | None = field(default=None, ge=0)
    """Send this many chunks of content, then drop the connection."""
    hang: int | None = field(default=None, ge=0)
    """Send this many chunks of content, then be silent until the client disconnects."""
    endless: bool = False
    """Send all chunks of content over and over until the client disconnects. `$t` tells them apart."""
    raw: tuple[str, ...] | None = None
    """Events sent as they are, one write each; a blank line is added to those that don't end their line."""

    def __post_init__(self) -> None:
        endings = [name for name in ("status", "cut_after", "hang", "raw") if getattr(self, name) is not None]
        endings += ["endless"] * (self.endless and endings != ["raw"])
        if len(endings) > 1:
            raise ValueError(f"a reply ends in one way, not by {' and '.join(endings)}")

    def numbered(self, request_number: int) -> "ScriptedReply":
        """The reply with `$n` filled in."""
        text = self.model_dump_json()
        filled = _REQUEST_NUMBER.sub(str(request_number), text)
        return self if filled == text else ScriptedReply.model_validate_json(filled)


class ServerStyle(Record):
    """The server that the script imitates: its endpoints, its limits and its error messages."""

    kind: Literal["openai", "ollama", "llama.cpp", "vllm", "lmstudio"] = "openai"
    context_length: int | None = field(default=None, ge=16)
    """Its real context in tokens, counted like `usage`. None: unlimited."""
    trained_length: int = 32768
    """Tokens the model was trained for, if the server reports it."""
    overflow: Literal["auto", "cut", "refuse"] = "auto"
    """What happens to a longer prompt. `auto`: Ollama silently cuts off its start, the others refuse it."""
    tools: Literal["taken", "ignored", "refused"] = "taken"
    json_schema: Literal["taken", "ignored", "refused"] = "taken"
    refuses: tuple[str, ...] = ()
    """Request fields that it does not know and refuses."""
    images: bool | None = None
    """Whether it says that the model accepts images. None: it doesn't say, like older versions."""
    progress: Literal["taken", "refused"] = "taken"
    """What happens to `return_progress`. Servers other than llama.cpp ignore it, unless they refuse it."""
    slots: int = field(default=1, ge=1)
    """How many prompts llama.cpp keeps in parallel."""
    strict_roles: bool = False
    """Refuse what strict chat templates refuse: two messages of one role in a row, or a user right after results."""
    loaded: bool = True
    """The model is in memory, if the server reports that."""
    embedding_model: str | None = None
    """Listed in addition to the model, as one that can't chat."""


class Script(Record):
    """The replies to the requests, in order."""

    replies: tuple[ScriptedReply, ...]
    then: Literal["repeat_last", "loop", "fail"] = "fail"
    """What happens after the last reply. `fail`: requests are refused with a message that says so."""
    model: str = "scripted"
    """The name under which the model is listed."""
    server_style: ServerStyle = field(default_factory=ServerStyle)

    def reply_for(self, request_number: int) -> ScriptedReply:
        """The reply to the given request, counted from 1 among those that no `when` caught."""
        order = [reply for reply in self.replies if reply.when is None for _ in range(reply.times)]
        index = request_number - 1
        if order and self.then == "loop":
            index %= len(order)
        elif order and self.then == "repeat_last":
            index = min(index, len(order) - 1)
        if index < len(order):
            return order[index]
        # 400, because retrying would not help.
        return ScriptedReply(
            status=400, body=f"the script is used up: {len(order)} replies, and this is request {index + 1}"
        )
