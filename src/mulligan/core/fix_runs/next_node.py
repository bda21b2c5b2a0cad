"""Where a fix run goes from each node. Decided by what was recorded, never by a model's claims."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mulligan.core.fix_runs.attempts import also_passing
from mulligan.core.fix_runs.judging import compare, describe, failing_tests, reaches_goal
from mulligan.types.commands import CommandKind
from mulligan.types.fixing import (
    CHECK_RUNS,
    CHECK_SECONDS,
    MAX_ATTEMPTS,
    Check,
    Node,
    Plan,
    ProfileName,
    RunProfile,
    RunReason,
    RunState,
    RunVerdict,
    Spent,
)


@dataclass(frozen=True, slots=True)
class GoTo:
    """Continue at this node."""

    node: Node


@dataclass(frozen=True, slots=True)
class Conclude:
    """End the run with this result."""

    verdict: RunVerdict
    reason: RunReason
    explanation: str


CHECK_IT = "check that this one is what you mean."
MANY = 100
"""Tested changes, after which one may pass by chance. The first ones are the likeliest."""

NextStep = GoTo | Conclude


@dataclass(frozen=True, slots=True)
class Judged:
    """The verifier's decision about an attempt."""

    next_step: NextStep
    keep: bool
    """Whether to keep the attempt's work."""
    summary: str


def after_baseline(state: RunState, profile: RunProfile) -> NextStep:
    """Whether there is anything to start from."""
    if state.commands and all(check.kind == "tooling_error" for check in state.baseline) and not profile.installs:
        return Conclude("unverified", "tooling", f"{_first_trouble(state.baseline)} Fix that first.")
    if state.agency == "guided" and state.commands and all(check.passed for check in state.baseline):
        return Conclude(
            "unverified",
            "nothing_fails",
            "All commands pass as it is, and a guided run starts from a failure. Write a test that fails, or use "
            "`mulligan code`.",
        )
    return GoTo("planner")


def before_planner(state: RunState) -> NextStep:
    """The limit on attempts, checked before the model is asked."""
    if not state.done and state.history.attempts >= MAX_ATTEMPTS:
        return Conclude(
            "failed",
            "bounded_attempts_exceeded",
            f"{state.history.attempts} attempts, and it still fails: {state.summary}",
        )
    return GoTo("planner")


def after_planner(state: RunState, plan: Plan) -> NextStep:
    """A planner may give up, but only after an attempt; its claim that all is well is checked."""
    if plan.next == "snitch" and state.history.attempts:
        return Conclude("failed", "gave_up", f"The planner saw no way: {plan.reason}")
    return GoTo("verifier" if plan.next == "verifier" else "coder")


def before_coder(state: RunState, profile: RunProfile) -> NextStep:
    if state.agency == "agent" and state.spent.steps >= profile.coder_steps:
        return Conclude(
            "unverified",
            "budget_used_up",
            f"The coder's {profile.coder_steps} steps of profile {profile.name} are used up. {state.summary}".strip(),
        )
    return GoTo("coder")


def before_verifier(state: RunState) -> NextStep:
    if not state.commands:
        return Conclude(
            "unverified",
            "no_commands",
            "No command was found that tests this project: say --verify CMD. What was made was never run.",
        )
    if not may_check(state, len(state.commands)):
        return Conclude(
            "unverified",
            "budget_used_up",
            f"The run's {CHECK_RUNS} verifying commands, or their {CHECK_SECONDS / 60:.0f} minutes, are used up.",
        )
    return GoTo("verifier")


def may_check(state: RunState, runs: int) -> bool:
    """Whether this many more commands may be run to judge the work."""
    return state.spent.checks + runs <= CHECK_RUNS and state.spent.check_seconds < CHECK_SECONDS


def after_verifier(state: RunState, after: Sequence[Check]) -> Judged:
    """Done, or back to the planner: a partial gain is kept, anything else discarded."""
    if reaches_goal(state.goal, state.baseline, after):
        return Judged(_passed(state, after), keep=True, summary=describe(compare(state.baseline, after)))
    comparison = compare(state.current_checks, after)
    trouble = next((check.summary for check in after if not check.passed), "")
    parts = [describe(comparison)]
    if trouble and trouble not in parts[0]:
        parts.append(trouble if trouble.endswith((".", "!", "?")) else f"{trouble}.")
    if state.restored_files:
        parts.append(f"Changes to files that judge the run were restored: {', '.join(state.restored_files)}.")
    return Judged(GoTo("planner"), comparison.improved, " ".join(parts))


def _passed(state: RunState, after: Sequence[Check]) -> NextStep:
    if not state.files:
        was_red = not all(check.passed for check in state.baseline)
        if was_red:
            return Conclude(
                "unverified",
                "passed_unchanged",
                "The commands failed at first and pass now, with nothing changed: they are not to be relied on.",
            )
        return Conclude("unverified", "nothing_changed", "Nothing was changed; all commands pass as they did.")
    left = [check for check in after if not check.passed]
    known = f" {len(failing_tests(left))} failures that the goal does not name were there before." if left else ""
    if all(check.passed for check in state.baseline):
        return Conclude(
            "verified",
            "passed",
            "All commands pass, as they did before: that shows that nothing broke, not that the goal is reached.",
        )
    return Conclude("verified", "passed", f"What failed before passes now, and nothing new fails.{known}{_luck(state)}")


def _luck(state: RunState) -> str:
    """What suggests that the change passes by chance."""
    alike = len(also_passing(state))
    if alike:
        others = "Another change passes" if alike == 1 else f"{alike} other changes pass"
        return f" {others} as well: {CHECK_IT}"
    tried = sum(run.purpose == "candidate" for run in state.runs)
    return f" It took {tried:,} test runs of changes to find it: {CHECK_IT}" if tried > MANY else ""


def _first_trouble(checks: Sequence[Check]) -> str:
    check = next(check for check in checks if not check.passed)
    return f"`{check.command}` can't do its work: {check.summary}."


PROFILES: dict[ProfileName, RunProfile] = {
    "strict": RunProfile(name="strict", commands=20, tests=5, installs=True, app_runs=True, coder_steps=20),
    "fast": RunProfile(name="fast", commands=8, tests=3, installs=False, app_runs=True, coder_steps=12),
    "smoke": RunProfile(name="smoke", commands=3, tests=1, installs=False, app_runs=False, coder_steps=6),
    "yolo": RunProfile(name="yolo", commands=15, tests=4, installs=True, app_runs=True, coder_steps=500),
}


def refuse_command(profile: RunProfile, spent: Spent, kinds: Collection[CommandKind]) -> str | None:
    """Why to skip a command; None if it may run."""
    if "git" in kinds:
        # A work tree shares branches, tags and stashes with the user's repository.
        return "a fix run writes nothing into the repository. Change files; Mulligan keeps what was there before."
    if "install" in kinds and not profile.installs:
        return f"profile {profile.name} allows no installs. Work with what is there."
    if "app" in kinds and not profile.app_runs:
        return f"profile {profile.name} allows no runs of the program. Reason from the code and the tests."
    if spent.commands >= profile.commands:
        return f"the run's {profile.commands} commands are used up. Edit what is wrong; the tests run afterwards."
    if "test" in kinds and spent.tests >= profile.tests:
        return f"the run's {_tests(profile)} used up. Edit what is wrong; the tests run after your turn anyway."
    return None


def spend(spent: Spent, kinds: Collection[CommandKind]) -> Spent:
    tests = spent.tests + ("test" in kinds)
    return spent.model_copy(update={"commands": spent.commands + 1, "tests": tests})


def _tests(profile: RunProfile) -> str:
    return "one run of tests is" if profile.tests == 1 else f"{profile.tests} runs of tests are"
