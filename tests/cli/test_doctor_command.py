"""`mulligan doctor`: each check by itself, and the command over a real project, database and model server."""

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from mulligan.cli.commands.doctor import doctor, engine_needed
from mulligan.cli.commands.doctor_checks import (
    Verdict,
    check_configuration,
    check_database,
    check_embedded,
    check_git,
    check_instructions,
    check_machine,
    check_models,
    check_server,
)
from mulligan.models.embedded.catalog import load_catalog
from mulligan.models.embedded.download import ModelFiles
from mulligan.models.embedded.machine import Machine
from mulligan.models.scripted.script import ScriptedReply
from mulligan.types.errors import ModelUnreachable
from mulligan.types.profiles import FoundServer
from mulligan.types.secret import Secret
from mulligan.types.settings import Settings

Start = Callable[..., Any]
OLLAMA = FoundServer(base_url="http://127.0.0.1:11434/v1", kind="ollama", models=("qwen3:8b", "llama3"))


@pytest.fixture
def settings(project: Path, tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", project=project)


@pytest.fixture
def in_environment(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Make the command see the test's environment and nothing of the shell's own Mulligan."""

    def put() -> None:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)

    for name in ("MULLIGAN_BASE_URL", "MULLIGAN_MODEL", "MULLIGAN_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return put


def run_doctor(*arguments: str) -> Any:
    app = typer.Typer()
    app.command()(doctor)
    return CliRunner().invoke(app, arguments)


def machine_with(root: Path, kilobytes: int) -> Machine:
    (root / "proc").mkdir()
    (root / "proc" / "meminfo").write_text(f"MemTotal: 8000000 kB\nMemAvailable: {kilobytes} kB\n", encoding="utf-8")
    return Machine(root, processors=lambda: {0, 1})


def test_the_machine_is_described_though_the_home_is_not_there_yet(tmp_path: Path) -> None:
    check = check_machine(machine_with(tmp_path, 4_000_000), tmp_path / "not" / "yet")
    assert check.found.startswith("2 cores, 4.1 GB of 8.2 GB memory free, ")


def test_little_memory_is_noted(tmp_path: Path) -> None:
    check = check_machine(machine_with(tmp_path, 1_000_000), tmp_path)
    assert check.verdict == "note"
    assert check.advice


async def test_a_folder_without_git_is_noted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    check = await check_git(project)
    assert check.verdict == "note"
    assert "git init" in check.advice


async def test_a_repository_is_named(project: Path) -> None:
    await asyncio.to_thread(subprocess.run, ["git", "init", "-q", str(project)], check=True)
    check = await check_git(project)
    assert check.verdict == "ok"
    assert check.found.endswith(str(project))


async def test_a_machine_without_git_is_noted(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    check = await check_git(project)
    assert (check.verdict, check.found) == ("note", "not found")


def test_the_files_that_were_read_are_named(tmp_path: Path) -> None:
    there = tmp_path / "mulligan.toml"
    there.write_text("", encoding="utf-8")
    assert check_configuration((there, tmp_path / "home.toml")).found == str(there)
    assert "no file" in check_configuration((tmp_path / "home.toml",)).found


async def test_instructions_are_named_with_their_size(settings: Settings) -> None:
    assert (await check_instructions(settings)).found == "no AGENTS.md"
    (settings.project / "AGENTS.md").write_text("x" * 350)
    (settings.project / "api").mkdir()
    (settings.project / "api" / "AGENTS.md").write_text("Cents.")
    check = await check_instructions(settings)
    assert check.verdict == "ok"
    assert check.found == "AGENTS.md (100 tokens); 1 in subfolders: api/AGENTS.md"


async def test_instructions_that_do_not_fit_or_are_off_are_told(settings: Settings) -> None:
    (settings.project / "AGENTS.md").write_text("A rule.\n" * 5_000)
    check = await check_instructions(settings)
    assert check.verdict == "note"
    assert check.advice.startswith("AGENTS.md: 2,0")
    assert "of about 11,428 tokens are sent to a model with 16,384 tokens of context" in check.advice
    off = await check_instructions(settings.model_copy(update={"instructions": False}))
    assert off.found.startswith("not sent")


async def test_a_database_that_opens_is_ok(settings: Settings) -> None:
    check = await check_database(settings)
    assert (check.verdict, check.found) == ("ok", str(settings.home / "mulligan.db"))


async def test_a_database_that_does_not_open_is_a_problem(settings: Settings) -> None:
    settings.home.mkdir()
    (settings.home / "mulligan.db").write_bytes(b"no database" * 100)
    check = await check_database(settings)
    assert check.verdict == "problem"
    assert "not a SQLite database" in check.advice


async def test_a_databases_password_is_never_shown(settings: Settings) -> None:
    url = Secret("postgresql://me:hunter2@127.0.0.1:1/chats")
    check = await check_database(settings.model_copy(update={"database_url": url}))
    assert check.verdict == "problem"
    assert "127.0.0.1:1/chats" in check.found
    assert "hunter2" not in check.model_dump_json()


@pytest.mark.parametrize(
    ("model", "answer", "verdict"),
    [
        pytest.param(None, [OLLAMA], "ok", id="a server runs"),
        pytest.param("llama3", [OLLAMA], "ok", id="it has the model that is set"),
        pytest.param("gpt-9", [OLLAMA], "problem", id="it lacks the model that is set"),
        pytest.param("embedded:tiny", [OLLAMA], "ok", id="an embedded model is set"),
        pytest.param(None, [OLLAMA.model_copy(update={"models": ()})], "note", id="it has no model"),
        pytest.param(None, [], "note", id="no server: the embedded model answers"),
        pytest.param(None, ModelUnreachable("No connection."), "problem", id="the one that is set is not there"),
    ],
)
def test_the_model_server(
    settings: Settings, model: str | None, answer: list[FoundServer] | ModelUnreachable, verdict: Verdict
) -> None:
    assert check_server(settings.model_copy(update={"model": model}), answer).verdict == verdict


@pytest.mark.parametrize(
    ("version", "needed", "verdict"),
    [
        pytest.param("2026.10.1", True, "ok", id="installed"),
        pytest.param(None, False, "note", id="missing, and a server answers"),
        pytest.param(None, True, "problem", id="missing, and nothing else answers"),
    ],
)
def test_the_embedded_engine_is_needed_where_no_server_is(version: str | None, needed: bool, verdict: Verdict) -> None:
    assert check_embedded(version, needed=needed).verdict == verdict


@pytest.mark.parametrize(
    ("model", "found", "needed"),
    [
        pytest.param(None, [OLLAMA], False, id="a server answers"),
        pytest.param("embedded:tiny", [OLLAMA], True, id="an embedded model is set"),
        pytest.param(None, [], True, id="no server"),
        pytest.param(None, ModelUnreachable("No connection."), False, id="a server is set, though it fails"),
    ],
)
def test_the_engine_is_needed_where_the_embedded_model_would_answer(
    model: str | None, found: list[FoundServer] | ModelUnreachable, needed: bool
) -> None:
    assert engine_needed(model, found) == needed


def test_without_an_embedded_model_it_says_how_to_get_one(tmp_path: Path) -> None:
    check = check_models(load_catalog(), ModelFiles(tmp_path))
    assert check.verdict == "note"
    assert f"mulligan models pull {load_catalog().default}" in check.advice


def test_with_a_server_that_answers_it_can_work(
    project: Path, serve: Start, in_environment: Callable[[], None]
) -> None:
    server = serve(ScriptedReply(text="unused"))
    in_environment()
    done = run_doctor("-C", str(project), "--json")
    checks = {check["name"]: check for check in map(json.loads, done.stdout.splitlines())}
    assert done.exit_code == 0
    assert server.base_url in checks["model server"]["found"]
    assert set(checks) >= {"machine", "python", "git", "ripgrep", "database", "configuration", "terminal"}
    assert server.requests() == []


def test_with_a_server_that_is_not_there_something_must_be_set(
    project: Path, environment: dict[str, str], in_environment: Callable[[], None]
) -> None:
    environment["MULLIGAN_BASE_URL"] = "http://127.0.0.1:9/v1"
    in_environment()
    done = run_doctor("-C", str(project))
    assert done.exit_code == 2
    assert "connection refused" in done.stdout
    assert "fix 1 problem first" in done.stderr


def test_a_configuration_that_does_not_load_is_a_problem_like_others(
    project: Path, in_environment: Callable[[], None]
) -> None:
    in_environment()
    (project / "mulligan.toml").write_text("modle = 'x'\n", encoding="utf-8")
    done = run_doctor("-C", str(project), "--json")
    broken = [check for check in map(json.loads, done.stdout.splitlines()) if check["verdict"] == "problem"]
    assert done.exit_code == 2
    assert [check["name"] for check in broken] == ["configuration"]
    assert "did you mean model?" in broken[0]["advice"]
