"""The scripted model as a messages endpoint, for the agent that speaks nothing else."""

import json
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from mulligan.models.scripted.playback import Playback, ScriptedRequest
from mulligan.models.scripted.script import Script, ScriptedReply


class MessagesServer(ThreadingHTTPServer):
    """Plays a script in a thread for each client. What was asked is told as `RunningServer` tells it."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Client)
        self.base_url = f"http://127.0.0.1:{self.server_address[1]}"
        self._playback = Playback(script)
        self._asked: list[dict[str, Any]] = []
        self._turn = threading.Lock()

    def replace_script(self, script: Script) -> None:
        with self._turn:
            self._playback, self._asked = Playback(script), []

    def requests(self) -> list[dict[str, Any]]:
        return list(self._asked)

    def reply_to(self, body: dict[str, Any]) -> ScriptedReply:
        with self._turn:
            number = len(self._asked) + 1
            self._asked.append({"number": number, "body": body})
            return self._playback.play(number, ScriptedRequest(body["messages"], tools=bool(body.get("tools")))).reply


@contextmanager
def messages_running(script: Script) -> Generator[MessagesServer]:
    """Serve a script for as long as the context lasts."""
    with MessagesServer(script) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Client(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path.partition("?")[0] != "/v1/messages":
            self._say(404, {"type": "error", "error": {"type": "not_found_error", "message": self.path}})
            return
        reply = cast("MessagesServer", self.server).reply_to(body)
        if reply.status is not None:
            self._say(reply.status, {"type": "error", "error": {"type": "api_error", "message": str(reply.body)}})
        elif body.get("stream"):
            self._stream(reply)
        else:
            self._say(200, {**_ENVELOPE, "content": _content(reply), "stop_reason": _stop_reason(reply)})

    def _say(self, status: int, payload: dict[str, Any]) -> None:
        body = json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, reply: ScriptedReply) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        with suppress(ConnectionError):  # a client that is killed says no farewell
            for event in _events(reply):
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            if reply.hang is not None:
                self.connection.recv(1)  # silent until the client goes away

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Nothing on standard error: the test tells what went wrong."""


_ENVELOPE: dict[str, Any] = {
    "id": "msg_scripted",
    "type": "message",
    "role": "assistant",
    "model": "scripted",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


def _content(reply: ScriptedReply) -> list[dict[str, Any]]:
    said = [{"type": "text", "text": reply.text}] if reply.text else []
    calls = [
        {"type": "tool_use", "id": call.id or f"toolu_{place}_{id(reply)}", "name": call.name, "input": call.arguments}
        for place, call in enumerate(reply.tool_calls)
    ]
    return [*said, *calls]


def _stop_reason(reply: ScriptedReply) -> str:
    return "tool_use" if reply.tool_calls else "end_turn"


def _events(reply: ScriptedReply) -> Iterator[dict[str, Any]]:
    """A reply with `hang` says all of its content, and never that it is whole."""
    yield {"type": "message_start", "message": {**_ENVELOPE, "content": [], "stop_reason": None}}
    for place, block in enumerate(_content(reply)):
        if block["type"] == "text":
            empty, delta = dict[str, Any](text=""), {"type": "text_delta", "text": block["text"]}
        else:
            empty, delta = (
                dict[str, Any](input={}),
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        yield {"type": "content_block_start", "index": place, "content_block": block | empty}
        yield {"type": "content_block_delta", "index": place, "delta": delta}
        if reply.hang is None:
            yield {"type": "content_block_stop", "index": place}
    if reply.hang is None:
        yield {"type": "message_delta", "delta": {"stop_reason": _stop_reason(reply)}, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}
