"""One server: its tools, its answers, and everything that may go wrong with it."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from secrets import token_hex
from threading import Thread
from typing import Any

import pytest

from mulligan.mcp_client.connection import Connection
from mulligan.types.errors import BackendError
from mulligan.types.mcp import McpServer
from tests.mcp_client.conftest import Connect, little, useless

SHORT = 1.0
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


class Sessions(BaseHTTPRequestHandler):
    """A server of the protocol before 2026, which knows its clients by session."""

    known: set[str]
    calls: list[str]
    has_proxied: bool

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).has_proxied |= self.path.startswith("http://")
        session, method = self.headers.get("mcp-session-id"), asked["method"]
        if method == "initialize":
            session = token_hex(4)
            self.known.add(session)
            about = {"name": "sessions", "version": "1"}
            version = asked["params"]["protocolVersion"]
            self._answer(
                asked, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}, session
            )
        elif session not in self.known:
            self._send(404 if session else 400, b"Not here")
        elif "id" not in asked:
            self._send(202, b"")
        elif method == "tools/list":
            self._answer(asked, {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]})
        else:
            self.calls.append(session)
            self._answer(asked, {"content": [{"type": "text", "text": "greeted"}]})

    def do_GET(self) -> None:
        self._send(405, b"")

    def do_DELETE(self) -> None:
        self._send(200, b"")

    def _answer(self, asked: dict[str, Any], result: dict[str, Any], session: str = "") -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode()
        self._send(200, body, {"Content-Type": "application/json", **({"Mcp-Session-Id": session} if session else {})})

    def _send(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name that it has there
        """Says nothing."""


@contextmanager
def serving() -> Generator[tuple[type[Sessions], int]]:
    handler = type("Handler", (Sessions,), {"known": set(), "calls": [], "has_proxied": False})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield handler, server.server_port
        finally:
            server.shutdown()


async def test_a_server_that_forgot_our_session_is_called_in_a_new_one(connect: Connect) -> None:
    with serving() as (server, port):
        connection = connect(McpServer("sessions", "a test", url=f"http://127.0.0.1:{port}/mcp"))
        assert (await connection.call("greet", {})).content == "greeted"
        server.known.clear()
        assert (await connection.call("greet", {})).content == "greeted"
        server.known.clear()
        assert len(await connection.list_tools()) == 1
    assert len(set(server.calls)) == 2


async def test_a_server_elsewhere_is_reached_through_the_proxy_of_the_environment(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as (proxy, port):
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        connection = connect(McpServer("away", "a test", url="http://tools.invalid/mcp"))
        assert (await connection.call("greet", {})).content == "greeted"
        await connection.close()
    assert proxy.has_proxied


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
    with pytest.raises(BackendError, match="odd did not answer within 1 s"):
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
    connection = Connection(useless(theme), folder=tmp_path, stderr=tmp_path / "stderr", start_seconds=SHORT)
    with pytest.raises(BackendError, match=f"{theme} did not list its tools within 1 s"):
        await connection.list_tools()


async def test_a_server_that_can_not_start_says_why(connect: Connect) -> None:
    with pytest.raises(BackendError, match=r"it ended \(exit code 1\): no configuration found"):
        await connect(useless("broken")).list_tools()
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


async def test_keys_of_the_user_stay_with_the_user(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "s3cret")
    server = little("odd")
    given = McpServer(server.name, server.origin, command=server.command, env={"GIVEN": "1"})
    assert (await connect(given).call("secrets", {})).content == "GIVEN=1 SERVICE_TOKEN=None"
