"""A process that has Mulligan loaded as it is, and forks for whoever connects, with one module broken.

Loading all of it takes most of the time of a mutation. A fork loads only what the break can reach: the broken module
and all that import it, at first or second hand.

The first line of a connection names the module. After that the connection is what the standard input and output of
`mulligan.drill.warm_process` are.
"""

import builtins
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

_imported_by: dict[str, set[str]] = {}
"""Which modules of ours import one."""


def main() -> None:
    """Listen at the path that is named on the command line."""
    whole, builtins.__import__ = builtins.__import__, _noted(builtins.__import__)
    warm = import_module("mulligan.drill.warm_process")
    warm.load(*warm.LOADED)
    builtins.__import__ = whole
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        os.write(1, b"ready\n")
        while True:
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                _become_broken(connection)
            connection.close()


def _become_broken(connection: socket.socket) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    broken = json.loads(connection.recv(4096))
    connection.sendall(json.dumps({"pid": os.getpid()}).encode() + b"\n")
    for place in (0, 1):
        os.dup2(connection.fileno(), place)
    connection.close()
    for name in _reached_from(broken["module"]):
        _forget(name)
    os.environ.clear()
    os.environ.update(broken["env"])
    sys.argv = sys.argv[:1]
    import_module("mulligan.drill.warm_process").main()
    os._exit(0)


def _noted(load: Any) -> Any:
    """`__import__` that notes who asks for what."""

    def loads(
        name: str,
        names: Mapping[str, Any] | None = None,
        there: Mapping[str, Any] | None = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        module = load(name, names, there, wanted, level)
        importer = (names or {}).get("__name__", "")
        for each in (name, *(f"{name}.{part}" for part in wanted or ())):
            if each.startswith("mulligan.") and each in sys.modules:
                _imported_by.setdefault(each, set()).add(importer)
        return module

    return loads


def _reached_from(module: str) -> set[str]:
    reached: set[str] = set()
    new = {module}
    while new:
        reached |= new
        # A package brings what is in it.
        inner = {each for each in sys.modules if each.rpartition(".")[0] in new}
        new = {importer for each in new for importer in _imported_by.get(each, ())} | inner
        new -= reached
    return {each for each in reached if each.startswith("mulligan.") and each in sys.modules}


def _forget(name: str) -> None:
    package, _, last = name.rpartition(".")
    sys.modules.pop(name, None)
    if package in sys.modules:
        vars(sys.modules[package]).pop(last, None)


if __name__ == "__main__":
    main()
