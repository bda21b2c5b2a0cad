"""One-line texts about calls and turns; the same for a terminal, a pipe, an export and an editor."""

from collections.abc import Sequence

from mulligan.core.prompt_cache import cached_share
from mulligan.core.prompts import describe_call
from mulligan.core.safe_text import one_line, safe_text
from mulligan.runtime.counted import counted
from mulligan.types.frames import ChangeMade, CheckpointTaken, ReplyRetried, TurnEnd
from mulligan.types.messages import AttachmentInfo, TurnMeta
from mulligan.types.model_io import Usage
from mulligan.types.tool_calls import FailureKind, JsonObject
from mulligan.types.turns import STOPS, StopReason

UNCHECKED = "Not checked: the model's summary after it was stopped."


def call_words(name: str, arguments: JsonObject) -> str:
    """A call on one short line."""
    return one_line(describe_call(name, arguments), 100)


def attached_words(given: AttachmentInfo) -> str:
    """What a message names, and whether the model gets it."""
    if given.problem:
        return f"not given: {one_line(given.name, 80)}: {one_line(given.problem, 160)}"
    masked = f", {given.masked} masked" if given.masked else ""
    return f"given with the message: {one_line(given.name, 80)} · {one_line(given.about, 160)}{masked}"


def outcome_words(content: str, failure: FailureKind | None) -> str:
    """How much came back, or what went wrong."""
    if failure:
        from mulligan.types.words import failure_words  # with the words of fix runs, which a turn does not need

        first, _, _ = content.strip().partition("\n")
        return f"{failure_words(failure)}: {one_line(first, 160)}"
    lines = content.count("\n") + 1
    return one_line(content, 60) if lines == 1 else f"{lines} lines"


def pending_words(seen: int, unseen: int) -> str:
    """Whether a command ran with pending edits applied; empty if there are none."""
    if unseen:
        return f"did not see your {_edits(unseen)}"
    return f"ran with your {_edits(seen)}" if seen else ""


def _edits(count: int) -> str:
    return "pending edit" if count == 1 else f"{count} pending edits"


def repair_words(repairs: tuple[str, ...]) -> str:
    return f"repaired: {', '.join(repairs)}" if repairs else ""


def closing_words(turn: TurnEnd | TurnMeta) -> str:
    """The turn on one line: steps, tokens, time, repairs, and why it ended."""
    parts = [
        counted(turn.steps, "step"),
        usage_words(turn.usage),
        duration_words(turn.duration_ms / 1000),
        _repaired(turn.repairs),
        stop_words(turn.stop_reason) if turn.stop_reason else "not finished",
    ]
    return " · ".join(words for words in parts if words)


def stop_words(reason: StopReason) -> str:
    """Why a turn ended, within a line."""
    label = STOPS[reason].label
    return label[0].lower() + label[1:]


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


def _repaired(repairs: dict[str, int]) -> str:
    if not repairs:
        return ""
    counted = (name if count == 1 else f"{name} ({count} times)" for name, count in sorted(repairs.items()))
    return f"repaired: {', '.join(counted)}"


def question_words(question: str, options: Sequence[str]) -> str:
    """A question with its options, numbered."""
    numbered = (f"{number}. {one_line(option, 400)}" for number, option in enumerate(options, 1))
    return "\n".join([safe_text(question).strip(), *numbered])


def retry_words(retry: ReplyRetried) -> str:
    wait = f" in {duration_words(retry.delay)}" if retry.delay else ""
    reason = one_line(retry.reason, 200).rstrip(".")
    return f"attempt {retry.attempt} of {retry.attempts} failed, asking again{wait}: {reason}"


def change_words(change: ChangeMade) -> str:
    """`edit src/a.py +3 -1`, and whether it is pending."""
    pending = "" if change.status == "applied" else " · pending"
    return f"{change.kind} {one_line(change.path, 80)} +{change.added} -{change.removed}{pending}"


def checkpoint_words(taken: CheckpointTaken) -> str:
    """How to return to the start of the turn, or why that is not possible."""
    if taken.problem:
        return f"no checkpoint, the turn continues without one: {one_line(taken.problem, 300)}"
    parts = [f"checkpoint {taken.checkpoint_id}"]
    if taken.not_covered:
        parts.append(f"not in it: {one_line(', '.join(taken.not_covered), 200)}")
    if taken.pruned:
        parts.append(f"{taken.pruned} old ones dropped for space")
    return " · ".join(parts)


def unapplied_words(end: TurnEnd) -> str:
    """What is not done, whatever the model claims."""
    return f"Not done: the last edit of {' and '.join(end.unapplied)} was refused." if end.unapplied else ""
