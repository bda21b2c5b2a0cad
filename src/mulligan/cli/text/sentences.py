"""Sentences about calls and turns; the same for a terminal, a pipe and an export."""

from collections.abc import Iterator
from datetime import datetime

from mulligan.cli.text.lines import Box, Line
from mulligan.cli.text.safe_text import one_line
from mulligan.core.todos import TOOL as TODOS
from mulligan.core.turn_words import (
    UNCHECKED,
    attached_words,
    call_words,
    change_words,
    checkpoint_words,
    duration_words,
    outcome_words,
    pending_words,
    question_words,
    repair_words,
    retry_words,
    unapplied_words,
)
from mulligan.types.frames import (
    ChangeMade,
    CheckpointTaken,
    Frame,
    PromptRead,
    ReplyRetried,
    SentinelRaised,
    StepStarted,
    ToolCalled,
    ToolReturned,
    TurnEnd,
    TurnStart,
)
from mulligan.types.frozen import frozen
from mulligan.types.sentinels import SENTINEL_STYLES


@frozen
class NextSteps:
    """What the user can type after a turn. `{chat}` stands for the chat's id."""

    go_on: str
    answer: str
    keep: str
    """How to return to the chat; empty inside the chat itself."""


FROM_SHELL = NextSteps(
    go_on="mulligan ask --continue --chat {chat}",
    answer='mulligan ask --chat {chat} "your answer"',
    keep="--chat {chat}",
)
FROM_CODE = NextSteps(
    go_on="mulligan code --continue --chat {chat}",
    answer='mulligan code --chat {chat} "your answer"',
    keep="--chat {chat}",
)
FROM_DELEGATE = NextSteps(
    go_on='mulligan delegate --chat {chat} "continue"',
    answer='mulligan delegate --chat {chat} "your answer"',
    keep="--chat {chat}",
)
FROM_FIX = NextSteps(go_on="nothing to do, the run continues", answer="nothing to do, the run continues", keep="")
IN_CHAT = NextSteps(go_on="/continue", answer="a number, or your own answer", keep="")


_COLOURS = {"stop": "yellow", "fault": "red", "detour": "yellow", "note": "blue"}
"""Colours of sentinels, by the tone of their look."""


def turn_lines(frame: Frame, next_steps: NextSteps, called: ToolCalled | None = None) -> list[Line | Box]:
    """The lines for a frame when it arrives; `called` is the call that a result belongs to. Most frames have none."""
    match frame:
        case TurnStart():
            return [
                Line((("@ ", "cyan"), (attached_words(each), "yellow" if each.problem else "dim")))
                for each in frame.attached
            ]
        case ReplyRetried():
            return [Line((("↻ ", "yellow"), (retry_words(frame), "dim")))]
        case ToolReturned() if frame.name == TODOS and not frame.failure:
            return [Line(((one_line(item, 200), _todo_style(item)),)) for item in frame.content.split("\n")]
        case ToolReturned():
            return [_returned_line(frame, called)]
        case ChangeMade():
            return [Line((("± ", "magenta"), (change_words(frame), "")), wraps=False)]
        case CheckpointTaken():
            return [Line(((checkpoint_words(frame), "yellow" if frame.problem else "dim"),))]
        case SentinelRaised():
            return [_sentinel_box(frame, next_steps)]
        case StepStarted(wrap_up=True):
            return [Line(((UNCHECKED, "yellow"),))]
        case TurnEnd():
            return list(_end_lines(frame, next_steps))
        case _:
            return []


def _todo_style(item: str) -> str:
    return "dim" if item.startswith("[x]") else "bold" if item.startswith("[>]") else ""


def _returned_line(returned: ToolReturned, called: ToolCalled | None) -> Line:
    mark = ("✗ ", "red") if returned.failure else ("✓ ", "green")
    details = (
        outcome_words(returned.content, returned.failure),
        duration_words(returned.duration_ms / 1000),
        repair_words(called.repairs) if called else "",
        f"{returned.masked} masked" if returned.masked else "",
    )
    call = (call_words(returned.name, called.arguments if called else {}), "")
    status = pending_words(returned.pending_seen, returned.pending_unseen)
    where = (f" · {status}", "yellow" if returned.pending_unseen else "cyan") if status else ("", "")
    # Errors get a second row.
    wraps = bool(returned.failure or returned.pending_unseen)
    return Line((mark, call, where, (f" · {' · '.join(filter(None, details))}", "dim")), wraps=wraps)


def _sentinel_box(raised: SentinelRaised, next_steps: NextSteps) -> Box:
    metadata = raised.message.metadata
    colour = _COLOURS[SENTINEL_STYLES[metadata.kind].tone]
    go_on = getattr(metadata, "can_continue", None)
    hint = f"To continue: {next_steps.go_on}".format(chat=raised.message.chat_id) if go_on else ""
    return Box("!", raised.text, colour, hint)


def _end_lines(end: TurnEnd, next_steps: NextSteps) -> Iterator[Line | Box]:
    if end.question:
        answer = f"To answer: {next_steps.answer}".format(chat=end.chat_id)
        yield Box("?", question_words(end.question, end.options), "cyan", answer)
    if words := unapplied_words(end):
        yield Box("!", words, "red")
    if end.overwritten:
        files = " and ".join(one_line(path, 80) for path in end.overwritten)
        yield Box("!", f"Changed by a command, after an edit was refused: {files}.", "yellow")
    if end.work:
        if end.work.missing:
            yield Box("!", "Not done: you asked for a change, and there is none.", "red")
        yield Line((("= ", "blue"), (end.work.text, "")))


def reading_words(read: PromptRead) -> str:
    """The prompt progress that the server reports."""
    # An estimate needs no decimals.
    seconds = max(1, round(read.seconds_left or 0))
    words = duration_words(seconds) if seconds >= 60 else f"{seconds} s"
    left = f", about {words} left" if read.seconds_left else ""
    done = f"{100 * read.processed // read.total} %, {read.processed:,} of {read.total:,} tokens"
    return f"reading the prompt, {done}{left}"


def format_time(seconds: float, *, with_seconds: bool = False) -> str:
    """A time in the user's time zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M" + (":%S" if with_seconds else ""))
