"""The command without its start: forked from a process that has it loaded, as the drill does it.

What the tests of the command line and of the server do takes less time than starting Python for each of them. That the
installed script starts is shown by the tests that need a process of their own.
"""

import atexit
import functools
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import mulligan
from mulligan.runtime.own_secrets import without_secrets
from tests.patience import PATIENCE

SOURCE = Path(mulligan.__file__).parent.parent
"""The code under test, also where another one is installed."""
TESTS = Path(__file__).parent
COMMANDS = (
    "acp",
    "mulligan.cli.interactive.conversation",
    "mulligan.cli.interactive.prompt",
    "mulligan.cli.views.diffs",
    "mulligan.cli.views.terminal_view",
)
"""What `delegate`, `chat` and all that is shown in a terminal load: the first takes a second."""


@dataclass(frozen=True, slots=True)
class Forked:
    """A command that was ordered. It leads a process group of its own."""

    pid: "Future[int]" = field(default_factory=Future[int])
    code: "Future[int]" = field(default_factory=Future[int])
    """Once it has ended; negative for a signal."""

    def kill(self) -> None:
        """With all of its group, if it has not ended, and wait for its end."""
        if not self.code.done():
            with suppress(ProcessLookupError):
                os.killpg(self.pid.result(PATIENCE), signal.SIGKILL)
            self.code.result(PATIENCE)


def run_forked(
    words: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: str = "",
    loaded: tuple[str, ...] = COMMANDS,
    patience: float = PATIENCE,
) -> "subprocess.CompletedProcess[str]":
    """`mulligan` with these words, to its end. Raises `subprocess.TimeoutExpired`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "stdin").write_text(stdin)
        forked = start_forked(words, cwd=cwd, env=env, files=Path(folder), loaded=loaded)
        try:
            code = forked.code.result(patience)
        except TimeoutError:
            forked.kill()
            raise subprocess.TimeoutExpired("mulligan", patience) from None
        out, err = (Path(folder, name).read_bytes().decode() for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(list(words), code, out, err)


def start_forked(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], files: Path, loaded: tuple[str, ...] = COMMANDS
) -> Forked:
    """`mulligan` with these words. It reads and writes `stdin`, `stdout` and `stderr` in a folder: files, pipes or a
    terminal, which becomes its own.

    `loaded` names modules that the process it is forked from has loaded beside those of most commands.
    """
    streams = {name: str(files / name) for name in ("stdin", "stdout", "stderr")}
    return _warm(loaded).start({"words": list(words), "cwd": str(cwd), "env": dict(env), **streams})


@functools.cache
def _warm(modules: tuple[str, ...]) -> "_Warm":
    """One a test process, for each choice of modules."""
    warm = _Warm(modules)
    atexit.register(warm.process.kill)
    return warm


class _Warm:
    """Several threads may order commands at once."""

    def __init__(self, modules: Sequence[str]) -> None:
        # `/proc` shows it as the environment of every fork: no command may find a key there that it was not given.
        environ = {**without_secrets(os.environ), "PYTHONPATH": f"{SOURCE}{os.pathsep}{TESTS.parent}"}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mulligan.drill.warm_process", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            bufsize=0,  # an order leaves when it is written
        )
        self._numbers = itertools.count()
        self._forked: dict[int, Forked] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def start(self, order: Mapping[str, object]) -> Forked:
        assert self.process.stdin is not None
        number = next(self._numbers)
        forked = self._forked[number] = Forked()
        self.process.stdin.write(json.dumps({"number": number, **order}).encode() + b"\n")
        return forked

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            if "pid" in told:
                self._forked[told["number"]].pid.set_result(told["pid"])
            else:
                self._forked.pop(told["number"]).code.set_result(told["code"])
