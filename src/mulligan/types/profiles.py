"""Facts about a model at a server."""

from typing import Literal

from mulligan.types.base import Record

ServerKind = Literal["ollama", "llama.cpp", "vllm", "lmstudio", "openai", "anthropic", "embedded"]
"""`openai` is any other server that speaks OpenAI's chat API."""

ToolProtocol = Literal["native", "constrained", "text"]
"""How tools are called. `native`: by the server's own `tools`. `constrained`: the reply is forced into a schema of the
allowed calls. `text`: calls are written into the text and parsed out of it."""

Agency = Literal["agent", "guided"]
"""`agent`: the model drives the tools. `guided`: Mulligan gathers the context and asks narrow questions."""


class ModelProfile(Record):
    """One model at one server. None means unknown."""

    server: str
    """The base URL; for an embedded model `embedded`."""
    model: str
    kind: ServerKind = "openai"
    context_length: int | None = None
    """Tokens that the server accepts, not those that the model was trained for."""
    native_tools: bool | None = None
    json_schema: bool | None = None
    """Whether a reply can be forced into a schema."""
    images: bool | None = None
    """Whether it takes images."""
    parallel_calls: bool | None = None
    truncates_at: int | None = None
    """The server silently truncates prompts longer than about this many tokens."""
    reads_per_second: float | None = None
    writes_per_second: float | None = None
    """Tokens per second."""
    chars_per_token: float | None = None
    slots: int | None = None
    """How many prompts a llama.cpp server caches at the same time."""
    ability: float | None = None
    """The share of the probe's exercises that it solved."""
    agency: Agency | None = None
    refused_fields: tuple[str, ...] = ()
    """Sampling and thinking fields that the server refuses for this model."""
    probed: bool = False
    """Whether the full probe was run. Otherwise the facts come from metadata and from turns."""


class FoundServer(Record):
    """A model server that answered on this machine."""

    base_url: str
    kind: ServerKind
    models: tuple[str, ...] = ()
