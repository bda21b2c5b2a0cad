from pathlib import Path

import pytest

from mulligan.app.configuration import Configuration, load_configuration
from mulligan.types.errors import ConfigurationError

TABLE = '[external.mine]\nkind = "acp"\ncommand = ["my-agent"]\n'


def load(tmp_path: Path, *, user: str = "", project: str = "") -> Configuration:
    for name, text in (("home", user), ("project", project)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mulligan.toml").write_text(text, encoding="utf-8")
    return load_configuration(tmp_path / "project", {}, {"MULLIGAN_HOME": str(tmp_path / "home")})


def test_external_agents_are_tables_of_the_users_file(tmp_path: Path) -> None:
    configuration = load(tmp_path, user='model = "m"\n' + TABLE)
    assert configuration.external == {"mine": {"kind": "acp", "command": ["my-agent"]}}
    assert configuration.user_file == tmp_path / "home" / "mulligan.toml"
    assert configuration.settings.model == "m"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TABLE, id="a new agent"),
        pytest.param('[external.goose.env]\nGOOSE_MODE = "auto"\n', id="a known agent's environment"),
        pytest.param('external = "x"\n', id="no table at all"),
    ],
)
def test_a_project_may_not_choose_which_programs_run(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"external agents can't be set in a project \(.*project/mulligan"):
        load(tmp_path, project=text)


def test_external_agents_must_be_tables(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"external in .*home/mulligan\.toml must be tables"):
        load(tmp_path, user='external = ["goose"]\n')
