"""An event loop whose clock jumps to the next timer whenever nothing else is to be done: hours pass in no time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for no longer than it takes to look, and counts what it was told to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout is not None else None)
        if not ready and timeout:
            self.passed += timeout
        return ready


class SimulatedTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.passed


def run_simulated(work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """What comes of it, and how many seconds would have passed. Server and client have to be in this one loop."""
    with asyncio.Runner(loop_factory=SimulatedTimeLoop) as runner:
        result = runner.run(work)
        return result, runner.get_loop().time()
