from pathlib import Path

import pytest

from mulligan.app.agents.definitions import load_agents, read_agent
from mulligan.core.next_move import SYNTHESIS_TOOLS
from mulligan.types.errors import ConfigurationError


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.md"
    file.write_text(text, encoding="utf-8")
    return file


def test_of_the_built_in_agents_only_the_coder_writes_and_the_architect_has_20_steps(tmp_path: Path) -> None:
    agents = load_agents([], {}, tmp_path / "mulligan.toml")
    narrow = {"get_dependencies", "get_file_analysis", "get_symbol_info", "search_symbols", "watch_changes"}
    reading = {"ask_user", "find_files", "grep", "list_dir", "view_file"} | narrow
    writing = {"create_file", "delete_file", "edit_file", "run_command"}
    assert list(agents) == ["architect", "coder", "debugger", "default", "reviewer"]
    assert agents["architect"].steps == 20
    assert {name: set(agent.tools) for name, agent in agents.items()} == {
        name: reading | writing if name == "coder" else reading | SYNTHESIS_TOOLS for name in agents
    }


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('+++\ndescription = "d"\ntools = ["grep"]\nsteps = 3\n+++\nBe good.\n', id="toml"),
        pytest.param("---\ndescription: d\ntools: [grep]\nsteps: 3\n---\nBe good.\n", id="yaml"),
    ],
)
def test_front_matter_may_be_toml_or_yaml(text: str, tmp_path: Path) -> None:
    agent = read_agent(write(tmp_path, "mine", text))
    assert (agent.name, agent.description, agent.tools, agent.steps) == ("mine", "d", ("grep",), 3)
    assert agent.prompt == "Be good."


def test_a_later_source_replaces_an_agent_of_the_same_name(tmp_path: Path) -> None:
    user, project = tmp_path / "user", tmp_path / "project"
    write(user, "default", "+++\n+++\nUser's.")
    write(project, "default", "+++\n+++\nProject's.")
    assert load_agents([user], {}, tmp_path / "f")["default"].prompt == "User's."
    assert load_agents([user, project], {}, tmp_path / "f")["default"].prompt == "Project's."
    table = {"default": {"prompt": "Table's."}}
    assert load_agents([user, project], table, tmp_path / "f")["default"].prompt == "Table's."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Just a prompt.", "must start with settings", id="no front matter"),
        pytest.param("+++\nsteps = \n+++\nx", "not valid TOML", id="broken toml"),
        pytest.param("---\na: [\n---\nx", "not valid YAML", id="broken yaml"),
        pytest.param("---\n- a\n---\nx", "name: value", id="yaml that is a list"),
        pytest.param("+++\nstesp = 3\n+++\nx", "stesp", id="a misspelt setting"),
        pytest.param("+++\nsteps = 3\n+++\n", "no prompt", id="no prompt"),
    ],
)
def test_a_broken_agent_file_is_named_with_what_is_wrong(text: str, words: str, tmp_path: Path) -> None:
    file = write(tmp_path, "broken", text)
    with pytest.raises(ConfigurationError, match="broken") as raised:
        read_agent(file)
    assert words in str(raised.value)
