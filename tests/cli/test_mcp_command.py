"""`mulligan mcp` and its commands, on the way to servers."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.configuration import Configuration
from mulligan.cli.commands.doctor_checks import check_mcp
from mulligan.models.scripted.script import ScriptedCall, ScriptedReply
from mulligan.types.settings import Settings
from tests.cli.conftest import Run, Terminal

LITTLE = Path(__file__).parent.parent / "mcp_client" / "little_server.py"


def declare(project: Path, **servers: Any) -> None:
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))


@pytest.fixture
def configuration(project: Path, tmp_path: Path) -> Configuration:
    return Configuration(Settings(home=tmp_path / "home", project=project))


def test_the_doctor_names_servers_and_what_is_wrong_with_them(configuration: Configuration, project: Path) -> None:
    assert (check_mcp(configuration).verdict, check_mcp(configuration).found) == ("ok", "none declared")
    declare(project, good={"command": "sh"}, bad={"command": "sh", "env": {"KEY": "${NO_SUCH_VARIABLE_IS_SET}"}})
    told = check_mcp(configuration)
    assert (told.verdict, told.found) == ("note", "good (not trusted), bad (can't be used)")
    assert told.advice == "bad: NO_SUCH_VARIABLE_IS_SET is not set in the environment"
    (project / ".mcp.json").write_text("{")
    assert ".mcp.json can't be read" in check_mcp(configuration).advice


def test_own_servers_count_before_those_of_the_project(configuration: Configuration, project: Path) -> None:
    declare(project, one={"command": "evil"})
    own = Configuration(configuration.settings, mcp={"one": {"command": sys.executable}})
    assert check_mcp(own).found == "one (ready)"


def test_a_user_sees_what_would_run_before_they_trust_it(
    in_terminal: Callable[..., Terminal], run: Run, project: Path
) -> None:
    declare(project, tool={"command": "sh", "args": ["-c", "echo \u202eevil"], "headers": {}, "env": {"A": "${HOME}"}})
    terminal = in_terminal("mcp", "trust", "tool")
    terminal.sees("runs, with your rights and outside the sandbox: sh -c 'echo <U+202E>evil'")
    terminal.sees("is given your variable HOME")
    terminal.sees("trust tool?")
    terminal.types("n\r")
    assert terminal.leaves() == 6
    assert json.loads(run("mcp", "list", "--json").stdout)["state"] == "not trusted"
    terminal = in_terminal("mcp", "trust", "tool")
    terminal.sees("trust tool?")
    terminal.types("y\r")
    assert terminal.leaves() == 0
    assert json.loads(run("mcp", "list", "--json").stdout)["state"] == "ready"


def test_a_user_is_asked_about_a_call(
    in_terminal: Callable[..., Terminal], serve: Callable[..., Any], environment: dict[str, str]
) -> None:
    home = Path(environment["MULLIGAN_HOME"])
    home.mkdir()
    (home / "mulligan.toml").write_text(
        f'[mcp.tracker]\ncommand = "{sys.executable}"\nargs = ["{LITTLE}", "tracker"]\n'
    )
    call = ScriptedCall(name="use_tool", arguments={"tool": "create_issue", "arguments": {"title": "broken"}})
    server = serve(ScriptedReply(tool_calls=(call,)), ScriptedReply(text="It is made."))
    terminal = in_terminal("ask", "--model", "m", "make an issue", columns=100)
    terminal.sees('mcp:tracker create_issue {"title": "broken"}')
    terminal.sees("run it?")
    terminal.types("y\r")
    terminal.sees("It is made.")
    assert terminal.leaves() == 0
    assert "created issue 'broken'" in json.dumps(server.requests()[-1]["body"]["messages"])


def test_at_a_terminal_it_says_how_a_client_is_set_up(in_terminal: Callable[..., Terminal], project: Path) -> None:
    terminal = in_terminal("mcp", columns=200)
    terminal.sees('"mcpServers"')
    terminal.sees(str(project))
    assert terminal.leaves() == 0


def test_a_server_that_nobody_declared_is_a_wrong_word(run: Run, project: Path) -> None:
    declare(project, one={"command": "sh"})
    done = run("mcp", "trust", "two")
    assert (done.returncode, "there are: one" in done.stderr) == (2, True)
    done = run("mcp", "check", "one")
    assert (done.returncode, "one is not trusted" in done.stderr) == (2, True)
