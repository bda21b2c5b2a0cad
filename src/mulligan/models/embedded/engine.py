"""What serves a model within the child process: a module with a `start` function."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

ENGINE = "mulligan.models.embedded.llama_engine"
"""The one that ships."""


@dataclass(frozen=True, slots=True)
class ServeOrder:
    """What an engine is to serve, on loopback, at a port of its own choice."""

    model: Path
    context: int
    id: str
    """The name to list the model under."""
    api_key: str
    """Whoever does not send it is refused."""


class RunningEngine(Protocol):
    """A model that is loaded and served."""

    @property
    def port(self) -> int: ...

    @property
    def context(self) -> int: ...

    def busy(self) -> bool:
        """Whether a request is being answered."""
        ...


class Engine(Protocol):
    """A module that can serve a model."""

    def start(self, order: ServeOrder) -> RunningEngine:
        """Load the model and serve it. Raises `EngineRefused`, or `ModuleNotFoundError` if it is not installed."""
        ...


class EngineRefused(Exception):
    """The model can't be served here. The text says why."""
