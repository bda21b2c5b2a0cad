"""The scripted model behind a real socket.

    python -m mulligan.models.scripted.server SCRIPT.json [--port 0] [--log FILE.jsonl]

It prints `listening on http://127.0.0.1:PORT/v1` and serves until SIGTERM or SIGINT. Besides the endpoints of the
script's server style, `GET /_requests` returns the requests so far with their times, and `POST /_script` replaces the
script.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mulligan.models.scripted.http11 import (
    LAST_CHUNK,
    Connection,
    HttpRequest,
    chunk,
    json_response,
    response_head,
    text_response,
)
from mulligan.models.scripted.ollama_reply import ollama_lines
from mulligan.models.scripted.playback import Playback, PlayedReply, ScriptedRequest
from mulligan.models.scripted.reply import error_body, streamed_reply, timestamped, whole_reply
from mulligan.models.scripted.script import Script, ScriptedReply
from mulligan.models.scripted.server_styles import styled_response
from mulligan.runtime.lenient_json import as_count, as_list, as_object
from mulligan.types.base import InvalidRecord
from mulligan.types.tool_calls import JsonObject

_READY = "listening on "


@dataclass(slots=True)
class SeenRequest:
    """A request for a completion. Times are of the system's monotonic clock, in seconds."""

    number: int
    path: str
    body: JsonObject
    arrived: float
    finished: float | None = None
    """When the reply's last byte was written."""
    disconnected: bool = False
    """The client disconnected before the reply was complete."""


class ScriptedServer:
    """Answers chat completions from a script. Made by `serve_script`."""

    def __init__(self, script: Script, *, log: Path | None = None) -> None:
        self._script = script
        self._playback = Playback(script)
        self._log = log
        self._connections: set[Connection] = set()
        self._arrival = asyncio.Event()
        self.base_url = ""
        self.requests: list[SeenRequest] = []
        """The requests so far."""

    def new_connection(self) -> Connection:
        return Connection(self._answer, self._connections)

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._connections)

    async def asked(self, number: int) -> SeenRequest:
        """Wait for the request with the given number, from 1."""
        while len(self.requests) < number:
            await self._arrival.wait()
        return self.requests[number - 1]

    async def idle(self) -> None:
        """Wait until no request is being answered."""
        await asyncio.gather(*(peer.task for peer in self._connections if peer.task is not None))

    async def hang_up(self) -> None:
        """Drop every client."""
        tasks = [peer.task for peer in self._connections if peer.task is not None]
        for peer in tuple(self._connections):
            peer.abort()
        await asyncio.gather(*tasks)

    async def _answer(self, request: HttpRequest, client: Connection) -> None:
        match request.method, request.path:
            case "POST", "/v1/chat/completions":
                await self._complete(request, client)
            case "POST", "/api/chat" if self._script.server_style.kind == "ollama":
                await self._complete(request, client)
            case "GET", "/_requests":
                client.send(json_response(200, [asdict(seen) for seen in self.requests]))
            case "POST", "/_script":
                self._replace_script(request.body, client)
            case method, path:
                status, body = styled_response(self._script, method, path)
                client.send(text_response(status, body) if isinstance(body, str) else json_response(status, body))

    def _replace_script(self, body: bytes, client: Connection) -> None:
        try:
            self._script = Script.model_validate_json(body)
        except InvalidRecord as error:
            client.send(json_response(400, {"error": {"message": str(error)}}))
            return
        self._playback = Playback(self._script)
        self.requests = []
        client.send(json_response(200, {"replies": len(self._script.replies)}))

    async def _complete(self, request: HttpRequest, client: Connection) -> None:
        arrived = time.monotonic()
        try:
            body = as_object(json.loads(request.body))
        except ValueError:
            client.send(json_response(400, {"error": {"message": "the body is not JSON"}}))
            return
        seen = SeenRequest(len(self.requests) + 1, request.path, body, arrived)
        self.requests.append(seen)
        self._arrival.set()
        self._arrival.clear()
        scene = self._playback.play(seen.number, _asked(body))
        reply = scene.reply
        if silent := reply.delay + (0.0 if scene.progress else reply.reading):
            await client.wait(silent)
        if reply.status is not None:
            _send_error(reply, client)
        elif body.get("stream") or reply.raw is not None:
            await self._stream(scene, seen, client)
        else:
            await self._send_whole(scene, seen, client)
        seen.disconnected = client.gone
        seen.finished = time.monotonic()
        if self._log is not None:
            with self._log.open("a", encoding="utf-8") as file:  # a line after the reply does no harm
                file.write(json.dumps(asdict(seen), ensure_ascii=False) + "\n")

    async def _stream(self, scene: PlayedReply, seen: SeenRequest, client: Connection) -> None:
        reply, model = scene.reply, self._script.model
        if seen.path == "/api/chat":
            played, media_type = ollama_lines(reply, seen.number, model, scene.messages), "application/x-ndjson"
        else:
            include_usage = bool(as_object(seen.body.get("stream_options")).get("include_usage"))
            played = streamed_reply(reply, seen.number, model, scene.messages, include_usage=include_usage)
            media_type = "text/event-stream"
        client.send(response_head(200, {"Content-Type": media_type, "Transfer-Encoding": "chunked"}))
        for event in scene.progress:
            await client.wait(reply.reading / len(scene.progress))
            client.send(chunk(event.encode()))
        clock = asyncio.get_running_loop().time
        due = clock()
        for index, event in enumerate(played.in_order()):
            if index and reply.chunk_delay:
                due += reply.chunk_delay
                await client.wait(max(due - clock(), 0))
            if played.ending == "endless":
                await client.wait_until_writable()
            if client.gone:
                return
            client.send(chunk(timestamped(reply, event, time.monotonic()).encode()))
        if played.ending == "hang":
            await client.wait(None)
        elif played.ending == "drop":
            client.close()
        else:
            client.send(LAST_CHUNK)

    async def _send_whole(self, scene: PlayedReply, seen: SeenRequest, client: Connection) -> None:
        reply = scene.reply
        payload = whole_reply(reply, seen.number, self._script.model, scene.messages)
        answer = json_response(200, payload)
        if reply.cut_after is None and reply.hang is None:
            client.send(answer)
            return
        client.send(answer[:-1])
        if reply.hang is not None:
            await client.wait(None)
        client.close()


@asynccontextmanager
async def serve_script(script: Script, *, port: int = 0, log: Path | None = None) -> AsyncGenerator[ScriptedServer]:
    """Serve a script within this process, for as long as the context lasts."""
    scripted = ScriptedServer(script, log=log)
    server = await asyncio.get_running_loop().create_server(scripted.new_connection, "127.0.0.1", port)
    scripted.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield scripted
    finally:
        # Clients that were already accepted get a connection: asyncio leaves it open if the server is closed before.
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening.fileno())
        for _ in range(3):
            await asyncio.sleep(0)
        server.close()
        await scripted.hang_up()
        await server.wait_closed()


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A scripted server in a separate process."""

    base_url: str
    pid: int

    def requests(self) -> list[JsonObject]:
        """The requests so far: the fields of `SeenRequest`."""
        return self._ask("GET", "/_requests")

    def replace_script(self, script: Script) -> None:
        """Start over with another script."""
        self._ask("POST", "/_script", script.model_dump_json())

    def _ask(self, method: str, path: str, body: str | None = None) -> Any:
        from http.client import HTTPConnection  # not needed to serve
        from urllib.parse import urlsplit

        connection = HTTPConnection(urlsplit(self.base_url).netloc, timeout=10)
        try:
            connection.request(method, path, body)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


@contextmanager
def running(script: Script, *, log: Path | None = None) -> Generator[RunningServer]:
    """Start a server process with the script, and end it with the context."""
    import subprocess  # not needed to serve

    command = [sys.executable, "-m", "mulligan.models.scripted.server", "-", *(["--log", str(log)] if log else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        try:
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - both are pipes
            with suppress(BrokenPipeError):  # it died: its silence is detected next
                process.stdin.write(script.model_dump_json())
                process.stdin.close()
            line = process.stdout.readline()
            if not line.startswith(_READY):
                raise RuntimeError(f"the scripted server did not start: {line!r}")
            yield RunningServer(line.removeprefix(_READY).strip(), process.pid)
        finally:
            process.terminate()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until a signal arrives. The exit code is 2 for an invalid script."""
    from argparse import ArgumentParser  # needed by the command alone

    parser = ArgumentParser(prog="mulligan.models.scripted.server", description="A model server that follows a script.")
    parser.add_argument("script", help="a JSON file, or - for standard input")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--log", type=Path, help="write a JSON line for every answered request to this file")
    options = parser.parse_args(arguments)
    try:
        text = sys.stdin.read() if options.script == "-" else Path(options.script).read_text(encoding="utf-8")
        script = Script.model_validate_json(text)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{options.script}: {error}\n")
        return 2
    asyncio.run(_serve_until_stopped(script, options.port, options.log))
    return 0


async def _serve_until_stopped(script: Script, port: int, log: Path | None) -> None:
    import signal  # needed by the command alone

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with serve_script(script, port=port, log=log) as server:
        sys.stdout.write(f"{_READY}{server.base_url}\n")
        sys.stdout.flush()
        await stop.wait()


def _asked(body: JsonObject) -> ScriptedRequest:
    options = as_object(body.get("options"))
    return ScriptedRequest(
        as_list(body.get("messages")),
        tools=bool(body.get("tools")),
        json_schema=bool(body.get("format")) or as_object(body.get("response_format")).get("type") == "json_schema",
        fields=(*body, *options),
        progress=bool(body.get("return_progress")),
        context_length=as_count(options.get("num_ctx")) or None,
    )


def _send_error(reply: ScriptedReply, client: Connection) -> None:
    body = error_body(reply)
    media_type = "text/html" if body.startswith(b"<") else "application/json"
    headers = {"Content-Type": media_type, **reply.headers, "Content-Length": str(len(body))}
    client.send(response_head(reply.status or 500, headers) + body)


if __name__ == "__main__":
    sys.exit(main())
