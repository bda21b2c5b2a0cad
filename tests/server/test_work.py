"""Work that was begun goes on until it ends, is aborted, or breaks; whatever it is, the next piece can begin."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from mulligan.server.approvals import ApprovalQueue
from mulligan.server.frames.envelopes import ChatChanged, Notice, WorkFailed
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.server.live_work import LiveWork, WorkOutput, current_scope
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.frames import TurnEnd
from mulligan.types.model_io import Usage

CHAT = FrameScope("p1", chat_id="c1")


@dataclass
class Bench:
    hub: FrameHub = field(default_factory=FrameHub)
    logged: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])

    def __post_init__(self) -> None:
        self.work = LiveWork(self.hub, ApprovalQueue(self.hub), self.log)
        self._page = self.hub.subscribe(since=None, epoch=None)

    def log(self, event: str, **fields: Any) -> None:
        self.logged.append((event, fields))

    async def ended(self, key: str = "c1") -> None:
        while self.work.busy(key):
            await self.heard()

    async def heard(self) -> None:
        """Wait for a frame that was not heard before."""
        await self._page.due.wait()
        self._page.take(1000)

    def frames(self, since: int = 0) -> list[str]:
        return [posted.json for posted in self.hub.after(since, 1000) or ()]


@pytest.fixture
async def bench() -> Bench:
    return Bench()


@dataclass
class Held:
    """Work that waits until it is let go, and minds how it ends."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    cancels: int = 0

    async def __call__(self, output: WorkOutput) -> None:
        self.begun.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancels += 1
            output.tell("closing")
            try:
                await self.closing.wait()
            except asyncio.CancelledError:
                self.cancels += 1
            raise
        output.tell("done")


def turn_end() -> TurnEnd:
    return TurnEnd(
        chat_id="c1",
        message_id="m1",
        stop_reason="answered",
        explanation="The model answered.",
        steps=1,
        usage=Usage(),
        repairs={},
        duration_ms=1,
    )


async def test_frames_of_work_are_kept_for_pages_until_it_ends(bench: Bench) -> None:
    held = Held()
    bench.work.begin(CHAT, held)
    await held.begun.wait()
    bench.hub.publish(Notice(text="beside"), CHAT)
    assert [envelope.frame for envelope in bench.hub.live("c1")] == [Notice(text="beside")]
    held.go.set()
    await bench.ended()
    assert bench.hub.live("c1") == ()
    assert '"chat_changed"' in bench.frames()[-1]
    assert '"done"' in bench.frames()[-2]


async def test_one_piece_of_work_at_a_time(bench: Bench) -> None:
    held, other = Held(), Held()
    bench.work.begin(CHAT, held)
    with pytest.raises(ChatBusy, match="a turn is running"):
        bench.work.begin(CHAT, other)
    bench.work.begin(FrameScope("p1", chat_id="c2"), other)
    held.go.set()
    other.go.set()
    await bench.ended()
    await bench.ended("c2")
    bench.work.begin(CHAT, held)
    await bench.ended()


async def test_our_own_words_for_an_error_are_shown(bench: Bench) -> None:
    async def refused(_outlet: WorkOutput) -> None:
        raise ConfigurationError("there is no such model")

    bench.work.begin(CHAT, refused)
    await bench.ended()
    assert WorkFailed(error="there is no such model").model_dump_json() in bench.frames()[0]


async def test_a_fault_of_ours_is_logged_and_told_without_its_details(bench: Bench) -> None:
    async def broken(_outlet: WorkOutput) -> None:
        raise ZeroDivisionError("secret")

    bench.work.begin(CHAT, broken)
    await bench.ended()
    assert "Mulligan itself failed" in bench.frames()[0]
    assert "secret" not in bench.frames()[0]
    assert bench.logged == [("work_failed", {"chat": "c1", "run": None, "error": "ZeroDivisionError('secret')"})]


async def test_an_abort_waits_until_the_work_is_closed(bench: Bench) -> None:
    held = Held()
    bench.work.begin(CHAT, held)
    await held.begun.wait()
    aborting = asyncio.create_task(bench.work.abort("c1"))
    await bench.heard()
    assert not aborting.done()
    held.closing.set()
    assert await aborting is True
    assert not bench.work.busy("c1")


async def test_a_second_abort_does_not_disturb_the_first(bench: Bench) -> None:
    held = Held()
    bench.work.begin(CHAT, held)
    await held.begun.wait()
    both = asyncio.gather(bench.work.abort("c1"), bench.work.abort("c1"))
    await bench.heard()
    await asyncio.sleep(0)
    held.closing.set()
    assert await both == [True, True]
    assert held.cancels == 1


async def test_work_that_is_aborted_before_it_first_runs_leaves_nothing_busy(bench: Bench) -> None:
    held = Held()
    bench.work.begin(CHAT, held)
    assert await bench.work.abort("c1") is True
    assert not held.begun.is_set()
    assert not bench.work.busy("c1")
    assert bench.hub.live("c1") == ()


async def test_an_abort_of_nothing_says_so(bench: Bench) -> None:
    assert await bench.work.abort("c1") is False


async def test_closing_stops_everything(bench: Bench) -> None:
    held = [Held(), Held()]
    for place, each in zip((CHAT, FrameScope("p1", run_id="r1")), held, strict=True):
        each.closing.set()
        bench.work.begin(place, each)
        await each.begun.wait()
    await bench.work.close()
    assert [each.cancels for each in held] == [1, 1]
    assert not bench.work.busy("c1")
    assert not bench.work.busy("r1")


async def test_nobody_begins_between_the_checks_and_the_beginning(bench: Bench) -> None:
    held = Held()
    async with bench.work.reserved(CHAT) as begin:
        assert bench.work.busy("c1")
        with pytest.raises(ChatBusy):
            bench.work.begin(CHAT, Held())
        with pytest.raises(ChatBusy):
            async with bench.work.reserved(CHAT):
                pass
        begin(held)
    with pytest.raises(ChatBusy):
        bench.work.begin(CHAT, Held())
    held.go.set()
    await bench.ended()


async def test_checks_that_fail_leave_nothing_busy(bench: Bench) -> None:
    with pytest.raises(ConfigurationError, match="no"):
        async with bench.work.reserved(CHAT):
            raise ConfigurationError("no")
    assert not bench.work.busy("c1")


async def test_the_next_turn_waits_for_one_whose_end_was_told(bench: Bench) -> None:
    tidied = asyncio.Event()

    async def tidying(output: WorkOutput) -> None:
        output.emit(turn_end())
        await tidied.wait()

    async def next_turn() -> None:
        async with bench.work.reserved(CHAT) as begin:
            begin(Held(go=tidied))

    bench.work.begin(CHAT, tidying)
    await bench.heard()
    assert (bench.work.shows("c1"), bench.work.busy("c1")) == (False, True)
    beginning = asyncio.create_task(next_turn())
    await asyncio.sleep(0)
    assert not beginning.done()
    tidied.set()
    await beginning
    await bench.ended()
    assert '"done"' in bench.frames()[-2]


async def test_a_turn_of_a_run_does_not_end_the_run(bench: Bench) -> None:
    held = Held()

    async def run(output: WorkOutput) -> None:
        output.emit(turn_end())
        await held(output)

    bench.work.begin(FrameScope("p1", run_id="r1"), run)
    await held.begun.wait()
    assert bench.work.shows("r1")
    held.go.set()
    await bench.ended("r1")


async def test_whoever_helps_can_tell_for_which_chat(bench: Bench) -> None:
    seen: list[FrameScope | None] = []

    async def look() -> None:
        seen.append(current_scope())

    async def work(_outlet: WorkOutput) -> None:
        await asyncio.create_task(look())

    bench.work.begin(CHAT, work)
    await bench.ended()
    await look()
    assert seen == [CHAT, None]
    assert ChatChanged().model_dump_json() in bench.frames()[-1]
