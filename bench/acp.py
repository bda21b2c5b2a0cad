"""What `mulligan acp` costs an editor: until a session is open, and from a prompt to the first request.

Where other work slows the machine, the time of the processor counts, if it is the smaller one.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.harness import MULLIGAN, commit_all, environment_for, project_of, tell
from bench.results import Baseline, BenchFailed, Figure, Yielded, at_most
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import RunningServer, running

STARTS = 5
PROMPTS, EDITS = 30, 8
WARM_UP = 3
FILES = 200

IMPORT = """
import time
wall, cpu = time.perf_counter(), time.process_time()
import acp
print(min(time.perf_counter() - wall, time.process_time() - cpu))
"""


def measure(_asked: Namespace) -> Iterator[Yielded]:
    script = Script.model_validate({"replies": [{"text": "In file_1.py."}], "then": "loop"})
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home, running(script) as server:
        commit_all(project)
        tell(f"{STARTS} starts")
        sdk = statistics.median(_import_seconds() for _ in range(STARTS))
        starts = statistics.median(_start_seconds(server, project, Path(home)) for _ in range(STARTS))
        tell(f"{PROMPTS} prompts in a warm session, {EDITS} of them in mode edit too")
        ask = _prompt_ms(server, project, Path(home), "ask", PROMPTS)
        edit = _prompt_ms(server, project, Path(home), "edit", EDITS)
    yield Figure(
        "start to first update, without the SDK's import",
        starts - sdk,
        "s",
        at_most(0.4),
        Baseline("the SDK's import", sdk),
        note="the session is asked for at once",
    )
    yield Figure("prompt to first request, warm, median", ask, "ms", at_most(20), note="mode ask")
    yield Figure("the same in mode edit", edit, "ms", note=f"with a checkpoint of {FILES} files")


def _import_seconds() -> float:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True, text=True)
    return float(done.stdout)


@dataclass(frozen=True, slots=True)
class _Agent:
    """`mulligan acp`, with a session that is opened as soon as can be."""

    process: "subprocess.Popen[bytes]"
    into: IO[bytes]
    out: IO[bytes]
    started: float

    def send(self, method: str, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.into.write(json.dumps(message).encode() + b"\n")
        self.into.flush()

    def until(self, key: str) -> dict[str, Any]:
        """The next message that has this: `result` for an answer, `method` for an update."""
        for line in self.out:
            message: dict[str, Any] = json.loads(line)
            if "error" in message:
                raise BenchFailed(f"mulligan acp: {message['error']}")
            if key in message and message[key] != {}:
                return message
        raise BenchFailed("mulligan acp ended")

    def cpu_seconds(self) -> float:
        """Of all its threads, exact."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


@contextmanager
def _agent(server: RunningServer, project: Path, home: Path) -> Generator[tuple[_Agent, str]]:
    command = [MULLIGAN, "acp", "--base-url", server.base_url, "--model", "m"]
    started = time.monotonic()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project, env=environment_for(home)
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise BenchFailed("no pipes")
        agent = _Agent(process, process.stdin, process.stdout, started)
        agent.send("initialize", protocolVersion=1)
        agent.send("session/new", cwd=str(project), mcpServers=[])
        agent.until("result")
        session: str = agent.until("result")["result"]["sessionId"]
        yield agent, session
        process.stdin.close()


def _start_seconds(server: RunningServer, project: Path, home: Path) -> float:
    with _agent(server, project, home) as (agent, _):
        agent.until("method")
        return min(time.monotonic() - agent.started, agent.cpu_seconds())


def _prompt_ms(server: RunningServer, project: Path, home: Path, mode: str, prompts: int) -> float:
    """Each prompt is asked in the same session; its chat is short enough not to count."""
    taken: list[float] = []
    with _agent(server, project, home) as (agent, session):
        agent.send("session/set_mode", sessionId=session, modeId=mode)
        for _ in range(WARM_UP + prompts):
            before, used = time.monotonic(), agent.cpu_seconds()
            agent.send("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "Where?"}])
            while "stopReason" not in agent.until("result")["result"]:
                continue
            arrived: float = server.requests()[-1]["arrived"]
            taken.append(min(arrived - before, agent.cpu_seconds() - used) * 1000)
    return statistics.median(taken[WARM_UP:])
