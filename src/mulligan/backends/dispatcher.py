"""One turn at a time per chat, in this process. Across processes the store ensures it."""

from collections.abc import Generator
from contextlib import contextmanager

from mulligan.types.errors import ChatBusy


class Dispatcher:
    """Knows in which chats an agent is working."""

    def __init__(self) -> None:
        self._busy: dict[str, str] = {}

    @contextmanager
    def turn(self, chat_id: str, agent: str) -> Generator[None]:
        """Held for the duration of the turn. Raises `ChatBusy` instead of waiting: agents merge, queue or refuse two
        prompts at once, or end one of them, each in its own way, and the user would not know which."""
        if chat_id in self._busy:
            raise ChatBusy(
                f"chat {chat_id} is being answered by {self._busy[chat_id]}: wait until it is done, or stop it"
            )
        self._busy[chat_id] = agent
        try:
            yield
        finally:
            del self._busy[chat_id]
