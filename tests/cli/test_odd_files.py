"""A repository whose settings, agents and rules are devices, pipes or huge: a sentence, never a hang."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.odd_files import ODD_FILES

Make = Callable[[Path], None]


@pytest.mark.parametrize("place", ["project", "home"])
@pytest.mark.parametrize(("make", "words"), ODD_FILES)
def test_settings_that_are_no_file_end_the_command_with_what_to_do(
    run: Run, project: Path, place: str, make: Make, words: str
) -> None:
    folder = project.with_name(place)
    folder.mkdir(exist_ok=True)
    make(folder / "mulligan.toml")
    done = run("ask", "what is this?")
    assert done.returncode == 2
    assert f"{folder / 'mulligan.toml'} can't be read: it {words}" in done.stderr
    assert "remove it" in done.stderr or "put a file there" in done.stderr


@pytest.mark.parametrize(("make", "words"), ODD_FILES)
def test_doctor_says_it_too(run: Run, project: Path, make: Make, words: str) -> None:
    make(project / "mulligan.toml")
    done = run("doctor", "--json")
    assert words in done.stdout
    assert done.returncode != 0


@pytest.mark.parametrize(("make", "words"), ODD_FILES)
def test_an_agent_that_is_no_file_is_named(run: Run, project: Path, make: Make, words: str) -> None:
    (project / ".mulligan" / "agents").mkdir(parents=True)
    make(project / ".mulligan" / "agents" / "odd.md")
    done = run("agents")
    assert done.returncode == 2
    assert f"odd.md can't be read: it {words}" in done.stderr
