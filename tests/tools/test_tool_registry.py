import json
from collections.abc import Mapping

import pytest

from mulligan.ports.tools import Tool
from mulligan.tools.registry import select_tools
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.tool_calls import AwaitsAnswer, Question

NAMES = ["ask_user", "find_files", "grep", "list_dir", "view_file"]


def test_the_tools_are_known_by_the_names_in_their_specs(tools: Mapping[str, Tool]) -> None:
    assert sorted(tools) == NAMES
    assert all(tool.spec.name == name for name, tool in tools.items())


def test_an_agent_gets_its_tools_sorted_and_once(tools: Mapping[str, Tool]) -> None:
    assert [tool.spec.name for tool in select_tools(tools, ["view_file", "grep", "view_file"])] == ["grep", "view_file"]
    assert select_tools(tools, []) == ()


def test_a_tool_that_does_not_exist_is_named_with_those_that_do(tools: Mapping[str, Tool]) -> None:
    with pytest.raises(ConfigurationError, match=r"names edit_file, but the tools are ask_user, .*, view_file"):
        select_tools(tools, ["grep", "edit_file"])


def test_all_specs_together_cost_little(tools: Mapping[str, Tool]) -> None:
    told = [
        {
            "type": "function",
            "function": {
                "name": tool.spec.name,
                "description": tool.spec.description,
                "parameters": tool.spec.parameters,
            },
        }
        for tool in tools.values()
    ]

    assert len(json.dumps(told)) < 2_400


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_objects_that_tell_types_and_nothing_idle(tools: Mapping[str, Tool], name: str) -> None:
    schema = tools[name].spec.parameters

    assert schema["type"] == "object"
    assert all(isinstance(each["type"], str) for each in schema["properties"].values())
    assert not {"title", "default", "anyOf", "$defs", "additionalProperties"} & {
        key for each in (schema, *schema["properties"].values()) for key in each
    }


def test_only_what_has_no_default_is_required(tools: Mapping[str, Tool]) -> None:
    required = {name: tool.spec.parameters.get("required", []) for name, tool in tools.items()}

    assert required == {
        "ask_user": ["question"],
        "find_files": ["pattern"],
        "grep": ["pattern"],
        "list_dir": [],
        "view_file": ["path"],
    }


async def test_asking_the_user_pauses_with_the_question(tools: Mapping[str, Tool]) -> None:
    assert await tools["ask_user"].run({"question": "Which one?", "options": ["a", "b"]}) == AwaitsAnswer(
        Question("Which one?", ("a", "b")),
        content="The question was put to the user; the answer comes with their next message.",
    )


async def test_a_question_may_leave_the_answer_open(tools: Mapping[str, Tool]) -> None:
    outcome = await tools["ask_user"].run({"question": "Why?"})

    assert isinstance(outcome, AwaitsAnswer)
    assert outcome.question == Question("Why?")


async def test_arguments_that_do_not_fit_are_named_one_a_line(tools: Mapping[str, Tool]) -> None:
    with pytest.raises(CallRejected) as rejected:
        await tools["ask_user"].run({"question": "", "options": [1]})

    assert rejected.value.kind == "schema_reject"
    assert str(rejected.value).split("\n") == [
        "The arguments don't fit.",
        "question: String should have at least 1 character",
        "options.0: Input should be a valid string",
    ]
