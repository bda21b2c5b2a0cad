"""`mulligan doctor --offline`: what is not here is told, and whatever would be fetched is refused."""

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.cli.commands.doctor import examine
from mulligan.cli.commands.doctor_checks import DoctorCheck
from mulligan.cli.commands.doctor_offline import check_model_files, hosts_set
from mulligan.models.embedded.catalog import Catalog, load_catalog
from mulligan.models.embedded.download import ModelFiles
from mulligan.types.profiles import FoundServer
from mulligan.types.secret import Secret
from mulligan.types.settings import Settings
from tests.patience import PATIENCE

ROOT = Path(__file__).parent.parent.parent
ELSEWHERE = "192.0.2.1"
SMALL = (
    load_catalog()
    .entries[0]
    .model_copy(
        update={
            "name": "small",
            "file": "small.gguf",
            "size": 5,
            "sha256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        }
    )
)
CATALOG = Catalog(default="small", entries=(SMALL,))


@pytest.fixture
def settings(project: Path, tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", project=project)


def carry_over(settings: Settings, content: bytes) -> ModelFiles:
    files = ModelFiles(settings.home)
    files.folder.mkdir(parents=True)
    files.path(SMALL).write_bytes(content)
    return files


async def test_a_file_that_was_carried_over_is_checked_and_used_from_then_on(settings: Settings) -> None:
    files = carry_over(settings, b"hello")
    assert not files.present(SMALL)
    check = await check_model_files(settings, CATALOG, files, needed=True)
    assert (check.verdict, check.found) == ("ok", "small: checked by sha256")
    assert files.present(SMALL)


async def test_a_file_that_was_damaged_on_its_way_is_a_problem(settings: Settings) -> None:
    files = carry_over(settings, b"hullo")
    check = await check_model_files(settings, CATALOG, files, needed=False)
    assert check.verdict == "problem"
    assert "is not what it should be" in check.found
    assert SMALL.sha256 in check.advice


@pytest.mark.parametrize(("needed", "verdict"), [(True, "problem"), (False, "ok")])
async def test_a_model_that_is_not_here_is_a_problem_where_it_would_answer(
    settings: Settings, needed: bool, verdict: str
) -> None:
    files = ModelFiles(settings.home)
    check = await check_model_files(settings, CATALOG, files, needed=needed)
    assert check.verdict == verdict
    assert not needed or str(files.path(SMALL)) in check.advice


def test_the_servers_that_were_named_may_be_elsewhere_in_the_network(settings: Settings) -> None:
    assert hosts_set(settings) == []
    named = Settings(
        home=settings.home,
        project=settings.project,
        base_url="http://gpu.lan:8000/v1",
        database_url=Secret("postgresql://me:secret@db.lan/chats"),
    )
    assert hosts_set(named) == ["gpu.lan", "db.lan"]


async def test_a_check_that_wants_something_from_elsewhere_is_refused_and_named(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask_elsewhere(_settings: Settings) -> list[FoundServer]:
        with pytest.raises(OSError, match="nothing may be fetched"):
            socket.create_connection((ELSEWHERE, 80), timeout=1)
        return []

    monkeypatch.setenv("MULLIGAN_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MULLIGAN_BASE_URL", raising=False)
    checks = by_name(await examine(project, ask_elsewhere, offline=True))
    assert checks["connections"].verdict == "problem"
    assert ELSEWHERE in checks["connections"].found
    assert "--find-links" in checks["embedded engine"].advice or checks["embedded engine"].verdict == "ok"


def by_name(checks: list[DoctorCheck]) -> dict[str, DoctorCheck]:
    return {check.name: check for check in checks}


def namespaces() -> str:
    """Why there are none here; empty if there are."""
    try:
        tried = subprocess.run(["unshare", "-rn", "true"], check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return "there is no unshare here: it is Linux's"
    return tried.stderr.strip() if tried.returncode else ""


def test_without_any_route_the_doctor_finds_nothing_missing_and_a_question_is_answered(
    project: Path, environment: dict[str, str]
) -> None:
    if reason := namespaces():
        pytest.skip(f"a network namespace can't be made: {reason}")
    program = Path(__file__).with_name("without_network.py")
    commands = [["doctor", "--offline", "--json"], ["ask", "Where is it?"], ["overview"]]
    done = subprocess.run(
        ["unshare", "-rn", sys.executable, program, project, *map(json.dumps, commands)],
        check=True, capture_output=True, text=True, timeout=PATIENCE,
        env={**environment, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"},
    )  # fmt: skip
    routes, doctor, ask, overview = map(json.loads, done.stdout.splitlines())
    assert routes == {"routes": 0}
    checks = {check["name"]: check for check in map(json.loads, doctor["out"].splitlines())}
    assert doctor["code"] == 0, doctor
    assert checks["connections"]["found"] == "nothing was downloaded; allowed: this machine and 127.0.0.1"
    assert (checks["grammars"]["verdict"], checks["model server"]["verdict"]) == ("ok", "ok")
    assert (ask["code"], ask["out"].strip()) == (0, "It is in turn.py."), ask
    assert overview["code"] == 0, overview
