"""A real server process on a real git project, for every test that asks for `served`.

SQLite holds its data. The tests of the API, in `test_*_api.py`, run on PostgreSQL too: in `make test` those marked
`both_databases`, one story of each theme and what the two do differently, in `make explore` all of them. What the store
does for them is tested on both in `tests/store`.
"""

import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest

from mulligan.app.configuration import Configuration, load_configuration
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import ScriptedServer, serve_script
from mulligan.server.app import make_app
from mulligan.server.state import ServerState, open_server_state, project_id
from tests.patience import PATIENCE
from tests.server.server_process import Served, serving
from tests.store.postgres_server import migrated_url, postgres_server, postgres_url

__all__ = ["migrated_url", "postgres_server", "postgres_url"]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database" in metafunc.fixturenames and metafunc.definition.path.stem.endswith("_api"):
        always = metafunc.definition.get_closest_marker("both_databases")
        postgres = pytest.param("postgres", marks=[] if always else [pytest.mark.breadth])
        metafunc.parametrize("database", ["sqlite", postgres], indirect=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git project with three small files, all committed."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.py").write_text(f"def {name}():\n    return '{name}'\n")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *command], cwd=folder, check=True)
    return folder


@pytest.fixture
def database(request: pytest.FixtureRequest) -> dict[str, str]:
    """The setting that names it."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return {}
    return {"MULLIGAN_DATABASE_URL": request.getfixturevalue("migrated_url")}


@pytest.fixture
async def model() -> AsyncGenerator[ScriptedServer]:
    """It has nothing to say until `served.play(…)` tells it."""
    async with serve_script(Script(replies=())) as server:
        yield server


@pytest.fixture
async def served(
    project: Path, tmp_path: Path, model: ScriptedServer, database: dict[str, str]
) -> AsyncGenerator[Served]:
    home = tmp_path / "home"
    named = ["--base-url", model.base_url, "--model", "scripted"]
    async with (
        serving(project, home, *named, env=database) as process,
        httpx2.AsyncClient(base_url=process.url, timeout=PATIENCE) as client,
    ):
        yield Served(process, project, home, model, client, database, project_id(project))


@pytest.fixture
def configuration(project: Path, tmp_path: Path, model: ScriptedServer, database: dict[str, str]) -> Configuration:
    alone = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
    return load_configuration(project, {"base_url": model.base_url, "model": "scripted"}, {**alone, **database})


@pytest.fixture
async def state(configuration: Configuration) -> AsyncGenerator[ServerState]:
    """A server's state in this process, for tests that need no server."""
    async with open_server_state([configuration]) as opened:
        yield opened


@pytest.fixture
async def near(state: ServerState) -> AsyncGenerator[httpx2.AsyncClient]:
    """A client of the application in this process, without the guards around it."""
    transport = httpx2.ASGITransport(app=make_app(state))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8383") as client:
        yield client
