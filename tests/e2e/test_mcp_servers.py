"""`mulligan ask` with MCP servers: real ones, in processes of their own."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.core.context_budget import CHARS_PER_TOKEN
from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.patience import PATIENCE
from tests.scripted_server import running

LITTLE = Path(__file__).parent.parent / "mcp_client" / "little_server.py"
MAX_TOKENS = 400


@pytest.fixture
def mulligan(mulligan: Command) -> Command:
    """With the SDK loaded, which takes each command more than a second."""
    return replace(mulligan, loaded=(*mulligan.loaded, "mulligan.mcp_client.transports", "mcp.client"))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def script(*replies: dict[str, Any]) -> Script:
    return Script.model_validate({"replies": [*replies, {"text": "Done."}]})


def declare(mulligan: Command, *themes: str, more: str = "") -> None:
    """In the user's own file."""
    mulligan.home.mkdir(exist_ok=True)
    tables = [f'[mcp.{theme}]\ncommand = "{sys.executable}"\nargs = ["{LITTLE}", "{theme}"]\n' for theme in themes]
    (mulligan.home / "mulligan.toml").write_text(more + "".join(tables))


def declare_in_project(mulligan: Command, *themes: str, file: str = ".mcp.json", key: str = "mcpServers") -> None:
    place = mulligan.project / file
    place.parent.mkdir(exist_ok=True)
    servers = {theme: {"command": sys.executable, "args": [str(LITTLE), theme]} for theme in themes}
    place.write_text(json.dumps({key: servers}))


def results(frames: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(each["content"], each.get("failure")) for each in frames if each["type"] == "tool_result"]


def test_a_tool_is_found_and_called(mulligan: Command) -> None:
    declare(mulligan, "tracker", more='allow_commands = ["mcp:tracker create_issue"]\n')
    replies = (
        call("find_tools", query="create issue"),
        call("create_issue", title="It is broken", count="2"),
        call("use_tool", tool="list_issue", arguments={"title": "x"}),
        call("use_tool", tool="create_issue", arguments={}),
    )
    with running(script(*replies)) as server:
        done = mulligan.ask(server.base_url)
    assert done.code == 0
    (found, _), (created, _), (listed, _), (refused, why) = results(done.frames)
    assert found.startswith("create_issue (of tracker): Create a issue")
    assert created == "created issue 'It is broken' x2 None low, asked in project"
    assert listed.startswith("listd issue 'x'")
    assert why == "schema_reject"
    assert "title is missing" in refused
    assert done.end["repairs"]["coerced_number"] == 1


def test_sixty_tools_of_three_servers_take_under_400_tokens_and_nothing_changes_between_steps(
    mulligan: Command,
) -> None:
    with running(script(call("list_dir", path="."))) as server:
        mulligan.ask(server.base_url)
        without = [json.dumps(each["body"]["tools"]) for each in server.requests()]
    declare(mulligan, "tracker", "wiki", "calendar")
    assert mulligan("mcp", "check").code == 0
    with running(script(call("find_tools", query="page"), call("use_tool", tool="list_page", title="x"))) as server:
        mulligan.ask(server.base_url)
        sent = [json.dumps(each["body"]["tools"]) for each in server.requests()]
    assert len(set(sent)) == 1
    assert "tracker (20 tools), such as" in sent[0]
    assert 0 < (len(sent[0]) - len(without[0])) / CHARS_PER_TOKEN < MAX_TOKENS


def test_a_server_that_nobody_asked_yet_is_asked_beside_the_answer(mulligan: Command) -> None:
    declare(mulligan, "tracker")
    with running(Script.model_validate({"replies": [{"text": "It is in the file " * 9, "hang": 3}]})) as server:
        asking = mulligan.start("ask", "--json", "--base-url", server.base_url, "--model", "m", "where?")
        deadline = time.monotonic() + PATIENCE
        while not list(mulligan.home.glob("mcp/*.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        asking.send_signal(signal.SIGINT)
        asking.communicate(timeout=PATIENCE)
        assert "- more from tracker" in json.dumps(server.requests()[0]["body"]["tools"])
    with running(script()) as server:
        mulligan.ask(server.base_url)
        assert "create_issue" in json.dumps(server.requests()[0]["body"]["tools"])


def test_what_may_change_something_is_not_called_without_a_yes(mulligan: Command) -> None:
    declare(mulligan, "tracker")
    with running(script(call("use_tool", tool="delete_issue", arguments={"title": "x"}))) as server:
        done = mulligan.ask(server.base_url)
    ((told, failure),) = results(done.frames)
    assert failure == "permission_denied"
    assert "delete_issue was not called: it needs the user's approval" in told


def test_a_rule_of_the_settings_forbids_a_tool(mulligan: Command) -> None:
    declare(mulligan, "tracker", more='deny_commands = ["mcp:tracker list_issue"]\n')
    with running(script(call("use_tool", tool="list_issue", arguments={"title": "x"}))) as server:
        done = mulligan.ask(server.base_url)
    assert results(done.frames)[0][1] == "permission_denied"


@pytest.mark.parametrize(("file", "key"), [(".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")])
def test_a_project_starts_nothing_before_it_is_trusted(file: str, key: str, mulligan: Command) -> None:
    started = mulligan.project / "started"
    declare_in_project(mulligan, "odd", file=file, key=key)
    declared = json.loads((mulligan.project / file).read_text())
    declared[key]["trap"] = {"command": "sh", "args": ["-c", f"touch {started}"]}
    (mulligan.project / file).write_text(json.dumps(declared))
    with running(script(call("use_tool", tool="greet", arguments={}))) as server:
        done = mulligan.ask(server.base_url)
        assert "find_tools" not in json.dumps(server.requests()[0]["body"])
    assert "not started: odd, trap (mulligan mcp trust odd)" in done.stderr
    assert not started.exists()
    assert mulligan("mcp", "trust", "odd").code == 6
    assert mulligan("mcp", "trust", "odd", "--yes").code == 0
    with running(script(call("use_tool", tool="greet", arguments={}))) as server:
        done = mulligan.ask(server.base_url)
    assert results(done.frames) == [("greeted", None)]
    assert not started.exists()


def test_trust_ends_when_the_project_changes_what_runs(mulligan: Command) -> None:
    program = mulligan.project / "tool.py"
    program.write_text(LITTLE.read_text())
    servers = {"odd": {"command": sys.executable, "args": ["tool.py", "odd"]}}
    (mulligan.project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    mulligan("mcp", "trust", "--yes")
    assert json.loads(mulligan("mcp", "list", "--json").stdout)["state"] == "ready"
    program.write_text(LITTLE.read_text() + "\n# and more\n")
    now = json.loads(mulligan("mcp", "list", "--json").stdout)
    assert (now["state"], now["why"]) == ("not trusted", "it has changed since you trusted it")
    mulligan("mcp", "trust", "--yes")
    assert mulligan("mcp", "distrust", "odd").stdout == "odd is no longer trusted\n"
    assert json.loads(mulligan("mcp", "list", "--json").stdout)["state"] == "not trusted"


def test_a_declaration_that_names_no_real_file_breaks_no_command(mulligan: Command) -> None:
    servers = {"odd": {"command": "sh", "args": ["-c", "x" * 300]}}
    (mulligan.project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    with running(script()) as server:
        assert mulligan.ask(server.base_url).code == 0
    assert json.loads(mulligan("mcp", "list", "--json").stdout)["state"] == "not trusted"


def test_a_server_that_dies_floods_or_takes_our_names_does_not_hurt_the_turn(mulligan: Command) -> None:
    declare(mulligan, "odd")
    replies = (
        call("use_tool", tool="die"),
        call("use_tool", tool="flood", arguments={"megabytes": 10}),
        call("use_tool", tool="odd_edit_file", arguments={"path": "a.py"}),
        call("edit_file", path="a.py", old="a", new="b"),
    )
    with running(script(*replies)) as server:
        done = mulligan.ask(server.base_url)
    died, flood, elsewhere, ours = results(done.frames)
    assert "the disk is on fire" in died[0]
    assert len(flood[0]) < 200_000
    assert elsewhere == ("edited a.py elsewhere", None)
    assert ours[1] == "permission_denied"
    assert done.end["stop_reason"] == "answered"
    with running(script()) as server:
        mulligan.ask(server.base_url)
        told = {tool["function"]["name"]: tool["function"] for tool in server.requests()[0]["body"]["tools"]}
    lines = told["find_tools"]["description"].split("\n")
    assert "- odd_edit_file: Reads" in lines
    assert not any("SYSTEM" in line for line in lines)


HIDES_THE_SDK = """
import importlib.util as util
found = util.find_spec
util.find_spec = lambda name, package=None: None if name == "mcp" else found(name, package)
"""


def test_without_the_package_it_is_said_what_to_install(mulligan: Command, tmp_path: Path) -> None:
    declare(mulligan, "tracker")
    (tmp_path / "sitecustomize.py").write_text(HIDES_THE_SDK)
    environ = mulligan.environ({"PYTHONPATH": str(tmp_path)})

    def told(*words: str) -> tuple[int, str]:
        run = [sys.executable, "-m", "mulligan", *words]
        done = subprocess.run(run, env=environ, cwd=mulligan.project, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    with running(script()) as server:
        code, words = told("ask", "--base-url", server.base_url, "--model", "m", "where?")
        assert "find_tools" not in json.dumps(server.requests()[0]["body"])
    assert code == 0
    assert "pip install 'mulligan[mcp]'" in words
    code, words = told("mcp", "check")
    assert (code, "pip install 'mulligan[mcp]'" in words) == (5, True)
