from pathlib import Path

import pytest

from mulligan.app.configuration import load_configuration, setting_names
from mulligan.types.errors import ConfigurationError
from mulligan.types.settings import Settings
from mulligan.types.tuning import ModelSettings


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def load(project: Path, home: Path, environ: dict[str, str] | None = None, **flags: object) -> Settings:
    return load_configuration(project, flags, {"MULLIGAN_HOME": str(home), **(environ or {})}).settings


def test_sources_win_in_rising_order(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text('model = "project"\nagent = "project"\nsteps = 1\ntemperature = 0.1\n')
    (home / "mulligan.toml").write_text('model = "user"\nagent = "user"\nsteps = 2\n')
    settings = load(project, home, {"MULLIGAN_MODEL": "environment", "MULLIGAN_AGENT": "environment"}, model="flag")
    assert settings.model == "flag"
    assert settings.agent == "environment"
    assert settings.steps == 2
    assert settings.temperature == 0.1


def test_nothing_configured_gives_the_defaults(project: Path, home: Path) -> None:
    settings = load(project, home)
    assert (settings.agent, settings.model, settings.base_url, settings.steps) == ("default", None, None, None)
    assert settings.project == project.resolve()


@pytest.mark.parametrize("name", setting_names())
def test_every_setting_can_come_from_the_environment(name: str, project: Path, home: Path) -> None:
    waits = ("idle_timeout", "first_token_timeout", "diagnostics_timeout")
    ones = ("steps", "temperature", "max_tokens", "thinking_budget", *waits)
    numbers = {**dict.fromkeys(ones, "1"), "context_length": "4096"}
    choices = {"sandbox": "none", "approvals": "all", "network": "yes", "thinking": "off", "diagnostics": "off"}
    off = dict.fromkeys(("discovery", "downloads", "instructions"), "no")
    links = {"editor_link": "idea://open?file={path}&line={line}"}
    value = {**numbers, "agency": "guided", **off, **choices, **links}.get(name, "text")
    settings = load(project, home, {f"MULLIGAN_{name.upper()}": value})
    assert getattr(settings, name) is not None


def test_an_older_name_of_a_value_still_holds(project: Path, home: Path) -> None:
    (home / "mulligan.toml").write_text('approvals = "leaving"\n')
    assert load(project, home).approvals == "outside"


def test_a_misspelt_setting_names_the_file_and_the_near_one(project: Path, home: Path) -> None:
    (home / "mulligan.toml").write_text('modle = "m"\n')
    with pytest.raises(ConfigurationError, match=r"modle.*home.*did you mean model"):
        load(project, home)


def test_a_value_of_the_wrong_kind_names_its_source(project: Path, home: Path) -> None:
    with pytest.raises(ConfigurationError, match="steps from the environment"):
        load(project, home, {"MULLIGAN_STEPS": "many"})


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("sandbox_read = [1]", r"sandbox_read from .*home.* is invalid: .*not int", id="no path"),
        pytest.param('sandbox_read = ["~nobody-here/x"]', "sandbox_read from .*home directory", id="nobody's home"),
        pytest.param('sandbox_read = ["~\\u0000x/y"]', "sandbox_read from .*null", id="no path that can be"),
        pytest.param("api_key = 5", "api_key from .*a valid string", id="no text"),
    ],
)
def test_a_value_of_the_wrong_kind_in_a_file_names_it(line: str, told: str, project: Path, home: Path) -> None:
    (home / "mulligan.toml").write_text(f"{line}\n")
    with pytest.raises(ConfigurationError, match=told):
        load(project, home)


def test_broken_toml_names_the_file(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text("model = \n")
    with pytest.raises(ConfigurationError, match=r"project.*mulligan\.toml is not valid TOML"):
        load(project, home)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path, home: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere does not exist \(-C\)"):
        load(tmp_path / "nowhere", home)


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "k"',
        'database_url = "postgresql://x"',
        'base_url = "https://evil.example/v1"',
        'base_url = "http://127.0.0.1@evil.example/v1"',
        'base_url = "http://evil.example\\\\@127.0.0.1/v1"',
        'base_url = "http://127.0.0.1.evil.example/v1"',
        'allow_commands = ["curl"]',
        '[models."qwen3:8b"]\nnum_ctx = 1000000',
    ],
)
def test_a_project_may_not_choose_where_the_code_goes_nor_what_runs(line: str, project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text(line + "\n")
    with pytest.raises(ConfigurationError, match="project"):
        load(project, home)


def test_commands_in_the_environment_are_separated_by_commas(project: Path, home: Path) -> None:
    settings = load(project, home, {"MULLIGAN_ALLOW_COMMANDS": "make deploy, cargo run"})
    assert settings.allow_commands == ("make deploy", "cargo run")


def test_a_project_may_name_a_server_on_this_machine(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text('base_url = "http://127.0.0.1:8080/v1"\n')
    assert load(project, home).base_url == "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize("key_from", ["the environment", "the user file"])
@pytest.mark.parametrize("server_from", ["the project", "the user file", "the environment", "a flag"])
def test_a_key_stays_here_where_only_the_project_chose_the_server(
    project: Path, home: Path, server_from: str, key_from: str
) -> None:
    address = "http://127.0.0.1:8080/v1"
    (project / "mulligan.toml").write_text(f'base_url = "{address}"\n')
    own = [f'base_url = "{address}"'] * (server_from == "the user file") + ['api_key = "k"'] * ("file" in key_from)
    (home / "mulligan.toml").write_text("\n".join(own))
    environ = {"MULLIGAN_BASE_URL": address} if server_from == "the environment" else {}
    environ |= {"MULLIGAN_API_KEY": "k"} if key_from == "the environment" else {}
    settings = load(project, home, environ, base_url=address if server_from == "a flag" else None)
    withheld = server_from == "the project"
    assert settings.base_url == address
    assert settings.key_withheld is withheld
    assert (settings.api_key is None) is withheld


def test_no_key_is_no_key_withheld(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text('base_url = "http://localhost:8080/v1"\n')
    assert not load(project, home).key_withheld


def test_secrets_are_not_printed_with_the_settings(project: Path, home: Path) -> None:
    environ = {"MULLIGAN_API_KEY": "hunter2", "MULLIGAN_DATABASE_URL": "postgresql://me:hunter2@127.0.0.1/x"}
    settings = load(project, home, environ)
    assert "hunter2" not in repr(settings) + settings.model_dump_json()


def test_agents_in_the_project_file_must_be_tables(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text('agents = "none"\n')
    with pytest.raises(ConfigurationError, match=r"\[agents\.NAME\]"):
        load(project, home)


def test_tables_of_models_are_merged_value_by_value_and_know_where_they_were_set(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text('[models."qwen3:8b"]\ntop_k = 1\ntop_p = 0.5\n')
    (home / "mulligan.toml").write_text('[models."qwen3:8b"]\ntop_k = 2\nthinking = false\n')
    loaded = load_configuration(project, {}, {"MULLIGAN_HOME": str(home)})
    assert loaded.settings.models["qwen3:8b"] == ModelSettings(top_k=2, top_p=0.5, thinking="off")
    assert loaded.origin["models.qwen3:8b.top_p"] == str(project.resolve() / "mulligan.toml")
    assert loaded.origin["models.qwen3:8b.top_k"] == str(home / "mulligan.toml")


def test_what_a_flag_or_a_variable_says_counts_for_every_model(project: Path, home: Path) -> None:
    (home / "mulligan.toml").write_text('thinking = "on"\n[models."qwen3:8b"]\nthinking = "off"\ntemperature = 0.9\n')
    settings = load(project, home, {"MULLIGAN_TEMPERATURE": "0"}, thinking="high")
    assert settings.models["qwen3:8b"] == ModelSettings()
    assert (settings.temperature, settings.thinking) == (0, "high")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        pytest.param("[models.m]\ntop_k = 'many'\n", r"models\.m\.top_k from .*mulligan\.toml", id="wrong kind"),
        pytest.param("[models.m]\napi_key = 'x'\n", r"models\.m\.api_key from .*mulligan\.toml", id="unknown"),
        pytest.param("models = 'm'\n", r"models in .* must be tables", id="no table"),
    ],
)
def test_a_table_of_a_model_that_is_not_right_is_named(table: str, told: str, project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text(table)
    with pytest.raises(ConfigurationError, match=told):
        load(project, home)


def test_a_project_can_t_choose_what_its_files_are_opened_with(project: Path, home: Path) -> None:
    (project / "mulligan.toml").write_text('editor_link = "evil://{path}"\n')
    with pytest.raises(ConfigurationError, match="editor_link"):
        load(project, home)


@pytest.mark.parametrize("value", ["vscode", "{path}", "vscode://file"])
def test_an_editor_s_address_has_a_scheme_and_the_path(value: str, project: Path, home: Path) -> None:
    with pytest.raises(ConfigurationError, match="editor_link"):
        load(project, home, {"MULLIGAN_EDITOR_LINK": value})
