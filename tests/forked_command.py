"""The command without its start: forked from a process that has it loaded, as the drill does it.

What the tests of the command line do takes less time than starting Python for each of them. That the installed script
starts is shown by the tests that need a process of their own.
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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

PATIENCE = 60.0
"""Seconds, after which a command is taken to hang."""


def run_forked(
    words: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """`mulligan` with these words, to its end. Raises `subprocess.TimeoutExpired`."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in ("stdin", "stdout", "stderr")}
        files["stdin"].write_text(stdin)
        told = {name: str(file) for name, file in files.items()}
        code = _loaded().run({"words": list(words), "cwd": str(cwd), "env": dict(env), **told})
        out, err = (files[name].read_bytes().decode() for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(list(words), code, out, err)


@functools.cache
def _loaded() -> "_Loaded":
    loaded = _Loaded()
    atexit.register(loaded.process.kill)
    return loaded


class _Loaded:
    """One a test process. Several threads may run commands at once."""

    def __init__(self) -> None:
        # With what `delegate` loads: it takes a second.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "mulligan.drill.warm_process", "acp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # an order leaves when it is written
        )
        self._numbers = itertools.count()
        self._told: defaultdict[int, SimpleQueue[dict[str, int]]] = defaultdict(SimpleQueue)
        threading.Thread(target=self._listen, daemon=True).start()

    def run(self, order: dict[str, object]) -> int:
        assert self.process.stdin is not None
        number = next(self._numbers)
        told = self._told[number]
        self.process.stdin.write(json.dumps({"number": number, **order}).encode() + b"\n")
        pid = told.get(timeout=PATIENCE)["pid"]
        try:
            return told.get(timeout=PATIENCE)["code"]
        except Empty:
            os.killpg(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired("mulligan", PATIENCE) from None

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            self._told[told["number"]].put(told)
