import pytest

from mulligan.core.transcript import LastExchange, how_it_ended, last_exchange, open_question
from mulligan.types.messages import Message, Part, Status, Synthesis, Text, ToolCallPart, TurnMeta, UserMeta
from mulligan.types.sentinels import Aborted
from mulligan.types.tool_calls import Question
from mulligan.types.turns import StopReason


def asked(text: str) -> Message:
    return Message(
        id="u",
        chat_id="c",
        seq=1,
        role="user",
        status="complete",
        metadata=UserMeta(),
        parts=(Text(text=text),),
        created_at=0,
    )


def replied(*parts: Part, reason: StopReason | None = "answered", status: Status = "complete") -> Message:
    meta = TurnMeta(agent="default", model="qwen", stop_reason=reason)
    return Message(
        id="a", chat_id="c", seq=2, role="assistant", status=status, metadata=meta, parts=parts, created_at=0
    )


STOPPED = Message(id="s", chat_id="c", seq=3, role="system", status="complete", metadata=Aborted(), created_at=0)
CALL = ToolCallPart(call_id="1", name="ask_user", arguments={"question": "Which?", "options": ["red", "blue"]})


def test_the_last_exchange_is_the_last_message_and_the_last_words() -> None:
    history = [asked("one"), replied(Text(text="1")), asked("two"), replied(Text(text="hm"), Text(text="2")), STOPPED]
    assert last_exchange(history) == LastExchange("two", "2", "answered")


def test_a_chat_without_a_turn_has_no_exchange() -> None:
    assert last_exchange([]) is None


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        pytest.param(None, "no turn yet", id="nothing"),
        pytest.param(replied(reason="doom_loop"), "stopped: going in circles", id="a guard"),
        pytest.param(replied(reason=None, status="streaming"), "being answered", id="under way"),
        pytest.param(replied(reason=None, status="failed"), "interrupted", id="swept"),
    ],
)
def test_how_a_turn_ended_is_said_in_words(reply: Message | None, words: str) -> None:
    assert how_it_ended(reply) == words


def test_a_paused_turn_has_an_open_question() -> None:
    assert open_question([asked("x"), replied(CALL, reason="paused")]) == Question("Which?", ("red", "blue"))


def test_a_question_that_was_answered_is_not_open() -> None:
    assert open_question([asked("x"), replied(CALL, reason="paused"), asked("2"), replied(Text(text="ok"))]) is None


def synthesis(*parts: Part, status: Status = "complete") -> Message:
    meta = TurnMeta(agent="default", model="qwen", stop_reason="synthesized", parent_message_id="a")
    return replied(*parts, status=status).model_copy(update={"id": "b", "seq": 3, "metadata": meta})


def test_a_synthesis_is_the_answer_as_a_whole() -> None:
    parts = (Text(text="A shop."), Synthesis(tool="get_codebase_overview"), Text(text="\n\nNot read: `b.py`."))
    history = [asked("what?"), replied(Text(text="hm"), reason="synthesized"), synthesis(*parts)]
    assert last_exchange(history) == LastExchange("what?", "A shop.\n\nNot read: `b.py`.", "answered from the files")


def test_a_synthesis_that_failed_leaves_the_turns_own_answer() -> None:
    history = [asked("what?"), replied(Text(text="A shop.")), synthesis(status="failed")]
    assert last_exchange(history) == LastExchange("what?", "A shop.", "answered")
