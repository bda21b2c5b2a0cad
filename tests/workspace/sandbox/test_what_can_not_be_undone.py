"""What a command that nobody was asked about can't do to files which no checkpoint brings back."""

from pathlib import Path

import pytest

from mulligan.types.commands import CommandResult
from mulligan.types.sandbox import ExtraAccess
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.sandbox import Sandbox


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "local.sqlite").write_text("years of data")
    (folder / "conf").mkdir()
    (folder / "conf" / ".env").write_text("TOKEN=mine")
    (folder / "build").mkdir()
    return folder


async def run(project: Path, command: str, access: ExtraAccess | None = None) -> CommandResult:
    sandbox = Sandbox("bubblewrap", project, home=project.parent / "home")
    sandbox.undone_by_checkpoint((project / "sub" / "local.sqlite",))
    commands = ProjectCommands(project, sandbox)
    return await commands.run(command, time_limit=30, access=access or ExtraAccess())


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("rm sub/local.sqlite", id="deleted"),
        pytest.param("echo gone > sub/local.sqlite", id="overwritten"),
        pytest.param("mv sub sub2 && rm -rf sub2", id="its folder renamed"),
        pytest.param("mv sub build/sub; rm -rf build", id="its folder moved to what is made again"),
        pytest.param("rm -rf sub", id="its folder deleted"),
    ],
)
async def test_it_is_still_there(project: Path, command: str) -> None:
    result = await run(project, command)

    assert (project / "sub" / "local.sqlite").read_text() == "years of data"
    assert result.exit_code == 0 or [each.what for each in result.blocked] == ["ignored"]


async def test_after_a_yes_it_can_be_changed(project: Path) -> None:
    result = await run(project, "echo new > sub/local.sqlite", ExtraAccess(ignored=True))

    assert (result.exit_code, (project / "sub" / "local.sqlite").read_text()) == (0, "new\n")


async def test_a_secret_can_not_be_moved_out_of_its_mask(project: Path) -> None:
    result = await run(project, "mv conf conf2; cat conf/.env conf2/.env; echo done")

    assert "TOKEN" not in result.stdout + result.stderr
    assert (project / "conf" / ".env").read_text() == "TOKEN=mine"


@pytest.mark.parametrize("way", ["bubblewrap", "landlock"])
async def test_no_program_is_left_that_runs_as_its_owner(project: Path, way: str) -> None:
    sandbox = Sandbox("landlock" if way == "landlock" else "bubblewrap", project, home=project.parent / "home")

    result = await ProjectCommands(project, sandbox).run(
        "cp /bin/sh shell; chmod 4755 shell; chmod 755 shell", time_limit=30
    )

    assert (project / "shell").stat().st_mode & 0o7777 == 0o755
    assert "Operation not permitted" in result.stderr
