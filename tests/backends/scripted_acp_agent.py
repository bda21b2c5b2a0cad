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
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from acp import Client
    from acp.schema import LoadSessionResponse, NewSessionResponse, PromptResponse

Step = dict[str, Any]

MARK_OF_A_SCRIPT = "script: "
LATE_SECONDS = 0.01
PLAIN_UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"SESSION","update":%s}}'


def main() -> None:
    script = json.loads(Path(os.environ["SCRIPTED_ACP"]).read_text(encoding="utf-8"))
    for step in script.get("start", ()):
        do_before_hello(step)
    asyncio.run(serve(script))


def do_before_hello(step: Step) -> None:
    """No SDK is imported for these: most of them are the end of the process."""
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


async def serve(script: dict[str, Any]) -> None:
    from acp import run_agent, stdio_streams

    reader, writer = await stdio_streams()
    agent: Any = ScriptedAgent(script, writer)  # has what a client of ours may ask for, and no more
    await run_agent(agent, writer, reader, use_unstable_protocol=True)  # which is where closing a session is


class ScriptedAgent:
    """As the SDK calls it."""

    def __init__(self, script: dict[str, Any], output: asyncio.StreamWriter) -> None:
        self.script = script
        self.output = output
        self.client: Client
        self.folders: dict[str, Path] = {}
        self.prompts: dict[str, list[str]] = {}
        self.mode = script.get("modes", [""])[0]
        self.cancelled = asyncio.Event()
        self.on_cancel = ""

    def on_connect(self, conn: "Client") -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> dict[str, Any]:  # noqa: ARG002  the SDK names it
        await self.meet("initialize")
        loads = "state" in self.script
        return {
            "protocolVersion": self.script.get("version", 1),
            "agentCapabilities": {"loadSession": loads, "sessionCapabilities": {"close": {}}},
        }

    async def new_session(self, cwd: str, **_: Any) -> "NewSessionResponse":
        from acp.schema import NewSessionResponse

        await self.meet("session/new")
        session = f"s-{os.getpid()}-{len(self.folders)}"
        self.folders[session], self.prompts[session] = Path(cwd), []
        return NewSessionResponse(session_id=session, modes=self.modes())

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> "LoadSessionResponse":
        from acp import RequestError, update_agent_message_text, update_user_message_text
        from acp.schema import LoadSessionResponse

        await self.meet("session/load")
        try:
            self.prompts[session_id] = json.loads(self.kept(session_id).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise RequestError.resource_not_found(session_id) from error
        self.folders[session_id] = Path(cwd)
        for prompt in self.prompts[session_id]:
            await self.client.session_update(session_id, update_user_message_text(prompt))
            await self.client.session_update(session_id, update_agent_message_text("as I said then"))
        return LoadSessionResponse(modes=self.modes())

    async def set_session_mode(self, mode_id: str, **_: Any) -> None:
        await self.meet("session/set_mode")
        self.mode = mode_id

    async def close_session(self, session_id: str, **_: Any) -> None:
        self.folders.pop(session_id)

    async def cancel(self, session_id: str, **_: Any) -> None:
        if self.on_cancel == "ignore":
            return
        self.cancelled.set()
        if self.on_cancel == "late":
            await asyncio.sleep(LATE_SECONDS)  # the answer is out by now
            await self.say(session_id, "late words")
            await self.raw(session_id, PLAIN_UPDATE % '{"sessionUpdate":"tool_call_update","toolCallId":"late"}')

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> "PromptResponse":
        from acp.schema import PromptResponse

        self.cancelled.clear()
        self.on_cancel = ""
        text = "".join(block.text for block in prompt)
        self.prompts[session_id].append(text)
        if "state" in self.script:
            self.kept(session_id).write_text(json.dumps(self.prompts[session_id]), encoding="utf-8")
        doing = asyncio.create_task(self.play(session_id, self.turn(session_id, text)))
        stopping = asyncio.create_task(self.cancelled.wait())
        await asyncio.wait([doing, stopping], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if not doing.done():
            doing.cancel()
            return PromptResponse(stop_reason="cancelled")
        # Not checked against the protocol: it may be a reason that there is not.
        return PromptResponse.model_construct(stop_reason=doing.result() or "end_turn")

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
                from acp import RequestError

                raise RequestError(step.get("code", -32603), text)
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
        from acp import plan_entry, update_agent_thought_text, update_plan

        match step:
            case {"say": str(text)}:
                await self.say(session, text)
            case {"think": str(text)}:
                await self.client.session_update(session, update_agent_thought_text(text))
            case {"plan": _}:
                await self.client.session_update(session, update_plan([plan_entry(entry) for entry in step["plan"]]))
            case {"call": str(call)}:
                await self.raw(session, PLAIN_UPDATE % json.dumps(told("tool_call", call, step)))
            case {"update": str(call)}:
                await self.raw(session, PLAIN_UPDATE % json.dumps(told("tool_call_update", call, step)))
            case {"recall": True}:
                await self.say(session, f"{len(self.prompts[session])} prompts, mode {self.mode or 'none'}")
            case {"raw": str(text)}:
                await self.raw(session, text)
            case {"long": int(size)}:
                await self.say(session, "x" * size)
            case {"request": str(method)}:
                await self.request(session, method, step.get("params", {}))
            case _:
                raise ValueError(f"not a step: {step}")

    async def say(self, session: str, text: str) -> None:
        from acp import update_agent_message_text

        await self.client.session_update(session, update_agent_message_text(text))

    async def ask(self, session: str, step: Step) -> str | None:
        from acp.schema import PermissionOption, ToolCallUpdate

        kinds = step.get("options", ["allow_always", "allow_once", "reject_once"])
        call = ToolCallUpdate.model_validate(told("tool_call_update", step["ask"], step))
        options = [PermissionOption.model_construct(option_id=f"the {kind}", name=kind, kind=kind) for kind in kinds]
        response = await self.client.request_permission(session, call, options)
        chosen = response.outcome.option_id if response.outcome.outcome == "selected" else "cancelled"
        await self.say(session, chosen)
        return await self.play(session, step.get("yes" if chosen.startswith("the allow") else "no", []))

    async def request(self, session: str, method: str, params: dict[str, Any]) -> None:
        from acp import RequestError

        try:
            # The SDK has no public way for a request that it does not know.
            await self.client._conn.send_request(method, {"sessionId": session, **params})  # type: ignore[attr-defined]
        except RequestError as error:
            await self.say(session, f"error {error.code}: {error}")
        else:
            await self.say(session, "granted")

    async def raw(self, session: str, text: str) -> None:
        self.output.write(text.replace("SESSION", session).encode() + b"\n")
        await self.output.drain()

    async def meet(self, method: str) -> None:
        """What the script has for a request of this kind."""
        from acp import RequestError

        if method in self.script.get("dies_in", ()):
            os._exit(9)
        if method in self.script.get("hangs_in", ()):
            if "state" in self.script:
                (Path(self.script["state"]) / "hangs").touch()
            await asyncio.Event().wait()
        if method in self.script.get("refuses", ()):
            raise RequestError(-32603, f"{method} is refused")

    def modes(self) -> Any:
        offered = self.script.get("modes")
        if not offered:
            return None
        from acp.schema import SessionMode, SessionModeState

        return SessionModeState(
            current_mode_id=offered[0], available_modes=[SessionMode(id=mode, name=mode) for mode in offered]
        )

    def kept(self, session: str) -> Path:
        return Path(self.script["state"]) / f"{session}.json"


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
