"""Questions that work waits for."""

import asyncio

import pytest

from mulligan.server.approvals import ApprovalQueue
from mulligan.server.frames.envelopes import ApprovalAsked, AskSettled
from mulligan.server.frames.hub import FrameHub, FrameScope
from mulligan.types.commands import Approval, PolicyVerdict

VERDICT = PolicyVerdict("ask", "It reaches the network.", frozenset({"network"}))
IN_CHAT = FrameScope("p1", chat_id="c1")
IN_RUN = FrameScope("p1", run_id="r1")


@pytest.fixture
def hub() -> FrameHub:
    hub = FrameHub()
    for place in (IN_CHAT, IN_RUN):
        hub.open_live(place.key)
    return hub


@pytest.fixture
def asks(hub: FrameHub) -> ApprovalQueue:
    return ApprovalQueue(hub)


async def put(asks: ApprovalQueue, place: FrameScope, what: str = "curl example.com") -> "asyncio.Task[Approval]":
    """A question that is open by now."""
    page = asks.hub.subscribe(since=None, epoch=None)
    task = asyncio.create_task(asks.ask(place, what, VERDICT))
    await page.due.wait()
    return task


@pytest.mark.parametrize("granted", [True, False])
async def test_who_asked_gets_the_answer(asks: ApprovalQueue, hub: FrameHub, granted: bool) -> None:
    asking = await put(asks, IN_CHAT)
    (ask,) = asks.open_requests()
    assert (ask.what, ask.reason, ask.chat_id, ask.run_id) == ("curl example.com", VERDICT.reason, "c1", None)
    assert asks.answer(ask.id, granted=granted) == ask
    assert await asking == Approval(granted)
    assert asks.open_requests() == ()
    assert [envelope.frame for envelope in hub.live("c1")] == [
        ApprovalAsked(ask=ask),
        AskSettled(ask_id=ask.id, granted=granted),
    ]


async def test_the_first_answer_counts(asks: ApprovalQueue) -> None:
    asking = await put(asks, IN_CHAT)
    (ask,) = asks.open_requests()
    asks.answer(ask.id, granted=False)
    assert asks.open_requests() == ()
    assert asks.answer(ask.id, granted=True) is None
    assert await asking == Approval(granted=False)
    assert asks.answer(ask.id, granted=True) is None


async def test_an_answer_to_nothing_is_none(asks: ApprovalQueue) -> None:
    assert asks.answer("nonesuch", granted=True) is None


async def test_a_question_ends_with_the_work_that_asked_it(asks: ApprovalQueue, hub: FrameHub) -> None:
    asking = await put(asks, IN_RUN)
    (ask,) = asks.open_requests()
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()
    assert asks.open_requests() == ()
    assert hub.live("r1")[-1].frame == AskSettled(ask_id=ask.id, granted=None)


async def test_questions_are_told_by_chat_and_run(asks: ApprovalQueue) -> None:
    tasks = [await put(asks, IN_CHAT, "a"), await put(asks, IN_RUN, "b")]
    assert [ask.what for ask in asks.open_requests()] == ["a", "b"]
    assert [ask.what for ask in asks.open_requests(chat_id="c1")] == ["a"]
    assert [ask.what for ask in asks.open_requests(run_id="r1")] == ["b"]
    for ask in asks.open_requests():
        asks.answer(ask.id, granted=True)
    assert await asyncio.gather(*tasks) == [Approval(granted=True)] * 2


async def test_a_page_is_told_what_a_screen_would_hide(asks: ApprovalQueue) -> None:
    asking = await put(asks, IN_CHAT, "ls\x1b[8m; touch hidden \u202e")
    (ask,) = asks.open_requests()
    assert ask.what == "ls^[[8m; touch hidden <U+202E>"
    asks.answer(ask.id, granted=False)
    assert not (await asking).granted
