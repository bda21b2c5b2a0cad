"""Running a turn so that Ctrl-C aborts it cleanly, and turning how it ended into an exit code."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from typing import Any, Protocol

from mulligan.types.turns import STOPS

SIGNALS_TO_FORCE_EXIT = 3
"""The signal that ends the process immediately; the next start closes what it left open."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Ending(Protocol):
    """The last frame of a turn or a run."""

    @property
    def exit_code(self) -> int: ...


class Showing(Protocol):
    """The view that shows it."""

    @property
    def ended(self) -> Ending | None: ...

    def close(self) -> None: ...


async def show_turn(work: Coroutine[Any, Any, Ending], viewer: Showing) -> int:
    """Run a turn, or a fix run, and return its exit code. SIGINT or SIGTERM aborts it and waits until it is closed."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    signals = 0

    def abort() -> None:
        nonlocal signals
        signals += 1
        if signals >= SIGNALS_TO_FORCE_EXIT:
            os._exit(STOPS["aborted"].exit_code)
        task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, abort)
    try:
        ended = await task
    except asyncio.CancelledError:
        # Aborted before the turn started, or after its last frame was shown.
        return viewer.ended.exit_code if viewer.ended else STOPS["aborted"].exit_code
    finally:
        viewer.close()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
    return ended.exit_code
