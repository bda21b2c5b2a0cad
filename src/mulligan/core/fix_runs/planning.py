"""The request to the planner of a fix run, and how its answer is read."""

import re
from typing import Any, cast

from mulligan.core.fix_runs.judging import failing_tests
from mulligan.core.fix_runs.prompt_parts import (
    SHOWN_FAILURES,
    attempts_shown,
    failures_shown,
    goal_shown,
    plan_lines,
)
from mulligan.core.tool_calls.almost_json import Unreadable, read_loosely
from mulligan.runtime.lenient_json import as_object, parsed_object
from mulligan.types.fixing import MAX_ATTEMPTS, AttemptRecord, Plan, PlanStep, RunState
from mulligan.types.model_io import SystemText, UserText, WireMessage

PLANNER_SYSTEM = f"""\
You plan a fix run on a software project. A coder follows your plan; then the project's own commands are run. Only these
commands decide whether the goal is reached: nothing you or the coder say does.

After each attempt you get what failed. There are at most {MAX_ATTEMPTS} attempts; then the run stops and a person takes
over. A failed attempt is discarded unless it made fewer tests fail and none new. So do not repeat a plan that failed:
read why, and take another way. Tests, runner settings and the files that define the commands can't be changed.

Answer with one JSON object and nothing else:
{{"next": "coder", "plan": [{{"step": "what to change, in which file", "failure": "which failure it is for"}}],
 "reason": "why"}}
`next` is "coder" to change code, "verifier" if nothing has to be changed, "snitch" if it can't be done."""

AGAIN = (
    "That is not the JSON object that was asked for. Answer with "
    '{"next": "coder", "plan": [{"step": "…", "failure": "…"}], "reason": "…"} and nothing else.'
)
FOR_GOAL, FOR_ATTEMPTS = 1 / 3, 1 / 2
"""Shares of a brief's budget. The goal is part of the brief as well; earlier attempts come on top of it."""
NEXT = {"coder": "coder", "verifier": "verifier", "verify": "verifier", "done": "verifier", "snitch": "snitch"}
"""`done` is a claim, and claims are verified."""


def planner_messages(state: RunState, brief_chars: float, instructions: str = "") -> list[WireMessage]:
    """`brief_chars` is the size of a coder's brief. `instructions` are those of the project's files."""
    system = f"{PLANNER_SYSTEM}\n\n{instructions}" if instructions else PLANNER_SYSTEM
    return [SystemText(system), UserText("\n\n".join(_sections(state, brief_chars)))]


def read_plan(text: str) -> Plan | None:
    """The plan in a reply; None if there is none that can be followed."""
    given = _object_in(text)
    if given is None:
        return None
    steps = tuple(_steps(given.get("plan")))
    going = NEXT.get(str(given.get("next", "coder")).strip().lower())
    if going is None or (going == "coder" and not steps):
        return None
    reason = _line(given.get("reason", ""))
    return Plan.model_validate({"next": going, "plan": steps, "reason": reason})


def plan_by_code(state: RunState, why: str) -> Plan:
    """One step per failure: used if no model makes a usable plan."""
    failing = failing_tests(state.current_checks)[:SHOWN_FAILURES]
    steps = [PlanStep(step=f"Make {test.name} pass", failure=test.message or test.id) for test in failing]
    return Plan(
        next="coder", plan=tuple(steps or [PlanStep(step=state.goal, failure="")]), reason=why, by_mulligan=True
    )


def coder_prompt(state: RunState, brief: str, brief_chars: float) -> str:
    """The prompt for the coder of an attempt: the goal, the plan, the failures with the code they point to, and what
    was tried. `brief_chars` is the size of the brief."""
    attempt = state.history.attempts + 1
    parts = [f"Goal: {goal_shown(state, brief_chars * FOR_GOAL)}", f"This is attempt {attempt} of {MAX_ATTEMPTS}."]
    if state.plan:
        parts.append(f"Plan:\n{plan_lines(state.plan)}")
    parts += [brief, attempts_shown(state, brief_chars * FOR_ATTEMPTS)]
    commands = "; ".join(each.command for each in state.commands)
    judged = f" When you end, these are run: {commands}." if commands else ""
    parts.append(
        "Change the code with edit_file. Tests and the settings of test runners can't be changed: changes to them are "
        f"restored.{judged} They alone decide."
    )
    return "\n\n".join(part for part in parts if part)


def repeats_attempt(record: AttemptRecord) -> str:
    """The reply to a plan that was tried before."""
    return (
        f"That is the plan of attempt {record.number}, which was discarded: {record.summary} The same plan leads "
        "there again. Take another way: other lines, another file or another cause. Answer with the JSON object."
    )


def _sections(state: RunState, brief_chars: float) -> list[str]:
    sections = [f"Goal: {goal_shown(state, brief_chars * FOR_GOAL)}"]
    if state.current_checks:
        shown = failures_shown(state.current_checks, brief_chars)
        sections.append(f"What the commands say of the code as it is now:\n{shown}")
    else:
        sections.append("No command was found that tests this project.")
    sections.append(attempts_shown(state, brief_chars * FOR_ATTEMPTS))
    left = MAX_ATTEMPTS - state.history.attempts
    sections.append(f"Attempts used: {state.history.attempts}; left: {left}. Answer with the JSON object.")
    return [section for section in sections if section]


def _steps(given: Any) -> list[PlanStep]:
    rows: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [given]
    steps: list[PlanStep] = []
    for row in rows:
        fields = cast("dict[str, Any]", row) if isinstance(row, dict) else {"step": row}
        step = _line(fields.get("step") or "")
        if step:
            steps.append(PlanStep(step=step, failure=_line(fields.get("failure") or "")))
    return steps


def _object_in(text: str) -> dict[str, Any] | None:
    """The JSON object in a reply, fenced or between words, with small errors tolerated."""
    fenced = re.search(r"```(?:json)?[^\S\n]*+\n(.*?)```", text, re.DOTALL)
    for candidate in (fenced[1] if fenced else "", text[text.find("{") : text.rfind("}") + 1]):
        if "{" not in candidate:
            continue
        try:
            found = parsed_object(candidate) or as_object(read_loosely(candidate)[0])
        except Unreadable:
            continue
        if found:
            return found
    return None


def _line(value: Any) -> str:
    """One line, not too long."""
    return " ".join(str(value).split())[:300]
