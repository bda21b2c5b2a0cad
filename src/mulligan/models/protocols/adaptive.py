"""Calls tools in the way that works with this model and server, and learns it from their replies."""

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from mulligan.core.context_budget import chars_per_token, request_length
from mulligan.core.protocols import choose_protocol, next_protocol
from mulligan.core.reply_limits import longest_reply
from mulligan.models.limited import LimitedModel
from mulligan.models.protocols.calls_in_text import CallsInText
from mulligan.models.tuned import TunedModel
from mulligan.models.wire.server_errors import server_message
from mulligan.ports.models import Model
from mulligan.runtime.late_pattern import late_pattern
from mulligan.types.errors import ModelError, ModelOverloaded, ModelRejected, PromptTooLong
from mulligan.types.model_io import CallDelta, ModelEvent, ModelRequest, Retrying
from mulligan.types.profiles import ModelProfile, ToolProtocol
from mulligan.types.tuning import Tuning

_REFUSED: dict[ToolProtocol, re.Pattern[str]] = {
    "native": late_pattern(r"\btools?\b|\btool[_ -](?:choice|call|use)|function[_ -]?call|--jinja", re.IGNORECASE),
    "constrained": late_pattern(
        r"response_format|json[_ -]?schema|grammar|structured[_ -]output|guided", re.IGNORECASE
    ),
}
"""How servers say that they can't: Ollama "does not support tools", llama.cpp "tools param requires --jinja flag"."""

MIN_CHARACTERS = 1.0
"""Per token. If a server counts more tokens than that, it means something other than this request."""


class AdaptiveModel:
    """Wraps the model of one server. Implements `ports.Model`.

    Put it inside a `RetryingModel`: a server that answers 500 to `tools` would otherwise be asked three times in vain.
    """

    def __init__(
        self,
        model: Model,
        profile: ModelProfile,
        *,
        wanted: ToolProtocol | None,
        learn: Callable[[ModelProfile], None],
        tuning: Tuning | None = None,
    ) -> None:
        """`wanted` is the user's choice, which is respected. `learn` gets the profile whenever more is known."""
        self.tuned = TunedModel(
            model, tuning or Tuning(), profile=lambda: self._profile, on_refused=self._fields_were_refused
        )
        """The model without the tool protocol."""
        self._profile = profile
        self._wanted: ToolProtocol | None = wanted
        self._learn = learn
        self._protocol: ToolProtocol = choose_protocol(profile, wanted)
        self._limited = LimitedModel(self.tuned, lambda: longest_reply(self._profile.context_length))
        self._by_protocol: dict[ToolProtocol, Model] = {}
        """By protocol, those needed so far."""
        self._called_natively = False
        self._came_as_text = False
        """The current reply wrote its calls into its text."""

    @property
    def name(self) -> str:
        return self.tuned.name

    @property
    def protocol(self) -> ToolProtocol:
        """How the next request calls tools."""
        return self._protocol

    @property
    def profile(self) -> ModelProfile:
        """What is known so far."""
        return self._profile

    def learn(self, profile: ModelProfile) -> None:
        """Adopt what the server reports now. What replies and probes have shown about the model stays."""
        known = self._profile.model_dump(exclude_none=True)
        now = profile.model_dump(
            include={"kind", "context_length", "truncates_at", "slots", "images"}, exclude_none=True
        )
        learnt = ModelProfile.model_validate({**profile.model_dump(exclude_none=True), **known, **now})
        if learnt != self._profile:
            self._profile = learnt
            self._protocol = choose_protocol(learnt, self._wanted)
            self._learn(learnt)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield one reply. If the server refuses the protocol, ask again immediately in the next one."""
        attempt = 0
        while True:
            attempt += 1
            begun = False
            try:
                async with aclosing(self._stream_as(request)) as events:
                    async for event in events:
                        begun = True
                        yield event
            except PromptTooLong as error:
                self._know(**_limits_after(error, request, self._profile))
                raise
            except (ModelRejected, ModelOverloaded) as error:
                if not request.tools or not _refuses(error, self._protocol):
                    raise
                self._switch_after(error)
                reason = str(error)
            else:
                return
            if begun:
                yield Retrying(attempt, attempt + 1, 0.0, reason)

    async def _stream_as(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        protocol, self._came_as_text = self._protocol, False
        async with aclosing(self._model_for(protocol).stream(request)) as events:
            async for event in events:
                if protocol == "native" and isinstance(event, CallDelta) and not self._came_as_text:
                    self._native_call_came()
                yield event

    def _model_for(self, protocol: ToolProtocol) -> Model:
        """Made on demand: most servers need only one protocol."""
        if protocol not in self._by_protocol:
            self._by_protocol[protocol] = self._new_model(protocol)
        return self._by_protocol[protocol]

    def _new_model(self, protocol: ToolProtocol) -> Model:
        match protocol:
            case "native":
                return CallsInText(self._limited, on_found=self._calls_came_as_text)
            case "constrained":
                from mulligan.models.protocols.constrained import ConstrainedProtocol

                return ConstrainedProtocol(
                    self._limited, on_followed=self._schema_was_followed, on_ignored=self._schema_was_ignored
                )
            case "text":
                from mulligan.models.protocols.text_protocol import TextProtocol

                return TextProtocol(self._limited)

    def _switch_after(self, error: ModelError) -> None:
        """Raises `ModelRejected` if nothing is left to try, or the user wants no other."""
        refused = self._protocol
        if refused == "native":
            self._know(native_tools=False)
        else:
            self._know(json_schema=False)
        if self._wanted:
            raise ModelRejected(
                f"{error} So tools can't be called by the protocol {refused!r}, which you set. Remove `protocol` "
                "from your settings to let Mulligan choose, or set another: native, constrained or text."
            ) from error
        following = next_protocol(self._profile, refused)
        if following is None:
            raise error
        self._protocol = following

    def _calls_came_as_text(self) -> None:
        self._came_as_text = True
        # A model that has called natively before only slipped this once.
        if not self._called_natively:
            self._know(native_tools=False)
            self._protocol = choose_protocol(self._profile, self._wanted)

    def _native_call_came(self) -> None:
        self._called_natively = True
        if self._profile.native_tools is None:
            self._know(native_tools=True)

    def _schema_was_followed(self) -> None:
        self._know(json_schema=True)

    def _schema_was_ignored(self) -> None:
        self._know(json_schema=False)
        self._protocol = choose_protocol(self._profile, self._wanted)

    def images_were_refused(self) -> None:
        self._know(images=False)

    def _fields_were_refused(self, names: tuple[str, ...]) -> None:
        self._know(refused_fields=names)

    def _know(self, **known: float | bool | tuple[str, ...]) -> None:
        """By the names of the profile's fields."""
        if any(getattr(self._profile, name) != value for name, value in known.items()):
            self._profile = self._profile.model_copy(update=known)
            self._learn(self._profile)


def _limits_after(error: PromptTooLong, request: ModelRequest, profile: ModelProfile) -> dict[str, float]:
    """What a refusal teaches: the size of the context, and the most characters per token.

    If it names no number, the size of the request is too large.
    """
    characters = request_length(request)
    rate = chars_per_token(profile)
    length = error.context_length or int(characters / rate)
    counted = max(MIN_CHARACTERS, characters / (error.prompt_tokens or length))
    return {"context_length": length, "chars_per_token": min(rate, counted)}


def _refuses(error: ModelError, protocol: ToolProtocol) -> bool:
    pattern = _REFUSED.get(protocol)
    return pattern is not None and bool(pattern.search(server_message(error)))
