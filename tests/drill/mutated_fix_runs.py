"""Bounds and judgement of fix runs, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "a yes and no yes are mixed up",
        "fixing/finish.py",
        'if apply and state.verdict == "verified" else 0',
        'if not apply and state.verdict == "verified" else 0',
        ("good-fix", "garbage-plan"),
    ),
    Mutation(
        "a fourth attempt is made",
        "types/fixing.py",
        "MAX_ATTEMPTS = 3",
        "MAX_ATTEMPTS = 4",
        ("hopeless-fix", "guided-garbage"),
    ),
    Mutation(
        "a planner is taken at its word",
        "core/fix_runs/next_node.py",
        'return GoTo("verifier" if plan.next == "verifier" else "coder")',
        'return GoTo("coder") if plan.next == "coder" else Conclude("verified", "passed", plan.reason)',
        ("fix-by-word",),
    ),
    Mutation(
        "tests may be changed",
        "core/fix_runs/guarded_files.py",
        'return "a test" if existed',
        "return None if existed",
        ("test-tampered",),
    ),
    Mutation(
        "silence passes for success",
        "core/fix_runs/judging.py",
        "if check.passed and ran_before and",
        "if not check.passed and",
        ("early-exit",),
    ),
    Mutation(
        "a plan that can not be read ends the run",
        "fixing/planner.py",
        'return plan_by_code(state, "The model gave no plan that could be read.")',
        'return Plan(next="verifier", plan=(), reason="")',
        ("garbage-plan",),
    ),
    Mutation(
        "a failed attempt is kept",
        "core/fix_runs/next_node.py",
        'Judged(GoTo("planner"), from_standing.improved, from_standing',
        'Judged(GoTo("planner"), True, from_standing',
        ("breaking-edit",),
    ),
    Mutation(
        "nothing to run is nothing to fear",
        "core/fix_runs/next_node.py",
        "    if not state.commands:\n        return Conclude(",
        "    if state.commands is None:\n        return Conclude(",
        ("no-verifying-command",),
    ),
    Mutation(
        "a dead model is a run that gave up",
        "fixing/run.py",
        'turn = Conclude("failed", "model_error", str(error))',
        'turn = Conclude("failed", "gave_up", str(error))',
        ("model-dies",),
    ),
)
