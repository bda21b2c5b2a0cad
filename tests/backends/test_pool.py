"""Warm agents: kept for the next turn, closed in time, never while they work."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from mulligan.backends.pool import BackendPool
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import BackendError
from tests.backends.fake_backend import FakeBackend, agent_named

GOOSE, QWEN = agent_named("goose"), agent_named("qwen")
OPENCODE = agent_named("opencode", kind="opencode_server")


@dataclass
class Pool:
    now: float = 0.0
    made: list[tuple[str, str | None, FakeBackend]] = field(default_factory=list[tuple[str, str | None, FakeBackend]])
    log: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])

    def __post_init__(self) -> None:
        self.pool = BackendPool(self.make, log=self.remember, most=3, idle_seconds=100, clock=lambda: self.now)

    def make(self, agent: ExternalAgent, model: str | None) -> FakeBackend:
        backend = FakeBackend()
        self.made.append((agent.name, model, backend))
        return backend

    def remember(self, event: str, **fields: Any) -> None:
        self.log.append((event, fields))

    async def use(self, chat: str, agent: ExternalAgent = GOOSE, model: str | None = None) -> FakeBackend:
        async with self.pool.lease(chat, agent, model) as lease:
            assert isinstance(lease.backend, FakeBackend)
            return lease.backend


@pytest.fixture
def warm() -> Pool:
    return Pool()


async def test_a_chat_keeps_its_agent(warm: Pool) -> None:
    assert await warm.use("a") is await warm.use("a")


@pytest.mark.parametrize(
    ("chat", "agent"),
    [pytest.param("b", GOOSE, id="another chat"), pytest.param("a", QWEN, id="another agent")],
)
async def test_each_chat_and_agent_has_one_of_its_own(warm: Pool, chat: str, agent: ExternalAgent) -> None:
    assert await warm.use("a") is not await warm.use(chat, agent)


async def test_a_server_serves_all_chats_at_once(warm: Pool) -> None:
    async with warm.pool.lease("a", OPENCODE, None) as first, warm.pool.lease("b", OPENCODE, None) as second:
        assert first.backend is second.backend


async def test_a_server_that_other_chats_use_forgets_the_sessions_of_a_chat_that_is_let_go(warm: Pool) -> None:
    server = await warm.use("a", OPENCODE)
    await warm.pool.let_go("a", ["one", "two"])
    assert server.closed == ["one", "two"]
    assert await warm.use("b", OPENCODE) is server


async def test_a_server_at_work_with_another_model_is_left_alone(warm: Pool) -> None:
    async with warm.pool.lease("a", OPENCODE, "small") as first, warm.pool.lease("b", OPENCODE, "large") as second:
        assert first.backend is not second.backend


@pytest.mark.parametrize(
    ("agent", "model"),
    [
        pytest.param(GOOSE, "small", id="another model"),
        pytest.param(agent_named("goose", env={"A": "1"}), None, id="defined anew"),
    ],
)
async def test_one_that_was_started_otherwise_is_replaced(warm: Pool, agent: ExternalAgent, model: str | None) -> None:
    first = await warm.use("a")
    assert await warm.use("a", agent, model) is not first
    assert first.disposed == 1


async def test_one_that_is_idle_for_long_is_closed(warm: Pool) -> None:
    first = await warm.use("a")
    warm.now = 60
    second = await warm.use("b")
    warm.now = 100
    await warm.pool.close_idle()
    assert (first.disposed, second.disposed) == (1, 0)


async def test_time_at_work_is_not_idle(warm: Pool) -> None:
    async with warm.pool.lease("a", GOOSE, None) as lease:
        warm.now = 1000
        await warm.pool.close_idle()
    await warm.pool.close_idle()
    assert await warm.use("a") is lease.backend


async def test_where_room_is_needed_the_least_recently_used_goes(warm: Pool) -> None:
    backends: dict[str, FakeBackend] = {}
    for warm.now, chat in enumerate("abca"):
        backends[chat] = await warm.use(chat)
    await warm.use("d")
    assert {chat: backend.disposed for chat, backend in backends.items()} == {"a": 0, "b": 1, "c": 0}


async def test_a_busy_one_never_makes_room(warm: Pool) -> None:
    async with AsyncExitStack() as stack:
        busy = [await stack.enter_async_context(warm.pool.lease(chat, GOOSE, None)) for chat in "abc"]
        with pytest.raises(BackendError, match="3 agents are already working"):
            await warm.use("d")
        assert [lease.backend.disposed for lease in busy if isinstance(lease.backend, FakeBackend)] == [0, 0, 0]
    await warm.use("d")


async def test_one_more_turn_of_a_kept_agent_needs_no_room(warm: Pool) -> None:
    async with AsyncExitStack() as stack:
        for chat in "abc":
            await stack.enter_async_context(warm.pool.lease(chat, OPENCODE if chat == "a" else GOOSE, None))
        async with warm.pool.lease("d", OPENCODE, None):
            pass


async def test_a_crash_between_turns_is_told_and_another_one_is_made(warm: Pool) -> None:
    first = await warm.use("a")
    first.alive = False
    async with warm.pool.lease("a", GOOSE, None) as lease:
        assert lease.crashed == "ended (SIGKILL)"
        assert lease.backend is not first
    assert [event for event, _ in warm.log] == ["agent_crashed"]
    assert first.disposed == 1


async def test_two_who_find_it_crashed_at_once_share_another_one(warm: Pool) -> None:
    first = await warm.use("a", OPENCODE)
    first.alive = False
    one, other = await asyncio.gather(warm.use("a", OPENCODE), warm.use("b", OPENCODE))
    assert one is other
    assert first.disposed == 1


async def test_a_death_within_a_turn_is_not_told_again(warm: Pool) -> None:
    async with warm.pool.lease("a", GOOSE, None) as first:
        assert isinstance(first.backend, FakeBackend)
        first.backend.alive = False
    async with warm.pool.lease("a", GOOSE, None) as second:
        assert second == first
    assert warm.log == []


async def test_one_that_was_never_used_has_not_crashed(warm: Pool) -> None:
    async with warm.pool.lease("a", GOOSE, None) as lease:
        assert lease.crashed is None


async def test_a_chat_lets_go_of_its_agents_and_of_no_others(warm: Pool) -> None:
    mine, other, server = await warm.use("a"), await warm.use("b"), await warm.use("a", OPENCODE)
    await warm.pool.let_go("a")
    assert (mine.disposed, other.disposed, server.disposed) == (1, 0, 0)


async def test_in_the_end_all_are_ended_even_if_one_resists(warm: Pool) -> None:
    first, second = await warm.use("a"), await warm.use("b")
    first.resists = True
    await warm.pool.dispose_all()
    assert second.disposed == 1
    assert [event for event, _ in warm.log] == ["agent_not_ended"]


async def test_two_that_come_at_once_share_a_new_server(warm: Pool) -> None:
    await asyncio.gather(warm.use("a", OPENCODE), warm.use("b", OPENCODE))
    assert len(warm.made) == 1
