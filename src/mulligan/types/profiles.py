"""What is known of a model at a server, and what follows from it."""

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
    """One model at one server. What is None is not known."""

    server: str
    """The base URL; for an embedded model `embedded`."""
    model: str
    kind: ServerKind = "openai"
    context_length: int | None = None
    """Tokens the server really takes, not what the model was trained for."""
    native_tools: bool | None = None
    json_schema: bool | None = None
    """Whether a reply can be forced into a schema."""
    images: bool | None = None
    """Whether it takes images."""
    parallel_calls: bool | None = None
    truncates_at: int | None = None
    """Prompts longer than about this many tokens are cut without a word."""
    reads_per_second: float | None = None
    writes_per_second: float | None = None
    """Tokens."""
    chars_per_token: float | None = None
    slots: int | None = None
    """Prompts that a llama.cpp server keeps beside each other."""
    ability: float | None = None
    """The share of the tiny exercises that it solved."""
    agency: Agency | None = None
    refused_fields: tuple[str, ...] = ()
    """Fields about sampling and thinking that the server refuses for this model."""
    probed: bool = False
    """Whether the full probe was run; else it is metadata and what turns taught."""


class FoundServer(Record):
    """A model server that answered on this machine."""

    base_url: str
    kind: ServerKind
    models: tuple[str, ...] = ()
