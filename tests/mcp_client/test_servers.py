"""The servers of a project together: what is kept of them, and what is not known yet."""

from collections.abc import Iterable
from pathlib import Path

from mulligan.mcp_client.servers import ConnectedServers
from mulligan.types.mcp import DeclaredServer, McpServer
from tests.mcp_client.conftest import little, useless


def together(tmp_path: Path, servers: Iterable[McpServer]) -> ConnectedServers:
    ready = [DeclaredServer(each, "ready", f"seen-{each.name}") for each in servers]
    return ConnectedServers(ready, folder=tmp_path, home=tmp_path, logs=tmp_path / "logs", taken={"edit_file"})


async def test_what_was_listed_once_is_known_without_a_start(tmp_path: Path) -> None:
    servers = together(tmp_path, [little("tracker"), little("odd"), useless("broken")])
    try:
        assert servers.known().tools == ()
        asked = await servers.catalog()
    finally:
        await servers.close()
    assert len(asked.tools) == 28
    assert asked.find("odd_edit_file")
    assert asked.failed == ("The MCP server broken failed: it ended (exit code 1): no configuration found",)

    absent = McpServer("tracker", "a test", command=("no-such-program",))
    later = together(tmp_path, [absent, useless("broken")])
    assert {tool.server for tool in later.known().tools} == {"tracker"}
    assert later.known().find("create_issue") == asked.find("create_issue")


async def test_a_list_that_was_spoilt_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "seen-tracker.json").write_text("{[")
    servers = together(tmp_path, [little("tracker")])
    try:
        assert len((await servers.catalog()).tools) == 20
    finally:
        await servers.close()
