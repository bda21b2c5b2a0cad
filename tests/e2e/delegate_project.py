"""A repository, an agent that follows scripts, and `mulligan delegate` on them."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.command import Command, Finished

SCRIPTED = Path(__file__).parent.parent / "backends" / "scripted_acp_agent.py"
GIT = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost"]

Step = dict[str, Any]


@dataclass(frozen=True)
class Delegating:
    """A user's repository, with an agent named `scripted`."""

    mulligan: Command

    @property
    def folder(self) -> Path:
        return self.mulligan.project

    @property
    def code(self) -> str:
        return (self.folder / "a.py").read_text()

    def __call__(self, steps: list[Step], *more: str) -> Finished:
        return self.mulligan("delegate", "--json", "--agent", "scripted", *more, goal(steps))

    def start(self, steps: list[Step], *more: str) -> "subprocess.Popen[str]":
        return self.mulligan.start("delegate", "--json", "--agent", "scripted", *more, goal(steps))

    def trees(self) -> list[Path]:
        listed = self.mulligan("worktrees", "list", "--json").stdout.splitlines()
        return [Path(json.loads(line)["path"]) for line in listed]

    def changes(self, *more: str) -> list[dict[str, Any]]:
        listed = self.mulligan("changes", "list", "--json", *more).stdout.splitlines()
        return [json.loads(line) for line in listed]

    def messages(self, chat: str) -> list[dict[str, Any]]:
        return json.loads(self.mulligan("chats", "show", chat, "--json").stdout)["messages"]

    def answers(self, chat: str) -> list[str]:
        """What agents said in a chat."""
        parts = [part for each in self.messages(chat) if each["role"] == "assistant" for part in each["parts"]]
        return [part["text"] for part in parts if part["kind"] == "text"]

    def git(self, *arguments: str) -> str:
        return subprocess.run([*GIT, *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout


def make_delegating(mulligan: Command, tmp_path: Path) -> Delegating:
    (tmp_path / "sessions").mkdir()
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"state": str(tmp_path / "sessions")}))
    mulligan.home.mkdir()
    command = json.dumps([sys.executable, str(SCRIPTED)])
    table = f'[external.scripted]\nkind = "acp"\ncommand = {command}\nenv.SCRIPTED_ACP = {json.dumps(str(script))}\n'
    (mulligan.home / "mulligan.toml").write_text(table)
    delegating = Delegating(mulligan)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        delegating.git(*arguments)
    return delegating


def goal(steps: list[Step]) -> str:
    return f"do it\nscript: {json.dumps(steps)}"


def text_of(done: Finished) -> str:
    return "".join(frame["text"] for frame in done.frames if frame["type"] == "text_delta")


def checkpoint_of(done: Finished) -> str:
    (taken,) = [frame for frame in done.frames if frame["type"] == "checkpoint"]
    return taken["checkpoint_id"]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
