from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.payload import NO_ANSWER, opening
from mulligan.core.roles import BEGINNING, alternating
from mulligan.models.protocols.described_tools import flatten
from mulligan.models.scripted.playback import roles_alternate
from mulligan.models.wire.anthropic_request import alternating as anthropic_messages
from mulligan.models.wire.chat_request import wire_messages
from mulligan.types.messages import (
    Message,
    Metadata,
    Part,
    Role,
    StepStart,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)
from mulligan.types.model_io import AssistantReply, SentCall, SystemText, ToolReply, UserText, WireMessage
from mulligan.types.sentinels import Compacted, ModelFailed

SYSTEM = SystemText("Be good.")
CALL = SentCall("1", "grep", {})
CALLED = AssistantReply("", (CALL,))
RESULT = ToolReply("1", "grep", "a.py")


@pytest.mark.parametrize(
    ("messages", "joined"),
    [
        pytest.param([SYSTEM, UserText("a"), CALLED, RESULT], [SYSTEM, UserText("a"), CALLED, RESULT], id="in turns"),
        pytest.param([UserText("a"), UserText("b")], [UserText("a\n\nb")], id="two questions"),
        pytest.param([UserText("a"), UserText("a")], [UserText("a")], id="the same question again"),
        pytest.param(
            [UserText("a"), CALLED, RESULT, UserText("note")],
            [UserText("a"), CALLED, ToolReply("1", "grep", "a.py\n\nnote")],
            id="a note on a result",
        ),
        pytest.param(
            [UserText("a"), AssistantReply("b"), AssistantReply("c", (CALL,)), RESULT],
            [UserText("a"), AssistantReply("b\n\nc", (CALL,)), RESULT],
            id="a reply in two messages",
        ),
        pytest.param(
            [SYSTEM, AssistantReply("b")], [SYSTEM, UserText(BEGINNING), AssistantReply("b")], id="the model first"
        ),
        pytest.param(
            [SYSTEM, SystemText("c"), UserText("a")],
            [SystemText("Be good.\n\nc"), UserText("a")],
            id="two system texts",
        ),
    ],
)
def test_neighbors_of_one_role_are_joined(messages: list[WireMessage], joined: list[WireMessage]) -> None:
    assert alternating(messages) == tuple(joined)


CALL_PART = ToolCallPart(call_id="1", name="grep", arguments={})
PARTS = st.lists(
    st.sampled_from(
        [
            [StepStart(step=1)],
            [Text(text="Well.")],
            [CALL_PART, ToolResultPart(call_id="1", name="grep", content="x")],
            [CALL_PART],
        ]
    ),
    max_size=5,
).map(lambda groups: tuple(part for group in groups for part in group))


def message(seq: int, role: Role, metadata: Metadata, *parts: Part) -> Message:
    return Message(
        id=str(seq),
        chat_id="c",
        seq=seq,
        role=role,
        status="complete",
        metadata=metadata,
        parts=parts,
        created_at=0,
    )


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """What restores, failed turns, empty replies, sentinels and compactions may leave, ending in a user's message."""
    messages: list[Message] = []

    def add(role: Role, metadata: Metadata, parts: tuple[Part, ...]) -> None:
        messages.append(message(len(messages) + 1, role, metadata, *parts))

    for kind in draw(st.lists(st.sampled_from(["user", "assistant", "failed", "summary", "hidden"]), max_size=12)):
        through = draw(st.integers(0, max(0, len(messages) - 1)))
        match kind:
            case "user":
                add("user", UserMeta(), (Text(text=f"question {len(messages)}"),))
            case "assistant":
                add("assistant", TurnMeta(agent="a", model="m"), draw(PARTS))
            case "failed":
                add("system", ModelFailed(error="down"), ())
            case _:
                how = "summary" if kind == "summary" else "hidden"
                done = Compacted(how=how, tokens_before=9, tokens_after=1, through_seq=through)
                add("system", done, (Text(text="## Goal\nFind it."),) if how == "summary" else ())
    add("user", UserMeta(), (Text(text="and now?"),))
    return messages


@given(history=histories(), note=st.sampled_from(["", "Take another approach."]))
def test_every_history_goes_out_with_roles_in_turns_over_every_wire(history: list[Message], note: str) -> None:
    request = [*opening("Be good.", history), *([UserText(note)] if note else [])]
    assert roles_alternate(wire_messages(request))
    in_text = flatten(request, system="Tools.", render_reply=lambda reply: reply.text or "(calls)")
    assert roles_alternate(wire_messages(in_text))
    roles = [message["role"] for message in anthropic_messages(request[1:])]
    assert all(one != other for one, other in pairwise(roles))


@given(history=histories())
def test_the_newest_question_and_a_note_are_never_lost(history: list[Message]) -> None:
    sent = wire_messages([*opening("Be good.", history), UserText("a note")])
    assert sent[-1]["content"].endswith("and now?\n\na note")


@given(history=histories())
def test_joining_again_changes_nothing(history: list[Message]) -> None:
    once = alternating(opening("Be good.", history))
    assert alternating(once) == once


def test_a_question_after_results_finds_that_the_model_was_stopped() -> None:
    called = (StepStart(step=1), CALL_PART, ToolResultPart(call_id="1", name="grep", content="x"))
    history = [
        message(1, "user", UserMeta(), Text(text="a")),
        message(2, "assistant", TurnMeta(agent="a", model="m"), *called),
        message(3, "user", UserMeta(), Text(text="b")),
    ]
    assert opening("Be good.", history)[-3:] == [
        ToolReply("1", "grep", "x"),
        AssistantReply(NO_ANSWER),
        UserText("b"),
    ]
