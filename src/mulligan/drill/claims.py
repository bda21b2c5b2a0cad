"""What is claimed of a run, as pure checks. Each answers with a sentence on why it does not hold, or with None."""

from collections.abc import Iterable, Iterator
from typing import Any

from mulligan.drill.fault import Claim
from mulligan.drill.seen import Seen
from mulligan.models.loose_json import as_list, as_object
from mulligan.types.tool_calls import JsonObject
from mulligan.types.turns import StopReason


def ends(stop_reason: StopReason, exit_code: int, *, run: int = -1) -> Claim:
    """The turn ends for this reason, and the command with this exit code."""

    def claim(seen: Seen) -> str | None:
        ended = seen.runs[run]
        found = (ended.last.get("stop_reason"), ended.exit_code)
        return None if found == (stop_reason, exit_code) else f"it ended {found}, not {(stop_reason, exit_code)}"

    return claim


def exits(exit_code: int, *, run: int = -1) -> Claim:
    def claim(seen: Seen) -> str | None:
        found = seen.runs[run].exit_code
        return None if found == exit_code else f"exit code {found}, not {exit_code}"

    return claim


def asks_at_most(requests: int) -> Claim:
    """So many requests to the model, over all commands."""

    def claim(seen: Seen) -> str | None:
        return None if seen.requests <= requests else f"{seen.requests} requests, more than {requests}"

    return claim


def asks_exactly(requests: int) -> Claim:
    def claim(seen: Seen) -> str | None:
        return None if seen.requests == requests else f"{seen.requests} requests, not {requests}"

    return claim


def raises(kind: str, **fields: object) -> Claim:
    """A sentinel of this kind is shown, with these fields."""

    def claim(seen: Seen) -> str | None:
        found = [sentinel for run in seen.runs for sentinel in run.sentinels]
        for sentinel in found:
            if sentinel["kind"] == kind and all(sentinel.get(name) == value for name, value in fields.items()):
                return None
        return f"no {kind} {fields or ''} was shown; shown were {found}"

    return claim


def raises_none(kind: str) -> Claim:
    def claim(seen: Seen) -> str | None:
        shown = any(sentinel["kind"] == kind for run in seen.runs for sentinel in run.sentinels)
        return f"a {kind} was shown" if shown else None

    return claim


def repairs(*kinds: str) -> Claim:
    """Exactly these repairs were needed and counted."""

    def claim(seen: Seen) -> str | None:
        found = sorted(seen.last.last.get("repairs", {}))
        return None if found == sorted(kinds) else f"repaired was {found}, not {sorted(kinds)}"

    return claim


def calls(name: str, arguments: dict[str, object], *, times: int = 1) -> Claim:
    """The tool ran so often with just these arguments, and without failing."""

    def claim(seen: Seen) -> str | None:
        failed = {frame["call_id"] for frame in seen.frames("tool_result") if frame.get("failure")}
        found = [
            frame["arguments"]
            for frame in seen.frames("tool_call")
            if frame["name"] == name and frame["call_id"] not in failed
        ]
        fitting = sum(each == arguments for each in found)
        return None if fitting == times else f"{name} ran {fitting} times with {arguments}; it ran with {found}"

    return claim


def fails(kind: str, *, times: int = 1) -> Claim:
    """So many calls failed in this way."""

    def claim(seen: Seen) -> str | None:
        found = [frame.get("failure") for frame in seen.frames("tool_result")]
        return None if found.count(kind) == times else f"{kind} {found.count(kind)} times, not {times}: {found}"

    return claim


def tells_the_model(text: str) -> Claim:
    """Some request carries this text."""

    def claim(seen: Seen) -> str | None:
        told = any(text in _messages(request) for run in seen.runs for request in run.requests)
        return None if told else f"no request says {text!r}"

    return claim


def never_tells_the_model(text: str) -> Claim:
    def claim(seen: Seen) -> str | None:
        told = any(text in _messages(request) for run in seen.runs for request in run.requests)
        return f"a request says {text!r}" if told else None

    return claim


def says(text: str) -> Claim:
    """The answer, as it streamed, holds this."""

    def claim(seen: Seen) -> str | None:
        answer = "".join(frame["text"] for frame in seen.frames("text_delta"))
        return None if text in answer else f"the answer does not say {text!r}: {answer[-300:]!r}"

    return claim


def holds(path: str, text: str | bytes) -> Claim:
    """At the end the file has just this content."""
    wanted = text.encode() if isinstance(text, str) else text

    def claim(seen: Seen) -> str | None:
        found = seen.after.files.get(path)
        return None if found == wanted else f"{path} holds {found!r}, not {wanted!r}"

    return claim


def leaves_files_alone(*, but: Iterable[str] = ()) -> Claim:
    """At the end the project's files are what they were."""
    exempt = frozenset(but)

    def claim(seen: Seen) -> str | None:
        before, after = ({**photo.files} for photo in (seen.before, seen.after))
        changed = sorted(
            path for path in {*before, *after} if before.get(path) != after.get(path) and path not in exempt
        )
        return f"changed: {', '.join(changed)}" if changed else None

    return claim


def leaves_git_alone(seen: Seen) -> str | None:
    """HEAD, branches, index and status are what they were."""
    return None if seen.before.git == seen.after.git else f"git: {seen.before.git!r} became {seen.after.git!r}"


def looks_alike(one: int, other: int) -> Claim:
    """Files and git are the same at two moments, counted as photos are."""

    def claim(seen: Seen) -> str | None:
        first, second = seen.photos[one], seen.photos[other]
        if first == second:
            return None
        differing = sorted(p for p in {*first.files, *second.files} if first.files.get(p) != second.files.get(p))
        return f"the project differs: {', '.join(differing) or 'in what git tells of it'}"

    return claim


def finishes_every_message(seen: Seen) -> str | None:
    """What began to stream is told to be complete, failed or cancelled."""
    begun = {frame["message_id"] for kind in ("turn_start", "message_start") for frame in seen.frames(kind)}
    done = {frame["message_id"] for frame in seen.frames("message_complete") if frame["status"] != "streaming"}
    return f"{len(begun - done)} messages were left streaming" if begun - done else None


def keeps_sentinels_to_itself(seen: Seen) -> str | None:
    """What people are told about the model never reaches the model."""
    texts = {frame["text"] for frame in seen.frames("sentinel")}
    for run in seen.runs:
        for request in run.requests:
            told = [text for text in texts if text in _messages(request)]
            if told:
                return f"the model was told {told[0]!r}"
    return None


ALWAYS: tuple[Claim, ...] = (finishes_every_message, keeps_sentinels_to_itself)
"""Claimed of every fault."""


def _messages(request: JsonObject) -> str:
    """All that a request's messages say, as plain text."""
    return "\n".join(_texts(request.get("messages")))


def _texts(value: Any) -> Iterator[str]:
    """`as_list` and `as_object` give nothing for what is neither."""
    if isinstance(value, str):
        yield value
    for each in (*as_list(value), *as_object(value).values()):
        yield from _texts(each)
