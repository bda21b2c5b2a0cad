"""What the probe concludes from what it heard."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.replies import Reply
from mulligan.models.known.exercises import EXERCISES, TOOLS, ExerciseAnswer, agency_for, read_answer
from mulligan.models.known.probe import fits_mood, tool_use
from mulligan.models.known.reply_timing import ReplyTiming
from mulligan.models.known.truncation import (
    FIRST_SIZE,
    MARKER,
    MAX_TRIALS,
    Trial,
    TruncationVerdict,
    affordable,
    cut_length,
    judge,
    longest_whole,
    marked_prompt,
    next_size,
)
from mulligan.models.scripted.model import Script, ScriptedCall, ScriptedModel, ScriptedReply
from mulligan.models.whole_reply import whole_reply
from mulligan.types.model_io import ModelRequest, TextDelta, Usage, UserText
from mulligan.types.tool_calls import RawCall, ToolCall

BY_NAME = {exercise.name: exercise for exercise in EXERCISES}
FOUND = "deploy/local/settings.toml"


def called(name: str, **arguments: Any) -> ExerciseAnswer:
    return ExerciseAnswer((ToolCall("c", name, arguments),))


def heard(text: str = "", *, read: int = 0, **fields: Any) -> Reply:
    return Reply(text=text, usage=Usage(prompt_tokens=read), **fields)


@pytest.mark.parametrize(
    ("name", "answer", "solved"),
    [
        pytest.param("choose a tool", called("grep", pattern="parse_date"), True, id="searches"),
        pytest.param("choose a tool", called("find_files", pattern="parse_date"), False, id="by name instead"),
        pytest.param("choose a tool", ExerciseAnswer(text="grep parse_date"), False, id="only talks"),
        pytest.param(
            "fill its arguments",
            called("view_file", path="src/app.py", start_line=40, end_line=60),
            True,
            id="all arguments",
        ),
        pytest.param("fill its arguments", called("view_file", path="src/app.py"), False, id="without the lines"),
        pytest.param("find first", called("find_files", pattern="**/settings.toml"), True, id="finds"),
        pytest.param("find first", called("grep", pattern="port ="), True, id="or searches"),
        pytest.param("find first", called("view_file", path="settings.toml"), False, id="guesses the path"),
        pytest.param("read what was found", called("view_file", path=FOUND), True, id="reads it"),
        pytest.param("read what was found", called("view_file", path="settings.toml"), False, id="forgets the path"),
        pytest.param("read what was found", called("find_files", pattern="settings.toml"), False, id="finds again"),
        pytest.param("answer when it is known", ExerciseAnswer(text="It is 8421."), True, id="answers"),
        pytest.param("answer when it is known", called("view_file", path=FOUND), False, id="reads again"),
        pytest.param("answer when it is known", ExerciseAnswer(text="It is 8080."), False, id="makes it up"),
        pytest.param("try another way", called("grep", pattern="load_user"), True, id="searches differently"),
        pytest.param("try another way", called("grep", pattern="def load_user"), False, id="repeats the call"),
        pytest.param("try another way", called("grep", pattern="def load_user", path="."), False, id="spelt out"),
        pytest.param("try another way", ExerciseAnswer(text="In user.py."), False, id="gives up"),
    ],
)
def test_an_exercise_is_graded(name: str, answer: ExerciseAnswer, solved: bool) -> None:
    assert BY_NAME[name].solved(answer) is solved


def test_a_broken_call_is_mended_before_it_is_graded() -> None:
    raw = RawCall("c", "Grep", "{'pattern': 'parse_date',}")

    answer = read_answer(Reply(calls=(raw,), finish_reason="tool_calls"))

    assert BY_NAME["choose a tool"].solved(answer)


def test_a_call_that_was_cut_off_counts_for_nothing() -> None:
    raw = RawCall("c", "grep", '{"pattern": "parse_date"}')

    assert read_answer(Reply(calls=(raw,), finish_reason="length")).calls == ()


def test_the_tools_of_the_exercises_are_sorted() -> None:
    assert [tool.name for tool in TOOLS] == sorted(tool.name for tool in TOOLS)


@pytest.mark.parametrize(
    ("failed", "agency"),
    [
        pytest.param((), "agent", id="all solved"),
        pytest.param(("choose a tool",), "agent", id="one missed"),
        pytest.param(("choose a tool", "find first"), "guided", id="two missed"),
        pytest.param(("try another way",), "guided", id="it repeats itself"),
        pytest.param(tuple(BY_NAME), "guided", id="none solved"),
    ],
)
def test_who_drives_follows_from_what_was_missed(failed: tuple[str, ...], agency: str) -> None:
    assert agency_for([BY_NAME[name] for name in failed]) == agency


@pytest.mark.parametrize(
    ("reply", "use"),
    [
        pytest.param(heard(calls=(RawCall("c", "get_weather", "{}"),)), "native", id="native"),
        pytest.param(
            heard('<tool_call>{"name": "get_weather", "arguments": {"city": "Lisbon"}}</tool_call>'), "text", id="text"
        ),
        pytest.param(heard("It is sunny in Lisbon."), "none", id="prose"),
        pytest.param(heard(calls=(RawCall("c", "", "{}"),)), "none", id="a call without a name"),
    ],
)
def test_the_way_of_calling_is_recognised(reply: Reply, use: str) -> None:
    assert tool_use(reply) == use


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ('{"mood": "calm"}', True),
        (' {"mood":"wild"}\n', True),
        ('{"mood": "grey"}', False),
        ('{"mood": "calm", "sea": 1}', False),
        ("The sea is calm.", False),
        ('["calm"]', False),
        ('{"mood": "calm"', False),
    ],
)
def test_only_what_the_schema_allows_shows_that_it_was_forced(text: str, fits: bool) -> None:
    assert fits_mood(text) is fits


@pytest.mark.parametrize(
    ("usage", "first", "last", "reads", "writes"),
    [
        pytest.param(Usage(prompt_tokens=400, completion_tokens=41), 10.0, 14.0, 40.0, 10.0, id="both"),
        pytest.param(
            Usage(prompt_tokens=400, completion_tokens=41, cached_tokens=300), 10.0, 14.0, 10.0, 10.0, id="cached"
        ),
        pytest.param(
            Usage(prompt_tokens=400, completion_tokens=3, cached_tokens=390), 1.0, 2.0, None, None, id="too few"
        ),
        pytest.param(Usage(), 1.0, 2.0, None, None, id="no count"),
        pytest.param(Usage(prompt_tokens=400, completion_tokens=41), None, None, None, None, id="nothing was said"),
        pytest.param(Usage(prompt_tokens=400, completion_tokens=41), 10.0, 10.0, 40.0, None, id="all at once"),
    ],
)
def test_speed_comes_from_counts_and_times(
    usage: Usage, first: float | None, last: float | None, reads: float | None, writes: float | None
) -> None:
    moments = iter([0.0, *(each for each in (first, last) if each is not None)])
    timing = ReplyTiming(lambda: next(moments))
    for _ in [each for each in (first, last) if each is not None]:
        timing.see(TextDelta("word"))

    assert (timing.reading_speed(usage), timing.writing_speed(usage)) == (reads, writes)


async def test_a_reply_is_heard_whole() -> None:
    calls = (ScriptedCall(name="a", arguments={"x": 1}), ScriptedCall(name="b"))
    model = ScriptedModel(
        Script(replies=(ScriptedReply(text="hello", reasoning="hm", tool_calls=calls, chunk_size=2),))
    )
    ticks = iter(range(100))

    timing = ReplyTiming(lambda: next(ticks))
    reply = await whole_reply(model, ModelRequest((UserText("x"),)), timing.see)

    assert (reply.text, reply.reasoning, reply.finish_reason) == ("hello", "hm", "tool_calls")
    assert [(call.name, call.arguments) for call in reply.calls] == [("a", '{"x":1}'), ("b", "{}")]
    assert (timing.started, timing.first) == (0, 1)
    assert timing.last is not None
    assert timing.last > 5


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        pytest.param(heard(f"It is {MARKER}.", read=1000), "whole", id="found"),
        pytest.param(heard(MARKER.upper(), read=1000), "whole", id="in capitals"),
        pytest.param(heard("no idea", read=500), "cut", id="the server read half"),
        pytest.param(heard(MARKER, read=500), "cut", id="the middle was cut"),
        pytest.param(heard("no idea", read=900), "cut", id="a little is missing, the marker with it"),
        pytest.param(heard("no idea", read=1000), "unclear", id="all was read, and forgotten"),
        pytest.param(heard("no idea"), "cut", id="lost, and not counted"),
        pytest.param(heard(MARKER), "whole", id="found, and not counted"),
    ],
)
def test_a_marked_prompt_shows_a_cut(reply: Reply, verdict: TruncationVerdict) -> None:
    assert judge(reply, 1000).verdict == verdict


@pytest.mark.parametrize(
    ("trials", "believed", "size"),
    [
        pytest.param([], None, FIRST_SIZE, id="nothing believed"),
        pytest.param([], 4096, 5324, id="over what is believed"),
        pytest.param([Trial(5324, "whole")], 4096, 10648, id="it takes more"),
        pytest.param([Trial(5324, "cut", 4096)], 4096, None, id="the server's count says where"),
        pytest.param([Trial(5324, "refused")], 4096, None, id="refused as believed"),
        pytest.param([Trial(2400, "whole"), Trial(4800, "refused")], None, 3600, id="in between"),
        pytest.param([Trial(4800, "cut")], None, 2400, id="below"),
        pytest.param([Trial(2400, "whole"), Trial(2800, "cut")], None, None, id="close enough"),
        pytest.param([Trial(2400, "unclear")], None, None, id="no use"),
        pytest.param([Trial(1, "whole")] * MAX_TRIALS, None, None, id="enough requests"),
    ],
)
def test_the_next_size_follows_from_what_was_seen(trials: list[Trial], believed: int | None, size: int | None) -> None:
    assert next_size(trials, believed) == size


@pytest.mark.parametrize(
    ("size", "spent", "speed", "able"),
    [
        pytest.param(4_000, 0, 2_000.0, True, id="a fast machine"),
        pytest.param(9_000, 0, 30.0, False, id="five minutes of reading"),
        pytest.param(1_700, 0, 30.0, True, id="a minute of reading"),
        pytest.param(50_000, 0, 9_999.0, False, id="too many tokens"),
        pytest.param(20_000, 25_000, 9_999.0, False, id="too many in all"),
        pytest.param(2_400, 0, None, True, id="speed not known"),
        pytest.param(4_800, 0, None, False, id="speed not known, long"),
    ],
)
def test_the_check_stays_within_its_bounds(size: int, spent: int, speed: float | None, able: bool) -> None:
    trials = [Trial(spent, "whole")] if spent else []

    assert affordable(size, trials, speed) is able


@pytest.mark.parametrize(
    ("trials", "cut", "whole"),
    [
        pytest.param([Trial(5324, "cut", 4096)], 4096, None, id="counted"),
        pytest.param([Trial(2400, "whole"), Trial(4800, "cut")], 2400, 2400, id="between two"),
        pytest.param([Trial(4800, "cut")], 2400, None, id="somewhere below"),
        pytest.param([Trial(4800, "whole", 4790)], None, 4790, id="not seen"),
        pytest.param([Trial(4800, "refused")], None, None, id="refused"),
    ],
)
def test_the_length_follows_from_the_trials(trials: list[Trial], cut: int | None, whole: int | None) -> None:
    assert (cut_length(trials), longest_whole(trials)) == (cut, whole)


@given(st.integers(200, 20_000))
def test_a_marked_prompt_has_the_length_asked_for(characters: int) -> None:
    prompt = marked_prompt(characters)

    assert len(prompt) == characters
    assert MARKER in prompt[:60]
