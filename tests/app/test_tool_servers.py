"""Which MCP servers a session may use, turn by turn."""

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.configuration import Configuration, load_configuration
from mulligan.app.open_session import open_session
from mulligan.app.tool_servers import MAX_PROGRAM_BYTES, declared_servers
from mulligan.workspace.sandbox.grants import trust_server
from tests.mcp_client.conftest import LITTLE
from tests.plain_user import told_by_plain_user


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    (tmp_path / "project").mkdir()
    return load_configuration(tmp_path / "project", {}, {"MULLIGAN_HOME": str(tmp_path / "home")})


def declare(configuration: Configuration, **table: Any) -> None:
    (configuration.settings.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"one": table}}))


def seen(configuration: Configuration) -> str:
    (found,) = declared_servers(configuration).found
    return found.fingerprint


def trust(configuration: Configuration) -> None:
    trust_server(configuration.settings.home, configuration.settings.project, "one", seen(configuration))


async def test_a_server_that_is_trusted_while_a_session_goes_on_is_there_for_the_next_turn(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    told: list[str] = []
    configuration = load_configuration(project, {}, {"MULLIGAN_HOME": str(home)})
    async with open_session(configuration, tell=told.append) as session:
        assert session.tool_servers(project) is None
        (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"one": {"command": "no-such-program"}}}))
        assert session.tool_servers(project) is None
        assert told == [
            "MCP servers of this project that you have not trusted are not started: one (mulligan mcp trust one)"
        ]
        (found,) = declared_servers(configuration).found
        trust_server(home, project, "one", found.fingerprint)
        servers = session.tool_servers(project)
        assert servers
        assert servers.known().servers == ("one",)
        assert session.tool_servers(project) is servers
        assert session.tool_servers(tmp_path) is None
        trust_server(home, project, "one", None)
        assert session.tool_servers(project) is None


def test_a_file_of_the_project_can_not_stand_for_the_users_own(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    (project / "mulligan.toml").write_text('[mcp.one]\ncommand = "evil"\n[mcp.two]\ncommand = "sh"\n')
    (home / "mulligan.toml").write_text('[mcp.one]\ncommand = "good"\n')
    found = declared_servers(load_configuration(project, {}, {"MULLIGAN_HOME": str(home)})).found
    assert [(each.server.command, each.state) for each in found] == [
        (("good",), "ready"),
        (("evil",), "hidden"),
        (("sh",), "not trusted"),
    ]


@pytest.mark.parametrize(
    ("table", "file"),
    [
        pytest.param({"command": "sh", "args": ["run.sh"]}, "run.sh", id="a word"),
        pytest.param({"command": "${workspaceFolder}/bin/run"}, "bin/run", id="the program"),
        pytest.param(
            {"command": "sh", "args": ["-c", "exec './tools/mcp.sh' -x"]}, "tools/mcp.sh", id="part of a word"
        ),
        pytest.param({"command": "node", "args": ["--import=./x.mjs"]}, "x.mjs", id="an option's value"),
        pytest.param({"command": "node", "env": {"NODE_OPTIONS": "--require ./x.js"}}, "x.js", id="a variable"),
        pytest.param({"command": "node", "args": ["./server"]}, "server.js", id="without its ending"),
        pytest.param({"command": "node", "args": ["server"]}, "server/index.js", id="a folder"),
        pytest.param({"command": "python", "args": ["-m", "tools.mcp"]}, "tools/mcp.py", id="a module"),
        pytest.param({"command": "python", "args": ["-m", "tools.mcp"]}, "tools/mcp/__main__.py", id="a package"),
        pytest.param({"command": "npm", "args": ["run", "mcp"]}, "package.json", id="a script of npm"),
        pytest.param({"command": "uv", "args": ["--directory", "a/b", "run", "x.py"]}, "a/b/x.py", id="in a folder"),
    ],
)
def test_what_a_declaration_runs_is_part_of_what_is_trusted(
    configuration: Configuration, table: dict[str, Any], file: str
) -> None:
    program = configuration.settings.project / file
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text("good")
    declare(configuration, **table)
    before = seen(configuration)
    assert seen(configuration) == before
    program.write_text("evil")
    assert seen(configuration) != before
    program.write_text("good")
    assert seen(configuration) == before


def test_a_large_program_is_part_of_what_is_trusted_too(configuration: Configuration) -> None:
    program = configuration.settings.project / "program"
    declare(configuration, command="./program")
    with program.open("wb") as file:
        file.truncate(MAX_PROGRAM_BYTES + 1)
        before = seen(configuration)
        file.write(b"evil")
    assert seen(configuration) != before


def test_words_that_can_not_be_paths_break_nothing(configuration: Configuration) -> None:
    (configuration.settings.project / "loop").symlink_to("loop")
    declare(configuration, command="./loop", args=["x" * 300, f"./{'y/' * 3000}", "a\0b", "loop/x"])
    assert [each.state for each in declared_servers(configuration).found] == ["not trusted"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_program_that_may_only_be_run_breaks_nothing() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o755)
        (Path(made) / "program").touch(0o111)
        configuration = load_configuration(Path(made), {}, {"MULLIGAN_HOME": f"{made}/home"})
        declare(configuration, command="./program")
        assert told_by_plain_user(lambda: declared_servers(configuration).found[0].state) == "not trusted"


async def test_a_server_that_changed_since_the_turn_began_is_not_started(configuration: Configuration) -> None:
    program = configuration.settings.project / "tool.py"
    program.write_text(LITTLE.read_text())
    declare(configuration, command=sys.executable, args=["tool.py", "odd"])
    trust(configuration)
    async with open_session(configuration) as session:
        servers = session.tool_servers(configuration.settings.project)
        assert servers
        assert await servers.learn("one") == ""
        program.write_text(LITTLE.read_text() + "\n# and more\n")
        await servers.close()
        refused = "The MCP server one was not started: it is not trusted as it is now."
        assert (await servers.learn("one")).startswith(refused)
        assert "mulligan mcp trust one" in await servers.learn("one")
        trust(configuration)
        changed = session.tool_servers(configuration.settings.project)
        assert changed
        assert await changed.learn("one") == ""


async def test_a_server_that_is_distrusted_during_a_turn_is_not_started(configuration: Configuration) -> None:
    declare(configuration, command=sys.executable, args=[str(LITTLE), "odd"])
    trust(configuration)
    async with open_session(configuration) as session:
        servers = session.tool_servers(configuration.settings.project)
        assert servers
        trust_server(configuration.settings.home, configuration.settings.project, "one", None)
        assert "mulligan mcp trust one" in await servers.learn("one")


def test_trust_in_a_declaration_does_not_cover_other_variables_that_an_editor_sends(
    configuration: Configuration,
) -> None:
    declare(configuration, command="sh", args=["run.sh"], env={"MODE": "${MODE:-fast}"})
    trust(configuration)
    table = {"command": "sh", "args": ["run.sh"]}
    for env, state in (({"MODE": "fast"}, "ready"), ({"MODE": "fast", "LD_PRELOAD": "./x.so"}, "not trusted")):
        sent = replace(configuration, editor_mcp={"sent": {**table, "env": env}})
        assert declared_servers(sent).found[0].state == state
