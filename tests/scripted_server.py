"""A scripted model server for tests that wait for a command: in a thread, since a process takes longer to start than
most of these tests take."""

import asyncio
import functools
import os
import threading
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import RunningServer, serve_script

Result = TypeVar("Result")


@contextmanager
def running(script: Script, *, log: Path | None = None) -> Generator[RunningServer]:
    """As `mulligan.models.scripted.server.running`."""
    serving = serve_script(script, log=log)
    server = _done(serving.__aenter__())
    try:
        yield RunningServer(server.base_url, os.getpid())
    finally:
        _done(serving.__aexit__(None, None, None))


def _done(work: Coroutine[Any, Any, Result]) -> Result:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """One a test process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    return loop
