"""An editor for tests: the SDK's client, with buffers and a user who answers, at the other end of `mulligan acp`."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from acp import Client, connect_to_agent
from acp.client.connection import ClientSideConnection
from acp.helpers import text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    CreateTerminalResponse,
    DeniedOutcome,
    FileSystemCapabilities,
    KillTerminalResponse,
    PermissionOption,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    RequestPermissionResponse,
    TerminalOutputResponse,
    ToolCallUpdate,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)
from pydantic import BaseModel

from tests.forked_command import COMMANDS, Forked, start_forked
from tests.patience import PATIENCE

LOADED = (*COMMANDS, "mulligan.acp.agent")
FILES = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True))
NOTHING = ClientCapabilities()
TERMINAL = ClientCapabilities(terminal=True)


@dataclass
class Editor:
    """What an editor shows and does. `answers` are the kinds of options that the user chooses, the last one for ever;
    None closes the question."""

    answers: list[str | None] = field(default_factory=lambda: list[str | None](["allow_once"]))
    buffers: dict[Path, str] = field(default_factory=dict[Path, str])
    """Text that is not saved."""
    updates: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    asked: list[ToolCallUpdate] = field(default_factory=list[ToolCallUpdate])
    offered: list[list[str]] = field(default_factory=list[list[str]])
    written: dict[Path, str] = field(default_factory=dict[Path, str])
    terminals: list[asyncio.subprocess.Process] = field(default_factory=list[asyncio.subprocess.Process])
    released: list[str] = field(default_factory=list[str])
    on_update: Callable[[dict[str, Any]], None] = lambda _: None

    async def session_update(self, update: BaseModel, **_: Any) -> None:
        told = update.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.updates.append(told)
        self.on_update(told)

    async def request_permission(
        self, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        self.asked.append(tool_call)
        self.offered.append([option.name for option in options])
        kind = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if kind == "never":
            await asyncio.Event().wait()
        chosen = next((option.option_id for option in options if option.kind == kind), None)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen))

    async def read_text_file(self, path: str, **_: Any) -> ReadTextFileResponse:
        return ReadTextFileResponse(content=self.buffers.get(Path(path)) or Path(path).read_text())

    async def write_text_file(self, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        self.written[Path(path)] = content
        self.buffers.pop(Path(path), None)
        Path(path).write_text(content)
        return WriteTextFileResponse()

    async def create_terminal(
        self, command: str, args: list[str] | None = None, cwd: str | None = None, **_: Any
    ) -> CreateTerminalResponse:
        process = await asyncio.create_subprocess_exec(
            command, *(args or []), cwd=cwd, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        self.terminals.append(process)
        return CreateTerminalResponse(terminal_id=str(len(self.terminals) - 1))

    async def wait_for_terminal_exit(self, terminal_id: str, **_: Any) -> WaitForTerminalExitResponse:
        return WaitForTerminalExitResponse(exit_code=await self.terminals[int(terminal_id)].wait())

    async def terminal_output(self, terminal_id: str, **_: Any) -> TerminalOutputResponse:
        output, _none = await self.terminals[int(terminal_id)].communicate()
        return TerminalOutputResponse(output=output.decode(), truncated=False)

    async def kill_terminal(self, terminal_id: str, **_: Any) -> KillTerminalResponse:
        self.terminals[int(terminal_id)].kill()
        return KillTerminalResponse()

    async def release_terminal(self, terminal_id: str, **_: Any) -> ReleaseTerminalResponse:
        self.released.append(terminal_id)
        return ReleaseTerminalResponse()

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    @property
    def said(self) -> str:
        return "".join(update["content"]["text"] for update in self.of("agent_message_chunk"))

    def calls(self) -> dict[str, dict[str, Any]]:
        """Each tool call as it stands, by its id."""
        calls: dict[str, dict[str, Any]] = {}
        for update in self.updates:
            if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
                calls.setdefault(update["toolCallId"], {}).update(update)
        return calls


@dataclass
class Talk:
    """An editor and the process that it talks to."""

    editor: Editor
    agent: ClientSideConnection
    process: Forked
    folder: Path
    """Of the project."""
    files: Path
    """Holds the standard error."""
    close_input: Callable[[], None]
    transport: "PipeTransport"
    session: str = ""

    async def open(self, mode: str = "ask", servers: Sequence[Any] = ()) -> None:
        self.session = (await self.agent.new_session(str(self.folder), mcp_servers=list(servers))).session_id
        await self.agent.set_session_mode(session_id=self.session, mode_id=mode)

    async def say(self, *blocks: Any) -> str:
        """The stop reason."""
        given = [text_block(block) if isinstance(block, str) else block for block in blocks]
        async with asyncio.timeout(PATIENCE):
            return (await self.agent.prompt(self.session, given)).stop_reason

    async def ended(self) -> int:
        return await asyncio.wrap_future(self.process.code)

    def interrupt(self) -> None:
        os.kill(self.process.pid.result(PATIENCE), signal.SIGINT)


class PipeTransport:
    """Both pipes of a process, as the SDK's transport. Every line has to be a message."""

    def __init__(self, reader: asyncio.StreamReader, into: int) -> None:
        self._reader = reader
        self.into = into
        self.errors: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any] | None:
        while line := await self._reader.readline():
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0", f"no message on standard output: {line!r}"
            if "error" in message:
                self.errors.append(message)
            if message.get("id", "") is not None:
                return message
        return None

    async def send(self, message: dict[str, Any]) -> None:
        os.write(self.into, json.dumps(message).encode() + b"\n")

    async def close(self) -> None:
        """Whoever opened the pipes closes them."""


@dataclass
class Pipes:
    """`mulligan acp` and the ends of its standard input and output."""

    process: Forked
    reader: asyncio.StreamReader
    into: int
    close_input: Callable[[], None]


@asynccontextmanager
async def piped(*words: str, project: Path, home: Path, files: Path) -> AsyncGenerator[Pipes]:
    """`mulligan acp` with these words. At the end its input is closed, and it has to leave."""
    files.mkdir()
    for name in ("stdin", "stdout"):
        os.mkfifo(files / name)
    process = start_forked(["acp", *words], cwd=project, env=environ(home), files=files, loaded=LOADED)
    into = await asyncio.to_thread(os.open, files / "stdin", os.O_WRONLY)
    out = await asyncio.to_thread((files / "stdout").open, "rb", 0)
    reader = asyncio.StreamReader(limit=2**26)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), out)
    is_open = [True]

    def close_input() -> None:
        if is_open:
            is_open.clear()
            os.close(into)

    try:
        yield Pipes(process, reader, into, close_input)
    finally:
        close_input()
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.wrap_future(process.code)
        finally:
            process.kill()
            transport.close()


@asynccontextmanager
async def talking(
    *words: str,
    project: Path,
    home: Path,
    files: Path,
    offers: ClientCapabilities = FILES,
    editor: Editor | None = None,
) -> AsyncGenerator[Talk]:
    """`mulligan acp` with these words, greeted by an editor."""
    shown = editor or Editor()
    async with piped(*words, project=project, home=home, files=files) as pipes:
        transport = PipeTransport(pipes.reader, pipes.into)
        agent = connect_to_agent(cast("Client", shown), transport, use_unstable_protocol=True)
        try:
            await agent.initialize(1, offers)
            yield Talk(shown, agent, pipes.process, project, files, pipes.close_input, transport)
        finally:
            pipes.close_input()
            with suppress(ConnectionError):
                await agent.close()


def environ(home: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN_")}
    return {**clean, "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no", "MULLIGAN_HOME": str(home)}
