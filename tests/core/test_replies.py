import pytest

from mulligan.core.gathered_reply import GatheredReply
from mulligan.core.repetition import RepeatedText
from mulligan.core.replies import Answer, Calls, Reply, Unusable, read_reply
from mulligan.types.model_io import Retrying, TextDelta, TokenChoices
from mulligan.types.tool_calls import RawCall

CALL = RawCall("1", "grep", "{}")
REPEATED = RepeatedText("again.", 9, "Well, again.")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(Reply(text="Here.", finish_reason="stop"), Answer("Here."), id="text"),
        pytest.param(Reply(calls=(CALL,), finish_reason="tool_calls"), Calls((CALL,), "tool_calls"), id="call"),
        pytest.param(
            Reply(text="I look.", calls=(CALL,), finish_reason="stop"), Calls((CALL,), "stop"), id="text and a call"
        ),
        pytest.param(
            Reply(calls=(CALL,), finish_reason="length"), Calls((CALL,), "length"), id="a cut call is refused later"
        ),
        pytest.param(Reply(finish_reason="stop"), Unusable("empty"), id="nothing"),
        pytest.param(Reply(text=" \n", finish_reason="stop"), Unusable("empty"), id="white space"),
        pytest.param(Reply(reasoning="Hm.", finish_reason="stop"), Unusable("empty"), id="reasoning only"),
        pytest.param(
            Reply(text="Well, aga", finish_reason="length"), Unusable("too_long"), id="cut at the token limit"
        ),
        pytest.param(Reply(text="Let me fix it.", finish_reason="stop"), Unusable("announced"), id="announcement"),
        pytest.param(
            Reply(text="Let me fix it.", calls=(CALL,), finish_reason="stop"), Calls((CALL,), "stop"), id="done at once"
        ),
        pytest.param(Reply(text="x", repeated=REPEATED), Unusable("repeated"), id="repeated itself"),
        pytest.param(Reply(calls=(CALL,), repeated=REPEATED), Unusable("repeated"), id="a call that repeats itself"),
    ],
)
def test_a_reply_is_an_answer_or_calls_or_no_use(reply: Reply, expected: Answer | Calls | Unusable) -> None:
    assert read_reply(reply, tools_offered=True) == expected


def test_calls_where_no_tools_were_offered_are_nothing() -> None:
    assert read_reply(Reply(calls=(CALL,), finish_reason="tool_calls"), tools_offered=False) == Unusable("empty")


def test_calls_where_no_tools_were_offered_do_not_spoil_the_text() -> None:
    reply = Reply(text="Here.", calls=(CALL,), finish_reason="stop")
    assert read_reply(reply, tools_offered=False) == Answer("Here.")


def test_an_announcement_where_no_tools_were_offered_is_the_answer() -> None:
    reply = Reply(text="Let me fix it.", finish_reason="stop")
    assert read_reply(reply, tools_offered=False) == Answer("Let me fix it.")


def test_what_is_kept_of_repeated_text_says_it_once() -> None:
    assert Reply(text="Well, again. again. again.", repeated=REPEATED).worth_keeping() == "Well, again."


def test_text_before_repeated_reasoning_is_kept_whole() -> None:
    assert Reply(text="So it is.", reasoning="Well, again. again.", repeated=REPEATED).worth_keeping() == "So it is."


def test_choices_from_before_a_retry_are_void_like_its_text() -> None:
    gathered = GatheredReply()
    for event in (TextDelta("de"), TokenChoices("de", ()), Retrying(1, 3, 0.0, "cut off"), TextDelta("def")):
        gathered.add(event)
    gathered.add(TokenChoices("def", ((" class", -1.0),)))
    assert (gathered.reply().text, gathered.reply().choices) == ("def", (TokenChoices("def", ((" class", -1.0),)),))
