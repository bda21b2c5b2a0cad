"""Under a constrained protocol a guard acts on the schema: what was called again in vain is not offered next."""

import json

from mulligan.models.protocols.adaptive import AdaptiveModel
from mulligan.models.scripted.model import ScriptedModel, ScriptedReply
from mulligan.types.profiles import ModelProfile
from tests.loop.turn_bench import Bench, script


def constrained(model: ScriptedModel) -> AdaptiveModel:
    profile = ModelProfile(server="s", model="m", native_tools=False, json_schema=True)
    return AdaptiveModel(model, profile, wanted=None, learn=lambda _profile: None)


def calling(path: str) -> ScriptedReply:
    return ScriptedReply(text=json.dumps({"tool": "view_file", "arguments": {"path": path}}))


ANSWER = ScriptedReply(text=json.dumps({"tool": "answer", "text": "Here."}))


async def test_a_tool_that_was_called_again_in_vain_is_left_out_of_the_next_schema_alone(bench: Bench) -> None:
    model = script(
        calling("a.py"), calling("a.py"), ScriptedReply(text='{"tool": "list_dir", "arguments": {}}'), ANSWER
    )
    end = await bench.start(bench.plan(constrained(model)))
    offered = ["view_file" in json.dumps(request.schema) for request in model.requests]
    assert end.stop_reason == "answered"
    assert offered == [True, True, False, True]


async def test_masking_leaves_the_beginning_of_the_request_as_it_was(bench: Bench) -> None:
    model = script(calling("a.py"), calling("a.py"), ANSWER)
    await bench.start(bench.plan(constrained(model)))
    for before, after in zip(model.requests, model.requests[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
