"""Claims about a run, as pure checks. Each returns a sentence on why it does not hold, or None."""

from collections.abc import Iterable, Iterator
from typing import Any

from mulligan.core.mistakes import MistakePattern
from mulligan.drill.fault import Claim, claim
from mulligan.drill.observed import Observation
from mulligan.runtime.lenient_json import as_list, as_object
from mulligan.types.fixing import RunReason, RunVerdict
from mulligan.types.tool_calls import JsonObject
from mulligan.types.turns import StopReason


@claim
def ends(seen: Observation, stop_reason: StopReason, exit_code: int, *, run: int = -1) -> str | None:
    """The turn ends for this reason, and the command with this exit code."""
    ended = seen.runs[run]
    found = (ended.last.get("stop_reason"), ended.exit_code)
    return None if found == (stop_reason, exit_code) else f"it ended {found}, not {(stop_reason, exit_code)}"


@claim
def exits(seen: Observation, exit_code: int, *, run: int = -1) -> str | None:
    found = seen.runs[run].exit_code
    return None if found == exit_code else f"exit code {found}, not {exit_code}"


@claim
def asks_at_most(seen: Observation, requests: int) -> str | None:
    """Requests to the model, over all commands."""
    return None if seen.requests <= requests else f"{seen.requests} requests, more than {requests}"


@claim
def asks_exactly(seen: Observation, requests: int) -> str | None:
    return None if seen.requests == requests else f"{seen.requests} requests, not {requests}"


@claim
def raises(seen: Observation, kind: str, **fields: object) -> str | None:
    """A sentinel of this kind is shown, with these fields."""
    found = [sentinel for run in seen.runs for sentinel in run.sentinels]
    for sentinel in found:
        if sentinel["kind"] == kind and all(sentinel.get(name) == value for name, value in fields.items()):
            return None
    return f"no {kind} {fields or ''} was shown; shown were {found}"


@claim
def raises_none(seen: Observation, kind: str) -> str | None:
    shown = any(sentinel["kind"] == kind for run in seen.runs for sentinel in run.sentinels)
    return f"a {kind} was shown" if shown else None


@claim
def answers_mistakes_with(seen: Observation, *patterns: MistakePattern) -> str | None:
    """Series of failing calls were answered with these recoveries, in order, as shown to the user."""
    shown = [each for run in seen.runs for each in run.sentinels if each["kind"] == "mistake_recovery"]
    found = tuple("escalate" if each["escalated"] else "nudge" for each in shown)
    return None if found == patterns else f"mistakes were answered with {found}, not {patterns}"


@claim
def repairs(seen: Observation, *kinds: str) -> str | None:
    """Exactly these repairs were needed; they are counted at the end, and shown with their calls."""
    counted = sorted(seen.last.last.get("repairs", {}))
    shown = sorted({kind for frame in seen.last.of_type("tool_call") for kind in frame.get("repairs", ())})
    if counted == shown == sorted(kinds):
        return None
    return f"repairs counted were {counted}, shown {shown}, not {sorted(kinds)}"


@claim
def calls(seen: Observation, name: str, arguments: dict[str, object], *, times: int = 1) -> str | None:
    """The tool ran this many times with exactly these arguments, without failing."""
    failed = {frame["call_id"] for frame in seen.frames("tool_result") if frame.get("failure")}
    found = [
        frame["arguments"]
        for frame in seen.frames("tool_call")
        if frame["name"] == name and frame["call_id"] not in failed
    ]
    fitting = sum(each == arguments for each in found)
    return None if fitting == times else f"{name} ran {fitting} times with {arguments}; it ran with {found}"


def calls_nothing(seen: Observation) -> str | None:
    names = [frame["name"] for frame in seen.frames("tool_call")]
    return f"called: {', '.join(names)}" if names else None


@claim
def fails(seen: Observation, kind: str, *, times: int = 1) -> str | None:
    """This many calls failed in this way."""
    found = [frame.get("failure") for frame in seen.frames("tool_result")]
    return None if found.count(kind) == times else f"{kind} {found.count(kind)} times, not {times}: {found}"


@claim
def tells_the_model(seen: Observation, text: str, *, requests: int | None = None) -> str | None:
    """Some request contains this text, or exactly this many do."""
    count = sum(text in _messages(request) for run in seen.runs for request in run.requests)
    if requests is None:
        return None if count else f"no request says {text!r}"
    return None if count == requests else f"{count} requests say {text!r}, not {requests}"


@claim
def never_tells_the_model(seen: Observation, text: str) -> str | None:
    found = any(text in _messages(request) for run in seen.runs for request in run.requests)
    return f"a request says {text!r}" if found else None


@claim
def says(seen: Observation, text: str) -> str | None:
    """The streamed answer contains this."""
    answer = "".join(frame["text"] for frame in seen.frames("text_delta"))
    return None if text in answer else f"the answer does not say {text!r}: {answer[-300:]!r}"


@claim
def says_only(seen: Observation, text: str) -> str | None:
    """The answer is this, and nothing else was streamed to the user."""
    answer = "".join(frame["text"] for frame in seen.frames("text_delta"))
    return None if answer == text else f"the answer is not {text!r}: {answer[-300:]!r}"


@claim
def holds(seen: Observation, path: str, text: str | bytes) -> str | None:
    """At the end, the file has exactly this content."""
    wanted = text.encode() if isinstance(text, str) else text
    found = seen.after.files.get(path)
    return None if found == wanted else f"{path} holds {found!r}, not {wanted!r}"


@claim
def leaves_files_alone(seen: Observation, *, but: Iterable[str] = ()) -> str | None:
    """At the end, the project's files are unchanged."""
    exempt = frozenset(but)
    before, after = ({**photo.files} for photo in (seen.before, seen.after))
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path) and path not in exempt)
    return f"changed: {', '.join(changed)}" if changed else None


def leaves_outside_alone(seen: Observation) -> str | None:
    """Files next to the project are unchanged, including mode and times."""
    before, after = seen.before.outside, seen.after.outside
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    return f"changed outside: {', '.join(changed)}" if changed else None


def leaves_git_alone(seen: Observation) -> str | None:
    """HEAD, branches, index and status are unchanged."""
    return None if seen.before.git == seen.after.git else f"git: {seen.before.git!r} became {seen.after.git!r}"


@claim
def looks_alike(seen: Observation, one: int, other: int) -> str | None:
    """Files and git are the same in two photos, given by index."""
    first, second = seen.photos[one], seen.photos[other]
    if first == second:
        return None
    differing = sorted(p for p in {*first.files, *second.files} if first.files.get(p) != second.files.get(p))
    return f"the project differs: {', '.join(differing) or 'in what git tells of it'}"


@claim
def looks_otherwise(seen: Observation, one: int, other: int) -> str | None:
    """Something changed between two photos: otherwise, a restore would prove nothing."""
    return "nothing was changed that could be restored" if seen.photos[one] == seen.photos[other] else None


@claim
def ends_with(seen: Observation, *, run: int = -1, **fields: object) -> str | None:
    """The last frame of a command has these fields."""
    last = seen.runs[run].last
    found = {name: last.get(name) for name in fields}
    return None if found == fields else f"the end tells {found}, not {fields}"


@claim
def prints(seen: Observation, text: str, *, run: int = -1) -> str | None:
    """Standard error, where users are told what went wrong, contains this."""
    stderr = seen.runs[run].stderr
    return None if text in stderr else f"standard error does not say {text!r}: {stderr[-300:]!r}"


def checkpoints_nothing(seen: Observation) -> str | None:
    """The user is told that there is no checkpoint, and why."""
    found = list(seen.frames("checkpoint"))
    reported = len(found) == 1 and found[0].get("checkpoint_id") is None and found[0].get("problem")
    return None if reported else f"of checkpoints it is told: {found}"


@claim
def fixes(seen: Observation, verdict: RunVerdict, reason: RunReason, exit_code: int, *, attempts: int) -> str | None:
    """The fix run ends like this, after this many attempts that failed."""
    end = seen.last.last
    failed = as_object(end.get("failure_history")).get("attempts")
    found = (end.get("verdict"), end.get("reason"), seen.last.exit_code, failed)
    wanted = (verdict, reason, exit_code, attempts)
    return None if found == wanted else f"the run ended {found}, not {wanted}"


@claim
def writes_down(seen: Observation, *texts: str) -> str | None:
    """`.mulligan/issues.md` contains all of these."""
    written = seen.after.notes.get(".mulligan/issues.md", "")
    missing = [text for text in texts if text not in written]
    return f"issues.md does not say {missing[0]!r}: {written[-300:]!r}" if missing else None


def answers_every_call(seen: Observation) -> str | None:
    """Each call has a result, and in each request every call by the model is followed by its result."""
    called, answered = ({frame["call_id"] for frame in seen.frames(kind)} for kind in ("tool_call", "tool_result"))
    if called != answered:
        return f"{len(called - answered)} of {len(called)} calls got no result"
    for request in (request for run in seen.runs for request in run.requests):
        messages = [as_object(message) for message in as_list(request.get("messages"))]
        asked = [as_object(each).get("id") for message in messages for each in as_list(message.get("tool_calls"))]
        answered = [message.get("tool_call_id") for message in messages if message.get("role") == "tool"]
        if asked != answered:
            return f"the model called {asked} and was answered {answered}"
    return None


def finishes_every_message(seen: Observation) -> str | None:
    """Every message that started is reported as complete, failed or cancelled."""
    begun = {frame["message_id"] for kind in ("turn_start", "message_start") for frame in seen.frames(kind)}
    done = {frame["message_id"] for frame in seen.frames("message_complete") if frame["status"] != "streaming"}
    return f"{len(begun - done)} messages were left streaming" if begun - done else None


def keeps_sentinels_to_itself(seen: Observation) -> str | None:
    """What users are told about the model never reaches the model."""
    texts = {frame["text"] for frame in seen.frames("sentinel")}
    for run in seen.runs:
        for request in run.requests:
            leaked = [text for text in texts if text in _messages(request)]
            if leaked:
                return f"the model was told {leaked[0]!r}"
    return None


ALWAYS: tuple[Claim, ...] = (finishes_every_message, keeps_sentinels_to_itself)
"""Claims about every fault."""


def _messages(request: JsonObject) -> str:
    """The text of all messages of a request."""
    return "\n".join(_texts(request.get("messages")))


def _texts(value: Any) -> Iterator[str]:
    """All strings in a JSON value. `as_list` and `as_object` return empty values for other types."""
    if isinstance(value, str):
        yield value
    for each in (*as_list(value), *as_object(value).values()):
        yield from _texts(each)
