"""Running a turn so that Ctrl-C aborts it cleanly, and turning how it ended into an exit code."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any

from mulligan.cli.viewers import Viewer
from mulligan.types.frames import TurnEnd
from mulligan.types.turns import EXIT_CODES

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def show_turn(work: Coroutine[Any, Any, TurnEnd], viewer: Viewer) -> int:
    """Run the turn and return its exit code.

    The first SIGINT or SIGTERM aborts the turn and waits until it is closed; after that they end the process at once.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)

    def abort() -> None:
        _let_go(loop)
        task.cancel()

    for number in _SIGNALS:
        loop.add_signal_handler(number, abort)
    try:
        ended = await task
    except asyncio.CancelledError:
        # Aborted before the turn had begun, or with its last frame already shown.
        return EXIT_CODES[viewer.ended.stop_reason if viewer.ended else "aborted"]
    finally:
        _let_go(loop)
    return EXIT_CODES[ended.stop_reason]


def _let_go(loop: asyncio.AbstractEventLoop) -> None:
    for number in _SIGNALS:
        loop.remove_signal_handler(number)
