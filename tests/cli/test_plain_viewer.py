import io
from typing import Any

import pytest

from mulligan.cli.views.plain_view import PlainViewer
from mulligan.types.frames import (
    Frame,
    MessageComplete,
    ReplyRetried,
    ReplyTrimmed,
    SentinelRaised,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
    TurnEnd,
)
from mulligan.types.messages import Message
from mulligan.types.model_io import Usage
from mulligan.types.sentinels import CapHit
from mulligan.types.turns import StopReason

CALL = ToolCalled(message_id="m", call_id="1", name="grep", arguments={"pattern": "turn"}, repairs=("trailing_comma",))
RESULT = ToolReturned(message_id="m", call_id="1", name="grep", content="a\nb\nc", duration_ms=7)
RETRY = ReplyRetried(message_id="m", step=1, attempt=1, attempts=3, delay=2.0, reason="The stream broke off.")


def say(text: str) -> TextStreamed:
    return TextStreamed(message_id="m", text=text)


def step(number: int) -> StepStarted:
    return StepStarted(message_id="m", step=number)


def end(reason: StopReason = "answered", **more: Any) -> TurnEnd:
    usual: dict[str, Any] = {
        "steps": 2,
        "usage": Usage(prompt_tokens=1200, completion_tokens=34),
        "repairs": {},
        "duration_ms": 3200,
    }
    return TurnEnd(chat_id="ab12", message_id="m", stop_reason=reason, explanation="", **{**usual, **more})


def shown(*frames: Frame) -> tuple[str, str]:
    """Standard output and standard error."""
    out, notes = io.StringIO(), io.StringIO()
    viewer = PlainViewer(out=out, notes=notes)
    for frame in frames:
        viewer(frame)
    return out.getvalue(), notes.getvalue()


def test_standard_output_gets_the_answer_alone() -> None:
    out, _ = shown(step(1), say("Let me look."), CALL, RESULT, step(2), say("It is "), say("here."), end())
    assert out == "It is here.\n"


def test_a_void_reply_is_not_part_of_the_answer() -> None:
    out, _ = shown(step(1), say("It is he"), RETRY, say("It is there."), end())
    assert out == "It is there.\n"


def test_of_a_trimmed_reply_what_is_kept_is_the_answer() -> None:
    out, _ = shown(step(1), say("Once. Once. Once."), ReplyTrimmed(message_id="m", step=1, text="Once."), end())
    assert out == "Once.\n"


@pytest.mark.parametrize("reason", ["aborted", "model_error", "paused"])
def test_what_was_said_before_an_end_without_an_answer_goes_to_standard_error(reason: StopReason) -> None:
    out, notes = shown(step(1), say("It may be"), end(reason))
    assert out == ""
    assert "It may be\n" in notes


def test_last_words_after_a_guard_stop_are_the_output() -> None:
    out, _ = shown(
        step(1), CALL, RESULT, StepStarted(message_id="m", step=2, wrap_up=True), say("So far."), end("mistakes")
    )
    assert out == "So far.\n"


def test_a_synthesis_beside_the_turns_own_message_is_the_output_once() -> None:
    out, notes = shown(
        step(1),
        say("Let me look."),
        CALL,
        RESULT,
        StepStarted(message_id="beside", step=1),
        TextStreamed(message_id="beside", text="A shop."),
        TextStreamed(message_id="beside", text="\n\nNot read: `b.py`."),
        MessageComplete(message_id="beside", status="complete"),
        MessageComplete(message_id="m", status="complete"),
        end("synthesized"),
    )
    assert out == "A shop.\n\nNot read: `b.py`.\n"
    assert "A shop" not in notes
    assert "answered from the files" in notes


def test_a_synthesis_that_failed_leaves_nothing_in_the_output() -> None:
    out, notes = shown(
        step(1),
        CALL,
        RESULT,
        StepStarted(message_id="beside", step=1),
        TextStreamed(message_id="beside", text="A sh"),
        ReplyTrimmed(message_id="beside", step=1, text=""),
        MessageComplete(message_id="beside", status="failed"),
        step(2),
        say("A shop."),
        end(),
    )
    assert out == "A shop.\n"
    assert "A sh" not in notes


def test_a_call_is_one_line_with_its_outcome() -> None:
    _, notes = shown(step(1), CALL, RESULT, end())
    assert notes.startswith("✓ grep turn · 3 lines · 7 ms · repaired: trailing_comma\n")


def test_a_failed_call_says_how_it_failed() -> None:
    failed = RESULT.model_copy(update={"failure": "exec_error", "content": "there is no such file\nlook elsewhere"})
    _, notes = shown(step(1), CALL, failed, end())
    assert notes.startswith("✗ grep turn · failed: there is no such file · 7 ms")


def test_a_retry_is_noted_with_its_reason() -> None:
    _, notes = shown(step(1), RETRY, say("x"), end())
    assert notes.startswith("↻ attempt 1 of 3 failed, asking again in 2.0 s: The stream broke off\n")


def test_a_sentinel_is_a_line_with_a_mark() -> None:
    message = Message(
        id="s", chat_id="ab12", seq=3, role="system", status="complete", metadata=CapHit(steps=1), created_at=0.0
    )
    _, notes = shown(SentinelRaised(message=message, text="Used up its 1 step — stopped the turn."), end("step_cap"))
    assert notes.startswith("! Used up its 1 step — stopped the turn.\n")


@pytest.mark.parametrize(
    ("last", "line"),
    [
        pytest.param(
            end(), "2 steps · 1,200 tokens read, 34 written · 3.2 s · answered · --chat ab12\n", id="answered"
        ),
        pytest.param(
            end("step_cap", can_continue=True, usage=Usage(), repairs={"fence": 2}),
            "2 steps · 3.2 s · repaired: fence (2 times) · stopped: steps used up"
            " · to continue: mulligan ask --continue --chat ab12\n",
            id="a guard stop that can go on",
        ),
        pytest.param(
            end("paused", question="Which?", options=("red", "blue"), usage=Usage()),
            "? Which?\n1. red\n2. blue\n2 steps · 3.2 s · paused to ask you"
            ' · to answer: mulligan ask --chat ab12 "your answer"\n',
            id="a question",
        ),
    ],
)
def test_the_closing_line_says_how_it_ended_and_how_to_go_on(last: TurnEnd, line: str) -> None:
    assert shown(step(1), last)[1] == line


def test_escape_sequences_reach_neither_stream() -> None:
    out, notes = shown(
        step(1), CALL, RESULT.model_copy(update={"content": "\x1b[2Jx"}), step(2), say("\x1b[31mred"), end()
    )
    assert "\x1b" not in out + notes
    assert out == "red\n"


def test_the_answer_comes_out_even_if_nobody_reads_the_notes() -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    out = io.StringIO()
    viewer = PlainViewer(out=out, notes=Gone())
    for frame in (step(1), CALL, RESULT, step(2), say("Here."), end()):
        viewer(frame)
    assert out.getvalue() == "Here.\n"
