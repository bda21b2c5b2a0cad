from dataclasses import replace
from itertools import pairwise

import pytest

from mulligan.core.payload import opening
from mulligan.core.tuning import tune
from mulligan.models.known.families import family_of
from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.tuning import Replay
from tests.loop.turn_bench import Bench, calling, script

LOOP = "I will look at the file again. " * 40


def tuned(model: ScriptedModel, name: str) -> AdaptiveModel:
    profile = ModelProfile(server="s", model=name, kind="vllm")
    return AdaptiveModel(model, profile, wanted="native", learn=lambda _: None, tuning=tune(family_of(name), ()))


def thinking(path: str, thought: str) -> ScriptedReply:
    return calling(("view_file", {"path": path}), reasoning=thought)


async def test_a_reply_that_repeats_itself_is_asked_for_again_with_another_sampling(bench: Bench) -> None:
    model = script(LOOP, "In a.py.")
    end = await bench.start(bench.plan(tuned(model, "qwen3-coder:30b")))
    first, second = model.requests
    assert end.stop_reason == "answered"
    assert (first.temperature, first.options["repetition_penalty"]) == (0.7, 1.05)
    assert (second.temperature, second.options["repetition_penalty"]) == (1.0, 1.1)


async def test_thinking_in_circles_is_cut_and_asked_for_again_with_thinking_off(bench: Bench) -> None:
    model = script(ScriptedReply(reasoning=LOOP), "In a.py.")
    end = await bench.start(bench.plan(tuned(model, "qwen3:8b")))
    first, second = model.requests
    assert end.stop_reason == "answered"
    assert "chat_template_kwargs" not in first.options
    assert second.options["chat_template_kwargs"] == {"enable_thinking": False}


async def test_an_empty_reply_is_asked_for_again_with_the_same_sampling(bench: Bench) -> None:
    model = script("", "In a.py.")
    await bench.start(bench.plan(tuned(model, "qwen3-coder:30b")))
    first, second = model.requests
    assert (first.temperature, first.options) == (second.temperature, second.options)


def thoughts(request: ModelRequest) -> list[str]:
    return [each.reasoning for each in request.messages if isinstance(each, AssistantReply)]


@pytest.mark.parametrize(
    ("replay", "in_the_turn", "in_the_next"),
    [
        ("none", ["", ""], ["", "", "", ""]),
        ("last", ["first", "second"], ["", "", "", "fourth"]),
        ("all", ["first", "second"], ["first", "second", "", "fourth"]),
    ],
)
async def test_earlier_reasoning_is_sent_back_as_the_profile_says(
    bench: Bench, replay: Replay, in_the_turn: list[str], in_the_next: list[str]
) -> None:
    one = script(thinking("a.py", "first"), thinking("b.py", "second"), "Done.")
    await bench.start(replace(bench.plan(one), replay=replay))
    two = script(thinking("c.py", "fourth"), "Done.")
    await bench.start(replace(bench.plan(two), replay=replay), "and now?")
    assert thoughts(one.requests[-1]) == in_the_turn
    assert thoughts(two.requests[-1]) == in_the_next


@pytest.mark.parametrize("replay", ["none", "last", "all"])
async def test_with_reasoning_too_a_request_only_grows(bench: Bench, replay: Replay) -> None:
    model = script(thinking("a.py", "first"), thinking("b.py", "second"), thinking("c.py", "third"), "Done.")
    await bench.start(replace(bench.plan(model), replay=replay))
    sent = [request.messages for request in model.requests]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(sent))
    rebuilt = opening("Be good.", await bench.messages(), replay)
    assert tuple(rebuilt[: len(sent[-1])]) == sent[-1]


async def test_a_chat_that_sends_all_reasoning_grows_from_turn_to_turn(bench: Bench) -> None:
    one = script(thinking("a.py", "first"), calling(reasoning="why", text="Done."))
    await bench.start(replace(bench.plan(one), replay="all"))
    two = script("Yes.")
    await bench.start(replace(bench.plan(two), replay="all"), "sure?")
    before = one.requests[-1].messages
    assert two.requests[0].messages == (*before, AssistantReply("Done.", (), "why"), UserText("sure?"))
