import re
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.agents.external import load_external_agents
from mulligan.core.external_commands import command_of
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import ConfigurationError

FILE = Path("/home/me/.mulligan/mulligan.toml")
BUILT_IN = load_external_agents({}, FILE)
PAGE = Path(__file__).parents[3] / "docs" / "external-agents.md"


def load(**tables: dict[str, Any]) -> dict[str, ExternalAgent]:
    return load_external_agents(tables, FILE)


def test_the_built_in_agents_are_on_the_page_about_them() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(rows) == [(agent.name, agent.kind) for agent in BUILT_IN.values()]


@pytest.mark.parametrize("agent", BUILT_IN.values(), ids=lambda agent: agent.name)
def test_a_built_in_agent_says_what_it_is_and_how_to_get_it_and_takes_a_model(agent: ExternalAgent) -> None:
    assert agent.description
    assert agent.install
    argv, env = command_of(agent, "some-model", "a prompt", "a-session")
    said = " ".join([*argv, *env.values()])
    assert "some-model" in said
    assert not re.search(r"\{(prompt|model|session)\}", said)


def test_a_session_of_a_built_in_one_shot_agent_can_be_gone_on_with_except_aiders() -> None:
    one_shot = [agent for agent in BUILT_IN.values() if agent.kind == "one_shot"]
    assert [agent.name for agent in one_shot if not agent.resume_args] == ["aider"]


def test_only_the_agent_that_has_no_other_mode_asks_nobody_and_says_so() -> None:
    unasked = re.compile(r"(--)?auto$|yolo|bypass|dangerous|full-access|skip-permissions")
    words = {agent.name: (*agent.command, *agent.env.values(), agent.mode or "") for agent in BUILT_IN.values()}
    assert [name for name, said in words.items() if any(map(unasked.match, said))] == ["goose-run"]
    assert "without asking" in BUILT_IN["goose-run"].description


def test_a_table_adds_an_agent() -> None:
    mine = load(mine={"kind": "acp", "command": ["my-agent", "--acp"], "env": {"KEY": "x"}})["mine"]
    assert (mine.name, mine.kind, mine.command) == ("mine", "acp", ("my-agent", "--acp"))
    assert mine.source == str(FILE)


def test_a_table_with_a_built_in_name_keeps_what_it_does_not_name() -> None:
    goose = load(goose={"command": ["/opt/goose", "acp"], "env": {"GOOSE_PROVIDER": "ollama"}})["goose"]
    assert goose.command == ("/opt/goose", "acp")
    assert goose.env == {"GOOSE_MODE": "approve", "GOOSE_PROVIDER": "ollama"}
    assert (goose.kind, goose.mode, goose.source) == ("acp", "approve", str(FILE))
    assert BUILT_IN["goose"].source == "built in"


def test_what_aider_leaves_is_named_and_a_table_adds_to_it() -> None:
    own = BUILT_IN["aider"].leaves_behind
    assert {".aider.tags.cache*", ".aider.chat.history.md", ".aider.input.history"} == set(own)
    assert load(aider={"leaves_behind": ["notes.tmp"]})["aider"].leaves_behind == (*own, "notes.tmp")


@pytest.mark.parametrize("pattern", ["", "*", "**/", "!kept", "# words"])
def test_what_an_agent_leaves_behind_can_not_be_everything_or_nothing(pattern: str) -> None:
    with pytest.raises(ConfigurationError, match=r"leaves_behind: .* matches no files"):
        load(mine={"kind": "acp", "command": ["my-agent"], "leaves_behind": [pattern]})


def test_a_path_from_the_home_folder_is_made_whole() -> None:
    assert load(mine={"kind": "acp", "command": ["~/bin/agent"]})["mine"].command == (str(Path.home() / "bin/agent"),)


ACP: dict[str, Any] = {"kind": "acp", "command": ["a"]}
ONE_SHOT: dict[str, Any] = {"kind": "one_shot", "command": ["a"]}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param({"kind": "acp"}, "command: Field required", id="no command"),
        pytest.param({"kind": "acp", "command": []}, "command: ", id="an empty command"),
        pytest.param({"command": ["a"]}, "kind: Field required", id="no kind"),
        pytest.param({**ACP, "kind": "telnet"}, "kind: ", id="an unknown kind"),
        pytest.param({**ACP, "comand": ["b"]}, "comand: ", id="a misspelt field"),
        pytest.param({**ACP, "env": {"PORT": 80}}, "env.PORT: ", id="a number in the environment"),
        pytest.param({**ACP, "env": "PORT=80"}, "env: ", id="an environment that is no table"),
        pytest.param({**ACP, "name": "other"}, "name: ", id="a name of its own"),
        pytest.param({**ACP, "source": "built in"}, "source: ", id="a false origin"),
        pytest.param({**ACP, "command": ["./agent"]}, "command: ./agent must be", id="a program in the work tree"),
        pytest.param({**ACP, "command": ["a", "{prompt}"]}, "only a one_shot agent", id="a prompt for one that stays"),
        pytest.param({**ACP, "resume_args": ["{session}"]}, "only a one_shot agent", id="resuming one that stays"),
        pytest.param({**ACP, "model_args": ["--model"]}, "model_args: {model}", id="model_args without the model"),
        pytest.param({**ACP, "model_env": {"M": "x"}}, "model_env: {model}", id="model_env without the model"),
        pytest.param({**ONE_SHOT, "resume_args": ["-r"]}, "resume_args: {session}", id="resuming no session"),
    ],
)
def test_a_wrong_table_is_named_with_file_and_field(table: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load(mine=table)
    assert f"the external agent mine ({FILE}) is invalid: " in str(raised.value)
    assert words in str(raised.value)


def test_another_kind_of_a_built_in_agent_needs_its_own_command() -> None:
    with pytest.raises(ConfigurationError, match=r"goose .* kind: its command speaks acp"):
        load(goose={"kind": "one_shot"})
    assert load(goose={"kind": "one_shot", "command": ["goose"]})["goose"].kind == "one_shot"
