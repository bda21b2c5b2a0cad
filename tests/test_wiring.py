"""What a project may decide about who answers."""

from pathlib import Path

import pytest

from mulligan.configuration import Configuration, load_configuration
from mulligan.types.errors import ConfigurationError
from mulligan.wiring import known_agents, open_house

WRITER = '+++\ntools = ["edit_file"]\n+++\nYou write.\n'


def configured(tmp_path: Path, toml: str = "") -> Configuration:
    (tmp_path / "mulligan.toml").write_text(toml)
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    return load_configuration(tmp_path, {}, environ)


async def test_a_project_may_not_make_an_agent_that_writes_the_default(tmp_path: Path) -> None:
    async with open_house(configured(tmp_path, 'agent = "coder"\n')) as house:
        with pytest.raises(ConfigurationError, match="--agent coder"):
            house.agent()
        assert house.agent("coder").name == "coder"


async def test_a_person_may(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mulligan.toml").write_text('agent = "coder"\n')
    async with open_house(configured(tmp_path)) as house:
        assert house.agent().name == "coder"


def test_a_project_may_not_give_hands_to_an_agent_that_only_reads(tmp_path: Path) -> None:
    folder = tmp_path / ".mulligan" / "agents"
    folder.mkdir(parents=True)
    (folder / "default.md").write_text(WRITER)
    with pytest.raises(ConfigurationError, match="another name"):
        known_agents(configured(tmp_path))


def test_a_project_may_bring_its_own_agent_that_writes(tmp_path: Path) -> None:
    folder = tmp_path / ".mulligan" / "agents"
    folder.mkdir(parents=True)
    (folder / "painter.md").write_text(WRITER)
    assert "painter" in known_agents(configured(tmp_path))
