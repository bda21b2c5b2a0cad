"""The process that serves an embedded model.

    python -m mulligan.models.embedded.child --home DIR --name NAME --model FILE --context N [--idle SECONDS]

Started by `EmbeddedServers`, in its own session. It ends on SIGTERM, and by itself once nobody uses it.
"""

import importlib
import os
import secrets
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, cast

from mulligan.models.embedded.run_files import (
    ALREADY_RUNNING,
    ENGINE,
    ENGINE_MISSING,
    READY,
    STARTING,
    Engine,
    EngineRefused,
    RunningEngine,
    RunRecord,
    ServeOrder,
    ServerFiles,
    publish,
    take_lock,
)

POLL_SECONDS = 5.0
"""Seconds between two checks whether the server is in use."""
MAX_LOG = 5_000_000
"""Bytes; then the log is restarted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until a signal arrives or nobody needs the model any more. Returns only if it can't serve."""
    options = _options(arguments)
    places = ServerFiles(options.home, options.name)
    if not take_lock(places):
        return ALREADY_RUNNING
    os.chdir(places.home)  # it may outlive the folder that it was started in
    _trim_log()
    _say(f"{STARTING} {os.getpid()}")
    places.run.unlink(missing_ok=True)  # left by a server that was killed
    try:
        _serve(places, options)
    except ModuleNotFoundError as error:
        _say(f"mulligan: {error.name} is not installed")
        return ENGINE_MISSING
    except EngineRefused as error:
        _say(f"mulligan: {error}")
        return 1


def _serve(places: ServerFiles, options: Namespace) -> NoReturn:
    order = ServeOrder(
        options.model, options.context, f"{options.name}-{secrets.token_hex(8)}", api_key=secrets.token_urlsafe(32)
    )
    engine = cast("Engine", importlib.import_module(options.engine)).start(order)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _request_stop)
    try:
        record = RunRecord(
            order.id, engine.port, order.api_key, str(order.model), order.context, context=engine.context
        )
        publish(places, record)
        _say(f"{READY} on port {engine.port}, {engine.context} tokens of context")
        _wait_until_idle(engine, places.run, options.idle)
        _say(f"mulligan: nobody asked for {options.idle:g} s")
    except _StopRequested:
        _say("mulligan: told to stop")
    finally:
        places.run.unlink(missing_ok=True)
    # Not through llama.cpp's destructor, which waits until the current prompt is read.
    os._exit(0)


def _wait_until_idle(engine: RunningEngine, run_file: Path, idle: float) -> None:
    """Return when no request was answered and the run file was not touched for `idle` seconds, or it is gone."""
    used, seen = time.monotonic(), _touched(run_file)
    while True:
        time.sleep(min(POLL_SECONDS, idle / 4))
        touched = _touched(run_file)
        if engine.busy() or touched not in (seen, None):
            used, seen = time.monotonic(), touched
        elif touched is None or time.monotonic() - used >= idle:
            return
        _trim_log()


def _touched(run_file: Path) -> int | None:
    try:
        return run_file.stat().st_mtime_ns
    except FileNotFoundError:
        return None


class _StopRequested(Exception):
    """A signal arrived."""


def _request_stop(_number: int, _frame: object) -> NoReturn:
    raise _StopRequested


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _trim_log() -> None:
    log = sys.stdout.fileno()
    if os.fstat(log).st_size > MAX_LOG:
        os.truncate(log, 0)


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(
        prog="mulligan.models.embedded.child", description="Serves an embedded model on this machine."
    )
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--idle", type=float, default=900.0, help="seconds without use after which it ends")
    parser.add_argument("--engine", default=ENGINE, help="the module that serves the model")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
