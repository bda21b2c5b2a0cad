import asyncio
from collections.abc import AsyncGenerator

import pytest

from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.models.scripted.server import serve_script
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.models.wire.retrying import RetryingModel, backoff_seconds
from mulligan.types.errors import ModelOverloaded, ModelRejected, ReplyCutOff
from mulligan.types.model_io import Finished, ModelEvent, ModelRequest, Retrying, TextDelta, UserText

HELLO = ModelRequest((UserText("hello"),))
FINE = ScriptedReply(text="fine")


class Sleeper:
    """Sleeps no longer than it takes to note for how long."""

    def __init__(self) -> None:
        self.delays: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.delays.append(seconds)


def retrying(*replies: ScriptedReply, sleeper: Sleeper) -> RetryingModel:
    return RetryingModel(ScriptedModel(Script(replies=replies)), sleep=sleeper, backoff=lambda attempt: attempt / 10)


@pytest.mark.parametrize(
    ("failure", "delays"),
    [
        pytest.param(ScriptedReply(status=500), [0.1, 0.2], id="500"),
        pytest.param(ScriptedReply(status=429, headers={"Retry-After": "7"}), [7.0, 7.0], id="429 with Retry-After"),
        pytest.param(
            ScriptedReply(status=429, headers={"Retry-After": "0"}), [0.1, 0.2], id="Retry-After 0 leaves it to us"
        ),
        pytest.param(ScriptedReply(text="a story", chunk_size=2, cut_after=2), [0.1, 0.2], id="stream cut"),
        pytest.param(ScriptedReply(text="a story", finish_reason=None), [0.1, 0.2], id="no finish reason"),
    ],
)
async def test_two_failures_then_a_reply_are_recovered_over_http(failure: ScriptedReply, delays: list[float]) -> None:
    sleeper = Sleeper()
    async with serve_script(Script(replies=(failure, failure, FINE))) as server:
        chat = OpenAIChat(server.base_url, "m")
        model = RetryingModel(chat, sleep=sleeper, backoff=lambda attempt: attempt / 10)
        events = [event async for event in model.stream(HELLO)]
        await chat.aclose()

    tries = [(event.attempt, event.attempts, event.delay) for event in events if isinstance(event, Retrying)]
    assert tries == [(1, 3, delays[0]), (2, 3, delays[1])]
    assert sleeper.delays == delays
    last_retry = max(place for place, event in enumerate(events) if isinstance(event, Retrying))
    assert events[last_retry + 1] == TextDelta("fine")
    assert events[-1] == Finished("stop")


async def test_the_reason_for_a_retry_is_told() -> None:
    model = retrying(ScriptedReply(status=500, body="no memory"), FINE, sleeper=Sleeper())

    retry = await anext(model.stream(HELLO))

    assert isinstance(retry, Retrying)
    assert "no memory" in retry.reason


async def test_the_third_failure_goes_up_and_says_how_often_it_was_tried() -> None:
    sleeper = Sleeper()
    model = retrying(ScriptedReply(status=500, times=3), FINE, sleeper=sleeper)

    with pytest.raises(ModelOverloaded, match=r"scripted error 500.*tried 3 times"):
        [event async for event in model.stream(HELLO)]
    assert len(sleeper.delays) == 2


async def test_a_rejected_request_is_not_sent_again() -> None:
    sleeper = Sleeper()
    model = retrying(ScriptedReply(status=400, body="too long"), FINE, sleeper=sleeper)

    with pytest.raises(ModelRejected) as caught:
        await anext(model.stream(HELLO))
    assert "tried" not in str(caught.value)
    assert sleeper.delays == []


async def test_a_wait_that_is_too_long_is_told_and_not_waited_for() -> None:
    sleeper = Sleeper()
    model = retrying(ScriptedReply(status=429, headers={"Retry-After": "3600"}), FINE, sleeper=sleeper)

    with pytest.raises(ModelOverloaded, match="wait 60 minutes"):
        await anext(model.stream(HELLO))
    assert sleeper.delays == []


async def test_two_minutes_are_not_too_long() -> None:
    sleeper = Sleeper()
    model = retrying(ScriptedReply(status=429, headers={"Retry-After": "120"}), FINE, sleeper=sleeper)

    assert [event async for event in model.stream(HELLO)][-1] == Finished("stop")
    assert sleeper.delays == [120.0]


async def test_one_attempt_means_no_retry() -> None:
    model = RetryingModel(ScriptedModel(Script(replies=(ScriptedReply(text="x", cut_after=0), FINE))), attempts=1)

    with pytest.raises(ReplyCutOff) as caught:
        await anext(model.stream(HELLO))
    assert "tried" not in str(caught.value)


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 0.5), (2, 1.5), (3, 4.5)])
def test_the_wait_grows_with_a_little_jitter(attempt: int, seconds: float) -> None:
    waits = [backoff_seconds(attempt) for _ in range(50)]

    assert all(0.9 * seconds <= wait <= 1.1 * seconds for wait in waits)
    assert len(set(waits)) > 1


class Watched:
    """A model that notes when its stream is closed."""

    name = "watched"

    def __init__(self) -> None:
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        try:
            yield TextDelta(str(len(request.messages)))
            await asyncio.Event().wait()
        finally:
            self.closed = True


async def test_closing_early_closes_the_stream_inside() -> None:
    inner = Watched()
    events = RetryingModel(inner).stream(HELLO)
    await anext(events)

    await events.aclose()

    assert inner.closed


async def test_cancelling_while_it_waits_ends_it() -> None:
    waiting = asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    script = ScriptedModel(Script(replies=(ScriptedReply(status=500), FINE)))

    async def read() -> list[ModelEvent]:
        return [event async for event in RetryingModel(script, sleep=sleep).stream(HELLO)]

    reading = asyncio.create_task(read())
    await waiting.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert len(script.requests) == 1


def test_the_name_is_that_of_the_model_inside() -> None:
    assert RetryingModel(ScriptedModel(Script(replies=(), model="tiny"))).name == "tiny"


async def test_an_error_that_is_no_model_error_passes_through() -> None:
    class Broken(Watched):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
            yield TextDelta("x")
            raise LookupError(request)

    model = RetryingModel(Broken())

    with pytest.raises(LookupError):
        [event async for event in model.stream(HELLO)]
