"""A model, as the loop sees it."""

from collections.abc import AsyncGenerator
from typing import Protocol

from mulligan.types.model_io import ModelEvent, ModelRequest


class Model(Protocol):
    """A model that answers one request at a time with a stream of events."""

    @property
    def name(self) -> str: ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the reply as it arrives; the last event of a whole reply is `Finished`.

        Raises `ModelError`. Closing the iterator closes the connection, so that the server stops writing.
        """
        ...
