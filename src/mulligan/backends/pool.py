"""Warm agents: one per chat and agent, kept for the next turn, closed when nobody needs them any more."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from mulligan.ports.backends import AgentBackend
from mulligan.ports.callbacks import Log
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import BackendError

MAX_BACKENDS = 8
"""Most agents at once. One takes up to 900 MB."""
IDLE_SECONDS = 30 * 60.0

MakeBackend = Callable[[ExternalAgent, str | None], AgentBackend]
"""For an agent and the chosen model. Starts nothing yet."""

_ALL_CHATS = ""
Key = tuple[str, str, str]
"""The chat, the agent's name and the model. If one serves all chats there is no chat; if each has its own there is no
model, since a chat's agent with another model replaces the previous one."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An agent, for one turn."""

    backend: AgentBackend
    crashed: str | None
    """How it died since its last turn, if it did. Then this is a new one."""


@dataclass(slots=True)
class _Kept:
    backend: AgentBackend
    agent: ExternalAgent
    model: str | None
    users: int = 0
    used_at: float = 0.0
    was_alive: bool = False
    """Whether it was alive after its last turn. A death during a turn is reported there."""


class BackendPool:
    """Keeps agents between turns. Idle ones are closed after a while, or to make space; a busy one never is."""

    def __init__(
        self,
        make: MakeBackend,
        *,
        log: Log,
        most: int = MAX_BACKENDS,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make = make
        self._log = log
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._kept: dict[Key, _Kept] = {}

    @asynccontextmanager
    async def lease(self, chat_id: str, agent: ExternalAgent, model: str | None) -> AsyncGenerator[Lease]:
        """The chat's agent, busy until this is left. Raises `BackendError` if there is no space for another one."""
        await self.close_idle()
        key = _key(chat_id, agent, model)
        crashed = await self._let_go_if_unfit(key, agent, model)
        kept, surplus = self._taken(key, agent, model)
        try:
            await self._dispose(surplus)
            yield Lease(kept.backend, crashed)
        finally:
            kept.users -= 1
            kept.used_at = self._clock()
            kept.was_alive = False
            with suppress(BackendError):
                kept.was_alive = (await kept.backend.health()).alive

    async def close_idle(self) -> None:
        """Close those that were not used for a while."""
        late = self._clock() - self._idle_seconds
        await self._dispose([key for key, kept in self._kept.items() if not kept.users and kept.used_at <= late])

    async def let_go(self, chat_id: str, sessions: Iterable[str] = ()) -> None:
        """Forget the chat's agents: what they remember no longer matches the chat.

        An agent that serves other chats too stays, and forgets the chat's sessions.
        """
        await self._dispose([key for key in self._kept if key[0] == chat_id])
        shared = [kept.backend for key, kept in self._kept.items() if key[0] == _ALL_CHATS]
        for session in sessions:
            for backend in shared:
                await backend.close_session(session)

    async def dispose_all(self) -> None:
        """End all agents."""
        await self._dispose(list(self._kept))

    async def _let_go_if_unfit(self, key: Key, agent: ExternalAgent, model: str | None) -> str | None:
        """Close an agent that died, or was started with other options. Returns how it died."""
        kept = self._kept.get(key)
        if kept is None or kept.users:
            return None
        if (kept.agent, kept.model) != (agent, model):
            await self._dispose([key])
            return None
        if not kept.was_alive:
            return None
        health = await kept.backend.health()
        if health.alive or kept.users or self._kept.get(key) is not kept:
            return None  # alive, or another task has handled it meanwhile
        self._log("agent_crashed", agent=agent.name, chat=key[0], detail=health.detail)
        await self._dispose([key])
        return health.detail

    def _taken(self, key: Key, agent: ExternalAgent, model: str | None) -> tuple[_Kept, list[Key]]:
        """The kept agent or a new one, busy from now on, and the agents to close for it: the least recently used."""
        kept = self._kept.get(key)
        idle = [each for each, other in self._kept.items() if not other.users]
        idle.sort(key=lambda each: self._kept[each].used_at)
        surplus = 0 if kept else max(0, len(self._kept) + 1 - self._most)
        if surplus > len(idle):
            raise BackendError(f"{self._most} agents are already working: wait until one of them is done")
        if kept is None:
            self._kept[key] = kept = _Kept(self._make(agent, model), agent, model)
        kept.users += 1
        return kept, idle[:surplus]

    async def _dispose(self, keys: list[Key]) -> None:
        """End these agents, even if one fails. They are forgotten first: nobody gets one that is being ended."""
        gone = [self._kept.pop(key) for key in keys]
        ends = await asyncio.gather(*(kept.backend.dispose() for kept in gone), return_exceptions=True)
        for kept, end in zip(gone, ends, strict=True):
            if isinstance(end, BackendError):
                self._log("agent_not_ended", agent=kept.agent.name, error=end)
            elif isinstance(end, BaseException):
                raise end


def _key(chat_id: str, agent: ExternalAgent, model: str | None) -> Key:
    return (_ALL_CHATS, agent.name, model or "") if agent.kind == "opencode_server" else (chat_id, agent.name, "")
