from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from mulligan.app.agents import installed
from mulligan.app.agents.installed import InstalledProgram, find_installed, program_of
from mulligan.types.agents import ExternalAgent
from mulligan.workspace.process import ProcessEnd, run_process


def program(folder: Path, name: str, script: str) -> str:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def agent(name: str, command: str, **fields: object) -> ExternalAgent:
    return ExternalAgent.model_validate({"name": name, "kind": "acp", "command": (command,), **fields})


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("script", "version"),
    [
        pytest.param("echo 2.1.325 '(Claude Code)'", "2.1.325", id="the version first"),
        pytest.param("echo ' 1.52.0'", "1.52.0", id="after a space"),
        pytest.param("echo codex-cli 0.166.0-alpha.3", "0.166.0-alpha.3", id="after the name"),
        pytest.param("echo @scope/agent-2 v2.6", "2.6", id="with a v"),
        pytest.param("echo 'noise 9.9' >&2; echo 1.2", "1.2", id="warnings beside it"),
        pytest.param("echo 1.2; exit 1", "1.2", id="a bad exit code"),
        pytest.param("echo hello", None, id="no version said"),
        pytest.param("printf '\\377\\376'", None, id="no text at all"),
        pytest.param("yes 1", None, id="output without end"),
    ],
)
async def test_the_version_is_what_the_program_says(
    script: str, version: str | None, tmp_path: Path, environ: dict[str, str]
) -> None:
    path = program(tmp_path / "bin", "robo", script)
    assert await find_installed([agent("mine", "robo")], run_process, environ) == {
        "mine": InstalledProgram(path, version)
    }


async def test_an_agent_that_is_not_on_path_is_not_found(tmp_path: Path, environ: dict[str, str]) -> None:
    program(tmp_path / "elsewhere", "robo", "echo 1.0")
    assert await find_installed([agent("mine", "robo")], run_process, environ) == {"mine": InstalledProgram(None, None)}


async def test_a_program_that_can_not_be_started_is_found_without_a_version(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    path = program(tmp_path / "bin", "robo", "")
    Path(path).write_text("#!/no/such/interpreter\n", encoding="utf-8")
    assert await find_installed([agent("mine", "robo")], run_process, environ) == {"mine": InstalledProgram(path, None)}


async def test_a_program_that_never_says_its_version_is_not_waited_for(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "TIME_LIMIT", 0.1)
    path = program(tmp_path / "bin", "robo", "exec tail -f /dev/null")
    assert await find_installed([agent("mine", "robo")], run_process, environ) == {"mine": InstalledProgram(path, None)}


async def test_a_program_of_several_agents_is_asked_once(tmp_path: Path, environ: dict[str, str]) -> None:
    program(tmp_path / "bin", "robo", f"echo asked >> {tmp_path / 'asked'}; echo 1.0")
    found = await find_installed([agent("one", "robo"), agent("two", "robo")], run_process, environ)
    assert [each.version for each in found.values()] == ["1.0", "1.0"]
    assert (tmp_path / "asked").read_text(encoding="utf-8") == "asked\n"


async def test_all_programs_are_asked_at_the_same_time(tmp_path: Path, environ: dict[str, str]) -> None:
    """Each waits until the other runs."""
    for name, other in (("one", "two"), ("two", "one")):
        wait = f"touch {tmp_path / name}; until [ -e {tmp_path / other} ]; do :; done; echo 1.0"
        program(tmp_path / "bin", name, wait)
    found = await find_installed([agent("one", "one"), agent("two", "two")], run_process, environ)
    assert [each.version for each in found.values()] == ["1.0", "1.0"]


async def test_an_agent_without_version_arguments_is_not_run(tmp_path: Path, environ: dict[str, str]) -> None:
    async def never(
        argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], time_limit: float, output_cap: int
    ) -> ProcessEnd:
        raise AssertionError((argv, cwd, env, time_limit, output_cap))

    path = program(tmp_path / "bin", "robo", "echo 1.0")
    assert await find_installed([agent("mine", "robo", version_args=())], never, environ) == {
        "mine": InstalledProgram(path, None)
    }


def test_a_path_of_the_agents_own_counts(tmp_path: Path, environ: dict[str, str]) -> None:
    path = program(tmp_path / "own", "robo", "")
    assert program_of(agent("mine", "robo"), environ) is None
    assert program_of(agent("mine", "robo", env={"PATH": str(tmp_path / "own")}), environ) == path
