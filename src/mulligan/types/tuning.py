"""Sampling and thinking of a model: its publisher's recommendations, and the user's settings."""

from typing import Annotated, Any, Literal

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Converted

Thinking = Literal["on", "off", "low", "medium", "high"]
"""Whether a model thinks before it answers. Models without levels treat everything but `off` as `on`."""


def _switched(value: Any) -> Any:
    """A file may say `true` or `false`."""
    return ("off", "on")[value] if isinstance(value, bool) else value


ThinkingSetting = Annotated[Thinking, Converted(_switched)]

Replay = Literal["none", "last", "all"]
"""Which earlier reasoning is sent back. `last`: that of this turn's steps; `all`: that of the whole chat."""

ThinkingSwitch = Literal["enable_thinking", "thinking", "reasoning_effort", "thinking_budget"]
"""The field that switches thinking: one in `chat_template_kwargs`, or `reasoning_effort` in the request itself."""


class Sampling(Record):
    """How the next token is chosen. None: the server decides."""

    temperature: float | None = field(default=None, ge=0, le=2)
    top_p: float | None = field(default=None, gt=0, le=1)
    top_k: int | None = field(default=None, ge=0)
    min_p: float | None = field(default=None, ge=0, le=1)
    presence_penalty: float | None = field(default=None, ge=-2, le=2)
    repetition_penalty: float | None = field(default=None, gt=0, le=2)


class ModelSettings(Sampling):
    """The user's settings for one model: a table `[models."NAME"]`. None: the shipped data decides."""

    thinking: ThinkingSetting | None = None
    thinking_budget: int | None = field(default=None, ge=0)
    """Tokens that it may think before a reply. 0: none."""
    replay: Replay | None = None
    num_ctx: int | None = field(default=None, ge=1024)
    """The context, in tokens, that Ollama loads the model with."""
    keep_alive: str | None = field(default=None, pattern=r"^-?\d+[smh]$")
    """How long Ollama keeps the model loaded after a request, such as `2h`; `-1m` is forever."""
    images: bool | None = None
    """Whether the model accepts images, if its server does not say so or is wrong."""


class ModelFamily(Record):
    """A publisher's documentation of models that share a name."""

    name: str
    matches: str
    """A regular expression for the start of their names, in lower case."""
    sources: tuple[str, ...]
    """The publisher's pages."""
    sampling: Sampling = Sampling()
    """Recommended without thinking."""
    thinking: Sampling | None = None
    """Recommended with thinking. None: the same."""
    thinks: bool = False
    """Whether it thinks by default."""
    switch: ThinkingSwitch | None = None
    """None: a request can't switch its thinking."""
    least_effort: Literal["none", "low"] = "low"
    """The effort for `off`, if the switch is an effort: not every model can switch thinking off."""
    effort_in_template: bool = False
    """Whether servers that only pass a request's fields to the template need the effort there."""
    replay: Replay = "none"
    keeps_thinking: bool = False
    """Whether its template drops earlier reasoning unless `preserve_thinking` is set."""
    penalized: bool = True
    """Whether it may be asked again with a repetition penalty if a reply repeats itself."""


class Tuning(Record):
    """Request settings of one model, merged from all sources."""

    family: ModelFamily | None = None
    sampling: Sampling = Sampling()
    thinking: Thinking | None = None
    """None: the model's default; nothing is sent."""
    thinking_budget: int | None = None
    """Tokens, as set by the user. None: by the model's speed."""
    replay: Replay = "none"
    own_temperature: float | None = None
    """The temperature that the user set, if any."""
    num_ctx: int | None = None
    keep_alive: str | None = None
    """Only for Ollama."""
    images: bool | None = None

    @property
    def needs_native_ollama(self) -> bool:
        """Whether something is set that Ollama only accepts over its own API."""
        return self.num_ctx is not None or self.keep_alive is not None
