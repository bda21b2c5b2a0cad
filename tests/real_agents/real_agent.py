"""The real agents: the home each one needs, and what its model says to make it look, edit and run a command."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import running
from tests.real_agents.messages_server import messages_running

AGENTS = Path(__file__).parents[2] / "requirements" / "agents"
"""Where their versions are pinned, and where they are installed."""
Reply = dict[str, Any]
"""One reply of a script."""


class ModelServer(Protocol):
    """A scripted model that an agent talks to."""

    @property
    def base_url(self) -> str: ...

    def requests(self) -> list[dict[str, Any]]: ...

    def replace_script(self, script: Script) -> None: ...


@dataclass(frozen=True)
class RealAgent:
    name: str
    """As `mulligan agents` lists it."""
    package: str
    """The npm package it comes from."""
    program: str
    """Where it is in the package."""
    settle: Callable[[Path, str], dict[str, str]]
    """Writes the settings it needs into its home, for the model at an address; returns its environment."""
    look: Reply
    """Reads the project, and names no absolute path: the work tree is not known before the first turn."""
    edit: Callable[[Path, str, str], tuple[Reply, ...]]
    """Replaces one text by another in a file."""
    run: Callable[[str], Reply]
    """Runs a command line."""
    serve: Callable[[Script], AbstractContextManager[ModelServer]] = running
    asks: bool = True
    """Somebody can be asked. Without it, what it would ask about is denied."""
    says_after_denial: bool = True
    """The model hears of a denial in the same turn. Without it, the agent ends its turn there."""

    @property
    def command(self) -> str:
        return self.name.partition("-")[0]


def played_by(*agents: RealAgent) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("agent", [pytest.param(agent, id=agent.name) for agent in agents])


def say(text: str) -> Reply:
    return {"text": text}


def call(name: str, **arguments: Any) -> Reply:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def _settle_opencode(home: Path, base_url: str) -> dict[str, str]:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": base_url, "apiKey": "none"},
        "models": {"scripted": model},
    }
    settings = {"model": "local/scripted", "small_model": "local/scripted", "provider": {"local": provider}}
    _write(home / ".config" / "opencode" / "opencode.json", {**settings, "autoupdate": False, "share": "disabled"})
    return {}


def _settle_goose(home: Path, base_url: str) -> dict[str, str]:
    del home  # all it needs stands in the environment
    return {
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "scripted",
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_TELEMETRY_ENABLED": "false",
        "OPENAI_HOST": base_url.removesuffix("/v1"),
        "OPENAI_API_KEY": "none",
    }


def _settle_qwen(home: Path, base_url: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        # Both ask the model on their own after a turn, and would use up the script.
        "ui": {"enableFollowupSuggestions": False},
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    }
    _write(home / ".qwen" / "settings.json", settings)
    return {"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "scripted"}


def _settle_claude(home: Path, base_url: str) -> dict[str, str]:
    del home  # all it needs stands in the environment
    return {
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _write(path: Path, settings: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(settings))


def _opencode(name: str, *, says_after_denial: bool) -> RealAgent:
    return RealAgent(
        name=name,
        package="opencode-linux-x64",
        program="bin/opencode",
        settle=_settle_opencode,
        look=call("read", filePath="a.py"),
        edit=lambda path, old, new: (
            call("read", filePath=str(path)),
            call("edit", filePath=str(path), oldString=old, newString=new),
        ),
        run=lambda command: call("bash", command=command, description="a command"),
        says_after_denial=says_after_denial,
    )


OPENCODE = _opencode("opencode", says_after_denial=True)
OPENCODE_ACP = _opencode("opencode-acp", says_after_denial=False)
GOOSE = RealAgent(
    name="goose",
    package="@aaif/goose-binary-linux-x64",
    program="bin/goose",
    settle=_settle_goose,
    look=call("shell", command="cat a.py"),
    edit=lambda path, old, new: (call("edit", path=str(path), before=old, after=new),),
    run=lambda command: call("shell", command=command),
)
QWEN = RealAgent(
    name="qwen",
    package="@qwen-code/qwen-code",
    program="cli-entry.js",
    settle=_settle_qwen,
    look=call("grep_search", pattern="return"),
    edit=lambda path, old, new: (
        call("read_file", file_path=str(path)),
        call("edit", file_path=str(path), old_string=old, new_string=new),
    ),
    run=lambda command: call("run_shell_command", command=command, is_background=False, description="a command"),
    says_after_denial=False,
)
CLAUDE = RealAgent(
    name="claude",
    package="@anthropic-ai/claude-code-linux-x64",
    program="claude",
    settle=_settle_claude,
    look=call("Read", file_path="a.py"),
    edit=lambda path, old, new: (
        call("Read", file_path=str(path)),
        call("Edit", file_path=str(path), old_string=old, new_string=new),
    ),
    run=lambda command: call("Bash", command=command),
    serve=messages_running,
    asks=False,
)
ALL = (OPENCODE, OPENCODE_ACP, GOOSE, QWEN, CLAUDE)
OPENCODE_RUN, GOOSE_RUN, QWEN_RUN = (replace(each, name=f"{each.name}-run") for each in (OPENCODE, GOOSE, QWEN))
RUNS = (OPENCODE_RUN, GOOSE_RUN, QWEN_RUN)
"""The same ones as a command a turn: with nobody to ask, each has rules of its own on what it may do."""
