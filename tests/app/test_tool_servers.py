"""Which MCP servers a session may use, turn by turn."""

import json
from pathlib import Path

from mulligan.app.configuration import load_configuration
from mulligan.app.session import open_session
from mulligan.app.tool_servers import declared_servers
from mulligan.workspace.sandbox.grants import trust_server


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


def test_a_file_of_the_project_can_not_stand_for_the_persons_own(tmp_path: Path) -> None:
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
