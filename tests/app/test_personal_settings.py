"""The person's own file, changed by a program: nothing of it is lost, and a key stays with its server."""

import stat
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.configuration import Configuration, load_configuration, setting_names
from mulligan.app.personal_settings import change_settings, changed_text
from mulligan.app.server_address import server_address
from mulligan.app.setting_list import GROUPS, list_settings
from mulligan.types.errors import ConfigurationError

MINE = """\
# What I like
steps = 9            # enough

[external.goose]     # my own
kind = "acp"
command = ["goose"]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "mulligan.toml").write_text(MINE)
    return folder


def configured(home: Path, flags: dict[str, Any] | None = None, **environ: str) -> Configuration:
    project = home.parent / "project"
    project.mkdir(exist_ok=True)
    return load_configuration(project, flags or {}, {"MULLIGAN_HOME": str(home), **environ})


def written(home: Path) -> str:
    return (home / "mulligan.toml").read_text()


def test_comments_tables_and_order_stay(home: Path) -> None:
    change_settings(configured(home), {("model",): "qwen3:8b", ("models", "qwen3:8b", "top_p"): 0.5, ("steps",): 12})
    text = written(home)
    assert (
        text
        == MINE.replace("steps = 9 ", "steps = 12 ").replace("# enough\n", '# enough\nmodel = "qwen3:8b"\n')
        + '\n[models."qwen3:8b"]\ntop_p = 0.5\n'
    )
    settings = configured(home).settings
    assert (settings.model, settings.steps, settings.models["qwen3:8b"].top_p) == ("qwen3:8b", 12, 0.5)


def test_a_value_is_taken_out_and_the_default_counts_again(home: Path) -> None:
    change_settings(configured(home), {("steps",): None, ("models", "none", "top_p"): None})
    assert written(home) == MINE.replace("steps = 9            # enough\n", "")


def test_a_first_file_is_made_and_only_its_owner_reads_it(home: Path) -> None:
    (home / "mulligan.toml").unlink()
    change_settings(configured(home), {("api_key",): "hunter2"})
    assert stat.S_IMODE((home / "mulligan.toml").stat().st_mode) == 0o600
    assert configured(home).settings.api_key is not None


def test_a_link_to_the_file_stays_a_link(home: Path) -> None:
    kept = home.parent / "dotfiles.toml"
    (home / "mulligan.toml").rename(kept)
    (home / "mulligan.toml").symlink_to(kept)
    change_settings(configured(home), {("steps",): 3})
    assert (home / "mulligan.toml").is_symlink()
    assert "steps = 3" in kept.read_text()


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("steps",), -1, "steps"),
        (("steps",), "many", "steps"),
        (("agency",), "both", "agency"),
        (("base_url",), "ftp://there", "not a model server address"),
        (("models", "m", "top_p"), 7, "top_p"),
    ],
)
def test_what_is_not_right_is_refused_and_nothing_is_written(
    home: Path, place: tuple[str, ...], value: object, words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        change_settings(configured(home), {place: value})
    assert written(home) == MINE


def test_what_something_else_overrules_is_refused_and_says_what(home: Path) -> None:
    with pytest.raises(ConfigurationError, match="MULLIGAN_MODEL in the environment"):
        change_settings(configured(home, MULLIGAN_MODEL="other"), {("model",): "mine"})
    with pytest.raises(ConfigurationError, match="--model was given"):
        change_settings(configured(home, {"model": "other"}), {("model",): "mine"})


@pytest.mark.parametrize(
    ("address", "kept"),
    [("http://127.0.0.1:8080/other", True), ("http://127.0.0.1:9090/v1", False), ("https://127.0.0.1:8080/v1", False)],
)
def test_a_key_stays_with_its_server(home: Path, address: str, *, kept: bool) -> None:
    change_settings(configured(home), {("base_url",): "127.0.0.1:8080", ("api_key",): "hunter2"})
    change_settings(configured(home), {("base_url",): address})
    assert ("hunter2" in written(home)) == kept


def test_a_table_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="not a table"):
        changed_text("models = 3\n", {("models", "m", "top_p"): 1})


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("localhost:11434", "http://localhost:11434/v1"),
        (" http://127.0.0.1:8080/ ", "http://127.0.0.1:8080/v1"),
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("https://api.anthropic.com", "https://api.anthropic.com"),
    ],
)
def test_an_address_is_completed(typed: str, address: str) -> None:
    assert server_address(typed) == address


@pytest.mark.parametrize(
    "typed", ["", "http://", "ftp://x", "a b", "http://x:99999", "http://[", "http://key@x", "x\\y"]
)
def test_what_is_no_address_is_refused(typed: str) -> None:
    with pytest.raises(ConfigurationError):
        server_address(typed)


def test_every_setting_is_listed_once() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(setting_names())


def test_each_value_is_told_with_its_source_and_no_secret_among_them(home: Path) -> None:
    change_settings(configured(home), {("api_key",): "hunter2", ("models", "m", "top_p"): 0.5})
    (home.parent / "project" / "mulligan.toml").write_text('agent = "architect"\n')
    view = list_settings(configured(home, {"model": "m"}, MULLIGAN_AGENCY="guided"), "m")
    told = {each.place[-1]: each for each in view.settings}
    sources = {name: told[name].source for name in ("steps", "agent", "agency", "model", "thinking")}
    assert sources == {
        "steps": "personal",
        "agent": "project",
        "agency": "environment",
        "model": "flag",
        "thinking": "default",
    }
    assert (told["agency"].where, told["model"].where) == ("MULLIGAN_AGENCY", "--model")
    assert told["agency"].fixed
    assert not told["agent"].fixed, "the person's file wins over the project's"
    assert (told["api_key"].value, told["api_key"].is_set) == (None, True)
    assert "hunter2" not in view.model_dump_json()
    assert {each.place: each.value for each in view.of_model}["models", "m", "top_p"] == 0.5
    assert all(each.help for each in view.settings)
