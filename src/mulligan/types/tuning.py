"""How a model samples and thinks: what its publisher recommends, and what the user set instead."""

from typing import Annotated, Any, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Converted

Thinking = Literal["on", "off", "low", "medium", "high"]
"""Whether a model thinks before it answers. Models that know no levels take all but `off` as `on`."""


def _switched(value: Any) -> Any:
    """A file may say `true` or `false`."""
    return ("off", "on")[value] if isinstance(value, bool) else value


ThinkingSetting = Annotated[Thinking, Converted(_switched)]

Replay = Literal["none", "last", "all"]
"""Which earlier reasoning is sent back: `last` that of this turn's steps, `all` that of the whole chat."""

ThinkingSwitch = Literal["enable_thinking", "thinking", "reasoning_effort", "thinking_budget"]
"""What switches thinking: a field of `chat_template_kwargs`, or `reasoning_effort` in the request itself."""


class Sampling(Record):
    """How the next token is chosen. What is None is left to the server."""

    temperature: float | None = field(default=None, ge=0, le=2)
    top_p: float | None = field(default=None, gt=0, le=1)
    top_k: int | None = field(default=None, ge=0)
    min_p: float | None = field(default=None, ge=0, le=1)
    presence_penalty: float | None = field(default=None, ge=-2, le=2)
    repetition_penalty: float | None = field(default=None, gt=0, le=2)


class ModelSettings(Sampling):
    """What the user sets for one model: a table `[models."NAME"]`. What is None is left to the shipped data."""

    thinking: ThinkingSetting | None = None
    thinking_budget: int | None = field(default=None, ge=0)
    """Tokens of thinking before a reply. 0: none."""
    replay: Replay | None = None
    num_ctx: int | None = field(default=None, ge=1024)
    """The context, in tokens, that Ollama loads the model with."""
    keep_alive: str | None = field(default=None, pattern=r"^-?\d+[smh]$")
    """How long Ollama keeps the model loaded after a request, such as `2h`; `-1m` is for ever."""
    images: bool | None = None
    """Whether the model takes images, where its server does not tell, or is wrong."""


class ModelFamily(Record):
    """What a publisher documents of models that share a name."""

    name: str
    matches: str
    """A regular expression for the beginning of their names, in lower case."""
    sources: tuple[str, ...]
    """Where the publisher says so."""
    sampling: Sampling = Sampling()
    """Recommended when it does not think."""
    thinking: Sampling | None = None
    """Recommended while it thinks. None: the same."""
    thinks: bool = False
    """Whether it thinks unless told otherwise."""
    switch: ThinkingSwitch | None = None
    """None: its thinking can't be switched by a request."""
    least_effort: Literal["none", "low"] = "low"
    """What `off` is where the switch is an effort: not every model can do without thinking."""
    effort_in_template: bool = False
    """Servers that hand a request's fields to the template, and nothing else, want the effort there."""
    replay: Replay = "none"
    keeps_thinking: bool = False
    """Its template drops earlier reasoning unless `preserve_thinking` is set."""
    penalized: bool = True
    """Whether a reply that repeats itself may be asked for again with a repetition penalty."""


class Tuning(Record):
    """How one model is asked, after all sources were merged."""

    family: ModelFamily | None = None
    sampling: Sampling = Sampling()
    thinking: Thinking | None = None
    """None: as the model does by itself, so nothing is sent."""
    thinking_budget: int | None = None
    """Tokens that the user set. None: by the model's speed."""
    replay: Replay = "none"
    own_temperature: float | None = None
    """The temperature that the user set, if any."""
    num_ctx: int | None = None
    keep_alive: str | None = None
    """For Ollama alone."""
    images: bool | None = None

    @property
    def needs_native_ollama(self) -> bool:
        """Something is set that Ollama takes over its own API only."""
        return self.num_ctx is not None or self.keep_alive is not None
