"""What is said of calls and turns, in words; the same for a terminal, a pipe and an export."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from mulligan.cli.text.lines import Box, Line
from mulligan.cli.text.safe_text import one_line, safe_text
from mulligan.core.prompt_cache import cached_share
from mulligan.core.prompts import describe_call
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
)
from mulligan.types.messages import TurnMeta
from mulligan.types.model_io import Usage
from mulligan.types.tool_calls import FailureKind, JsonObject
from mulligan.types.turns import STOPS, StopReason
from mulligan.types.words import failure_words


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What a person can type after a turn. `{chat}` stands for the chat's id."""

    go_on: str
    answer: str
    keep: str
    """How to come back to the chat; empty where one is in it."""


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
    go_on='mulligan delegate --chat {chat} "go on"',
    answer='mulligan delegate --chat {chat} "your answer"',
    keep="--chat {chat}",
)
FROM_FIX = NextSteps(go_on="nothing to do, the run goes on", answer="nothing to do, the run goes on", keep="")
IN_CHAT = NextSteps(go_on="/continue", answer="a number, or an answer of your own", keep="")


_MILD = {
    "mistake_recovery": "yellow",
    "reply_cut": "yellow",
    "only_announced": "yellow",
    "cap_hit": "yellow",
    "only_reads": "yellow",
    "aborted": "blue",
    "compacted": "blue",
}
"""Colours of sentinels that are no failure, by kind. The others are red."""


UNCHECKED = "Not checked: what the model says after it was stopped."


def turn_lines(frame: Frame, next_steps: NextSteps, called: ToolCalled | None = None) -> list[Line | Box]:
    """What is said of a frame when it comes; `called` is the call that a result belongs to. Nothing of most frames."""
    match frame:
        case ReplyRetried():
            return [Line((("↻ ", "yellow"), (retry_words(frame), "dim")))]
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


def _returned_line(returned: ToolReturned, called: ToolCalled | None) -> Line:
    mark = ("✗ ", "red") if returned.failure else ("✓ ", "green")
    details = (
        outcome_words(returned.content, returned.failure),
        duration_words(returned.duration_ms / 1000),
        repair_words(called.repairs) if called else "",
        f"{returned.masked} masked" if returned.masked else "",
    )
    call = (call_words(returned.name, called.arguments if called else {}), "")
    place = pending_words(returned.pending_seen, returned.pending_unseen)
    where = (f" · {place}", "yellow" if returned.pending_unseen else "cyan") if place else ("", "")
    # What went wrong is worth a second row.
    wraps = bool(returned.failure or returned.pending_unseen)
    return Line((mark, call, where, (f" · {' · '.join(filter(None, details))}", "dim")), wraps=wraps)


def _sentinel_box(raised: SentinelRaised, next_steps: NextSteps) -> Box:
    metadata = raised.message.metadata
    colour = "red" if getattr(metadata, "escalated", False) else _MILD.get(metadata.kind, "red")
    go_on = getattr(metadata, "can_continue", None)
    hint = f"To go on: {next_steps.go_on}".format(chat=raised.message.chat_id) if go_on else ""
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
            yield Box("!", "Not done: a change was asked for, and there is none.", "red")
        yield Line((("= ", "blue"), (end.work.text, "")))


def call_words(name: str, arguments: JsonObject) -> str:
    """A call on one short line."""
    return one_line(describe_call(name, arguments), 100)


def outcome_words(content: str, failure: FailureKind | None) -> str:
    """How much came back, or what went wrong."""
    if failure:
        first, _, _ = content.strip().partition("\n")
        return f"{failure_words(failure)}: {one_line(first, 160)}"
    lines = content.count("\n") + 1
    return one_line(content, 60) if lines == 1 else f"{lines} lines"


def pending_words(seen: int, unseen: int) -> str:
    """Whether a command ran where pending edits are applied; nothing where there are none."""
    if unseen:
        return f"did not see your {_edits(unseen)}"
    return f"ran with your {_edits(seen)}" if seen else ""


def _edits(count: int) -> str:
    return "pending edit" if count == 1 else f"{count} pending edits"


def question_words(question: str, options: Sequence[str]) -> str:
    """A question with its options, numbered."""
    numbered = (f"{number}. {one_line(option, 400)}" for number, option in enumerate(options, 1))
    return "\n".join([safe_text(question).strip(), *numbered])


def repair_words(repairs: tuple[str, ...]) -> str:
    return f"repaired: {', '.join(repairs)}" if repairs else ""


def retry_words(retry: ReplyRetried) -> str:
    wait = f" in {duration_words(retry.delay)}" if retry.delay else ""
    reason = one_line(retry.reason, 200).rstrip(".")
    return f"attempt {retry.attempt} of {retry.attempts} failed, asking again{wait}: {reason}"


def change_words(change: ChangeMade) -> str:
    """`edit src/a.py +3 -1`, and whether it is pending."""
    pending = "" if change.status == "applied" else " · pending"
    return f"{change.kind} {one_line(change.path, 80)} +{change.added} -{change.removed}{pending}"


def checkpoint_words(taken: CheckpointTaken) -> str:
    """How to come back to where the turn began, or why one can't."""
    if taken.problem:
        return f"no checkpoint: {one_line(taken.problem, 300)}"
    said = [f"checkpoint {taken.checkpoint_id}"]
    if taken.not_covered:
        said.append(f"not in it: {one_line(', '.join(taken.not_covered), 200)}")
    if taken.pruned:
        said.append(f"{taken.pruned} old ones dropped for space")
    return " · ".join(said)


def unapplied_words(end: TurnEnd) -> str:
    """What is not done, whatever the model said."""
    return f"Not done: the last edit of {' and '.join(end.unapplied)} was refused." if end.unapplied else ""


def closing_words(turn: TurnEnd | TurnMeta) -> str:
    """The turn on one line: steps, tokens, time, repairs, and why it ended."""
    said = [
        f"{turn.steps} step{'' if turn.steps == 1 else 's'}",
        usage_words(turn.usage),
        duration_words(turn.duration_ms / 1000),
        _repaired(turn.repairs),
        stop_words(turn.stop_reason) if turn.stop_reason else "not finished",
    ]
    return " · ".join(words for words in said if words)


def stop_words(reason: StopReason) -> str:
    """Why a turn ended, within a line."""
    label = STOPS[reason].label
    return label[0].lower() + label[1:]


def reading_words(read: PromptRead) -> str:
    """How far the server is, as it tells it."""
    # No tenths of a guess.
    seconds = max(1, round(read.seconds_left or 0))
    words = duration_words(seconds) if seconds >= 60 else f"{seconds} s"
    left = f", about {words} left" if read.seconds_left else ""
    done = f"{100 * read.processed // read.total} %, {read.processed:,} of {read.total:,} tokens"
    return f"reading the prompt, {done}{left}"


def usage_words(usage: Usage) -> str:
    if not usage.prompt_tokens and not usage.completion_tokens:
        return ""
    cached = f" ({100 * cached_share(usage):.0f} % cached)" if usage.cached_tokens else ""
    return f"{usage.prompt_tokens:,} tokens read{cached}, {usage.completion_tokens:,} written"


def duration_words(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def format_time(seconds: float, *, with_seconds: bool = False) -> str:
    """A moment, in the time zone of the person."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M" + (":%S" if with_seconds else ""))


def _repaired(repairs: dict[str, int]) -> str:
    if not repairs:
        return ""
    counted = (name if count == 1 else f"{name} ({count} times)" for name, count in sorted(repairs.items()))
    return f"repaired: {', '.join(counted)}"
