import json
from typing import Any

import pytest

from mulligan.models.scripted import script as script_module
from mulligan.models.scripted.script import Script, ScriptedCall, ScriptedReply
from mulligan.types.base import InvalidRecord


def test_the_script_in_the_documentation_is_one() -> None:
    text = script_module.__doc__ or ""
    example = text[text.index("{") : text.rindex("}") + 1]

    assert len(Script.model_validate_json(example).replies) == 3


@pytest.mark.parametrize(
    ("then", "texts"),
    [
        pytest.param("repeat_last", ["a", "b", "b", "b", "b"], id="the last goes on"),
        pytest.param("loop", ["a", "b", "a", "b", "a"], id="from the beginning"),
        pytest.param("fail", ["a", "b", 400, 400, 400], id="refused"),
    ],
)
def test_what_happens_at_the_end_is_chosen(then: Any, texts: list[Any]) -> None:
    script = Script(replies=(ScriptedReply(text="a"), ScriptedReply(text="b")), then=then)

    replies = [script.reply_for(number) for number in range(1, 6)]

    assert [reply.status or reply.text for reply in replies] == texts


def test_a_used_up_script_says_so() -> None:
    assert (
        Script(replies=(ScriptedReply(text="a"),)).reply_for(2).body
        == "the script is used up: 1 replies, and this is request 2"
    )


@pytest.mark.parametrize("then", ["repeat_last", "loop", "fail"])
def test_an_empty_script_refuses_everything(then: Any) -> None:
    assert Script(replies=(), then=then).reply_for(1).status == 400


def test_a_reply_can_be_given_several_times() -> None:
    script = Script(replies=(ScriptedReply(text="a", times=2), ScriptedReply(text="b")))

    assert [script.reply_for(number).text for number in (1, 2, 3)] == ["a", "a", "b"]


def test_the_number_of_the_request_is_filled_in_everywhere() -> None:
    call = ScriptedCall(name="view_file", arguments={"paths": ["a$n.py", {"$n": "line $n\n"}]})
    script = Script(
        replies=(ScriptedReply(text='say "$n"', tool_calls=(call, ScriptedCall(name="x", arguments="{$n"))),),
        then="loop",
    )

    reply = script.reply_for(12).numbered(12)

    assert reply.text == 'say "12"'
    assert reply.tool_calls[0].arguments == {"paths": ["a12.py", {"12": "line 12\n"}]}
    assert reply.tool_calls[1].arguments == "{12"


@pytest.mark.parametrize("text", ["$name", "$n2", "n", "$", "$$N"])
def test_what_only_looks_like_the_number_is_left_alone(text: str) -> None:
    assert ScriptedReply(text=text).numbered(1).text == text


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param({"txt": "a"}, id="a field that is none"),
        pytest.param({"chunk_size": 0}, id="chunks of nothing"),
        pytest.param({"times": 0}, id="no times"),
        pytest.param({"status": 200}, id="an error that is none"),
        pytest.param({"cut_after": 1, "hang": 1}, id="two endings"),
        pytest.param({"calls_as": "xml"}, id="an unknown way to call"),
    ],
)
def test_a_mistake_in_a_script_is_refused(reply: Any) -> None:
    with pytest.raises(InvalidRecord):
        Script.model_validate_json(json.dumps({"replies": [reply]}))
