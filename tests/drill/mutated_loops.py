"""Guards against loops, broken."""

from tests.drill.mutations import Mutation

REPETITION = "core/repetition.py"

MUTATIONS = (
    Mutation(
        "short cycles are let pass",
        REPETITION,
        "    return 3 if cycle <= 2 else 2",
        "    return 300 if cycle <= 2 else 2",
        ("same-call", "cycle-of-two", "failing-test-again", "unknown-tool"),
    ),
    Mutation(
        "long cycles are seen late",
        REPETITION,
        "    return 3 if cycle <= 2 else 2",
        "    return 3 if cycle <= 2 else 3",
        ("cycle-of-three", "cycle-of-five"),
    ),
    Mutation(
        "a repeated call is not pointed out",
        "loop/tool_phase.py",
        "    if guards.knows(ran.done):",
        "    if guards.knows(ran.done) and False:",
        ("same-call",),
    ),
    Mutation(
        "another time passes for another result",
        REPETITION,
        "canonical(arguments), mask_volatile(result), epoch)",
        "canonical(arguments), result, epoch)",
        ("failing-test-again",),
    ),
    Mutation(
        "results are not compared",
        REPETITION,
        "canonical(arguments), mask_volatile(result), epoch)",
        'canonical(arguments), "", epoch)',
        ("honest-polling",),
    ),
    Mutation(
        "edits are no progress",
        "core/guards.py",
        "self.epoch + progress, repeated)",
        "self.epoch, repeated)",
        ("test-after-edit",),
    ),
    Mutation(
        "mistakes are counted for too long",
        "core/mistakes.py",
        "MISTAKE_THRESHOLD = 3",
        "MISTAKE_THRESHOLD = 4",
        ("mixed-failures", "missing-files", "unknown-tool-varied", "failing-edits", "recovers"),
    ),
    Mutation(
        "a success does not clear the mistakes",
        "core/mistakes.py",
        "        return MistakeState()\n",
        "        return state\n",
        ("recovers", "test-after-edit"),
    ),
    Mutation(
        "a recovery note goes with every later request",
        "loop/turn.py",
        "                case GoOn():\n                    note = None",
        "                case GoOn():\n                    pass",
        ("mixed-failures", "recovers"),
    ),
    Mutation(
        "a turn takes one step more than it may",
        "core/next_move.py",
        "    if steps >= limit:",
        "    if steps > limit:",
        ("step-cap",),
    ),
    Mutation(
        "a stopped turn has no last words",
        "loop/open_turn.py",
        "        if end.reason in GUARD_STOPS and end.last_words:",
        "        if end.reason in GUARD_STOPS and not end.last_words:",
        ("same-call", "step-cap"),
    ),
    Mutation(
        "a turn can be continued for ever",
        "core/step_budget.py",
        "MAX_CONTINUES = 3",
        "MAX_CONTINUES = 30",
        ("continued-for-ever",),
    ),
)
