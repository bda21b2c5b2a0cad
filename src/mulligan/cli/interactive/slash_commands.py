"""The commands `/undo`, `/diff`, `/context`, `/fork`, `/rename` and `/export` for the current chat."""

import asyncio
from pathlib import Path

from mulligan.app.chat_truncation import first_checkpoint, truncate_chat
from mulligan.app.project_checkpoints import checkpoints_around
from mulligan.app.session import Session
from mulligan.cli.interactive.choice import choose
from mulligan.cli.views.diffs import show_diff
from mulligan.cli.views.screen import Screen
from mulligan.core.context_use import context_use
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat, Message, TurnMeta, UserMeta

CHAT_COMMANDS = ("/undo", "/diff", "/context", "/fork", "/rename", "/export")


class SlashCommands:
    """All commands raise `MulliganError` with a message for the user."""

    def __init__(self, session: Session, screen: Screen) -> None:
        self._session = session
        self._store = session.store
        self._screen = screen

    async def run(self, name: str, argument: str | None, chat: Chat) -> Chat:
        """The chat to continue with: another one after a fork."""
        match name:
            case "/undo":
                await self._undo(chat)
            case "/diff":
                await self._diff(chat)
            case "/context":
                await self._context(chat)
            case "/rename":
                chat = await self._rename(chat, argument)
            case "/export":
                await self._export(chat, argument)
            case _:
                chat = await self._fork(chat)
        return chat

    async def _undo(self, chat: Chat) -> None:
        history = await self._store.messages.list(chat.id)
        asked = next((each for each in reversed(history) if _asks(each)), None)
        if asked is None:
            raise ConfigurationError("there is nothing to undo: this chat has no turn yet")
        target = await first_checkpoint(self._store, chat, asked.seq)
        if target is None:
            await truncate_chat(self._store, chat, asked.seq, remembering=False)
            metas = [each.metadata for each in history if each.seq > asked.seq]
            changed = any(isinstance(meta, TurnMeta) and meta.work and meta.work.files for meta in metas)
            about = (
                "Its changes stay: this chat has no checkpoint from before it."
                if changed
                else "It had changed no file."
            )
            self._screen.tell(f"The last turn is undone. {about}")
            return
        from mulligan.cli.commands.restore import print_plan
        from mulligan.workspace.checkpoints.service import result_words

        checkpoints = await checkpoints_around(self._session, target)
        print_plan(await checkpoints.preview(target), target)
        try:
            agreed = await choose("undo it?", {"y": "yes", "n": "no"}, default="n") == "y"
        except KeyboardInterrupt:
            agreed = False
        if not agreed:
            self._screen.tell("Nothing was done.")
            return
        result = await checkpoints.restore(target, tell=self._screen.tell)
        # The question comes before the message that a checkpoint is anchored to.
        await truncate_chat(self._store, chat, asked.seq, remembering=False)
        self._screen.tell(result_words(result))
        self._screen.tell("mulligan restore --undo undoes this")

    async def _diff(self, chat: Chat) -> None:
        changes = await self._store.changes.list(chat.project, chat_id=chat.id)
        shown = [each for each in changes if each.status == "pending"]
        if not shown:
            applied = [each for each in changes if each.status == "applied"]
            shown = [each for each in applied if each.message_id == applied[-1].message_id]
            self._screen.tell("No change is pending." + (" What was changed last:" if shown else ""))
        for each in shown:
            show_diff(each)

    async def _context(self, chat: Chat) -> None:
        used = context_use(await self._store.messages.list(chat.id))
        if used is None:
            raise ConfigurationError("the context is unknown so far: the model was not asked, or doesn't report tokens")
        share = f" of {used.length:,} ({100 * used.tokens // used.length} %)" if used.length else ""
        about = "about " if used.estimated else ""
        self._screen.tell(f"{about}{used.tokens:,} tokens{share}")
        if used.parts is None:
            return
        meanings = {
            "system": "system prompt, including the project's instructions",
            "tools": "tool descriptions",
            "files": "tool results",
            "history": "messages and calls",
            "images": "images",
            "reply": "the last reply",
        }
        for name, meaning in meanings.items():
            if count := getattr(used.parts, name):
                self._screen.tell(f"{count:>9,}  {meaning}")

    async def _fork(self, chat: Chat) -> Chat:
        made = await self._store.copies.fork(chat.id, title=f"{chat.title} (fork)")
        self._screen.tell(f"You are now in a copy, {made.id}. The original chat is kept: {chat.id}")
        return made

    async def _rename(self, chat: Chat, name: str | None) -> Chat:
        if not name or not name.strip():
            raise ConfigurationError("the name is missing: /rename NAME")
        await self._store.chats.rename(chat.id, name.strip())
        self._screen.tell(f"The chat is now called {name.strip()}.")
        return await self._store.chats.find(chat.id)

    async def _export(self, chat: Chat, name: str | None) -> None:
        from mulligan.app.chat_export import export_of, to_markdown

        file = Path(name or f"chat-{chat.id[:12]}.md")
        export = await export_of(self._store, chat)
        try:
            await asyncio.to_thread(_write_new, file, to_markdown(export))
        except FileExistsError as error:
            raise ConfigurationError(f"{file} exists: name another file, /export FILE") from error
        except OSError as error:
            raise ConfigurationError(f"{file} can't be written: {error.strerror}") from error
        self._screen.tell(f"wrote {file}")


def _asks(message: Message) -> bool:
    """Whether it started a turn: command output did not."""
    return isinstance(message.metadata, UserMeta) and not message.metadata.is_note


def _write_new(file: Path, text: str) -> None:
    with file.open("x", encoding="utf-8", errors="replace") as opened:
        opened.write(text)
