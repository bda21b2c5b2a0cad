"""What `/undo`, `/diff`, `/context`, `/fork`, `/rename` and `/export` do with the chat under way."""

import asyncio
from pathlib import Path

from mulligan.app.chat_rewinding import first_checkpoint, rewind_messages
from mulligan.app.project_checkpoints import checkpoints_around
from mulligan.app.session import Session
from mulligan.cli.interactive.choice import choose
from mulligan.cli.views.diffs import show_diff
from mulligan.cli.views.screen import Screen
from mulligan.core.context_use import context_use
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat, Message, UserMeta

COMMANDS_OF_A_CHAT = ("/undo", "/diff", "/context", "/fork", "/rename", "/export")


class ChatCommands:
    """They all raise `MulliganError` with words for the person."""

    def __init__(self, session: Session, screen: Screen) -> None:
        self._session = session
        self._store = session.store
        self._screen = screen

    async def carry_out(self, name: str, argument: str | None, chat: Chat) -> Chat:
        """The chat that goes on from here: another one after a fork."""
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
            await rewind_messages(self._store, chat, asked.seq, remembering=False)
            self._screen.tell("The last turn is taken back. It had changed no file.")
            return
        from mulligan.cli.commands.restore import print_plan
        from mulligan.workspace.checkpoints.service import result_words

        checkpoints = await checkpoints_around(self._session, target)
        print_plan(await checkpoints.preview(target), target)
        try:
            agreed = await choose("take it back?", {"y": "yes", "n": "no"}, default="n") == "y"
        except KeyboardInterrupt:
            agreed = False
        if not agreed:
            self._screen.tell("Nothing was done.")
            return
        result = await checkpoints.restore(target, tell=self._screen.tell)
        # What was asked stands before the place that a checkpoint leads back to.
        await rewind_messages(self._store, chat, asked.seq, remembering=False)
        self._screen.tell(result_words(result))
        self._screen.tell("mulligan restore --undo brings the other state back")

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
            raise ConfigurationError("nothing is known of the context yet: the model was not asked, or does not count")
        share = f" of {used.length:,} ({100 * used.tokens // used.length} %)" if used.length else ""
        about = "about " if used.estimated else ""
        self._screen.tell(f"{about}{used.tokens:,} tokens{share}")
        if used.parts is None:
            return
        meanings = {
            "system": "system prompt, instructions of the project included",
            "tools": "descriptions of tools",
            "files": "what tools found",
            "history": "what was said and called",
            "images": "images",
            "reply": "the last reply",
        }
        for name, meaning in meanings.items():
            self._screen.tell(f"{getattr(used.parts, name):>9,}  {meaning}")

    async def _fork(self, chat: Chat) -> Chat:
        made = await self._store.copies.fork(chat.id, title=f"{chat.title} (fork)")
        self._screen.tell(f"You are in a copy now, {made.id}. The chat before it is kept: {chat.id}")
        return made

    async def _rename(self, chat: Chat, name: str | None) -> Chat:
        if not name or not name.strip():
            raise ConfigurationError("the name is missing: /rename NAME")
        await self._store.chats.rename(chat.id, name.strip())
        self._screen.tell(f"The chat is called {name.strip()} now.")
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
    """Whether it began a turn: what a command said did not."""
    return isinstance(message.metadata, UserMeta) and not message.metadata.only_told


def _write_new(file: Path, text: str) -> None:
    with file.open("x", encoding="utf-8", errors="replace") as opened:
        opened.write(text)
