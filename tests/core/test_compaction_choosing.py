"""What goes when the context is full: old results first, then everything before a cut; and then it fits."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mulligan.core.compaction.choosing import Hide, Summarise, choose
from mulligan.core.compaction.limits import RequestFrame, known_ledger
from mulligan.core.compaction.sections import SECTIONS
from mulligan.core.compaction.summary import write_summary
from mulligan.core.context_budget import HIDDEN, ContextBudget
from mulligan.core.payload import LAST_STEP, Unit, View, compacted, render, shown_units
from mulligan.types.messages import Part, StepStart, Text, ToolCallPart, ToolResultPart
from mulligan.types.model_io import ToolReply, UserText
from mulligan.types.sentinels import Compacted
from mulligan.types.tool_calls import ToolSpec
from tests.examples import examples


def prompt(seq: int, text: str) -> Unit:
    return Unit((seq, 0), (Text(text=text),), prompt=True)


def step(seq: int, number: int, *results: str, text: str = "") -> Unit:
    parts: list[Part] = [StepStart(step=number), Text(text=text)]
    for place, result in enumerate(results):
        call_id = f"{number}-{place}"
        arguments = {"path": f"src/{seq}_{number}_{place}.py"}
        parts.append(ToolCallPart(call_id=call_id, name="view_file", arguments=arguments))
        parts.append(ToolResultPart(call_id=call_id, name="view_file", content=result))
    return Unit((seq, number), tuple(parts), prompt=False)


def turn(seq: int, *sizes: int, question: str = "where is it?") -> list[Unit]:
    """A user's message and steps that read results of these sizes."""
    return [prompt(seq, question), *(step(seq + 1, number, "x" * size) for number, size in enumerate(sizes, 1))]


def frame(context: int, **more: object) -> RequestFrame:
    return RequestFrame("Be good.", (), ContextBudget(context), **more)  # pyright: ignore[reportArgumentType] - a test's short cut


def carried_out(units: list[Unit], view: View, frame: RequestFrame, chosen: Hide | Summarise) -> View:
    """The view afterwards, with the longest summary that is allowed."""
    summary = ""
    if isinstance(chosen, Summarise):
        long = {name: "\n".join(["- something was done"] * 900) for name in SECTIONS}
        summary = write_summary(long, known_ledger(chosen.units, view), chosen.summary_chars)
    seq, number = chosen.through
    done = Compacted(
        how="summary" if summary else "hidden",
        tokens_before=0,
        tokens_after=0,
        through_seq=seq,
        through_step=None if number == LAST_STEP else number,
        ledger_chars=frame.ledger_chars,
        step_chars=chosen.limits.step_chars,
        prompt_chars=chosen.limits.prompt_chars,
    )
    return compacted(view, done, summary, units[-1].position)


def test_what_fits_is_left_alone() -> None:
    assert choose(turn(1, 3000, 3000), View(), frame(4096)) is None


def test_old_results_are_hidden_first_and_the_newest_stay() -> None:
    units = turn(1, *[2800] * 5)
    chosen = choose(units, View(), frame(4096))
    assert isinstance(chosen, Hide)
    assert chosen.through == (2, 4)
    shown = render("s", units, carried_out(units, View(), frame(4096), chosen))
    texts = [message.text for message in shown if isinstance(message, ToolReply)]
    assert texts == [HIDDEN] * 4 + ["x" * 2800]


@pytest.mark.parametrize(
    ("context", "old", "kept", "way"),
    [
        pytest.param(200_000, [70_000] * 9, 2, Hide, id="forty thousand tokens are kept of a large context"),
        pytest.param(8192, [700] * 36, 10, Hide, id="a quarter of a small one"),
    ],
)
def test_so_much_of_the_results_is_kept(context: int, old: list[int], kept: int, way: type[Hide]) -> None:
    units = turn(1, *old)
    chosen = choose(units, View(), frame(context))
    assert isinstance(chosen, way)
    assert chosen.through == (2, len(old) - kept)


def test_hiding_too_little_is_not_worth_it() -> None:
    talk = [step(2, number, text="word " * 500) for number in range(1, 5)]
    units = [prompt(1, "where?"), step(2, 0, "x" * 1500), *talk, step(2, 5, "x" * 3000)]
    assert isinstance(choose(units, View(), frame(4096)), Summarise)


def test_a_summary_stands_for_earlier_turns_before_it_cuts_through_the_last() -> None:
    told = [step(2, 1, text="word " * 2500), prompt(3, "and then?"), step(4, 1, text="short")]
    chosen = choose([prompt(1, "where?"), *told, prompt(5, "and now?")], View(), frame(4096))
    assert isinstance(chosen, Summarise)
    assert chosen.through == (2, LAST_STEP)
    assert chosen.prompt == prompt(5, "and now?")


def test_a_long_turn_is_cut_between_two_steps_and_keeps_its_message() -> None:
    units = [prompt(1, "where is it?"), *(step(2, number, text="word " * 300) for number in range(1, 12))]
    chosen = choose(units, View(), frame(4096))
    assert isinstance(chosen, Summarise)
    seq, number = chosen.through
    assert seq == 2
    assert 5 <= number < 11
    assert shown_units(units, chosen.through) == [units[0], *units[number + 1 :]]


def test_the_newest_step_is_cut_if_it_does_not_fit_by_itself() -> None:
    units = [*turn(1, 500, 500), step(2, 3, *["y" * 2800] * 8)]
    chosen = choose(units, View(), frame(4096))
    assert isinstance(chosen, Summarise)
    assert chosen.through == (2, 2)
    assert chosen.limits.step_chars
    assert chosen.limits.prompt_chars is None


def test_a_message_that_is_longer_than_the_context_is_cut() -> None:
    units = [prompt(1, "please " * 10_000)]
    chosen = choose(units, View(), frame(4096))
    assert isinstance(chosen, Hide)
    (_, shown) = render("s", units, carried_out(units, View(), frame(4096), chosen))
    assert isinstance(shown, UserText)
    assert "characters left out" in shown.text


def test_room_is_left_for_the_reply() -> None:
    units = turn(1, *[2000] * 5)
    assert choose(units, View(), frame(4096)) is None
    assert choose(units, View(), frame(4096, reply_tokens=1500)) is not None


def test_room_is_left_for_a_note() -> None:
    units = turn(1, *[2000] * 5)
    assert choose(units, View(), frame(4096, note="n" * 2000)) is not None


def test_a_user_can_ask_for_it_however_much_room_there_is() -> None:
    units = [*turn(1, 2000, 2000), *turn(3, 2000)]
    chosen = choose(units, View(), frame(200_000), forced=True)
    assert isinstance(chosen, Summarise)
    assert chosen.through == (2, LAST_STEP)


def test_one_message_can_not_be_compacted() -> None:
    assert choose([prompt(1, "where?")], View(), frame(4096), forced=True) is None
    assert choose(turn(1, 2000), View(), frame(4096), forced=True) is None


SIZES = st.lists(st.lists(st.integers(0, 30_000), max_size=4), max_size=12)


# The list of files that were read just fits, and one more file would have made it folders.
@example(
    turns=[(1, [[0] * 3] + [[0] * 4] * n) for n in (2, 4, 4, 4)] + [(1, [*[[0] * 4] * 6, [0, 0, 0, 2337]])],
    context=4096,
)
@settings(max_examples=examples(200), deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 40_000), SIZES), min_size=1, max_size=5),
    st.sampled_from([4096, 8192, 32_768, 200_000, 1_000_000]),
)
def test_after_a_compaction_every_conversation_fits(turns: list[tuple[int, list[list[int]]]], context: int) -> None:
    """Step by step, as a turn goes: each time it is full, one compaction makes it fit."""
    units: list[Unit] = []
    # The tools of an agent that has them all.
    tools = (ToolSpec("view_file", "Read.", {"description": "x" * 6000}),)
    view, around = View(), RequestFrame("Be good.", tools, ContextBudget(context))
    for place, (asked, steps) in enumerate(turns):
        seq = 2 * place + 1
        coming = [prompt(seq, "q" * asked)]
        coming += [step(seq + 1, n, *("r" * size for size in sizes), text="t") for n, sizes in enumerate(steps, 1)]
        for unit in coming:
            units.append(unit)
            chosen = choose(units, view, around)
            if chosen:
                view = carried_out(units, view, around, chosen)
            assert not around.is_full(render("Be good.", units, view))
