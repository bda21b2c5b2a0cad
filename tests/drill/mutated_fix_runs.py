"""Bounds and judgement of fix runs, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "a yes and no yes are mixed up",
        "fixing.finish:finish",
        "lambda *given, apply: whole(*given, apply=not apply)",
        ("good-fix", "garbage-plan"),
    ),
    Mutation(
        "a fourth attempt is made",
        "types.fixing:MAX_ATTEMPTS",
        "4",
        ("hopeless-fix", "guided-garbage"),
    ),
    Mutation(
        "a planner is taken at its word",
        "core.fix_runs.next_node:after_planner",
        """def broken(state, plan):
    done = plan.next == "verifier"
    return Conclude("verified", "passed", plan.reason) if done else whole(state, plan)""",
        ("fix-by-word",),
    ),
    Mutation(
        "a plan is followed as often as it is made",
        "fixing.planner:repeated_attempt",
        "lambda *_: None",
        ("same-plan-again",),
    ),
    Mutation(
        "what was tried is forgotten",
        "core.fix_runs.planning:attempts_shown",
        'lambda *_: ""',
        ("same-plan-again",),
    ),
    Mutation(
        "tests may be changed",
        "core.fix_runs.judging_files:is_test_file",
        "lambda path: False",
        ("test-tampered",),
    ),
    Mutation(
        "silence passes for success",
        "core.fix_runs.judging:_fewer_tests",
        "lambda before, after: None",
        ("early-exit",),
    ),
    Mutation(
        "a plan that can not be read ends the run",
        "fixing.planner:plan_by_code",
        'lambda *_: Plan(next="verifier", plan=(), reason="")',
        ("garbage-plan",),
    ),
    Mutation(
        "a failed attempt is kept",
        "core.fix_runs.next_node:after_verifier",
        "lambda *given: dataclasses.replace(whole(*given), keep=True)",
        ("breaking-edit",),
    ),
    Mutation(
        "nothing to run is nothing to fear",
        "core.fix_runs.next_node:before_verifier",
        'lambda state: GoTo("verifier")',
        ("no-verifying-command",),
    ),
    Mutation(
        "a dead model is a run that gave up",
        "fixing.run:_moved",
        """def broken(state, step):
    dead = getattr(step, "reason", "") == "model_error"
    return whole(state, dataclasses.replace(step, reason="gave_up") if dead else step)""",
        ("model-dies",),
    ),
)
