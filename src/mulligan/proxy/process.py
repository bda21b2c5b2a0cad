"""The proxy process: the upstream server, the application, and uvicorn around both."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from mulligan.app.model_selection import ModelSelector
from mulligan.app.ready_models import Downloads
from mulligan.core.proxy.switches import SwitchedOff
from mulligan.ports.callbacks import Notify
from mulligan.proxy.access import Access
from mulligan.proxy.app import ProxyApp
from mulligan.proxy.journal import Journal
from mulligan.proxy.upstream import Upstream
from mulligan.runtime.log import JsonLog
from mulligan.runtime.memory_tuning import tune_gc_for_server
from mulligan.runtime.serving.listening import ended_by_signals, logged, serving
from mulligan.types.settings import Settings


@asynccontextmanager
async def open_proxy(
    settings: Settings,
    *,
    tell: Notify,
    access: Access,
    switched_off: SwitchedOff,
    shorten: bool = False,
    log: Callable[[str], None] | None = None,
) -> AsyncGenerator[ProxyApp]:
    """The application in front of the configured server, or the one that is found."""
    # A request can't wait for the user: a missing model is refused, unless the settings allow downloads.
    selector = ModelSelector(settings, tell=tell, downloads=Downloads())
    choice = await selector.choose(settings.model)
    upstream = Upstream(settings, selector, choice, model=choice.model if settings.model else None)
    try:
        yield ProxyApp(upstream, Journal(log=log), access, switched_off, shorten)
    finally:
        await upstream.aclose()


async def serve(app: ProxyApp, listening: socket.socket, settings: Settings, ready: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM."""
    log = JsonLog(settings.home / "logs" / "proxy.log")
    with ended_by_signals() as ended, logged(log):
        async with serving(app, listening) as answered:
            ready()
            tune_gc_for_server()
            await asyncio.wait([answered, ended], return_when=asyncio.FIRST_COMPLETED)


@asynccontextmanager
async def running_proxy(app: ProxyApp, listening: socket.socket, settings: Settings) -> AsyncGenerator[None]:
    """Serve while this process does something else."""
    with logged(JsonLog(settings.home / "logs" / "proxy.log")):
        async with serving(app, listening):
            yield
    with contextlib.suppress(OSError):
        listening.close()
