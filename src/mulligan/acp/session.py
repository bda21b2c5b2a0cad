"""One conversation with an editor: prompts, one at a time, and what streams back. Imports the SDK."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from acp.helpers import text_block, tool_content, update_current_mode
from acp.interfaces import Client
from acp.schema import (
    ClientCapabilities,
    ConfigOptionUpdate,
    PromptResponse,
    SessionConfigOptionSelect,
    SessionInfoUpdate,
    SessionModeState,
    StopReason,
    ToolCallUpdate,
)

from mulligan.acp.commands import is_for_model, obey
from mulligan.acp.editor import ClientFiles, ClientTerminal
from mulligan.acp.mcp_servers import ask_for_trust
from mulligan.acp.prompts import Block, ReadPrompt, read_prompt
from mulligan.acp.questions import ALWAYS, YES, Questions, command_options, command_words, options
from mulligan.acp.review import review
from mulligan.acp.run_updates import RunUpdates
from mulligan.acp.session_options import AUTOMATIC, MODE, MODEL, MODES, Mode, config_options, mode_state
from mulligan.acp.updates import TurnUpdates, Update
from mulligan.app.images import keep_image
from mulligan.app.project_tools import Consent, can_write
from mulligan.app.session import Session
from mulligan.core.custom_commands import parse_slash_command
from mulligan.core.model_downloads import DownloadOffer, offer_words
from mulligan.types.agents import AgentSpec
from mulligan.types.commands import DENIED, Approval, PolicyVerdict
from mulligan.types.errors import ChatBusy, ConfigurationError, ModelError, MulliganError
from mulligan.types.frames import ChangeMade, Frame, TurnEnd
from mulligan.types.messages import AttachmentInfo, Chat
from mulligan.types.run_frames import RunFrame
from mulligan.types.sandbox import ExtraAccess
from mulligan.types.turns import StopReason as TurnStop
from mulligan.workspace.sandbox.grants import remember, remember_command

EDITING_AGENT, READING_AGENT = "coder", "default"

STOPPED: dict[TurnStop, StopReason] = {"step_cap": "max_turn_requests", "aborted": "cancelled"}
"""How a turn's end is reported; `end_turn` for the rest, where a message has said why."""


@dataclass(frozen=True, slots=True)
class _Shown:
    update: Update


class EditorSession:
    """A session of the protocol. Its id is that of its chat, which is stored with the first message."""

    def __init__(
        self,
        session_id: str,
        session: Session,
        client: Client,
        offered: ClientCapabilities,
        *,
        mode: Mode,
        chat: Chat | None,
    ) -> None:
        self.id = session_id
        self.session = session
        self.mode: Mode = mode
        self.chat = chat
        self.open_options: Sequence[str] = ()
        """The options of the model's open question."""
        self.questions = Questions(client, session_id, self.settle)
        self._client = client
        self._outgoing: asyncio.Queue[Frame | RunFrame | _Shown | str] = asyncio.Queue()
        self._updates: TurnUpdates | RunUpdates = TurnUpdates(self.project)
        self._pump: asyncio.Task[None] | None = None
        self._work: asyncio.Task[StopReason] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._offered_models: Sequence[str] = ()
        self._asked_to_trust: set[str] = set()
        session.editor = ClientFiles(client, session_id, self.project, offered, session.log)
        if offered.terminal:
            session.terminal = ClientTerminal(client, session_id, self._show_terminal)

    @property
    def project(self) -> Path:
        return self.session.settings.project

    def begin(self) -> None:
        """Start sending updates: the client knows the session now."""
        self._pump = self._pump or asyncio.create_task(self._send_updates())

    def say(self, output: Frame | RunFrame | str) -> None:
        """Frames become updates, text a note. It does not block or raise."""
        self._outgoing.put_nowait(output)

    def show(self, update: Update) -> None:
        """Send it unchanged, after everything queued before."""
        self._outgoing.put_nowait(_Shown(update))

    async def settle(self) -> None:
        """Wait until everything has been sent."""
        await self._outgoing.join()

    def agent(self) -> AgentSpec:
        """The agent that answers: the chat's, or the configured one, if that fits the mode. Settings alone can't choose
        an agent that writes: they may be the project's."""
        writes = self.mode != "ask"
        wanted = (self.chat.agent if self.chat else None, None if writes else self.session.settings.agent)
        fitting = (self.session.agents.get(name) for name in wanted if name)
        chosen = next((each for each in fitting if each and can_write(each) == writes), None)
        return chosen or self.session.agent(EDITING_AGENT if writes else READING_AGENT)

    def modes(self) -> SessionModeState:
        return mode_state(self.mode)

    def config_options(self) -> list[SessionConfigOptionSelect]:
        chosen = self.session.chosen_model or self.session.settings.model
        return config_options(self.mode, chosen, self._offered_models)

    def set_option(self, name: str, value: str) -> None:
        """Raises `ConfigurationError` for an unknown option or value."""
        match name:
            case "mode":
                if value not in ("ask", "edit", "fix"):
                    raise ConfigurationError(f"there is no mode {value}: there are {', '.join(MODES)}")
                self.mode = value
            case "model":
                self.session.chosen_model = None if value == AUTOMATIC else value
            case _:
                raise ConfigurationError(f"there is no option {name}: there are {MODE}, {MODEL}")

    def show_options(self) -> None:
        """Tell the client the current options."""
        self.show(update_current_mode(self.mode))
        self._show_config()

    def _show_config(self) -> None:
        self.show(ConfigOptionUpdate(session_update="config_option_update", config_options=list(self.config_options())))

    def look_for_models(self) -> None:
        """Look for models in the background: servers may be slow to answer, or missing."""
        self._looking = asyncio.create_task(self._find_models())

    async def _find_models(self) -> None:
        await self.settle()  # the client should not wait for this import
        try:
            servers = await self.session.models.offered()
        except MulliganError as error:
            self.session.log("models_not_listed", session=self.id, error=error)
            return
        self._offered_models = tuple(name for server in servers for name in server.models)
        if self._offered_models:
            self._show_config()

    async def prompt(self, blocks: Sequence[Block]) -> PromptResponse:
        """Answer one message. Raises `MulliganError`; before the turn starts, nothing is stored."""
        if self._work:
            raise ChatBusy("an earlier prompt of this session is still running: cancel it, or wait until it ends")
        self._updates = TurnUpdates(self.project)
        self._work = asyncio.create_task(self._answer(blocks))
        try:
            reason = await self._work
        except asyncio.CancelledError:
            asking = asyncio.current_task()
            if asking and asking.cancelling():
                raise
            reason = "cancelled"
        finally:
            self._work = None
            await self.settle()
        return PromptResponse(stop_reason=reason)

    def cancel(self) -> None:
        if self._work:
            self._work.cancel()

    async def close(self) -> None:
        """Abort running work, and wait until it is stored."""
        if work := self._work:
            work.cancel()
            await asyncio.wait([work])
        if self._pump:
            await self.settle()
        side_tasks = [task for task in (self._looking, self._pump) if task]
        for task in side_tasks:
            task.cancel()
        await asyncio.gather(*side_tasks, return_exceptions=True)
        await self.session.close()

    async def _answer(self, blocks: Sequence[Block]) -> StopReason:
        given = read_prompt(blocks, self.project, self.session.mask)
        if typed := parse_slash_command(given.words):
            return await (self._turn(given) if is_for_model(self, typed[0]) else obey(self, *typed))
        chosen, self.open_options = self.open_options, ()
        if given.words.isdecimal() and 1 <= int(given.words) <= len(chosen):
            given = replace(given, words=chosen[int(given.words) - 1])
        if self.mode != "fix":
            return await self._turn(given)
        return await self._fix(given)

    async def _turn(self, given: ReadPrompt) -> StopReason:
        agent = self.agent()
        images = await self._kept(given)
        ready_model = await self.session.ready(agent, prompt=given.words, images=images)
        if ready_model.agency == "agent" and self.session.configuration.declares_mcp:
            await ask_for_trust(self.session, self.questions, self._asked_to_trust)
        chat = await self.chat_for(given.words, agent)
        turn = self.session.answer(chat, given.words, agent, self.say, self.consent(), images=images, given=given.given)
        return await self.run_turn(turn)

    async def _kept(self, given: ReadPrompt) -> tuple[AttachmentInfo, ...]:
        return tuple([await keep_image(self.session.store, name, data) for name, data in given.images])

    def consent(self) -> Consent:
        return Consent(approve=self._approve)

    async def run_turn(self, turn: Coroutine[Any, Any, TurnEnd]) -> StopReason:
        """Show a turn, then let the user review its changes. Raises `ModelError` if no model answered."""
        end = await turn
        self.open_options = end.options
        if end.stop_reason == "model_error":
            raise ModelError(end.explanation)
        if end.pending and self.chat:
            await review(self, self.chat)
        return STOPPED.get(end.stop_reason, "end_turn")

    async def chat_for(self, words: str, agent: AgentSpec) -> Chat:
        """The session's chat, stored under the id that the client knows, with the current agent."""
        if self.chat is None:
            self.chat = await self.session.new_chat(words, agent, chat_id=self.id)
            self.show(SessionInfoUpdate(session_update="session_info_update", title=self.chat.title))
        elif self.chat.agent != agent.name:
            await self.session.store.chats.set_agent(self.chat.id, agent.name)
            self.chat = self.chat.model_copy(update={"agent": agent.name})
        return self.chat

    async def _fix(self, given: ReadPrompt) -> StopReason:
        from mulligan.app.fix_requests import FixRequest, start_run
        from mulligan.app.fix_runs import FixRuns

        goal = given.text
        request = FixRequest(goal, "fast", (), images=await self._kept(given))
        started = await start_run(self.session, request)
        self._updates = RunUpdates(self.project)
        await self.chat_for(f"fix: {goal}", self.agent())
        try:
            end = await FixRuns(self.session, self.say, self._approve).carry_out(started, apply=False)
        except asyncio.CancelledError:
            self.say(
                f"Stopped. Nothing in your files has changed. To continue: mulligan fix --resume {started.state.id}"
            )
            raise
        if end.reason == "model_error":
            raise ModelError(end.explanation)
        if end.verdict == "verified" and end.pending and started.state.chat_id:
            await review(self, await self.session.store.chats.find(started.state.chat_id))
        return "end_turn"

    async def _approve(self, command: str, verdict: PolicyVerdict) -> Approval:
        call_id = self._updates.open_call("run_command", "command", command) or f"command-{id(verdict)}"
        call = ToolCallUpdate(
            tool_call_id=call_id,
            title=command,
            kind="execute",
            status="pending",
            content=[tool_content(text_block(command_words(command, verdict)))],
        )
        answer = await self.questions.ask(call, command_options(verdict))
        if answer == ALWAYS:
            self._remember(verdict)
        return Approval(granted=True) if answer in (YES, ALWAYS) else DENIED

    def _show_terminal(self, command: str, terminal_id: str) -> None:
        call_id = self._updates.open_call("run_command", "command", command)
        if call_id:
            self.show(self._updates.in_terminal(call_id, terminal_id))

    def _remember(self, verdict: PolicyVerdict) -> None:
        settings = self.session.settings
        if "network" in verdict.opens:
            remember(settings.home, settings.project, ExtraAccess(network=True))
        elif verdict.rule:
            remember_command(settings.home, settings.project, verdict.rule)

    async def allow_download(self, offer: DownloadOffer) -> bool:
        call = ToolCallUpdate(tool_call_id=f"download-{offer.name}", title=offer_words(offer), kind="fetch")
        return await self.questions.ask(call, options("Download it", "Don't")) == YES

    async def _send_updates(self) -> None:
        while True:
            item = await self._outgoing.get()
            try:
                for update in await self._updates_of(item):
                    await self._client.session_update(self.id, update)
            except ConnectionError:  # the client is gone, and the turn is about to be aborted
                continue
            except Exception as error:  # noqa: BLE001  one update that can't be told must not end all others
                self.session.log("update_failed", session=self.id, error=error)
            finally:
                self._outgoing.task_done()

    async def _updates_of(self, item: "Frame | RunFrame | _Shown | str") -> Sequence[Update]:
        if isinstance(item, str):
            return [self._updates.note(item)]
        if isinstance(item, _Shown):
            return [item.update]
        change = None
        if isinstance(item, ChangeMade):
            change = await self.session.store.changes.find(str(self.project), item.change_id)
        return self._updates.of(item, change)
