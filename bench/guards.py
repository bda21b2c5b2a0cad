"""Model requests spent before a misbehaving model is stopped, and the exit code it ends with."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import MULLIGAN, Measured, print_table, project_of, run_measured
from mulligan.models.scripted import Script
from mulligan.models.scripted_server import running


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    script: dict[str, Any]
    most_requests: int
    exit_code: int
    stop_reason: str
    nudges: int = 0


def call(name: str, arguments: dict[str, Any] | str) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def view(path: str) -> dict[str, Any]:
    return call("view_file", {"path": path})


def for_ever(*replies: dict[str, Any]) -> dict[str, Any]:
    return {"replies": replies, "then": "loop"}


def then_answer(*replies: dict[str, Any]) -> dict[str, Any]:
    return {"replies": [*replies, {"text": "It is in file_1.py."}]}


MIXED = (view("missing_$n.py"), call("frobnicate", {"n": "$n"}), call("grep", {"wrong": "$n"}), view("../$n"))

FAULTS = (
    Fault("same call for ever", for_ever(view("file_1.py")), 4, 3, "doom_loop"),
    Fault("mixed failing calls", for_ever(*MIXED), 7, 3, "mistakes", nudges=1),
    Fault("unknown tool, same call", for_ever(call("frobnicate", {})), 4, 3, "doom_loop"),
    Fault("unknown tool, varied", for_ever(call("frobnicate", {"n": "$n"})), 7, 3, "mistakes", nudges=1),
    Fault("failing calls, varied", for_ever(view("missing_$n.py")), 7, 3, "mistakes", nudges=1),
    *(
        Fault(
            f"cycle of {n} calls",
            for_ever(*[view(f"file_{place}.py") for place in range(1, n + 1)]),
            7 if n == 2 else 2 * n + 1,
            3,
            "doom_loop",
        )
        for n in range(2, 6)
    ),
    Fault("empty replies", for_ever({}), 3, 3, "empty_reply"),
    Fault("reasoning only", for_ever({"reasoning": "Hm."}), 3, 3, "empty_reply"),
    Fault(
        "one sentence for ever", for_ever({"text": "The file is read and then it is closed. " * 400}), 3, 3, "doom_loop"
    ),
    Fault("two 500s", then_answer({"status": 500}, {"status": 500}), 3, 0, "answered"),
    Fault("two 429s", then_answer(*[{"status": 429, "headers": {"Retry-After": "1"}}] * 2), 3, 0, "answered"),
    Fault("stream cut twice", then_answer(*[{"text": "It is in the file", "cut_after": 1}] * 2), 3, 0, "answered"),
    Fault("500 for ever", for_ever({"status": 500}), 3, 5, "model_error"),
)

COLUMNS = ("fault", "requests", "at most", "exit code", "stop reason", "nudges", "seconds", "holds")


def main() -> bool:
    with project_of(6) as project, tempfile.TemporaryDirectory() as home:
        rows = [_row(fault, project, Path(home)) for fault in FAULTS]
        rows.append(_server_down(project, Path(home)))
    print_table("Guards: requests spent on a misbehaving model", COLUMNS, rows)
    return all(row[-1] == "yes" for row in rows)


def _row(fault: Fault, project: Path, home: Path) -> tuple[object, ...]:
    with running(Script.model_validate(fault.script)) as server:
        run = _ask(server.base_url, project, home)
        requests = len(server.requests())
    nudges = sum(
        frame["type"] == "sentinel" and frame["message"]["metadata"].get("escalated") is False for frame in run.frames
    )
    reason = run.last.get("stop_reason", "none")
    holds = requests <= fault.most_requests and (run.exit_code, reason, nudges) == (
        fault.exit_code,
        fault.stop_reason,
        fault.nudges,
    )
    return (
        fault.name, requests, fault.most_requests, run.exit_code, reason, nudges, f"{run.seconds:.1f}", _word(holds),
    )  # fmt: skip


def _server_down(project: Path, home: Path) -> tuple[object, ...]:
    address = "http://127.0.0.1:9/v1"
    run = _ask(address, project, home)
    reason = run.last.get("stop_reason", "none")
    named = "127.0.0.1:9" in str(run.last.get("explanation"))
    holds = (run.exit_code, reason) == (5, "model_error") and named and run.seconds <= 15
    return ("server down", 0, 0, run.exit_code, reason, 0, f"{run.seconds:.1f}", _word(holds))


def _ask(base_url: str, project: Path, home: Path) -> Measured:
    command = [MULLIGAN, "ask", "--json", "--base-url", base_url, "--model", "m", "-C", project, "Where is it?"]
    return run_measured(command, home=home)


def _word(holds: bool) -> str:  # noqa: FBT001 - a yes or no is all it takes
    return "yes" if holds else "NO"
