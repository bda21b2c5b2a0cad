"""Sends a model's sampling and thinking settings, if its server accepts them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from mulligan.core.tuning import refused_fields, tuned_request, with_budget
from mulligan.models.wire.server_errors import server_message
from mulligan.ports.models import Model
from mulligan.types.errors import ModelRejected, PromptTooLong
from mulligan.types.model_io import ModelEvent, ModelRequest
from mulligan.types.profiles import ModelProfile
from mulligan.types.tuning import Tuning


class TunedModel:
    """Wraps the model of a server. Implements `ports.Model`.

    If a server refuses a field, it asks again immediately without it, and never sends it again.
    """

    def __init__(
        self,
        model: Model,
        tuning: Tuning,
        *,
        profile: Callable[[], ModelProfile],
        on_refused: Callable[[tuple[str, ...]], None],
    ) -> None:
        """`profile` returns what is known so far. `on_refused` gets all the fields that the server refuses."""
        self._model = model
        self._tuning = tuning
        self._profile = profile
        self._on_refused = on_refused

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        while True:
            known = self._profile()
            tuning = with_budget(self._tuning, known)
            sent = tuned_request(request, tuning, known.kind, known.refused_fields)
            begun = False
            try:
                async with aclosing(self._model.stream(sent)) as events:
                    async for event in events:
                        begun = True
                        yield event
            except PromptTooLong:
                raise
            except ModelRejected as error:
                refused = refused_fields(server_message(error), sent)
                if begun or not refused:
                    raise
                self._on_refused((*known.refused_fields, *sorted(refused)))
            else:
                return
