"""`mulligan mcp` with a foreign client: opencode starts it, lists its tools, and its model calls them."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.script import Script
from tests.e2e.command import MULLIGAN
from tests.real_agents.real_agent import OPENCODE, call, played_by, say
from tests.real_agents.stage import BEFORE, PATIENCE, TITLE, Stage

pytestmark = pytest.mark.real_agents


def declare(stage: Stage) -> None:
    """Mulligan as a server, in opencode's own settings."""
    file = stage.home / ".config" / "opencode" / "opencode.json"
    settings: dict[str, Any] = json.loads(file.read_text())
    server = {"type": "local", "command": [str(MULLIGAN), "mcp", "-C", str(stage.project)], "timeout": 60_000}
    file.write_text(json.dumps({**settings, "mcp": {"mulligan": server}}))


def run(stage: Stage, *replies: dict[str, Any]) -> str:
    stage.server.replace_script(Script.model_validate({"replies": [TITLE, *replies]}))
    done = subprocess.run(
        ["opencode", "run", "look at a.py"],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=stage.environment,
        cwd=stage.project,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return stage.heard()


@played_by(OPENCODE)
def test_opencode_searches_and_edits_through_mulligan(stage: Stage) -> None:
    declare(stage)
    edit = {"path": "a.py", "old": "return 1", "new": "return 2"}
    heard = run(
        stage,
        call("mulligan_search_symbols", query="a"),
        call("mulligan_edit_file", **edit),
        say("Done."),
    )
    assert "a.py:1 function def a()" in heard
    assert (stage.project / "a.py").read_text() == BEFORE.replace("1", "2")
    offered = {tool["function"]["name"] for tool in stage.server.requests()[-1]["body"]["tools"]}
    assert {"mulligan_fix", "mulligan_restore_checkpoint", "mulligan_get_codebase_overview"} <= offered
    kept = stage("checkpoints", "list", "--json").stdout
    assert "before edits of opencode" in kept
    assert Path(stage.project, ".mulligan").exists()
