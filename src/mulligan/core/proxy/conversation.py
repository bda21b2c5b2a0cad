"""Whether another agent's conversation makes progress, judged from the messages of one request.

Every request contains the whole history, so nothing is stored between requests: the turn since the user's last message
is replayed step by step through the guards of our own turns.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from mulligan.core.guards import Guards
from mulligan.core.mistakes import detect_mistake_pattern
from mulligan.core.prompts import describe_call
from mulligan.core.proxy.outcomes import outcome_of
from mulligan.core.proxy.switches import Switches
from mulligan.core.recovery_note import describe_failure, recovery_note
from mulligan.core.repetition import canonical, detect_loop
from mulligan.core.tool_calls.names import words_of
from mulligan.types.tool_calls import DoneCall, Failed, JsonObject

MAX_REPEATED_POLLS = 12
"""How often in a row a call may return the same answer if it waits for something: a build, a job, a server."""
MARK = "Stopped by Mulligan's proxy:"
"""Begins the text that ends a turn, so that the user can tell who wrote it."""


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call in the history and its result."""

    name: str
    arguments: str
    """As in the history."""
    result: str
    failed: bool | None = None
    """As reported by the agent; None if it reports nothing."""


Step = Sequence[PastCall]
"""The calls of one reply, each with its result."""


@dataclass(frozen=True, slots=True)
class LetPass:
    """Forward the request unchanged."""

    failures: int = 0
    """Failed calls in a row so far."""


@dataclass(frozen=True, slots=True)
class AddNote:
    """Forward the request with a note at its end."""

    why: str
    note: str
    failures: int = 0


@dataclass(frozen=True, slots=True)
class MaskTools:
    """The same, without offering these tools this time."""

    why: str
    note: str
    tools: frozenset[str]
    failures: int = 0


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Don't ask the model. The client gets this text as the end of the turn."""

    why: str
    text: str


ConversationDecision = LetPass | AddNote | MaskTools | EndTurn


def judge_conversation(steps: Sequence[Step], tools: AbstractSet[str], switches: Switches) -> ConversationDecision:
    """What to do with a request after these steps of its turn. `tools` are those it offers."""
    if not steps:
        return LetPass()
    replay = _Replay(tools)
    for step in steps:
        replay.take(step)
    return replay.decide(switches)


class _Replay:
    """Replays the turn step by step, with the decision after each."""

    def __init__(self, tools: AbstractSet[str]) -> None:
        self._tools = tools
        self._guards = Guards()
        self._contents: dict[str, str] = {}
        """What was written to each place, as far as it is known."""
        self._same = 1
        """How many steps in a row were equal, with equal results."""
        self._looping = 0
        """How many steps in a row have completed a loop."""
        self._last: tuple[DoneCall, ...] = ()
        self._pattern: str | None = None
        self._nudged: tuple[DoneCall, ...] = ()

    def take(self, step: Step) -> None:
        if self._pattern == "nudge":
            self._guards = self._guards.after_nudge()
        done = tuple(self._done(call) for call in step)
        before = self._guards.calls
        known = bool(done) and all(self._guards.knows(call) for call in done)
        self._guards = self._guards.after_step(done)
        added = self._guards.calls[len(before) :]
        repeated = known and before[-len(added) :] == added
        self._same = self._same + 1 if repeated else 1
        self._looping = self._looping + 1 if detect_loop(self._guards.calls) else 0
        self._last = done
        self._pattern = detect_mistake_pattern(self._guards.mistakes)
        self._nudged = self._guards.failures

    def decide(self, switches: Switches) -> ConversationDecision:
        run = len(self._guards.mistakes.run)
        if switches.on("loops") and (decided := self._about_repetition(run)):
            return decided
        if switches.on("mistakes") and (decided := self._about_mistakes(run)):
            return decided
        return LetPass(run)

    def _about_repetition(self, run: int) -> ConversationDecision | None:
        allowed_repeats = MAX_REPEATED_POLLS if any(map(_waits, self._last)) else 0
        level = (self._same >= 2) + self._looping - allowed_repeats
        if self._guards.budget.is_stale and not allowed_repeats:
            return EndTurn("stale", self._last_words(f"the last {self._guards.budget.stale} steps brought nothing new"))
        if level <= 0:
            return None
        calls = ", then ".join(dict.fromkeys(describe_call(call.name, call.arguments) for call in self._round()))
        if level >= 3:
            times = self._same if self._same > 1 else self._looping
            words = f"the model repeats {calls}, and nothing changes ({times} times in a row)"
            return EndTurn("loop", self._last_words(words))
        note = (
            f"You have called {calls} again, with the same result as before. Nothing has changed, and calling it again "
            "will not change it. Use what you know already: do something else, or give your final answer now."
        )
        if level == 1:
            return AddNote("repeated", note, run)
        names = frozenset(call.name for call in self._round()) & self._tools
        return MaskTools("repeated", note, names, run) if names else AddNote("repeated", note, run)

    def _about_mistakes(self, run: int) -> ConversationDecision | None:
        budget = self._guards.budget
        if budget.failures_used_up:
            return EndTurn("mistakes", self._last_words("too many of the model's calls fail"))
        if self._pattern == "escalate" or (self._pattern and budget.nudges_used_up):
            words = "the model's calls keep failing, and a note about it has not helped"
            return EndTurn("mistakes", self._last_words(words))
        if self._pattern == "nudge":
            return AddNote("mistakes", recovery_note(self._nudged, self._guards.mistakes.run, own_tools=False), run)
        return None

    def _round(self) -> Sequence[DoneCall]:
        return self._last

    def _last_words(self, what: str) -> str:
        """For the user: why it stopped, what failed last, what to do."""
        failed = [describe_failure(call) for call in self._guards.failures[-3:]]
        lines = [f"{MARK} {what}. The task is not finished."]
        lines += ["What failed last:", *failed] if failed else []
        return "\n".join([*lines, "Ask again in other words or for a smaller step, or use another model."])

    def _done(self, call: PastCall) -> DoneCall:
        arguments = _arguments(call.arguments)
        if call.name not in self._tools and self._tools:
            return DoneCall(call.name, arguments, Failed("tool_not_found", call.result))
        outcome = outcome_of(call.result, failed=call.failed)
        if not isinstance(outcome, Failed) and _writes(call.name):
            self._contents[_file_argument(arguments)] = f"{call.name} {canonical(arguments)}"
            outcome = outcome_of(call.result, failed=False, state=_digest(self._contents))
        return DoneCall(call.name, arguments, outcome)


_WRITING = frozenset(
    {"edit", "multiedit", "write", "create", "patch", "replace", "insert", "apply", "update", "delete", "remove",
     "move", "rename", "todowrite"}
)  # fmt: skip
_WAITING_NAME = frozenset({"wait", "poll", "status", "output", "monitor", "sleep", "watch", "check"})
_WAITING_COMMAND = re.compile(r"\b(?:sleep|wait|--watch|tail -f|until)\b")


def _writes(name: str) -> bool:
    return not _WRITING.isdisjoint(words_of(name) | {name.lower()})


def _waits(call: DoneCall) -> bool:
    """It asks whether something is ready: the same answer for a while is not a loop."""
    if not _WAITING_NAME.isdisjoint(words_of(call.name)):
        return True
    return bool(_WAITING_COMMAND.search(str(call.arguments.get("command", call.arguments.get("cmd", "")))))


def _arguments(text: str) -> JsonObject:
    try:
        value: Any = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {"arguments": text}
    return value if isinstance(value, dict) else {"arguments": text}  # pyright: ignore[reportUnknownVariableType]  # of JSON


def _file_argument(arguments: JsonObject) -> str:
    """The file that a call is about, whatever the tool's argument is called."""
    named = (arguments[key] for key in arguments if not {"path", "file", "filename"}.isdisjoint(words_of(key)))
    return next((value for value in named if isinstance(value, str)), "")


def _digest(contents: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(contents.items())).encode("utf-8", "surrogatepass")).hexdigest()
