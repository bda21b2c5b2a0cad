"""Describes what Mulligan did, in a few words. Pure, and based on what was observed, never on what was expected."""

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from mulligan.drill.observed import FinishedCommand, Observation
from mulligan.runtime.counted import counted


def describe_actions(seen: Observation) -> str:
    """Everything that Mulligan did about a fault, in order, then how it ended."""
    return _in_a_row(_in_a_row([*_actions(run), _end(run)]) for run in seen.runs)


def _in_a_row(actions: Iterable[str]) -> str:
    """Consecutive repetitions are described once."""
    runs = ((words, len(list(same))) for words, same in groupby(actions))
    return "; ".join(words if number == 1 else f"{words}, {_times(number)}" for words, number in runs)


def _actions(run: FinishedCommand) -> list[str]:
    actions = [_repairs(run.last), _not_run(run), _retries(run), *_sentinels(run), _changes(run), _proxied(run)]
    return [words for words in actions if words] or _ran(run)


def _repairs(end: dict[str, Any]) -> str:
    kinds = ", ".join(sorted(kind.replace("_", " ") for kind in end.get("repairs", {})))
    return f"repaired {kinds}" if kinds else ""


def _not_run(run: FinishedCommand) -> str:
    failures = Counter(frame.get("failure") for frame in run.of_type("tool_result"))
    back, denied = failures["schema_reject"] + failures["tool_not_found"], failures["permission_denied"]
    parts = (
        f"sent {counted(back, 'call')} back" if back else "",
        f"denied {counted(denied, 'call')}" if denied else "",
    )
    return "; ".join(part for part in parts if part)


def _proxied(run: FinishedCommand) -> str:
    """What the proxy did, by the names in its own log."""
    requests = run.of_type("request") if run.replies else []
    return _in_a_row(action.replace("_", " ") for frame in requests for action in frame["actions"])


def _ran(run: FinishedCommand) -> list[str]:
    """Reports that the calls ran, for a turn without anything else to report."""
    calls = len(run.of_type("tool_result")) if run.last.get("type") == "turn_end" else 0
    return [f"ran {counted(calls, 'call')}"] if calls else []


def _retries(run: FinishedCommand) -> str:
    retries = len(run.of_type("reply_retry"))
    return f"asked again {_times(retries)}" if retries else ""


def _sentinels(run: FinishedCommand) -> list[str]:
    actions: list[str] = []
    for sentinel in run.sentinels:
        match sentinel["kind"]:
            case "mistake_recovery" if not sentinel["escalated"]:
                actions.append("gave a recovery note")
            case "reply_cut":
                actions.append("cut the reply off")
            case "only_announced":
                actions.append("said that nothing was done")
            case "compacted":
                actions.append("made room in the context")
            case _:  # The others end the turn, which is reported anyway.
                pass
    return actions


def _changes(run: FinishedCommand) -> str:
    if run.last.get("type") == "run_end":
        # A fix run's frames are about changes in its own work tree; its last frame counts those brought back.
        changes = Counter({"applied": run.last["applied"], "pending": run.last["pending"]})
    else:
        changes = Counter(frame["status"] for frame in run.of_type("change"))
    counts = ", ".join(f"{counted(number, 'change')} {status}" for status, number in changes.items() if number)
    refused = sum(
        frame.get("failure") is not None and frame["name"] == "edit_file" for frame in run.of_type("tool_result")
    )
    return "; ".join(part for part in (counts, f"refused {counted(refused, 'edit')}" if refused else "") if part)


def _end(run: FinishedCommand) -> str:
    last = run.last
    code = "did not end" if run.exit_code is None else f"exit {run.exit_code}"
    match last.get("type"):
        case "turn_end":
            return f"{last['stop_reason'].replace('_', ' ')}, {code}"
        case "run_end":
            failed = last["failure_history"]["attempts"]
            discarded = f"discarded {counted(failed, 'attempt')}; " if failed else ""
            return f"{discarded}{last['verdict']}: {last['reason'].replace('_', ' ')}, {code}"
        case _ if run.replies:
            verb = "went on for" if run.replies[-1].calls else "was done after"
            return f"the agent {verb} {counted(len(run.replies), 'request')}, {code}"
        case _:
            return f"{run.words[0]}, {code}"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
