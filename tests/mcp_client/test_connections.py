"""One server: its tools, its answers, and everything that may go wrong with it."""

import os
from pathlib import Path

import pytest

from mulligan.mcp_client.connection import Connection
from mulligan.types.errors import BackendError
from mulligan.types.mcp import McpServer
from tests.mcp_client.conftest import Connect, little

SHORT = 3.0
"""Seconds, for what never comes."""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


async def test_a_server_over_pipes_is_asked_and_called(connect: Connect, tmp_path: Path) -> None:
    connection = connect(little("tracker"))
    tools = await connection.list_tools()
    assert len(tools) == 20
    assert tools[0]["name"] == "create_issue"
    assert tools[0]["inputSchema"]["required"] == ["title"]
    answer = await connection.call("create_issue", {"title": "broken", "labels": ["a"]})
    assert answer.content == f"created issue 'broken' x1 ['a'] low, asked in {tmp_path.name}"
    assert not answer.failed


async def test_a_server_over_http_is_asked_and_called(over_http: McpServer, connect: Connect) -> None:
    connection = connect(over_http)
    assert len(await connection.list_tools()) == 20
    assert (await connection.call("list_issue", {"title": "x"})).content.startswith("listd issue 'x'")


async def test_what_a_server_refuses_is_an_answer(connect: Connect) -> None:
    connection = connect(little("odd"))
    failed = await connection.call("fail", {})
    assert failed.failed
    assert "no such record" in failed.content


async def test_lines_that_are_no_message_are_passed_over(connect: Connect) -> None:
    assert (await connect(little("odd")).call("greet", {})).content == "greeted"


async def test_a_server_that_dies_is_told_with_its_last_words_and_started_again(connect: Connect) -> None:
    connection = connect(little("odd"))
    with pytest.raises(BackendError, match=r"odd failed: it ended \(exit code 3\): .*the disk is on fire"):
        await connection.call("die", {})
    assert (await connection.call("greet", {})).content == "greeted"


async def test_a_call_that_hangs_ends_and_the_next_one_works(connect: Connect) -> None:
    connection = connect(little("odd", timeout=SHORT))
    await connection.list_tools()
    with pytest.raises(BackendError, match="odd did not answer within 3 s"):
        await connection.call("hang", {})
    assert len(await connection.list_tools()) == 8


async def test_ten_megabytes_are_cut(connect: Connect) -> None:
    answer = await connect(little("odd")).call("flood", {"megabytes": 10})
    assert len(answer.content) < 200_000
    assert "characters left out" in answer.content


async def test_a_message_without_end_ends_the_connection(connect: Connect) -> None:
    connection = connect(little("odd"))
    with pytest.raises(BackendError, match="too large"):
        await connection.call("flood", {"megabytes": 17})
    assert (await connection.call("greet", {})).content == "greeted"


@pytest.mark.parametrize("theme", ["mute", "babbling"])
async def test_a_server_that_never_answers_is_given_up(theme: str, tmp_path: Path) -> None:
    connection = Connection(little(theme), folder=tmp_path, stderr=tmp_path / "stderr", start_seconds=SHORT)
    with pytest.raises(BackendError, match=f"{theme} did not list its tools within 3 s"):
        await connection.list_tools()


async def test_a_server_that_can_not_start_says_why(connect: Connect) -> None:
    with pytest.raises(BackendError, match=r"it ended \(exit code 1\): no configuration found"):
        await connect(little("broken")).list_tools()
    with pytest.raises(BackendError, match="absent could not be started: there is no command"):
        await connect(McpServer("absent", "a test", command=("no-such-program",))).list_tools()
    with pytest.raises(BackendError, match="The MCP server away failed"):
        await connect(McpServer("away", "a test", url="http://127.0.0.1:9/mcp")).list_tools()


async def test_what_a_server_started_ends_with_it(connect: Connect) -> None:
    connection = connect(little("odd"))
    left = await connection.call("leave_behind", {})
    pid = int(left.content.removeprefix("left "))
    assert is_running(pid)
    await connection.close()
    assert not is_running(pid)


async def test_keys_of_the_person_stay_with_the_person(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "s3cret")
    server = little("odd")
    given = McpServer(server.name, server.origin, command=server.command, env={"GIVEN": "1"})
    assert (await connect(given).call("secrets", {})).content == "GIVEN=1 SERVICE_TOKEN=None"
