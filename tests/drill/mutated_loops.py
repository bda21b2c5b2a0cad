"""Guards against loops, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "short cycles are let pass",
        "core.repetition:_rounds_allowed",
        "lambda cycle: 300 if cycle <= 2 else 2",
        ("same-call", "cycle-of-two", "failing-test-again", "unknown-tool"),
    ),
    Mutation(
        "long cycles are seen late",
        "core.repetition:_rounds_allowed",
        "lambda cycle: 3",
        ("cycle-of-three", "cycle-of-five"),
    ),
    Mutation(
        "a repeated call is not pointed out",
        "loop.tool_phase:UNCHANGED_NOTE",
        '""',
        ("same-call",),
    ),
    Mutation(
        "another time passes for another result",
        "core.repetition:mask_volatile",
        "lambda text: text",
        ("failing-test-again",),
    ),
    Mutation(
        "results are not compared",
        "core.repetition:call_record",
        'lambda name, arguments, result, epoch: whole(name, arguments, "", epoch)',
        ("honest-polling",),
    ),
    Mutation(
        "edits are no progress",
        "core.guards:Guards.after_step",
        "lambda self, calls: replace(whole(self, calls), state=UNCHANGED)",
        ("test-after-edit",),
    ),
    Mutation(
        "mistakes are counted for too long",
        "core.mistakes:MISTAKE_THRESHOLD",
        "4",
        ("mixed-failures", "missing-files", "unknown-tool-varied", "failing-edits", "recovers"),
    ),
    Mutation(
        "a success does not clear the mistakes",
        "core.mistakes:after_call",
        'lambda state, outcome: state if outcome == "success" else whole(state, outcome)',
        ("recovers", "test-after-edit"),
    ),
    Mutation(
        "a recovery note goes with every later request",
        "loop.turn:_Steps._ask",
        """def broken(self, note, given=[]):
    given += [note] if note else []
    return whole(self, given[-1] if given else None)""",
        ("mixed-failures", "recovers"),
    ),
    Mutation(
        "a turn takes one step more than it may",
        "core.guards:first_guard",
        "lambda *given, steps, limit: whole(*given, steps=steps, limit=limit + 1)",
        ("step-cap",),
    ),
    Mutation(
        "a stopped turn has no last words",
        "loop.open_turn:STOPS",
        '{reason: dataclasses.replace(stop, told_to_model="") for reason, stop in whole.items()}',
        ("same-call", "step-cap"),
    ),
    Mutation(
        "a turn can be continued for ever",
        "core.step_budget:MAX_CONTINUES",
        "30",
        ("continued-for-ever",),
    ),
    Mutation(
        "recovery notes are given without end",
        "core.turn_budget:TurnBudget.nudges_used_up",
        "False",
        ("failures-with-successes",),
    ),
    Mutation(
        "a state that was there before passes for a new one",
        "core.guards:state_after",
        """def broken(outcome, seen=[]):
    seen.append(outcome)
    return whole(outcome) and str(len(seen))""",
        ("edit-and-undo",),
    ),
    Mutation(
        "steps that bring nothing new are not counted",
        "core.turn_budget:TurnBudget.is_stale",
        "False",
        ("long-circle",),
    ),
    Mutation(
        "a new result is nothing new",
        "core.turn_budget:TurnBudget._after_call",
        "lambda self, effect: replace(whole(self, effect), answers=self.answers)",
        ("many-reads",),
    ),
)
