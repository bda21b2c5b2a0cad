"""What files declare, and what a user trusts in it."""

from typing import Any

import pytest

from mulligan.core.mcp.declarations import (
    editor_server,
    fingerprint,
    hidden_by,
    read_servers,
    servers_of_json,
    variables,
    with_variables,
)
from mulligan.types.mcp import McpServer

VSCODE = """
{
  // servers of the team
  "inputs": [{"type": "promptString", "id": "key"}],
  "servers": {
    "docs": {"type": "http", "url": "https://docs.example/mcp", "headers": {"X-Team": "a // b"}},
    "local": {"command": "npx", "args": ["-y", "server, }"], "envFile": ".env", /* later */ "env": {"PORT": 8},},
  },
}
"""


def test_files_of_editors_are_read_with_comments_and_trailing_commas() -> None:
    docs, local = servers_of_json(VSCODE, "servers", ".vscode/mcp.json")
    assert (docs.url, docs.headers) == ("https://docs.example/mcp", {"X-Team": "a // b"})
    assert (local.command, local.env) == (("npx", "-y", "server, }"), {"PORT": "8"})
    assert not docs.problem
    assert not local.problem


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"mcpServers": []}', "[" * 100_000])
def test_what_is_no_file_of_servers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        servers_of_json(text, "mcpServers", ".mcp.json")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param("npx", "not a table", id="text"),
        pytest.param({}, "either command", id="neither"),
        pytest.param({"command": "x", "url": "http://x"}, "either command", id="both"),
        pytest.param({"command": ["x"]}, "command must be text", id="command is a list"),
        pytest.param({"command": "x", "args": "y"}, "args must be a list", id="args is text"),
        pytest.param({"command": "x", "args": [1]}, "list of texts", id="args has a number"),
        pytest.param({"command": "x", "env": []}, "env must be a table", id="env is a list"),
        pytest.param({"command": "x", "timeout": 0}, "timeout", id="no time"),
        pytest.param({"command": "x", "comand": "y"}, "comand is not a setting", id="a slip"),
        pytest.param({"url": "file:///etc/passwd"}, "http://", id="no address"),
    ],
)
def test_a_table_that_makes_no_sense_says_why(table: Any, words: str) -> None:
    (server,) = read_servers({"a": table}, "mulligan.toml")
    assert words in server.problem


def test_the_older_protocol_is_named() -> None:
    (server,) = read_servers({"a": {"type": "sse", "url": "http://x/sse"}}, ".mcp.json", strict=False)
    assert "SSE" in server.problem


def test_a_name_that_a_terminal_would_obey_is_no_name() -> None:
    (server,) = read_servers({"a\x1b[2J b": {"command": "x"}}, ".mcp.json", strict=False)
    assert server.problem
    assert server.name.isprintable()


def test_variables_are_filled_in_when_it_is_started_and_named_before() -> None:
    server = McpServer(
        "a", ".mcp.json", command=("${workspaceFolder}/run", "${PLACE:-here}"), env={"KEY": "${env:KEY}"}
    )
    filled = with_variables(server, {"KEY": "s3cret"}, "/p")
    assert (filled.command, filled.env, filled.problem) == (("/p/run", "here"), {"KEY": "s3cret"}, "")
    assert variables(server) == ("PLACE", "KEY")


@pytest.mark.parametrize(("text", "words"), [("${KEY}", "KEY is not set"), ("${input:key}", "asks for ${input:key}")])
def test_a_variable_without_a_value_is_a_problem(text: str, words: str) -> None:
    assert words in with_variables(McpServer("a", "f", url="http://x", headers={"A": text}), {}, "/p").problem


def test_trust_holds_for_one_declaration_and_the_files_it_names() -> None:
    server = McpServer("a", ".mcp.json", command=("python", "tool.py"), env={"A": "1"})
    seen = fingerprint(server, {"tool.py": "1"})
    assert fingerprint(McpServer("a", "other", command=("python", "tool.py"), env={"A": "1"}), {"tool.py": "1"}) == seen
    for other in (
        fingerprint(server, {"tool.py": "2"}),
        fingerprint(McpServer("b", ".mcp.json", command=server.command, env=server.env), {"tool.py": "1"}),
        fingerprint(McpServer("a", ".mcp.json", command=("python", "tool.py", "-x"), env=server.env), {"tool.py": "1"}),
        fingerprint(McpServer("a", ".mcp.json", command=server.command, env={"A": "2"}), {"tool.py": "1"}),
    ):
        assert other != seen


def test_of_two_servers_with_one_name_the_first_counts() -> None:
    servers = [McpServer("a", "own"), McpServer("b", "own"), McpServer("a", ".mcp.json")]
    assert hidden_by(servers) == {2: "own"}


DECLARED = (
    McpServer("docs", ".mcp.json", command=("python", "${workspaceFolder}/docs.py", "${MODE}")),
    McpServer("web", ".vscode/mcp.json", url="https://example.com/mcp"),
    McpServer("locked", ".mcp.json", command=("locked", "${input:token}")),
)


@pytest.mark.parametrize(
    ("sent", "name", "personal", "trusted_as"),
    [
        (McpServer("x", "editor", True, command=("python", "/p/docs.py", "fast")), "docs", False, DECLARED[0]),
        (McpServer("x", "editor", True, url="https://example.com/mcp"), "web", False, DECLARED[1]),
        (McpServer("x", "editor", True, url="https://example.com/mcp", headers={"X": "y"}), "web", False, None),
        (McpServer("docs", "editor", True, command=("/bin/python", "/p/docs.py")), "docs", False, None),
        (McpServer("locked", "editor", True, command=("locked", "secret")), "locked", False, None),
        (McpServer("mine", "editor", True, command=("python", "/p/docs.py", "slow")), "mine", True, None),
        (McpServer("old", "editor", True, problem="it speaks SSE"), "old", True, None),
    ],
    ids=[
        "variables filled in",
        "an address",
        "other headers",
        "a program's path",
        "an input",
        "only the editor's",
        "no use",
    ],
)
def test_what_the_project_declares_stays_the_projects_when_an_editor_passes_it_on(
    sent: McpServer, name: str, personal: bool, trusted_as: McpServer | None
) -> None:
    counts, declared = editor_server(sent, DECLARED, {"MODE": "fast"}, "/p")
    assert (counts.name, counts.personal, counts.command, counts.url) == (name, personal, sent.command, sent.url)
    assert declared == (trusted_as or counts)
