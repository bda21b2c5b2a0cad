"""A project, an agent with a home of its own, a scripted model, and `mulligan delegate` between them."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mulligan.models.scripted.script import Script
from mulligan.runtime.process_trees import MARK
from tests.e2e.command import MULLIGAN, Finished
from tests.real_agents.real_agent import ModelServer, RealAgent, Reply

BEFORE = "def a():\n    return 1\n"
"""The project's one file."""
PATIENCE = 120
"""Seconds for a turn. The slowest agent takes 20 to start on two busy cores."""
TITLE: Reply = {"when": {"tools": False}, "text": "A title"}
"""Agents ask for one when it suits them, and offer no tools with it."""


@dataclass(frozen=True)
class Stage:
    agent: RealAgent
    server: ModelServer
    project: Path
    home: Path
    environment: dict[str, str]
    _chat: list[str] = field(default_factory=list[str])
    _turns: "list[OpenTurn]" = field(default_factory=list["OpenTurn"])

    @property
    def chat(self) -> str:
        """The one that the first turn began."""
        return self._chat[0]

    @property
    def tree(self) -> Path:
        """Where the agent works."""
        return Path(json.loads(self("worktrees", "list", "--json").stdout)["path"])

    @property
    def file(self) -> Path:
        return self.tree / "a.py"

    def __call__(self, *arguments: str) -> Finished:
        done = subprocess.run(
            [MULLIGAN, *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=self.project,
            timeout=PATIENCE,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def turn(self, goal: str, *replies: Reply, yes: bool = False) -> Finished:
        """One turn, in the chat if there is one, with what the model will say."""
        return self.begin(goal, *replies, yes=yes).finish()

    def begin(self, goal: str, *replies: Reply, yes: bool = False) -> "OpenTurn":
        self.server.replace_script(Script.model_validate({"replies": [TITLE, *replies]}))
        options = ["--yes"] if yes else []
        options += ["--chat", self.chat] if self._chat else []
        process = subprocess.Popen(
            [MULLIGAN, "delegate", "--json", "--agent", self.agent.name, *options, goal],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=self.project,
        )
        self._turns.append(OpenTurn(self, process))
        return self._turns[-1]

    def close(self) -> None:
        """End what a test that failed left open."""
        for turn in self._turns:
            with turn.process as process:
                process.terminate()

    def note_chat(self, chat: str) -> None:
        if not self._chat:
            self._chat.append(chat)

    def heard(self) -> str:
        """All that the model was told in its last request of the turn's."""
        asked = [request["body"] for request in self.server.requests() if request["body"].get("tools")]
        return json.dumps(asked[-1]["messages"])

    def messages(self) -> list[dict[str, Any]]:
        return json.loads(self("chats", "show", self.chat, "--json").stdout)["messages"]

    def changes(self) -> list[dict[str, Any]]:
        """Those that wait for the user."""
        return [json.loads(line) for line in self("changes", "list", "--json").stdout.splitlines()]

    def processes(self) -> dict[int, str]:
        """What runs with the agent's home and the mark of an agent, by pid."""
        home, mark = f"HOME={self.home}".encode(), f"{MARK}=".encode()
        found: dict[int, str] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                variables = (folder / "environ").read_bytes().split(b"\0")
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # it has ended
            if home in variables and any(each.startswith(mark) for each in variables):
                found[int(folder.name)] = command
        return found


@dataclass
class OpenTurn:
    """A turn under way. The lines that were read of it are kept for the end."""

    stage: Stage
    process: subprocess.Popen[str]
    read: list[str] = field(default_factory=list[str])

    def until(self, kind: str) -> dict[str, Any]:
        """Read on to a frame of this kind."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.read.append(line)
            frame = json.loads(line)
            if frame["type"] == kind:
                return frame
        _, said = self.process.communicate(timeout=PATIENCE)
        raise AssertionError(f"the turn ended without {kind}: {''.join(self.read)}{said}")

    def interrupt(self) -> Finished:
        self.process.send_signal(signal.SIGINT)
        return self.finish()

    def finish(self) -> Finished:
        rest, said = self.process.communicate(timeout=PATIENCE)
        done = Finished(self.process.returncode, "".join(self.read) + rest, said)
        started = [frame["chat_id"] for frame in done.frames if frame["type"] == "turn_start"]
        assert started, said
        self.stage.note_chat(started[0])
        return done


def kinds(done: Finished) -> list[str]:
    return [frame["type"] for frame in done.frames]


def text_of(done: Finished) -> str:
    return "".join(frame["text"] for frame in done.frames if frame["type"] == "text_delta")


def checkpoint_of(done: Finished) -> str:
    (taken,) = [frame for frame in done.frames if frame["type"] == "checkpoint"]
    return taken["checkpoint_id"]


def end_by_force(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def soon(is_so: Callable[[], bool]) -> bool:
    """Whether it comes true within the time of a turn."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
