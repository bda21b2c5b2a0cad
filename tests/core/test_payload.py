from mulligan.core.payload import LOST_RESULT, opening
from mulligan.types.messages import (
    Message,
    Metadata,
    Part,
    Reasoning,
    Role,
    StepStart,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)
from mulligan.types.model_io import AssistantReply, SentCall, SystemText, ToolReply, UserText
from mulligan.types.sentinels import DoomLoop

TURN = TurnMeta(agent="default", model="m")
CALL = ToolCallPart(call_id="1", name="grep", arguments={"pattern": "x"}, repairs=("trailing_comma",))
RESULT = ToolResultPart(call_id="1", name="grep", content="a.py:1: x")


def message(role: Role, metadata: Metadata, *parts: Part) -> Message:
    return Message(
        id="i", chat_id="c", seq=1, role=role, status="complete", metadata=metadata, parts=parts, created_at=0
    )


def user(text: str) -> Message:
    return message("user", UserMeta(), Text(text=text))


def test_a_turn_is_unfolded_into_what_was_said_called_and_found() -> None:
    history = [
        user("where?"),
        message(
            "assistant",
            TURN,
            StepStart(step=1),
            Text(text="I look."),
            CALL,
            RESULT,
            StepStart(step=2),
            Text(text="There."),
        ),
        user("sure?"),
    ]
    assert opening("Be good.", history) == [
        SystemText("Be good."),
        UserText("where?"),
        AssistantReply("I look.", (SentCall("1", "grep", {"pattern": "x"}),)),
        ToolReply("1", "grep", "a.py:1: x"),
        AssistantReply("There."),
        UserText("sure?"),
    ]


def test_sentinels_and_reasoning_never_reach_the_model() -> None:
    history = [
        user("where?"),
        message("assistant", TURN, StepStart(step=1), Reasoning(text="secret thought"), Text(text="There.")),
        message("system", DoomLoop(tools=("grep",), cycle=1, count=3)),
    ]
    assert opening("s", history) == [SystemText("s"), UserText("where?"), AssistantReply("There.")]


def test_a_call_that_lost_its_result_gets_one_that_says_so() -> None:
    history = [user("where?"), message("assistant", TURN, StepStart(step=1), CALL)]
    assert opening("s", history)[-1] == ToolReply("1", "grep", LOST_RESULT)


def test_a_step_in_which_nothing_was_said_leaves_no_trace() -> None:
    history = [user("where?"), message("assistant", TURN, StepStart(step=1), Reasoning(text="hm"))]
    assert opening("s", history) == [SystemText("s"), UserText("where?")]
