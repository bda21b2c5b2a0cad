"""A conversation: read a line, do what it says, until the user quits.

Importing this loads rich and prompt-toolkit.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mulligan.app.images import keep_image_files
from mulligan.app.project_tools import Consent, can_write
from mulligan.app.session import Session
from mulligan.cli.interactive.approval import consent_of
from mulligan.cli.interactive.input_line import COMMANDS, ShellEscape, SlashCommand, ToModel, UnknownCommand, parse_line
from mulligan.cli.interactive.prompt import Completions, Prompt, PromptInterrupted, PromptLeft, quiet_keyboard
from mulligan.cli.interactive.review import review
from mulligan.cli.interactive.slash_commands import CHAT_COMMANDS, SlashCommands
from mulligan.cli.text.safe_text import safe_text
from mulligan.cli.text.sentences import IN_CHAT
from mulligan.cli.views.markdown_blocks import whole_blocks
from mulligan.cli.views.screen import Screen
from mulligan.cli.views.terminal_view import TerminalViewer
from mulligan.core.plans import FOLLOWER
from mulligan.core.transcript import last_exchange, open_question
from mulligan.core.turn_words import question_words
from mulligan.types.agents import AgentSpec
from mulligan.types.errors import MulliganError, StoreError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat

SWEEP_EVERY = 60.0
"""Seconds between two checks for messages that a dead process left behind."""


class Conversation:
    """One user, one terminal, one chat at a time."""

    def __init__(self, session: Session, agent: AgentSpec, chat: Chat | None, screen: Screen) -> None:
        self._session = session
        self._agent = agent
        self._chat = chat
        """None until the first message is sent."""
        self._options: Sequence[str] = ()
        """The options of the model's open question."""
        self._leaving = False
        """Set when told to end during a turn."""
        self._screen = screen

    async def run(self) -> None:
        """Run until the user quits."""
        await self._greet()
        completions = Completions(lambda: self._session.agents, self._custom_commands, self._mentions)
        prompt = Prompt(self._session.settings.home / "chat_history", completions)
        sweeper = asyncio.create_task(self._sweep_now_and_then())
        try:
            await self._read_lines(prompt)
        finally:
            sweeper.cancel()
        if self._chat:
            self._tell(f"The chat is saved. To continue it: mulligan chat --chat {self._chat.id}")

    async def _read_lines(self, prompt: Prompt) -> None:
        warned, default = False, ""
        while not self._leaving:
            try:
                line = await prompt.read(default)
            except PromptLeft:
                return
            except PromptInterrupted:
                if warned:
                    return
                warned = True
                self._tell("press Ctrl-C again or type /quit to quit")
                continue
            warned, default = False, ""
            own = self._custom_commands()
            match parse_line(line, self._options, own):
                case ToModel(text):
                    await self._send(text)
                case ShellEscape(command):
                    await self._run_shell_escape(command)
                case SlashCommand("/quit"):
                    return
                case SlashCommand(name, argument):
                    await self._run_slash_command(name, argument)
                case UnknownCommand(name, nearest):
                    hint = f"did you mean {nearest}?" if nearest else f"there are: {', '.join([*COMMANDS, *own])}"
                    self._tell(f"{name} is not a command; {hint}")
                    default = line

    async def _send(self, text: str, agent: AgentSpec | None = None) -> None:
        await self._run_turn(lambda viewer: self._answer(text, viewer, agent or self._agent))

    async def _answer(self, text: str, viewer: TerminalViewer, agent: AgentSpec) -> TurnEnd:
        try:
            images = await keep_image_files(self._session.store, (), text)
            await self._session.ready(agent, prompt=text, images=images)
        except MulliganError:
            self._tell("Your message is not lost: the up key brings it back.")
            raise
        self._chat = self._chat or await self._session.new_chat(text, self._agent)
        return await self._session.answer(self._chat, text, agent, viewer, self._consent(viewer), images=images)

    async def _run_turn(self, work: Callable[[TerminalViewer], Coroutine[Any, Any, TurnEnd]]) -> None:
        """Show a turn. However it ends, the conversation continues."""
        viewer = TerminalViewer(next_steps=IN_CHAT, screen=self._screen)
        try:
            with quiet_keyboard():
                await self._abortable(work(viewer))
        except MulliganError as error:
            viewer.close()
            self._tell(str(error))
        self._screen.print_gap()
        if viewer.ended:
            self._options = viewer.ended.options
            if viewer.ended.pending and not self._leaving:
                await self._review(viewer)

    async def _run_shell_escape(self, command: str) -> None:
        """Run what the user typed after `!`, and keep its output for the model."""
        from mulligan.app.shell_escapes import ShellEscapeResult, run_shell_escape

        self._chat = chat = self._chat or await self._session.new_chat(f"!{command}", self._agent)
        viewer = TerminalViewer(next_steps=IN_CHAT, screen=self._screen)

        async def run() -> ShellEscapeResult:
            done = await run_shell_escape(self._session, chat, command, viewer, self._consent(viewer).approve)
            self._screen.print_line((safe_text(done.output), "red" if done.failed else ""))
            return done

        try:
            with quiet_keyboard():
                await self._abortable(run())
        except MulliganError as error:
            self._tell(str(error))
        self._screen.print_gap()

    async def _review(self, viewer: TerminalViewer) -> None:
        """Let the user review the pending changes of this chat."""
        if self._chat:
            await review(self._session, self._chat, viewer, 0, interactive=True)
            self._screen.print_gap()

    async def _abortable(self, work: Coroutine[Any, Any, object]) -> None:
        """Ctrl-C, however often, only ends the turn. SIGTERM also ends the conversation."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)

        def leave() -> None:
            self._leaving = True
            task.cancel()

        # They stay until the prompt replaces them: a late Ctrl-C must not end the process.
        loop.add_signal_handler(signal.SIGINT, task.cancel)
        loop.add_signal_handler(signal.SIGTERM, leave)
        with suppress(asyncio.CancelledError):
            await task

    async def _run_slash_command(self, name: str, argument: str | None) -> None:
        match name:
            case "/continue":
                await self._continue_turn()
            case "/compact":
                await self._compact()
            case "/agent":
                await self._change_agent(argument)
            case "/model":
                await self._change_model(argument)
            case "/plan":
                await self._plan(argument)
            case "/changes":
                await self._review(TerminalViewer(next_steps=IN_CHAT, screen=self._screen))
            case "/new":
                self._chat, self._options = None, ()
                self._tell("The next message starts a new chat.")
            case _ if name in CHAT_COMMANDS:
                await self._with_chat(name, argument)
            case _:
                self._help()

    async def _with_chat(self, name: str, argument: str | None) -> None:
        if self._chat is None:
            self._tell(f"{name} needs a chat with at least one turn")
            return
        try:
            self._chat = await SlashCommands(self._session, self._screen).run(name, argument, self._chat)
        except MulliganError as error:
            self._tell(str(error))
        self._screen.print_gap()

    async def _continue_turn(self) -> None:
        chat = self._chat
        if chat is None:
            self._tell("there is nothing to continue: this chat has no turn yet")
        else:
            await self._run_turn(
                lambda viewer: self._session.continue_turn(chat, self._agent, viewer, self._consent(viewer))
            )

    async def _plan(self, goal: str | None) -> None:
        """Plan a goal, or let an agent that writes follow the plan."""
        if goal:
            await self._send(f"/plan {goal}")
            self._tell("To carry it out: /plan. To change it first, say how.")
        elif self._chat is None:
            self._tell("there is no plan yet: /plan GOAL makes one")
        else:
            await self._send("/plan", self._agent if can_write(self._agent) else self._session.agent(FOLLOWER))

    async def _compact(self) -> None:
        if self._chat is None:
            self._tell("there is nothing to compact: this chat has no turn yet")
            return
        self._tell("summing up…")
        try:
            with quiet_keyboard():
                await self._abortable(self._summarize(self._chat))
        except MulliganError as error:
            self._tell(str(error))
        self._screen.print_gap()

    async def _summarize(self, chat: Chat) -> None:
        viewer = TerminalViewer(next_steps=IN_CHAT, screen=self._screen)
        if await self._session.compact(chat, self._agent, viewer) is None:
            self._tell("nothing to gain: the chat is short already")

    async def _change_agent(self, name: str | None) -> None:
        if name is None:
            for agent in self._session.agents.values():
                mark = "*" if agent.name == self._agent.name else " "
                self._tell(f"{mark} {agent.name}: {agent.description}")
            return
        try:
            agent = self._session.agent(name)
            if self._chat:
                await self._session.store.chats.set_agent(self._chat.id, agent.name)
        except MulliganError as error:
            self._tell(str(error))
            return
        self._agent = agent
        self._tell(f"{agent.name} answers from the next message on.")

    async def _change_model(self, name: str | None) -> None:
        self._session.chosen_model = name or self._session.chosen_model
        await self._show_model()

    def _help(self) -> None:
        for name, meaning in (COMMANDS | self._custom_commands()).items():
            self._tell(f"{name:<10} {meaning}")
        self._tell("@src/app.py, @src/app.py:10-40 or @name gives the model a file, lines or a symbol. Tab completes.")
        self._tell("@shot.png, @~/shot.png or @/tmp/shot.png shows an image to a model that accepts them.")
        self._tell("!COMMAND runs a command, and the model sees its output.")
        self._tell("Enter sends. Alt-Enter or Ctrl-J starts a new line. Ctrl-C stops an answer, Ctrl-D quits.")

    def _custom_commands(self) -> dict[str, str]:
        """The user's own commands, each with its description and source."""
        from mulligan.app.custom_commands import custom_commands

        found = custom_commands(self._session, self._project)
        return {f"/{each.name}": f"{each.description} ({each.source})" for each in found.values()}

    async def _mentions(self, begun: str) -> list[str]:
        from mulligan.app.completions import mention_offers

        offers = await mention_offers(self._session.project_tools(self._project), begun)
        return [each.text for each in offers]

    @property
    def _project(self) -> Path:
        return Path(self._chat.project) if self._chat else self._session.settings.project

    async def _greet(self) -> None:
        self._tell(f"Mulligan in {self._project}. /help lists the commands.")
        await self._show_model()
        if self._chat:
            await self._show_last_exchange(self._chat)

    async def _show_last_exchange(self, chat: Chat) -> None:
        """Show the state of the chat: the last exchange, and the model's open question."""
        history = await self._session.store.messages.list(chat.id)
        exchange = last_exchange(history)
        self._tell(f"Continuing chat {chat.id}: {chat.title}")
        if exchange:
            self._screen.print_line((f"> {safe_text(exchange.prompt)}", "bold"))
            for block in whole_blocks(exchange.answer):
                self._screen.print_markdown(block)
            self._tell(exchange.ended)
        asked = open_question(history)
        if asked:
            self._options = asked.options
            self._screen.print_box(question_words(asked.text, asked.options), f"To answer: {IN_CHAT.answer}", "cyan")

    async def _show_model(self) -> None:
        try:
            choice = await self._session.models.choose(self._session.model_name(self._agent))
        except MulliganError as error:
            self._tell(str(error))
            return
        where = "embedded in Mulligan" if choice.kind == "embedded" else f"at {choice.base_url}"
        self._tell(f"{self._agent.name} answers, with {choice.model} {where}")

    def _tell(self, words: str) -> None:
        self._screen.tell(words)

    async def _sweep_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_EVERY)
            try:
                await self._session.store.messages.sweep()
            except StoreError as error:  # the next turn will say so; a failed check is no reason to end the chat
                self._session.log("sweep_failed", error=error)

    def _consent(self, viewer: TerminalViewer) -> Consent:
        return consent_of(viewer, self._session.settings, yes=False, interactive=True)
