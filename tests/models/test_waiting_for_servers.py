"""Servers that read for a long time, telling it or in silence. The time is simulated."""

from typing import Any

import pytest

from mulligan.models.scripted.model import Script, ScriptedReply, ServerStyle
from mulligan.models.scripted.server import serve_script
from mulligan.models.whole_reply import whole_reply
from mulligan.models.wire.openai_chat import OpenAIChat
from mulligan.types.errors import ModelUnreachable
from mulligan.types.model_io import ModelEvent, ModelRequest, PromptProgress, UserText
from mulligan.types.profiles import ModelProfile
from tests.models.simulated_time import run_simulated

HELLO = ModelRequest((UserText("hello, " * 200),))
MINUTE = 60.0


async def heard(
    kind: Any, *replies: ScriptedReply, progress: Any = "taken", times: int = 1, timeout_set: float | None = None
) -> tuple[list[ModelEvent], list[bool]]:
    """The events of all replies, and whether each request asked to be told of progress."""
    style = ServerStyle(kind=kind, progress=progress)
    async with serve_script(Script(replies=replies, then="repeat_last", server_style=style)) as server:
        profile = ModelProfile(server=server.base_url, model="m", kind=kind)
        model = OpenAIChat(server.base_url, "m", known=lambda: profile, first_token_timeout=timeout_set)
        events: list[ModelEvent] = []
        try:
            for _ in range(times):
                await whole_reply(model, HELLO, events.append)
        finally:
            await model.aclose()
        return events, [bool(request.body.get("return_progress")) for request in server.requests]


def test_a_server_that_tells_how_it_reads_may_read_for_twenty_minutes() -> None:
    reply = ScriptedReply(text="Hi.", reading=20 * MINUTE)
    (events, asked), passed = run_simulated(heard("llama.cpp", reply))
    told = [event for event in events if isinstance(event, PromptProgress)]

    assert 20 * MINUTE <= round(passed) < 21 * MINUTE
    assert asked == [True]
    assert [event.processed / event.total for event in told] == pytest.approx([n / 8 for n in range(1, 9)], abs=0.01)
    assert told[3].seconds == 10 * MINUTE


@pytest.mark.parametrize("kind", ["ollama", "vllm", "lmstudio", "openai"])
def test_a_server_that_tells_nothing_may_read_for_five_minutes(kind: str) -> None:
    reply = ScriptedReply(text="Hi.", reading=5 * MINUTE)
    (events, asked), passed = run_simulated(heard(kind, reply))

    assert round(passed) >= 5 * MINUTE
    assert asked == [False]
    assert not any(isinstance(event, PromptProgress) for event in events)


def test_silence_beyond_the_limit_says_what_was_waited_for_and_what_to_set() -> None:
    with pytest.raises(ModelUnreachable) as caught:
        run_simulated(heard("ollama", ScriptedReply(text="Hi.", reading=7 * MINUTE)))

    said = str(caught.value)
    assert "was silent for 360 s, the limit for the first token of the reply to a prompt of about 406 tokens" in said
    assert "set MULLIGAN_FIRST_TOKEN_TIMEOUT" in said


def test_a_server_that_stops_reading_is_not_waited_for() -> None:
    batches = ScriptedReply(reading=1.0, text="never", hang=0)
    with pytest.raises(ModelUnreachable, match="nothing of its reply, for 360 s, the limit for the first token"):
        run_simulated(heard("llama.cpp", batches))


def test_what_the_user_set_counts() -> None:
    reply = ScriptedReply(text="Hi.", reading=8 * MINUTE)
    _, passed = run_simulated(heard("vllm", reply, timeout_set=10 * MINUTE))

    assert round(passed) >= 8 * MINUTE


def test_a_server_that_refuses_to_tell_is_asked_without_from_then_on() -> None:
    (_, asked), _ = run_simulated(heard("llama.cpp", ScriptedReply(text="Hi."), progress="refused", times=2))

    assert asked == [True, False, False]
