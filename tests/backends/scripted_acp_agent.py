"""An agent that speaks the Agent Client Protocol and does what a script says: its work, and every fault of its kind.

    SCRIPTED_ACP=script.json python scripted_acp_agent.py

The script is a JSON object, read when the process starts; every key may be left out:

    version   the protocol version that it answers with (1)
    state     a folder in which sessions are kept, so that another process can load them; without it, it can't load
    refuses   requests that it answers with an error: "session/new", "session/load", "session/set_mode"
    hangs_in  requests that it never answers: "initialize", "session/new", "session/load"; then there is a file
              `hangs` in the folder `state`
    dies_in   requests that it dies of, the same ones
    modes     the modes that it offers; the first is the one it is in
    start     steps done before the first message is read: raw, stderr, run, exit, freeze
    turns     a list of turns, each a list of steps: the first prompt of a session gets the first, the last is repeated

A prompt may bring its own turn, in a line `script: [step, …]`. A step is an object, its first key says what is done:

    {"say": text}   {"think": text}   {"plan": [text, …]}
    {"call": id, "title", "kind", "input", "path", "status"}        a tool call
    {"update": id, "title", "kind", "input", "status", "text"}      an update of it, or of one that was never told
    {"write": path, "text"}             a file, in the folder of the session unless the path is absolute
    {"append": path, "text"}
    {"ask": id, "title", "kind", "input", "path", "options": [kind, …], "yes": [step, …], "no": [step, …]}
                                        a permission; then what follows from the answer, which is also said
    {"request": method, "params"}       any request to the client; says the error that comes back
    {"run": [argument, …]}              a command that goes on, in a session of its own; says its pid
    {"recall": true}                    says how many prompts this session had, and the mode it is in
    {"raw": text}                       a line on standard output, as it is; `SESSION` stands for the session's id
    {"long": bytes}                     an update with so much text, in one line
    {"stderr": text, "times": n}
    {"on_cancel": "ignore" | "late"}    what a cancel does in this turn: nothing, or it stops and still sends updates
    {"hang": true}                      until it is cancelled
    {"freeze": true}                    for ever: nothing is read any more, and SIGTERM is ignored
    {"stop": reason}                    end the turn for this reason, which need not be one of the protocol
    {"error": text, "code": n}          end it with an error
    {"exit": code}   {"kill": signal}

It speaks JSON lines itself, without the SDK, which takes longer to load than a test takes: what it sends is read by the
SDK of the client.
"""

import asyncio
import base64
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

Step = dict[str, Any]
Params = dict[str, Any]

MARK_OF_A_SCRIPT = "script: "
MAX_LINE_BYTES = 1 << 26
INTERNAL_ERROR, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND = -32603, -32601, -32002


class RequestError(Exception):
    """What a request is answered with if not with a result."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def main() -> None:
    script = json.loads(Path(os.environ["SCRIPTED_ACP"]).read_text(encoding="utf-8"))
    for step in script.get("start", ()):
        do_before_hello(step)
    asyncio.run(serve(script))


def do_before_hello(step: Step) -> None:
    match step:
        case {"raw": str(text)}:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
        case {"stderr": str(text)}:
            write_errors(text, step.get("times", 1))
        case {"run": _}:
            start_command(step["run"])
        case {"exit": int(code)}:
            sys.exit(code)
        case {"freeze": True}:
            freeze()
        case _:
            sys.exit(f"not a step of a start: {step}")


async def refuse(_: Params) -> NoReturn:
    raise RequestError(METHOD_NOT_FOUND, "Method not found")


async def serve(script: dict[str, Any]) -> None:
    """Until its input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(MAX_LINE_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    client = Client(asyncio.StreamWriter(transport, protocol, None, loop))
    agent = ScriptedAgent(script, client)
    handlers = {
        "initialize": agent.initialize,
        "session/new": agent.new_session,
        "session/load": agent.load_session,
        "session/set_mode": agent.set_session_mode,
        "session/close": agent.close_session,
        "session/prompt": agent.prompt,
        "session/cancel": agent.cancel,
    }
    tasks: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        message = json.loads(line)
        if "method" not in message:
            client.answered(message)
            continue
        task = asyncio.create_task(client.handle(message, handlers.get(message["method"], refuse)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


class Client:
    """The other side, by way of JSON lines."""

    def __init__(self, output: asyncio.StreamWriter) -> None:
        self.output = output
        self.numbers = itertools.count()
        self.asked: dict[int, asyncio.Future[Any]] = {}

    async def handle(self, message: dict[str, Any], handler: Any) -> None:
        """Answer a request; a notification has no id."""
        answer: dict[str, Any] = {}
        try:
            answer["result"] = await handler(message["params"])
        except (RequestError, LookupError, ValueError, OSError) as error:
            code = error.code if isinstance(error, RequestError) else INTERNAL_ERROR
            answer["error"] = {"code": code, "message": str(error)}
        if "id" in message:
            await self.send({"id": message["id"], **answer})

    def answered(self, message: dict[str, Any]) -> None:
        waiting = self.asked.pop(message["id"])
        if waiting.done():
            return
        if error := message.get("error"):
            waiting.set_exception(RequestError(error["code"], error["message"]))
        else:
            waiting.set_result(message["result"])

    async def request(self, method: str, params: Params) -> Any:
        number = next(self.numbers)
        self.asked[number] = asyncio.get_running_loop().create_future()
        await self.send({"id": number, "method": method, "params": params})
        return await self.asked[number]

    async def update(self, session: str, update: dict[str, Any]) -> None:
        await self.send({"method": "session/update", "params": {"sessionId": session, "update": update}})

    async def send(self, message: dict[str, Any]) -> None:
        await self.line(json.dumps({"jsonrpc": "2.0", **message}))

    async def line(self, text: str) -> None:
        self.output.write(text.encode() + b"\n")
        await self.output.drain()


class ScriptedAgent:
    """One method for each that a client of ours may ask for, and no more."""

    def __init__(self, script: dict[str, Any], client: Client) -> None:
        self.script = script
        self.client = client
        self.folders: dict[str, Path] = {}
        self.prompts: dict[str, list[str]] = {}
        self.mode = script.get("modes", [""])[0]
        self.cancelled = asyncio.Event()
        self.prompting: set[asyncio.Task[Any]] = set()
        """It ends when the newest prompt has been answered."""
        self.on_cancel = ""

    async def initialize(self, _: Params) -> dict[str, Any]:
        await self.meet("initialize")
        loads = "state" in self.script
        return {
            "protocolVersion": self.script.get("version", 1),
            "agentCapabilities": {
                "loadSession": loads,
                "sessionCapabilities": {"close": {}},
                "promptCapabilities": {"image": self.script.get("images", False)},
            },
        }

    async def new_session(self, params: Params) -> dict[str, Any]:
        await self.meet("session/new")
        session = f"s-{os.getpid()}-{len(self.folders)}"
        self.folders[session], self.prompts[session] = Path(params["cwd"]), []
        return {"sessionId": session, **self.modes()}

    async def load_session(self, params: Params) -> dict[str, Any]:
        await self.meet("session/load")
        session = params["sessionId"]
        try:
            self.prompts[session] = json.loads(self.kept(session).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise RequestError(RESOURCE_NOT_FOUND, "Resource not found") from error
        self.folders[session] = Path(params["cwd"])
        for prompt in self.prompts[session]:
            await self.client.update(session, chunk("user_message_chunk", prompt))
            await self.say(session, "as I said then")
        return self.modes()

    async def set_session_mode(self, params: Params) -> dict[str, Any]:
        await self.meet("session/set_mode")
        self.mode = params["modeId"]
        return {}

    async def close_session(self, params: Params) -> dict[str, Any]:
        self.folders.pop(params["sessionId"])
        return {}

    async def cancel(self, params: Params) -> None:
        if self.on_cancel == "ignore":
            return
        self.cancelled.set()
        if self.on_cancel == "late":
            await asyncio.wait(self.prompting)
            await self.say(params["sessionId"], "late words")
            await self.client.update(params["sessionId"], {"sessionUpdate": "tool_call_update", "toolCallId": "late"})

    async def prompt(self, params: Params) -> dict[str, Any]:
        session = params["sessionId"]
        self.prompting = {task for task in [asyncio.current_task()] if task}
        self.cancelled.clear()
        self.on_cancel = ""
        text = "".join(block["text"] for block in params["prompt"] if block["type"] == "text")
        for block in params["prompt"]:
            if block["type"] == "image":
                await self.say(session, f"[{block['mimeType']}, {len(base64.b64decode(block['data']))} bytes]")
        self.prompts[session].append(text)
        if "state" in self.script:
            self.kept(session).write_text(json.dumps(self.prompts[session]), encoding="utf-8")
        doing = asyncio.create_task(self.play(session, self.turn(session, text)))
        stopping = asyncio.create_task(self.cancelled.wait())
        await asyncio.wait([doing, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if doing.done():
            return {"stopReason": doing.result() or "end_turn"}
        doing.cancel()
        return {"stopReason": "cancelled"}

    def turn(self, session: str, text: str) -> list[Step]:
        for line in text.splitlines():
            if line.startswith(MARK_OF_A_SCRIPT):
                return json.loads(line.removeprefix(MARK_OF_A_SCRIPT))
        turns: list[list[Step]] = self.script.get("turns", [[]])
        return turns[min(len(self.prompts[session]), len(turns)) - 1]

    async def play(self, session: str, steps: list[Step]) -> str | None:
        """Do the steps. Returns the reason to stop, if a step says one."""
        for step in steps:
            if reason := await self.do(session, step):
                return reason
        return None

    async def do(self, session: str, step: Step) -> str | None:
        match step:
            case {"stop": str(reason)}:
                return reason
            case {"ask": str()}:
                return await self.ask(session, step)
            case {"hang": True}:
                await asyncio.Event().wait()
            case {"error": str(text)}:
                raise RequestError(step.get("code", INTERNAL_ERROR), text)
            case {"exit": int(code)}:
                os._exit(code)
            case {"kill": int(number)}:
                os.kill(os.getpid(), number)
                await asyncio.Event().wait()
            case {"freeze": True}:
                freeze()
            case _:
                await self.work(session, step)
        return None

    async def work(self, session: str, step: Step) -> None:
        match step:
            case {"write": str(path)}:
                (self.folders[session] / path).write_text(step["text"], encoding="utf-8")
            case {"append": str(path)}:
                with (self.folders[session] / path).open("a", encoding="utf-8") as file:
                    file.write(step["text"])
            case {"run": _}:
                await self.say(session, str(start_command(step["run"])))
            case {"stderr": str(text)}:
                write_errors(text, step.get("times", 1))
            case {"on_cancel": str(how)}:
                self.on_cancel = how
            case _:
                await self.send(session, step)

    async def send(self, session: str, step: Step) -> None:
        match step:
            case {"say": str(text)}:
                await self.say(session, text)
            case {"think": str(text)}:
                await self.client.update(session, chunk("agent_thought_chunk", text))
            case {"plan": _}:
                entries = [{"content": entry, "priority": "medium", "status": "pending"} for entry in step["plan"]]
                await self.client.update(session, {"sessionUpdate": "plan", "entries": entries})
            case {"call": str(call)}:
                await self.client.update(session, told("tool_call", call, step))
            case {"update": str(call)}:
                await self.client.update(session, told("tool_call_update", call, step))
            case {"recall": True}:
                await self.say(session, f"{len(self.prompts[session])} prompts, mode {self.mode or 'none'}")
            case {"raw": str(text)}:
                await self.client.line(text.replace("SESSION", session))
            case {"long": int(size)}:
                await self.say(session, "x" * size)
            case {"request": str(method)}:
                await self.request(session, method, step.get("params", {}))
            case _:
                raise ValueError(f"not a step: {step}")

    async def say(self, session: str, text: str) -> None:
        await self.client.update(session, chunk("agent_message_chunk", text))

    async def ask(self, session: str, step: Step) -> str | None:
        kinds = step.get("options", ["allow_always", "allow_once", "reject_once"])
        call = told("tool_call_update", step["ask"], step)
        options = [{"optionId": f"the {kind}", "name": kind, "kind": kind} for kind in kinds]
        params = {"sessionId": session, "toolCall": call, "options": options}
        outcome = (await self.client.request("session/request_permission", params))["outcome"]
        chosen = outcome["optionId"] if outcome["outcome"] == "selected" else "cancelled"
        await self.say(session, chosen)
        return await self.play(session, step.get("yes" if chosen.startswith("the allow") else "no", []))

    async def request(self, session: str, method: str, params: Params) -> None:
        try:
            await self.client.request(method, {"sessionId": session, **params})
        except RequestError as error:
            await self.say(session, f"error {error.code}: {error}")
        else:
            await self.say(session, "granted")

    async def meet(self, method: str) -> None:
        """What the script has for a request of this kind."""
        if method in self.script.get("dies_in", ()):
            os._exit(9)
        if method in self.script.get("hangs_in", ()):
            if "state" in self.script:
                (Path(self.script["state"]) / "hangs").touch()
            await asyncio.Event().wait()
        if method in self.script.get("refuses", ()):
            raise RequestError(INTERNAL_ERROR, f"{method} is refused")

    def modes(self) -> dict[str, Any]:
        offered = self.script.get("modes")
        if not offered:
            return {}
        available = [{"id": mode, "name": mode} for mode in offered]
        return {"modes": {"currentModeId": offered[0], "availableModes": available}}

    def kept(self, session: str) -> Path:
        return Path(self.script["state"]) / f"{session}.json"


def chunk(kind: str, text: str) -> dict[str, Any]:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}}


def told(kind: str, call: str, step: Step) -> dict[str, Any]:
    """A tool call or an update of one, with what the step tells of it and nothing else."""
    names = {"title": "title", "kind": "kind", "status": "status", "input": "rawInput"}
    update: dict[str, Any] = {names[name]: step[name] for name in names if name in step}
    if "path" in step:
        update["locations"] = [{"path": step["path"]}]
    if "text" in step:
        update["content"] = [{"type": "content", "content": {"type": "text", "text": step["text"]}}]
    return {"sessionUpdate": kind, "toolCallId": call, **update}


def start_command(argv: list[str]) -> int:
    # Its output is the agent's own, as tools of agents often have it: it holds the pipe open.
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True).pid


def write_errors(text: str, times: int) -> None:
    for _ in range(times):
        sys.stderr.write(text)
        sys.stderr.flush()


def freeze() -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
