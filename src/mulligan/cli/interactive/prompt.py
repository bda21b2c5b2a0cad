"""The prompt of `mulligan chat`: keys, history, completion. Importing this loads prompt-toolkit."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.key_binding.bindings.completion import display_completions_like_readline
from prompt_toolkit.shortcuts import CompleteStyle

from mulligan.cli.interactive.input_line import COMMANDS
from mulligan.core.attachments import begun_mention


class PromptInterrupted(Exception):
    """Ctrl-C at an empty prompt."""


class PromptLeft(Exception):
    """Ctrl-D."""


@dataclass(frozen=True, slots=True)
class Completions:
    """What Tab offers."""

    agents: Callable[[], Iterable[str]]
    custom_commands: Callable[[], Mapping[str, str]]
    """The user's own commands, each with its description."""
    mentions: Callable[[str], Awaitable[Sequence[str]]]
    """Completions for `@` and the start of a name."""


class Prompt:
    """Reads one message at a time. Enter sends it, Alt-Enter or Ctrl-J starts a new line."""

    def __init__(self, history: Path, completions: Completions) -> None:
        _make_private(history)
        completer = _PromptCompleter(completions)
        self._session: PromptSession[str] = PromptSession(
            "> ",
            multiline=True,
            prompt_continuation="  ",
            history=FileHistory(str(history)),
            completer=completer,
            complete_while_typing=False,
            # The other styles' menu needs empty rows below the prompt.
            complete_style=CompleteStyle.READLINE_LIKE,
            key_bindings=_keys(completer),
        )

    async def read(self, default: str = "") -> str:
        """What the user typed. Raises `PromptInterrupted` or `PromptLeft`."""
        loop = asyncio.get_running_loop()
        # If killed at the prompt, the process must still restore the terminal.
        loop.add_signal_handler(signal.SIGTERM, self._leave)
        try:
            return await self._session.prompt_async(default=default)
        finally:
            loop.remove_signal_handler(signal.SIGTERM)

    def _leave(self) -> None:
        if self._session.app.is_running:
            self._session.app.exit(exception=PromptLeft)


@contextmanager
def quiet_keyboard() -> Generator[None]:
    """Keys typed during a turn wait for the next prompt instead of appearing in the middle of the answer."""
    import termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    quiet = termios.tcgetattr(terminal)
    quiet[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


class _PromptCompleter(Completer):
    """Commands and agents are known immediately. For names after `@` the project is searched first."""

    def __init__(self, completions: Completions) -> None:
        self._completions = completions
        self._mentions: tuple[str, Sequence[str]] = ("", ())
        """The last search, and its results."""

    async def look_up(self, begun: str) -> None:
        self._mentions = (begun, await self._completions.mentions(begun))

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - the signature is prompt-toolkit's
    ) -> Iterable[Completion]:
        text = document.text_before_cursor
        command, space, begun = text.partition(" ")
        mention = begun_mention(text)
        if not space and text.startswith("/"):
            for name, help_ in {**self._completions.custom_commands(), **COMMANDS}.items():
                if name.startswith(text):
                    yield Completion(name, -len(text), display_meta=help_)
        elif command == "/agent":
            for name in self._completions.agents():
                if name.startswith(begun):
                    yield Completion(name, -len(begun))
        elif mention is not None and self._mentions[0] == mention:
            length = len(text) - text.rindex("@")
            for each in self._mentions[1]:
                yield Completion(each, -length)


def _keys(completer: _PromptCompleter) -> KeyBindings:
    keys = KeyBindings()

    @keys.add("tab")
    def _(event: KeyPressEvent) -> Awaitable[None] | None:
        mention = begun_mention(event.current_buffer.document.text_before_cursor)
        if mention is None:
            return display_completions_like_readline(event)
        return look_up(event, mention)

    async def look_up(event: KeyPressEvent, mention: str) -> None:
        await completer.look_up(mention)
        if begun_mention(event.current_buffer.document.text_before_cursor) == mention:
            display_completions_like_readline(event)

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text.strip():
            event.current_buffer.validate_and_handle()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=PromptInterrupted, style="class:aborting")

    @keys.add("c-d")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.delete()
        else:
            event.app.exit(exception=PromptLeft, style="class:exiting")

    return keys


def _make_private(file: Path) -> None:
    """Readable only by the user, since messages may contain secrets."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    file.chmod(0o600)
