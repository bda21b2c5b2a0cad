"""Ctrl-C in the middle of what each command does: how long until its process has ended. `python -m bench.endings`"""

import json
import os
import pty
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from websockets.sync.client import connect

from bench.harness import MULLIGAN, commit_all, environment_for, project_of, tell
from bench.results import BenchFailed, Figure, at_most
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer, running
from mulligan.store.embedded_postgres import EmbeddedPostgres

FILES = 1_000
ROUNDS = 5
MAX_MS = 300
PAGES = 5
PATIENCE = 30.0
ENDS = {0, 130}
CTRL_C = b"\x03"
WHERE_IS_IT = b"\x1b[6n"
AT_PROMPT, ASKS_AGAIN = b"\x1b[?2004h", b"Ctrl-C again"
GREETINGS: Mapping[str, Mapping[str, Any]] = {
    "acp": {"protocolVersion": 1, "clientCapabilities": {}},
    "mcp": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
HANGING = {"replies": [{"text": "It is in one of these: " * 9, "chunk_size": 5, "hang": 8}], "then": "repeat_last"}
"""A model that stops in the middle of its reply and says nothing more."""

Interrupt = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Stage:
    """What all commands are given, and what has to stay open until they have ended."""

    project: Path
    home: Path
    model: RunningServer
    stack: ExitStack

    def start(self, *words: str, home: Path | None = None, terminal: int | None = None) -> "subprocess.Popen[bytes]":
        ends = subprocess.PIPE if terminal is None else terminal
        return subprocess.Popen(
            [MULLIGAN, *words],
            cwd=self.project,
            env=environment_for(home or self.home) | {"MULLIGAN_DISCOVERY": "no", "TERM": "xterm"},
            stdin=ends, stdout=ends, stderr=ends,
            bufsize=0, start_new_session=True,
        )  # fmt: skip

    def ask(self, verb: str, *words: str) -> "subprocess.Popen[bytes]":
        return self.start(verb, "--base-url", self.model.base_url, "--model", "m", *words)

    def until_asked(self, before: int) -> None:
        """Until the model has got another request, and a part of its reply has come."""
        wait_until(lambda: len(self.model.requests()) > before, "a request")
        time.sleep(0.1)


def measure() -> Iterator[Figure]:
    script = Script.model_validate(HANGING)
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home, running(script) as model:
        commit_all(project)
        try:
            for name, case in CASES.items():
                tell(name)
                took: list[float] = []
                for _ in range(ROUNDS):
                    with ExitStack() as stack:
                        took.append(_ended(name, *case(Stage(project, Path(home), model, stack))))
                note = f"the longest of {ROUNDS}, median {statistics.median(took):.0f}"
                yield Figure(name, max(took), "ms", at_most(MAX_MS), note=note)
        finally:
            # A worker leaves the fleet's database running.
            database = EmbeddedPostgres.of_home(Path(home))
            database.stop()
            database.delete()


def _ended(name: str, process: "subprocess.Popen[bytes]", interrupt: Interrupt) -> float:
    """Milliseconds from Ctrl-C to the end of the process."""
    started = time.perf_counter()
    interrupt()
    code = process.wait(PATIENCE)
    if code not in ENDS:
        raise BenchFailed(f"{name}: ended with {code}")
    return 1000 * (time.perf_counter() - started)


def wait_until(happened: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not happened():
        if time.monotonic() > until:
            raise BenchFailed(f"waited {PATIENCE:.0f} s for {what}")
        time.sleep(0.02)


def _signalled(process: "subprocess.Popen[bytes]") -> tuple["subprocess.Popen[bytes]", Interrupt]:
    """As a terminal does it: all processes of the command get the signal."""
    return process, lambda: os.killpg(process.pid, signal.SIGINT)


def _answering(verb: str) -> "Case":
    def begin(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
        before = len(stage.model.requests())
        process = stage.ask(verb, "Where is it, and why?")
        stage.until_asked(before)
        return _signalled(process)

    return begin


def _reading(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
    """A first look at the project, with a home that has no index yet."""
    home = Path(stage.stack.enter_context(tempfile.TemporaryDirectory()))
    process = stage.start("overview", home=home)
    wait_until(lambda: any(home.glob("index/*")), "the index")
    return _signalled(process)


def _chat(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
    """At its prompt, where the first Ctrl-C only says that another one leaves."""
    ours, theirs = pty.openpty()
    process = stage.start("chat", "--base-url", stage.model.base_url, "--model", "m", terminal=theirs)
    os.close(theirs)
    stage.stack.callback(os.close, ours)
    _read_until(ours, AT_PROMPT)
    os.write(ours, CTRL_C)
    _read_until(ours, ASKS_AGAIN, AT_PROMPT)
    return process, lambda: os.write(ours, CTRL_C)


def _read_until(terminal: int, *wanted: bytes) -> None:
    """One after the other. As with a terminal, who asks where the cursor stands is told."""
    told = b""
    for words in wanted:
        while words not in told:
            told += (shown := os.read(terminal, 65536))
            if WHERE_IS_IT in shown:
                os.write(terminal, b"\x1b[1;1R")
        told = told.partition(words)[2]


def _serving(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
    """Pages are open, and a turn is under way."""
    before = len(stage.model.requests())
    process = stage.ask("serve", "--port", "0")
    url = _line(process).removeprefix("Mulligan is at ").strip().rstrip("/")
    for _ in range(PAGES):
        stage.stack.enter_context(connect(f"{url.replace('http', 'ws', 1)}/api/socket", proxy=None))
    client = stage.stack.enter_context(httpx2.Client(base_url=url, timeout=PATIENCE))
    project = client.get("/api/server").json()["projects"][0]["id"]
    client.post(f"/api/projects/{project}/chats", json={"text": "Where is it?"}).raise_for_status()
    stage.until_asked(before)
    return _signalled(process)


def _proxying(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
    """A reply streams through it."""
    process = stage.start("proxy", "--port", "0", "--upstream", stage.model.base_url)
    url = _line(process).removeprefix("Mulligan's proxy is at ").partition(",")[0]
    client = stage.stack.enter_context(httpx2.Client(timeout=PATIENCE))
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Where is it?"}]}
    reply = stage.stack.enter_context(client.stream("POST", f"{url}/chat/completions", json=body))
    next(reply.iter_lines())
    return _signalled(process)


def _greeted(verb: str) -> "Case":
    """A client was answered, and waits."""

    def begin(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
        process = stage.start(verb)
        assert process.stdin
        greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETINGS[verb]}
        process.stdin.write(json.dumps(greeting).encode() + b"\n")
        _line(process)
        return _signalled(process)

    return begin


def _waiting_for_jobs(stage: Stage) -> tuple["subprocess.Popen[bytes]", Interrupt]:
    process = stage.start("fleet", "work", "--unsandboxed")
    assert process.stderr
    while "works for the fleet" not in (said := process.stderr.readline().decode()):
        if not said:
            raise BenchFailed("mulligan fleet work did not start")
    return _signalled(process)


def _line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout
    return process.stdout.readline().decode()


Case = Callable[[Stage], tuple["subprocess.Popen[bytes]", Interrupt]]
"""Starts a command. Returns it when it is in the middle of something, and what is as Ctrl-C to it."""

CASES: Mapping[str, Case] = {
    "ask, while the model answers": _answering("ask"),
    "code, while the model answers": _answering("code"),
    "fix, while the model answers": _answering("fix"),
    "chat, at its prompt": _chat,
    "overview, while it reads files": _reading,
    f"serve, with {PAGES} pages and a turn": _serving,
    "proxy, while a reply streams": _proxying,
    "acp, with a client": _greeted("acp"),
    "mcp, with a client": _greeted("mcp"),
    "fleet work, waiting for jobs": _waiting_for_jobs,
}


if __name__ == "__main__":
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for figure in measure():
        print(f"{figure.name}: {figure.value:.0f} ms ({figure.note}){'' if figure.holds else ': TOO LONG'}", flush=True)
