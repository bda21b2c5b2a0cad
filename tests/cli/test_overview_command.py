import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.configuration import load_configuration
from mulligan.app.open_session import open_session

Start = Callable[..., Any]


@pytest.fixture
def shop(project: Path) -> Path:
    (project / "pyproject.toml").write_text("[project]\nname = 'shop'\n[project.scripts]\nshop = 'turn:turn'\n")
    (project / "README.md").write_text("# Shop\n")
    (project / "cart.py").write_text("from turn import turn\n\n\ndef buy():\n    return turn()\n")
    return project


def test_the_map_tells_what_a_project_is_made_of(run: Start, shop: Path) -> None:
    done = run("overview", "-C", str(shop))
    assert (done.returncode, done.stderr) == (0, "")
    sections = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert sections[0] == "4 files, 12 lines · Python 7, TOML 4, Markdown 1"
    assert sections[1:] == ["Made with", "Starts at", "Matters most", "Used most", "Belongs together", "Documents"]
    assert "pyproject.toml  Python · shop · commands: shop" in done.stdout
    assert "turn.py  used by 1 file, entry point: console script shop" in done.stdout


def test_the_map_as_json_is_one_object(run: Start, shop: Path) -> None:
    (line,) = run("overview", "-C", str(shop), "--json").stdout.splitlines()
    found = json.loads(line)
    assert [each["path"] for each in found["important"]] == ["turn.py", "cart.py"]
    assert [each["manifest"] for each in found["frameworks"]] == ["pyproject.toml"]


def test_a_second_look_sees_what_changed(run: Start, shop: Path) -> None:
    first = json.loads(run("overview", "--json").stdout)
    (shop / "cart.py").write_text("def buy(): ...\n")
    second = json.loads(run("overview", "--json").stdout)
    assert [each["files"] for each in first["neighborhoods"]] == [["turn.py", "cart.py"]]
    assert second["neighborhoods"] == []
    assert (first["lines"], second["lines"]) == (12, 8)


async def test_the_map_leaves_behind_what_a_turn_starts_from(
    run: Start, shop: Path, environment: dict[str, str]
) -> None:
    run("overview")
    async with open_session(load_configuration(shop, {}, environment)) as session:
        state = await session.project_tools(session.settings.project).index().refresh()
    assert (state.files, state.parsed) == (4, 0)
