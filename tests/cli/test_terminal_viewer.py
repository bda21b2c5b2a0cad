import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from rich.console import Console

from mulligan.cli.text.sentences import IN_CHAT, reading_words
from mulligan.cli.views.terminal_view import TerminalViewer
from mulligan.models.scripted.script import ScriptedReply
from mulligan.types.frames import (
    MessageComplete,
    PromptRead,
    ReasoningStreamed,
    ReplyRetried,
    ReplyTrimmed,
    SentinelRaised,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
    TurnEnd,
    TurnStart,
)
from mulligan.types.messages import Message
from mulligan.types.model_io import Usage
from mulligan.types.sentinels import DoomLoop, MistakeRecovery, Sentinel

START = TurnStart(chat_id="ab12", message_id="m", agent="default", model="qwen")
STEP = StepStarted(message_id="m", step=1)
RETRY = ReplyRetried(message_id="m", step=1, attempt=1, attempts=3, delay=0, reason="the stream broke off")
END = TurnEnd(
    chat_id="ab12",
    message_id="m",
    stop_reason="answered",
    explanation="",
    steps=1,
    usage=Usage(prompt_tokens=1200, completion_tokens=34, cached_tokens=1000),
    repairs={},
    duration_ms=3200,
)


class Watch:
    """A viewer on paper, and a clock that the test moves."""

    def __init__(self, console: Console, shown: Callable[[], str], **options: Any) -> None:
        self.now = 100.0
        self.shown = shown
        self.viewer = TerminalViewer(console=console, monotonic=lambda: self.now, **options)
        self.viewer(START)
        self.viewer(STEP)

    def says(self, text: str) -> None:
        self.now += 1
        self.viewer(TextStreamed(message_id="m", text=text))

    def without_progress(self) -> str:
        """What is shown, but for the row that says what goes on."""
        return "\n".join(self.shown().split("\n")[:-1]).rstrip()


@pytest.fixture
async def watch(console: Console, paper: Any) -> Watch:
    return Watch(console, paper.shown)


async def test_an_unfinished_block_is_redrawn_in_place(watch: Watch) -> None:
    for piece in ("The tu", "rn loop is in ", "**turn.py**"):
        watch.says(piece)
    assert watch.without_progress() == "The turn loop is in turn.py"


async def test_a_turn_ends_as_rendered_markdown_and_a_closing_line(watch: Watch) -> None:
    watch.says("# Title\n\nSome *text* with List<String>.\nNext line.\n\n- one\n- two\n\n```python\nx = 1\n```\n\n")
    watch.says("| a | b |\n|---|---|\n| 1 | 2 |\n\nDone.")
    watch.viewer(END)
    assert watch.shown() == snapshot("""\
Title

Some text with List<String>.
Next line.

 • one
 • two

  x = 1

 a  b
 ────
 1  2

Done.

1 step · 1,200 tokens read (83 % cached), 34 written · 3.2 s
· answered · --chat ab12\
""")


async def test_a_synthesis_is_shown_after_the_turns_own_message(watch: Watch) -> None:
    watch.says("Let me look.")
    watch.viewer(StepStarted(message_id="beside", step=1))
    watch.says("A shop.")
    watch.viewer(MessageComplete(message_id="beside", status="complete"))
    watch.viewer(MessageComplete(message_id="m", status="complete"))
    watch.viewer(END.model_copy(update={"stop_reason": "synthesized"}))
    assert watch.shown().startswith("Let me look.\n\nA shop.\n")
    assert "answered from the files" in watch.shown()


async def test_a_synthesis_that_failed_leaves_no_trace_of_its_unfinished_block(watch: Watch) -> None:
    watch.viewer(StepStarted(message_id="beside", step=1))
    watch.says("A sh")
    watch.viewer(ReplyTrimmed(message_id="beside", step=1, text=""))
    watch.viewer(MessageComplete(message_id="beside", status="failed"))
    watch.viewer(StepStarted(message_id="m", step=2))
    watch.says("It sells things.")
    watch.viewer(END)
    assert watch.shown().startswith("It sells things.\n")


async def test_how_far_the_prompt_is_read_replaces_the_waiting_in_place(watch: Watch) -> None:
    watch.now += 5
    watch.viewer(PromptRead(message_id="m", processed=600, total=3500))
    watch.now += 5
    watch.viewer(PromptRead(message_id="m", processed=1200, total=3500))
    assert watch.shown().endswith(" reading the prompt, 34 %, 1,200 of 3,500 tokens · 10 s")
    assert watch.shown().count("reading") == 1
    watch.says("Here.")
    assert "reading" not in watch.shown()


async def test_a_reply_that_stands_still_says_for_how_long(watch: Watch) -> None:
    watch.says("Half a sen")
    watch.now += 7
    watch.viewer(ReasoningStreamed(message_id="m", text=""))
    assert watch.shown().endswith("writing… 8 s")
    watch.now += 7
    watch.viewer(PromptRead(message_id="m", processed=1, total=2))
    assert watch.shown().endswith("writing… 15 s, no word for 7 s")


@pytest.mark.parametrize(
    ("left", "said"),
    [
        pytest.param(None, "", id="not told"),
        pytest.param(0.2, ", about 1 s left", id="almost done"),
        pytest.param(39.6, ", about 40 s left", id="seconds"),
        pytest.param(125.0, ", about 2 min 5 s left", id="minutes"),
    ],
)
def test_the_time_left_is_told_without_tenths(left: float | None, said: str) -> None:
    read = PromptRead(message_id="m", processed=1200, total=3500, seconds_left=left)
    assert reading_words(read) == f"reading the prompt, 34 %, 1,200 of 3,500 tokens{said}"


async def test_a_tall_unfinished_block_shows_its_end_and_is_printed_whole_once(watch: Watch) -> None:
    watch.says("```\n")
    for number in range(40):
        watch.says(f"row {number:02}\n")
    assert "row 39" in watch.without_progress()
    assert len(watch.without_progress().split("\n")) <= 11
    watch.says("```\n")
    watch.viewer(END)
    assert [watch.shown().count(f"row {number:02}") for number in range(40)] == [1] * 40


async def test_a_void_reply_leaves_no_trace_of_its_unfinished_block(watch: Watch) -> None:
    watch.says("Half a sen")
    watch.viewer(RETRY)
    assert watch.without_progress() == "↻ attempt 1 of 3 failed, asking again: the stream broke off"


async def test_a_void_reply_that_is_partly_printed_says_that_it_was_cut_off(watch: Watch) -> None:
    watch.says("First.\n\nSecond, hal\n")
    watch.viewer(RETRY)
    assert watch.without_progress() == snapshot("""\
First.

(the reply was cut off; asking again)
↻ attempt 1 of 3 failed, asking again: the stream broke off\
""")


async def test_a_trimmed_reply_shows_what_is_kept_once(watch: Watch) -> None:
    watch.says("First.\n\nAgain. Again. Again.\n")
    watch.viewer(ReplyTrimmed(message_id="m", step=1, text="First.\n\nAgain."))
    watch.viewer(MessageComplete(message_id="m", status="complete"))
    assert watch.shown() == "First.\n\nAgain."


async def test_last_words_in_place_of_a_printed_reply_say_so(watch: Watch) -> None:
    watch.says("First.\n\nSecond.\n")
    watch.viewer(ReplyTrimmed(message_id="m", step=1, text=""))
    watch.says("Mulligan's own list.")
    watch.viewer(MessageComplete(message_id="m", status="complete"))
    assert watch.shown() == snapshot("""\
First.

(the reply above was cut off; this replaces it)

Mulligan's own list.\
""")


async def test_reasoning_is_one_line_with_its_length(watch: Watch) -> None:
    watch.now += 2
    watch.viewer(ReasoningStreamed(message_id="m", text="let me think"))
    assert "thinking… 3 words, 2 s" in watch.shown()
    watch.says("Done.")
    watch.viewer(MessageComplete(message_id="m", status="complete"))
    assert watch.shown() == "thought: 3 words\n\nDone."


def call(call_id: str, **more: Any) -> ToolCalled:
    return ToolCalled.model_validate(
        {"message_id": "m", "call_id": call_id, "name": "grep", "arguments": {"pattern": "turn"}, **more}
    )


def result(call_id: str, content: str, **more: Any) -> ToolReturned:
    return ToolReturned.model_validate(
        {"message_id": "m", "call_id": call_id, "name": "grep", "content": content, "duration_ms": 7, **more}
    )


async def test_calls_are_one_line_each_with_their_outcome(watch: Watch) -> None:
    watch.says("Let me look.")
    watch.viewer(call("1", repairs=("trailing_comma",)))
    watch.viewer(call("2"))
    watch.viewer(call("3"))
    watch.viewer(result("2", "no such folder\nmore", failure="exec_error"))
    watch.viewer(result("1", "a\nb"))
    watch.viewer(END.model_copy(update={"stop_reason": "aborted"}))
    assert watch.shown() == snapshot("""\
Let me look.

✗ grep turn · failed: no such folder · 7 ms
✓ grep turn · 2 lines · 7 ms · repaired: trailing_comma
■ grep turn · stopped
1 step · 1,200 tokens read (83 % cached), 34 written · 3.2 s
· stopped by you · --chat ab12\
""")


def raised(sentinel: Sentinel) -> SentinelRaised:
    message = Message(
        id="s", chat_id="ab12", seq=3, role="system", status="complete", metadata=sentinel, created_at=0.0
    )
    return SentinelRaised(message=message, text=sentinel.text)


async def test_a_sentinel_is_a_box_with_what_to_type(watch: Watch) -> None:
    watch.viewer(raised(DoomLoop(tools=("grep",), cycle=1, count=3)))
    assert watch.shown() == snapshot("""\
╭──────────────────────────────────────────────────────────╮
│ The model made the same grep call 3 times — stopped the  │
│ turn.                                                    │
│ To continue: mulligan ask --continue --chat ab12         │
╰──────────────────────────────────────────────────────────╯\
""")


async def test_in_a_chat_the_box_says_continue(console: Console, paper: Any) -> None:
    watch = Watch(console, paper.shown, next_steps=IN_CHAT)
    watch.viewer(raised(DoomLoop(tools=("grep",), cycle=1, count=3)))
    assert "To continue: /continue" in watch.shown()


@pytest.mark.parametrize(
    ("escalated", "text"),
    [
        (False, "Hit repeated different errors — recovery guidance injected, continuing."),
        (True, "Repeated errors persisted — stopped the turn."),
    ],
)
async def test_the_texts_about_mistakes_are_shown_word_for_word(watch: Watch, escalated: bool, text: str) -> None:
    watch.viewer(raised(MistakeRecovery(failure_kinds=("exec_error",), count=3, escalated=escalated)))
    assert " ".join(watch.shown().replace("│", " ").split()).count(text) == 1


async def test_a_question_shows_its_options_by_number(watch: Watch) -> None:
    watch.viewer(END.model_copy(update={"stop_reason": "paused", "question": "Which?", "options": ("red", "blue")}))
    assert watch.shown() == snapshot("""\
╭───────────────────────────────────────────────────╮
│ Which?                                            │
│ 1. red                                            │
│ 2. blue                                           │
│ To answer: mulligan ask --chat ab12 "your answer" │
╰───────────────────────────────────────────────────╯
1 step · 1,200 tokens read (83 % cached), 34 written · 3.2 s
· paused to ask you · --chat ab12\
""")


async def test_hostile_output_can_not_take_over_the_terminal(watch: Watch, paper: Any) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\x1b[31mtext [bold]markup[/bold]"
    watch.says(f"{hostile}\n\n```\n{hostile}\n```\n")
    watch.viewer(call("1", arguments={"pattern": hostile}))
    watch.viewer(result("1", hostile))
    watch.viewer(END.model_copy(update={"question": hostile, "options": (hostile,)}))
    assert "owned" not in paper.getvalue()
    assert "\x1b[2J" not in paper.getvalue()
    assert "\x1b[31m" not in paper.getvalue()
    assert watch.shown().count("text [bold]markup[/bold]") >= 4


async def test_no_row_is_wider_than_a_narrow_terminal(paper: Any) -> None:
    console = Console(
        file=paper, width=30, height=20, force_terminal=True, color_system=None, _environ={"TERM": "xterm"}
    )
    watch = Watch(console, paper.shown)
    watch.says("A sentence that is longer than the terminal is wide.\n\n- an item that is longer than that too\n")
    watch.viewer(call("1", arguments={"pattern": "a pattern that is far too long for this"}))
    watch.viewer(result("1", "one line that is far too long for this"))
    watch.viewer(END)
    assert max(map(len, watch.shown().split("\n"))) <= 30


async def test_a_dumb_terminal_gets_final_text_and_no_movements(paper: Any) -> None:
    console = Console(file=paper, width=60, force_terminal=True, color_system=None, _environ={"TERM": "dumb"})
    watch = Watch(console, paper.shown)
    watch.says("Half a ")
    watch.says("sentence.")
    watch.viewer(END)
    assert "\x1b" not in paper.getvalue()
    assert paper.getvalue().startswith("Half a sentence.\n")


def test_waiting_shows_for_whom_and_how_long(
    serve: Callable[..., Any], in_terminal: Callable[..., Any], project: Path
) -> None:
    serve(ScriptedReply(hang=0))
    terminal = in_terminal("ask", "anyone there?", "-C", str(project))
    # On a busy machine the first look may come late; what counts is that the seconds go on.
    terminal.sees("waiting for scripted… ")
    terminal.sees("waiting for scripted… 1 s")
    terminal.types("\x03")
    terminal.sees("Stopped by you.")
    assert terminal.leaves() == 130


def test_nothing_heavy_is_loaded_before_the_first_output() -> None:
    code = """
import asyncio, sys
import mulligan.cli.app
from mulligan.cli.views.terminal_view import TerminalViewer
from mulligan.types.frames import StepStarted, TurnStart

async def watch():
    viewer = TerminalViewer()
    viewer(TurnStart(chat_id="c", message_id="m", agent="a", model="x"))
    viewer(StepStarted(message_id="m", step=1))

asyncio.run(watch())
print([name for name in ("rich", "markdown_it", "prompt_toolkit", "pygments") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
