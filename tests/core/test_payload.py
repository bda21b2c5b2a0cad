from mulligan.core.context_budget import HIDDEN
from mulligan.core.payload import LOST_RESULT, SUMMARY_BEGINS, SUMMARY_ENDS, opening
from mulligan.types.images import StoredImage
from mulligan.types.messages import (
    AttachmentInfo,
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
from mulligan.types.model_io import AssistantReply, SentCall, SentImage, SystemText, ToolReply, UserText
from mulligan.types.sentinels import Compacted, DoomLoop

TURN = TurnMeta(agent="default", model="m")
CALL = ToolCallPart(call_id="1", name="grep", arguments={"pattern": "x"}, repairs=("trailing_comma",))
RESULT = ToolResultPart(call_id="1", name="grep", content="a.py:1: x")


def message(role: Role, metadata: Metadata, *parts: Part, seq: int = 1, step: int | None = None) -> Message:
    return Message(
        id="i",
        chat_id="c",
        seq=seq,
        role=role,
        status="complete",
        metadata=metadata,
        parts=parts,
        step=step,
        created_at=0,
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


SUMMARY = "## Goal\nFind it.\n\n## Files Read\n- src/a.py\n- src/b.py"
SHOWN = f"{SUMMARY_BEGINS}\n\n{SUMMARY}\n\n{SUMMARY_ENDS}"


def chat() -> list[Message]:
    """Two turns of two steps."""
    steps = (StepStart(step=1), Text(text="I look."), CALL, RESULT, StepStart(step=2), Text(text="There."))
    return [
        message("user", UserMeta(), Text(text="where?"), seq=1),
        message("assistant", TURN, *steps, seq=2),
        message("user", UserMeta(), Text(text="sure?"), seq=3),
        message("assistant", TURN, *steps, seq=4),
    ]


def compaction(how: str, seq: int, step: int | None = None, **more: int) -> Message:
    facts = {"how": how, "tokens_before": 2, "tokens_after": 1, "through_seq": seq, "through_step": step, **more}
    parts = () if how == "hidden" else (Text(text=SUMMARY),)
    return message("system", Compacted.model_validate(facts), *parts, seq=5, step=2)


def test_a_summary_stands_before_the_message_that_follows_what_it_covers() -> None:
    shown = opening("s", [*chat(), compaction("summary", 2, ledger_chars=1000)])
    assert shown[:2] == [SystemText("s"), UserText(f"{SHOWN}\n\nsure?")]
    assert shown[2:] == opening("s", chat()[2:])[2:]


def test_a_turn_that_is_cut_through_keeps_the_message_it_answers() -> None:
    shown = opening("s", [*chat(), compaction("digest", 4, 1, ledger_chars=1000)])
    assert shown == [SystemText("s"), UserText(f"{SHOWN}\n\nsure?"), AssistantReply("There.")]


def test_the_newest_summary_counts() -> None:
    history = [*chat(), compaction("summary", 2, ledger_chars=1000), compaction("summary", 4, 1, ledger_chars=1000)]
    assert opening("s", history) == opening("s", [*chat(), compaction("summary", 4, 1, ledger_chars=1000)])


def test_a_long_ledger_is_shown_as_folders() -> None:
    (_, shown, *_) = opening("s", [*chat(), compaction("summary", 2, ledger_chars=30)])
    assert isinstance(shown, UserText)
    assert "## Files Read\n- src/ (2 files)" in shown.text


def test_hidden_results_are_those_up_to_the_place() -> None:
    long = RESULT.model_copy(update={"content": "x" * 500})
    history = [
        message("user", UserMeta(), Text(text="where?"), seq=1),
        message("assistant", TURN, StepStart(step=1), CALL, long, StepStart(step=2), CALL, long, seq=2),
        compaction("hidden", 2, 1),
    ]
    results = [each.text for each in opening("s", history) if isinstance(each, ToolReply)]
    assert results == [HIDDEN, "x" * 500]


def test_texts_are_cut_only_in_what_was_there_at_the_time() -> None:
    long = RESULT.model_copy(update={"content": "x" * 500})
    steps = [part for number in (1, 2, 3) for part in (StepStart(step=number), CALL, long)]
    history = [
        message("user", UserMeta(), Text(text="y" * 500), seq=1),
        message("assistant", TURN, *steps, seq=2),
        compaction("hidden", 0, 0, step_chars=250, prompt_chars=400),
    ]
    _, prompt, *rest = opening("s", history)
    assert isinstance(prompt, UserText)
    assert "characters left out" in prompt.text
    results = [each.text for each in rest if isinstance(each, ToolReply)]
    assert ["left out" in text for text in results] == [True, True, False]


IMAGE = StoredImage(digest="d", media_type="image/png", width=4, height=3, size=9)
SEEN = UserMeta(
    attached=(AttachmentInfo(name="shot.png", image=IMAGE), AttachmentInfo(name="big.png", problem="too large"))
)


def test_images_stand_with_the_message_they_came_with() -> None:
    shown = opening("s", [message("user", SEEN, Text(text="see?"))])
    assert shown == [SystemText("s"), UserText("see?", (SentImage(IMAGE),))]


def test_a_summary_keeps_as_many_images_as_it_says() -> None:
    first, *rest = chat()
    history = [first.model_copy(update={"metadata": SEEN}), *rest]
    kept = opening("s", [*history, compaction("summary", 2, ledger_chars=1000, images=1)])
    assert kept[1] == UserText(f"{SHOWN}\n\nsure?", (SentImage(IMAGE),))
    left_out = opening("s", [*history, compaction("summary", 2, ledger_chars=1000)])
    assert left_out[1] == UserText(f"{SHOWN}\n\nsure?")


def test_a_message_that_a_cut_keeps_has_its_images_once() -> None:
    first, second, third, fourth = chat()
    history = [first, second, third.model_copy(update={"metadata": SEEN}), fourth]
    shown = opening("s", [*history, compaction("digest", 4, 1, ledger_chars=1000, images=1)])
    assert shown[1] == UserText(f"{SHOWN}\n\nsure?", (SentImage(IMAGE),))
