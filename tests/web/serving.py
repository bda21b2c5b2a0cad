"""A served project, and what page tests need apart from the browser."""

import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.server.state import project_id
from tests.e2e.delegate_project import SCRIPTED
from tests.patience import PATIENCE
from tests.server.coding import GIT
from tests.server.server_process import Served, serving

FILES = {f"{name}.py": f"def {name}():\n    return '{name}'\n" for name in "abcd"}


@asynccontextmanager
async def served_project(
    folder: Path, files: Mapping[str, str], *options: str, port: int = 0
) -> AsyncGenerator[Served]:
    """A server on a new repository in `folder/project`, its model scripted."""
    project = make_project(folder / "project", files)
    write_user_file(folder)
    async with serve_script(Script(replies=())) as model, serve_again(project, model, *options, port=port) as served:
        yield served


@asynccontextmanager
async def serve_again(project: Path, model: ScriptedServer, *options: str, port: int = 0) -> AsyncGenerator[Served]:
    """Another server on an existing project."""
    home = project.parent / "home"
    named = ["--base-url", model.base_url, "--model", "scripted", "--port", str(port), *options]
    async with (
        serving(project, home, *named) as process,
        httpx2.AsyncClient(base_url=process.url, timeout=PATIENCE) as client,
    ):
        yield Served(process, project, home, model, client, {}, project_id(project))


def make_project(folder: Path, files: Mapping[str, str]) -> Path:
    """A repository with these files, all committed."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True)
    return folder


def write_user_file(folder: Path) -> None:
    """With an external agent, `scripted`, that does what its prompt says and remembers its sessions."""
    (folder / "sessions").mkdir()
    (folder / "home").mkdir()
    script = folder / "agent.json"
    script.write_text(json.dumps({"state": str(folder / "sessions")}))
    command = json.dumps([sys.executable, str(SCRIPTED)])
    (folder / "home" / "mulligan.toml").write_text(
        f'[external.scripted]\nkind = "acp"\ncommand = {command}\nenv.SCRIPTED_ACP = {json.dumps(str(script))}\n'
    )
