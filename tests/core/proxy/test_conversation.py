"""When a conversation of another agent is let on, noted, masked or ended: a table of turns."""

from collections.abc import Sequence

import pytest

from mulligan.core.proxy.conversation import AddNote, EndTurn, LetPass, MaskTools, PastCall, judge_conversation
from mulligan.core.proxy.switches import Switches

TOOLS = {"bash", "read", "edit", "wait_for_job"}


def ran(command: str, result: str) -> list[PastCall]:
    return [PastCall("bash", f'{{"command": "{command}"}}', result)]


def read(path: str, result: str = "some content") -> list[PastCall]:
    return [PastCall("read", f'{{"path": "{path}"}}', result)]


def edited(path: str, new: str) -> list[PastCall]:
    return [PastCall("edit", f'{{"path": "{path}", "new": "{new}"}}', "Edit applied.")]


SAME = read("a.py")
FAILS = [
    ran("make", "no rule\n\nCommand exited with code 2"),
    read("nope.py", "File not found: nope.py"),
    [PastCall("bash", '{"cmd": 1}', "The bash tool was called with invalid arguments: missing key command")],
    [PastCall("browse", "{}", "Model tried to call unavailable tool 'browse'")],
    ran("pytest", "1 failed\nexit code: 1"),
    read("x.py", "Error: no such file or directory"),
]
TEST = ran("pytest", "1 failed\nexit code: 1")

TURNS: dict[str, tuple[Sequence[Sequence[PastCall]], type]] = {
    "nothing yet": ([], LetPass),
    "one call": ([SAME], LetPass),
    "the same call twice": ([SAME] * 2, AddNote),
    "three times": ([SAME] * 3, MaskTools),
    "four times": ([SAME] * 4, EndTurn),
    "the same call with another result": ([read("a.py", str(n)) for n in range(9)], LetPass),
    "durations alone tell results apart": ([ran("make", f"done in {n}.{n} s") for n in range(4)], EndTurn),
    "a call that waits": ([ran("sleep 5; cat status", "running")] * 6, LetPass),
    "a tool that waits": ([[PastCall("wait_for_job", "{}", "running")]] * 6, LetPass),
    "a call that waits for ever": ([ran("sleep 5; cat status", "running")] * 16, EndTurn),
    "two calls in turns": ([read("a"), read("b")] * 3, AddNote),
    "two calls in turns for ever": ([read("a"), read("b")] * 5, EndTurn),
    "an edit in between": ([TEST, edited("a.py", "1"), TEST, edited("a.py", "2"), TEST], LetPass),
    "the same edit in between, over and over": ([TEST, edited("a.py", "1")] * 5, EndTurn),
    "two failures": (FAILS[:2], LetPass),
    "three failures of three kinds": (FAILS[:3], AddNote),
    "five failures": (FAILS[:5], LetPass),
    "six failures": (FAILS, EndTurn),
    "a success between failures": ([*FAILS[:2], SAME, *FAILS[2:4]], LetPass),
    "a tool that was never offered": ([[PastCall("browse", f'{{"n": {n}}}', "ok")] for n in range(6)], EndTurn),
    "a command that prints the word error": ([ran(f"grep {n} log", f"{n}: see error.log") for n in range(8)], LetPass),
    "twenty honest steps": ([read(f"{n}.py", f"content {n}") for n in range(20)], LetPass),
}


@pytest.mark.parametrize(("steps", "expected"), TURNS.values(), ids=TURNS.keys())
def test_what_is_decided(steps: Sequence[Sequence[PastCall]], expected: type) -> None:
    assert type(judge_conversation(steps, TOOLS, Switches())) is expected


def test_the_note_says_what_was_repeated_and_the_mask_names_its_tool() -> None:
    noted = judge_conversation([SAME] * 2, TOOLS, Switches())
    masked = judge_conversation([SAME] * 3, TOOLS, Switches())
    assert isinstance(noted, AddNote)
    assert "read a.py" in noted.note
    assert isinstance(masked, MaskTools)
    assert masked.tools == {"read"}


def test_the_last_words_say_why_and_that_it_is_not_done() -> None:
    ended = judge_conversation(FAILS, TOOLS, Switches())
    assert isinstance(ended, EndTurn)
    assert ended.text.startswith("Stopped by Mulligan's proxy: the model's calls keep failing")
    assert "not finished" in ended.text
    assert "no such file" in ended.text


def test_what_the_agent_says_of_a_result_counts_before_its_words() -> None:
    failed = [[PastCall("bash", f'{{"n": {n}}}', "all good", failed=True)] for n in range(3)]
    assert isinstance(judge_conversation(failed, TOOLS, Switches()), AddNote)


@pytest.mark.parametrize(("guard", "steps"), [("loops", [SAME] * 9), ("mistakes", FAILS)])
def test_a_guard_that_is_off_decides_nothing(guard: str, steps: Sequence[Sequence[PastCall]]) -> None:
    assert isinstance(judge_conversation(steps, TOOLS, Switches(frozenset({guard}))), LetPass)  # type: ignore[arg-type]
