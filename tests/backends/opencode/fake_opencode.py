"""A server that plays opencode's: its endpoints, its events, and whatever can go wrong with them.

A prompt is a JSON list of acts, which the agent carries out one after the other:

    {"say": "text"}                         a text, told in pieces and then whole; {"think": …} likewise
    {"tool": "read", "output": "…"}         a call, with "input" and "output" or "error"
    {"write": "a.txt"}                      a file in the session's folder
    {"ask": {"permission": "bash", …}}      asks, and waits; a denial without words ends the turn
    {"event": {…}}, {"raw": "…"}            an event of any kind; bytes on the stream as they are
    {"cut": true}, {"mute": true}           ends the streams; goes silent on them, and tells nothing more there
    {"hang": true}, {"deaf": true}          waits for an abort; waits, and takes no notice of one
    {"die": 3}, {"spawn": true}             exits; starts a process in a session of its own
    {"fail": "words"}, {"retry": "words"}   the model failed for good; is asked again
    {"child": {"ask": {…}}}                 acts of a helper, in a session of its own
    {"flood": 10000}                        so many events of another session
    {"late": true}                          as the first act: it begins only after it was told to abort
    {"refuse": 500}                         as the first act: the prompt is refused with this status

`FAKE_START` makes it fail before it serves: `exit`, `silent`, `unhealthy`, `noise`. `FAKE_STREAM=closed` ends each
stream of events at once. `FAKE_HOME` is where it keeps its
sessions, and a line for each request and each start in `requests`.
"""

import base64
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]
HOME = Path(os.environ["FAKE_HOME"])
ACCESS = "Basic " + base64.b64encode(f"opencode:{os.environ.get('OPENCODE_SERVER_PASSWORD')}".encode()).decode()


def note(line: str) -> None:
    with (HOME / "requests").open("a") as file:
        file.write(line + "\n")


class Stream:
    """One client that listens to the events of a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.mute = False
        self.lines: queue.Queue[bytes | None] = queue.Queue()


class Turn:
    """Carries out the acts of one prompt."""

    def __init__(self, house: "House", session: str, folder: str, acts: list[Json]) -> None:
        self.house, self.session, self.folder, self.acts = house, session, folder, acts
        self.aborted = threading.Event()
        self.message = house.new_id("msg")
        self.info: Json = {}

    def run(self) -> None:
        if self.acts and "late" in self.acts[0]:
            self.acts.pop(0)
            self.house.aborted_early.wait()
        self.status("busy")
        self.house.busy[self.session] = self
        created = int(time.time() * 1000)
        self.info = {"id": self.message, "sessionID": self.session, "role": "assistant", "time": {"created": created}}
        user = {**self.info, "id": self.house.new_id("msg"), "role": "user"}
        self.tell("message.updated", info=user)
        self.part({"type": "text", "text": "the prompt"}, message=user["id"])
        self.house.messages.setdefault(self.session, []).append({"info": self.info, "parts": []})
        self.tell("message.updated", info=self.info)
        for act in self.acts:
            if self.aborted.is_set() or self.act(act):
                break
        if self.aborted.is_set():
            self.error("MessageAbortedError", "Aborted")
        self.info["time"]["completed"] = int(time.time() * 1000)
        self.tell("message.updated", info=self.info)
        self.house.busy.pop(self.session, None)
        for _ in range(2 if self.aborted.is_set() else 1):
            self.status("idle")
            self.tell("session.idle")

    def abort(self) -> None:
        if not any("deaf" in act for act in self.acts):
            self.aborted.set()

    def act(self, act: Json) -> bool:
        """Whether the turn ends with it."""
        name, value = next(iter(act.items()))
        if name in ("tool", "ask", "child", "fail"):
            return bool({"tool": self.tool, "ask": self.ask, "child": self.child, "fail": self.fail}[name](act))
        acts: dict[str, Callable[[], object]] = {
            "say": lambda: self.write("text", value),
            "think": lambda: self.write("reasoning", value),
            "write": lambda: (Path(self.folder) / value).write_text("written\n"),
            "event": lambda: self.house.send(self.folder, value),
            "raw": lambda: self.house.write(self.folder, value.encode()),
            "cut": lambda: self.house.cut(self.folder),
            "mute": lambda: self.house.mute(self.folder),
            "hang": self.aborted.wait,
            "deaf": threading.Event().wait,
            "die": lambda: self.house.die(value),
            "spawn": lambda: subprocess.Popen(["setsid", "sleep", "100"], stdout=subprocess.DEVNULL),
            "retry": lambda: self.tell("session.status", status={"type": "retry", "attempt": 1, "message": value}),
            "flood": lambda: [self.house.tell(self.folder, "message.part.delta", sessionID="x") for _ in range(value)],
        }
        acts[name]()
        return False

    def child(self, act: Json) -> bool:
        helper = Turn(self.house, self.house.new_id("ses"), self.folder, [])
        self.house.tell(self.folder, "session.created", info={"id": helper.session, "parentID": self.session})
        helper.aborted = self.aborted
        return helper.act(act["child"])

    def fail(self, act: Json) -> bool:
        self.error("APIError", act["fail"])
        return True

    def write(self, kind: str, text: str) -> None:
        begun = self.part({"type": kind, "text": "", "time": {"start": 1}})
        for start in range(0, len(text), 8):
            delta = {
                "messageID": self.message,
                "partID": begun["id"],
                "field": "text",
                "delta": text[start : start + 8],
            }
            self.tell("message.part.delta", **delta)
        self.part({**begun, "text": text, "time": {"start": 1, "end": 2}})

    def tool(self, act: Json) -> None:
        given = {"type": "tool", "tool": act["tool"], "callID": "call_0"}
        pending = self.part({**given, "state": {"status": "pending", "input": {}}})
        state = {"status": "running", "input": act.get("input", {})}
        self.part({**pending, "state": state})
        ending = {"status": "error", "error": act["error"]} if "error" in act else {"status": "completed"}
        self.part({**pending, "state": {**state, **ending, "output": act.get("output", "")}})

    def ask(self, act: Json) -> bool:
        asked = {"id": self.house.new_id("per"), "sessionID": self.session, **act["ask"]}
        answer: queue.Queue[Json] = queue.Queue()
        self.house.permissions[asked["id"]] = asked, answer
        self.tell("permission.asked", **asked)
        while not self.aborted.is_set():
            try:
                reply = answer.get(timeout=0.02)
            except queue.Empty:
                continue
            self.write("text", f"{reply['reply']}.")
            return reply["reply"] == "reject" and not reply.get("message")
        return True

    def part(self, part: Json, message: str | None = None) -> Json:
        whole = {
            "id": self.house.new_id("prt"),
            "messageID": message or self.message,
            "sessionID": self.session,
            **part,
        }
        for kept in self.house.messages.get(self.session, []):
            if kept["info"]["id"] == whole["messageID"]:
                kept["parts"] = [each for each in kept["parts"] if each["id"] != whole["id"]] + [whole]
        self.tell("message.part.updated", part=whole)
        return whole

    def error(self, name: str, words: str) -> None:
        self.info["error"] = {"name": name, "data": {"message": words}}
        self.tell("session.error", error=self.info["error"])

    def status(self, kind: str) -> None:
        self.tell("session.status", status={"type": kind})

    def tell(self, kind: str, **properties: Any) -> None:
        self.house.tell(self.folder, kind, **{"sessionID": self.session, **properties})


class House:
    """All that the server knows."""

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self.busy: dict[str, Turn] = {}
        self.messages: dict[str, list[Json]] = {}
        self.permissions: dict[str, tuple[Json, queue.Queue[Json]]] = {}
        self.aborted_early = threading.Event()
        """An abort came for a session that was not busy."""
        self._count = 0

    def new_id(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{os.getpid()}_{self._count}"

    def tell(self, folder: str, kind: str, **properties: Any) -> None:
        self.send(folder, {"type": kind, "properties": properties})

    def send(self, folder: str, event: Json) -> None:
        self.write(folder, b"data: " + json.dumps(event).encode() + b"\n\n")

    def write(self, folder: str, data: bytes) -> None:
        for stream in self.streams:
            if stream.folder == folder and not stream.mute:
                stream.lines.put(data)

    def cut(self, folder: str) -> None:
        gone = [stream for stream in self.streams if stream.folder == folder]
        self.streams = [stream for stream in self.streams if stream not in gone]
        for stream in gone:
            stream.lines.put(None)

    def die(self, code: int) -> None:
        while any(stream.lines.qsize() for stream in self.streams):
            time.sleep(0.01)
        os._exit(code)

    def abort(self, session: str) -> None:
        if session in self.busy:
            self.busy[session].abort()
        else:
            self.aborted_early.set()

    def mute(self, folder: str) -> None:
        for stream in self.streams:
            stream.mute = stream.mute or stream.folder == folder

    @property
    def sessions(self) -> dict[str, str]:
        """By id, the folder. They outlive the server."""
        file = HOME / "sessions.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def create_session(self, folder: str) -> str:
        session = self.new_id("ses")
        (HOME / "sessions.json").write_text(json.dumps({**self.sessions, session: folder}))
        return session


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    house = House()

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base names it
        """Standard error is for what went wrong."""

    def answer(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("content-length", 0))
        body: Json = json.loads(self.rfile.read(length)) if length else {}
        folder = parse_qs(parts.query).get("directory", [""])[0]
        note(json.dumps({"method": self.command, "path": parts.path, "folder": folder, "body": body}))
        if self.headers.get("authorization") != ACCESS:
            return self.reply(401, {"data": {"message": "who are you?"}})
        return self.route(parts.path.strip("/").split("/"), folder, body)

    def route(self, path: list[str], folder: str, body: Json) -> None:
        house = self.house
        match self.command, *path:
            case "GET", "global", "health":
                self.reply(200, {"healthy": os.environ.get("FAKE_START") != "unhealthy"})
            case "GET", "event":
                self.stream(folder)
            case "POST", "session":
                self.reply(200, {"id": house.create_session(folder), "directory": folder})
            case "GET", "session", "status":
                self.reply(200, {session: {"type": "busy"} for session in house.busy})
            case "GET", "session", session if session in house.sessions:
                self.reply(200, {"id": session, "directory": house.sessions[session]})
            case "POST", "session", session, "prompt_async":
                self.prompt(session, folder, json.loads(body["parts"][0]["text"]))
            case "POST", "session", session, "abort":
                house.abort(session)
                self.reply(200, True)
            case "GET", "session", session, "message":
                self.reply(200, house.messages.get(session, []))
            case "GET", "permission":
                self.reply(200, [asked for asked, _ in house.permissions.values()])
            case "POST", "permission", permission, "reply" if permission in house.permissions:
                house.permissions.pop(permission)[1].put(body)
                self.reply(200, True)
            case _:
                self.reply(404, {"name": "NotFoundError", "data": {"message": f"not found: {'/'.join(path)}"}})

    def prompt(self, session: str, folder: str, acts: list[Json]) -> None:
        if acts and "refuse" in acts[0]:
            return self.reply(acts[0]["refuse"], {"data": {"message": "not now"}})
        threading.Thread(target=Turn(self.house, session, folder, acts).run, daemon=True).start()
        return self.reply(204, None)

    def reply(self, status: int, answer: Any) -> None:
        data = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def stream(self, folder: str) -> None:
        stream = Stream(folder)
        self.house.streams.append(stream)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        line: bytes | None = b'data: {"type": "server.connected", "properties": {}}\n\n'
        while line is not None:
            try:
                self.wfile.write(line)
            except OSError:
                break
            line = None if os.environ.get("FAKE_STREAM") == "closed" else self.next_line(stream)
        self.close_connection = True

    def next_line(self, stream: Stream) -> bytes | None:
        while True:
            try:
                return stream.lines.get(timeout=0.1)
            except queue.Empty:
                if not stream.mute:
                    return b'data: {"type": "server.heartbeat", "properties": {}}\n\n'


def main() -> None:
    fault = os.environ.get("FAKE_START", "")
    note("started")
    if fault == "exit":
        sys.exit("no such option: serve")
    if fault == "noise":
        sys.stdout.buffer.write(b"\xff\xfe warning\nlistening on nothing\n" + b"x" * 200_000 + b"\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if fault != "silent":
        (HOME / "port").write_text(str(server.server_port))
        print(f"opencode server listening on http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201
    server.serve_forever()


if __name__ == "__main__":
    main()
