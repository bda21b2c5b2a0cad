"""An engine for the embedded child that needs no model: the file's text says how it behaves.

`{"fail": WORDS}` refuses to load, `{"missing": true}` is not installed, `{"crash": true}` dies while it loads,
`{"hang": true}` never ends its answer, `{"wait_for": FILE}` loads until the file is there, `{"deaf": true}` lists a
model that is not its own.
"""

import json
import os
import signal
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from mulligan.models.embedded.run_files import EngineRefused, ServeOrder


def start(order: ServeOrder) -> "FakeEngine":
    manner = json.loads(order.model.read_text(encoding="utf-8"))
    with (order.model.parent / "starts").open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()}\n")
    if manner.get("missing"):
        raise ModuleNotFoundError("No module named 'xllamacpp'", name="xllamacpp")
    if "fail" in manner:
        print(f"0.00.001 E gguf_init: {manner['fail']}\n0.00.002 E srv: exiting due to model loading error")  # noqa: T201 - as llama.cpp does
        raise EngineRefused("llama.cpp could not load it")
    if manner.get("crash"):
        os.kill(os.getpid(), signal.SIGKILL)
    while "wait_for" in manner and not Path(manner["wait_for"]).exists():
        time.sleep(0.01)
    engine = FakeEngine(order, manner)
    engine.serve()
    return engine


@dataclass
class FakeEngine:
    order: ServeOrder
    manner: dict[str, Any]
    port: int = 0
    requests_running: int = 0

    @property
    def context(self) -> int:
        return min(self.order.context, 4096)

    def busy(self) -> bool:
        with (self.order.model.parent / "looks").open("a", encoding="utf-8") as looks:
            looks.write("busy\n" if self.requests_running else "idle\n")
        return self.requests_running > 0

    def serve(self) -> None:
        engine = self

        class Handler(Answers):
            engine_ = engine

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = server.server_address[1]
        Thread(target=server.serve_forever, daemon=True).start()


class Answers(BaseHTTPRequestHandler):
    engine_: FakeEngine

    def do_GET(self) -> None:
        name = "another" if self.engine_.manner.get("deaf") else self.engine_.order.id
        self._send("application/json", json.dumps({"data": [{"id": name}]}))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.engine_.requests_running += 1
        piece = {"choices": [{"index": 0, "delta": {"content": f"pid {os.getpid()}"}}]}
        self._send("text/event-stream", f"data: {json.dumps(piece)}\n\n", close=False)
        while self.engine_.manner.get("hang"):
            if self.connection.recv(1) == b"":
                break
        end: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.wfile.write(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())
        self.engine_.requests_running -= 1

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it
        """Say nothing."""

    def _send(self, media_type: str, body: str, *, close: bool = True) -> None:
        allowed = self.headers["authorization"] == f"Bearer {self.engine_.order.api_key}"
        self.send_response(200 if allowed else 401)
        self.send_header("Content-Type", media_type)
        if close:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())
