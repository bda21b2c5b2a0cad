"""Mulligan as an external agent of Mulligan: our own client against our own agent."""

import json
import sys
from pathlib import Path
from typing import Any

from mulligan.models.scripted.script import Script
from tests.acp.conftest import EDIT, Harness
from tests.acp.editor import environ
from tests.forked_command import run_forked
from tests.scripted_server import running

MULLIGAN = Path(sys.executable).with_name("mulligan")


def delegate(harness: Harness, *replies: dict[str, Any], mode: str) -> list[dict[str, Any]]:
    """The frames of `mulligan delegate` to a `mulligan acp` whose model follows a script."""
    harness.home.mkdir()
    with running(Script.model_validate({"replies": replies})) as server:
        command = json.dumps([str(MULLIGAN), "acp", "--base-url", server.base_url, "--model", "m"])
        inner = environ(harness.root / "inner-home")
        names = ("MULLIGAN_HOME", "MULLIGAN_DISCOVERY", "MULLIGAN_DOWNLOADS")
        env = "".join(f"env.{name} = {json.dumps(inner[name])}\n" for name in names)
        table = f'[external.inner]\nkind = "acp"\ncommand = {command}\nmode = "{mode}"\n{env}'
        (harness.home / "mulligan.toml").write_text(table)
        done = run_forked(
            ["delegate", "--json", "--agent", "inner", "let it return 2"], cwd=harness.folder, env=environ(harness.home)
        )
    assert done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_mulligan_changed_for_mulligan_comes_back_as_pending_changes(harness: Harness) -> None:
    frames = delegate(harness, EDIT, {"text": "Done: it returns 2."}, mode="edit")

    said = "".join(frame["text"] for frame in frames if frame["type"] == "text_delta")
    assert "Done: it returns 2." in said
    assert next(frame["name"] for frame in frames if frame["type"] == "tool_call").startswith("edit_file a.py")
    (change,) = [frame for frame in frames if frame["type"] == "change"]
    assert (change["path"], change["status"]) == ("a.py", "pending")
    assert frames[-1]["stop_reason"] == "answered"
    assert harness.file.read_text() == "def a():\n    return 1\n"


def test_the_mode_is_the_one_that_was_set(harness: Harness) -> None:
    frames = delegate(harness, EDIT, {"text": "I can't."}, mode="ask")

    said = "".join(frame["text"] for frame in frames if frame["type"] == "text_delta")
    assert "the agent default only reads" in said
    assert not [frame for frame in frames if frame["type"] == "change"]
