"""The model goes in circles, or fails again and again."""

from collections.abc import Sequence

from mulligan.drill.claims import (
    answers_mistakes_with,
    asks_at_most,
    asks_exactly,
    ends,
    exits,
    holds,
    leaves_files_alone,
    never_tells_the_model,
    raises,
    raises_none,
    says,
    tells_the_model,
)
from mulligan.drill.fault import FILES, CommandStep, Fault
from mulligan.drill.observed import FinishedCommand
from mulligan.drill.scripting import ANSWER, ask, call, code, command, edit, for_ever, say, script, view
from mulligan.models.scripted.script import ScriptedReply, When

NOTHING_CHANGED = "nothing has changed since"
"""Part of the result of a repeated call."""
RECOVERY_NOTE = "take a fundamentally different approach"
WHERE_IT_STANDS = "It is neither in one.py nor in two.py."

MIXED = (view("missing_$n.py"), call("frobnicate", {"n": "$n"}), call("grep", {"wrong": "$n"}), view("../$n"))
MISSING = (view("missing_1.py"), view("missing_2.py"), view("missing_3.py"))
POLL = command("sh poll.sh")
TEST = command("sh test.sh")

POLLED = {**FILES, "poll.sh": 'echo >> polled\necho "$(wc -l < polled) of 5 parts are built"\n'}
# The time differs in each output, but is not progress.
TESTED = {**FILES, "test.sh": "echo FAILED: one is not 1, at $(date +%T.%N)\ngrep -q 'return 1$' one.py\n"}
SHORT_OF_STEPS = {
    **FILES,
    "mulligan.toml": """
        [agents.short]
        description = "Has few steps."
        tools = ["view_file"]
        steps = 2
        prompt = "Look."
    """,
}


_LOOKS = [call("grep", {"pattern": f"word_{n}"}) if n % 8 else view(f"missing_{n}.py") for n in range(40)]


def _circle(*names: str) -> CommandStep:
    return ask(for_ever(*(view(f"{name}.py") for name in names)))


def _reading() -> CommandStep:
    """A model that would read forever, with an agent that has few steps."""
    where_it_stands = ScriptedReply(when=When(tools=False), text=WHERE_IT_STANDS)
    return ask(for_ever(where_it_stands, *(view(path) for path in FILES)), "--agent", "short")


def _continued(before: Sequence[FinishedCommand]) -> Sequence[str]:
    return ("ask", "--chat", before[0].last["chat_id"], "--continue")


LOOPS = (
    Fault(
        "same-call",
        "the same call for ever",
        (ask(for_ever(view("one.py"))),),
        (
            ends("doom_loop", 3),
            asks_at_most(4),
            raises("doom_loop", cycle=1, can_continue=True),
            tells_the_model(NOTHING_CHANGED),
            # Even in the last request, without tools, the model repeats the call.
            says("this is Mulligan's own list"),
            leaves_files_alone(),
        ),
    ),
    Fault(
        "cycle-of-two",
        "two calls in turn for ever",
        (_circle("one", "two"),),
        (ends("doom_loop", 3), asks_at_most(7), raises("doom_loop", cycle=2, count=3, can_continue=True)),
    ),
    Fault(
        "cycle-of-three",
        "three calls in turn for ever",
        (_circle("one", "two", "three"),),
        (ends("doom_loop", 3), asks_at_most(7), raises("doom_loop", cycle=3, count=2, can_continue=True)),
    ),
    Fault(
        "cycle-of-five",
        "five calls in turn for ever",
        (_circle("one", "two", "three", "four", "five"),),
        (ends("doom_loop", 3), asks_at_most(11), raises("doom_loop", cycle=5, count=2, can_continue=True)),
    ),
    Fault(
        "failing-test-again",
        "the same failing test again and again",
        (code(for_ever(TEST)),),
        (ends("doom_loop", 3), asks_at_most(4), raises("doom_loop", cycle=1), leaves_files_alone()),
        files=TESTED,
    ),
    Fault(
        "mixed-failures",
        "calls that fail in another way each time",
        (ask(for_ever(*MIXED)),),
        (
            ends("mistakes", 3),
            asks_at_most(7),
            answers_mistakes_with("nudge", "escalate"),
            raises("mistake_recovery", escalated=True, can_continue=True),
            tells_the_model(RECOVERY_NOTE, requests=1),
        ),
    ),
    Fault(
        "missing-files",
        "files that are not there, one after the other",
        (ask(for_ever(view("missing_$n.py"))),),
        (ends("mistakes", 3), asks_at_most(7), answers_mistakes_with("nudge", "escalate")),
    ),
    Fault(
        "unknown-tool",
        "a tool that does not exist, for ever",
        (ask(for_ever(call("frobnicate", {}))),),
        (ends("doom_loop", 3), asks_at_most(4), tells_the_model("There is no tool named")),
    ),
    Fault(
        "unknown-tool-varied",
        "a tool that does not exist, always with other arguments",
        (ask(for_ever(call("frobnicate", {"n": "$n"}))),),
        (ends("mistakes", 3), asks_at_most(7), answers_mistakes_with("nudge", "escalate")),
    ),
    Fault(
        "failing-edits",
        "edits of lines that are not there, always others",
        (code(for_ever(edit("one.py", "    return 'missing $n'\n", "    return 1\n")), "--yes"),),
        (ends("mistakes", 3), asks_at_most(7), answers_mistakes_with("nudge", "escalate"), leaves_files_alone()),
    ),
    Fault(
        "failures-with-successes",
        "three failing calls and one that works, again and again",
        (ask(for_ever(*[view("missing_$n.py")] * 3, call("grep", {"pattern": "$n"}))),),
        (
            ends("mistakes", 3),
            asks_at_most(40),
            answers_mistakes_with("nudge", "nudge", "nudge", "escalate"),
            tells_the_model("Your last 3 calls of view_file all failed.", requests=3),
        ),
    ),
    Fault(
        "edit-and-undo",
        "an edit and its undoing, for ever",
        (code(for_ever(edit("one.py", "'one'", "1"), edit("one.py", "1", "'one'")), "--yes"),),
        (ends("doom_loop", 3), asks_at_most(16), raises("doom_loop", cycle=2, can_continue=True), leaves_files_alone()),
    ),
    Fault(
        "long-circle",
        "the same files again and again, in a circle longer than a cycle",
        (_circle("one", "two", "three", "four", "five", "six"),),
        (ends("doom_loop", 3), asks_at_most(17), raises("doom_loop", stale=True, can_continue=True)),
    ),
    Fault(
        "step-cap",
        "reading on and on, with few steps to take",
        (_reading(),),
        (ends("step_cap", 3), asks_exactly(3), raises("cap_hit", steps=2, can_continue=True), says(WHERE_IT_STANDS)),
        files=SHORT_OF_STEPS,
    ),
    Fault(
        "continued-for-ever",
        "stopped and continued, again and again",
        (_reading(), *(CommandStep(_continued, _reading().script) for _ in range(4))),
        (
            *(ends("step_cap", 3, run=run) for run in range(4)),
            raises("cap_hit", steps=2, can_continue=False),
            exits(2),
            asks_exactly(4 * 3),
        ),
        files=SHORT_OF_STEPS,
    ),
    Fault(
        "recovers",
        "three failing calls, then something that works, twice",
        (ask(script(*MISSING, view("one.py"), *MISSING, view("two.py"), say())),),
        (
            ends("answered", 0),
            asks_exactly(9),
            answers_mistakes_with("nudge", "nudge"),
            tells_the_model(RECOVERY_NOTE, requests=2),
            says(ANSWER),
        ),
    ),
    Fault(
        "many-reads",
        "no fault: forty different looks, some of them in vain",
        (ask(script(*_LOOKS, say())),),
        (
            ends("answered", 0),
            asks_exactly(len(_LOOKS) + 1),
            answers_mistakes_with(),
            raises_none("doom_loop"),
            says(ANSWER),
        ),
    ),
    Fault(
        "honest-polling",
        "no fault: the same command, with another result each time",
        (code(script(*[POLL] * 5, say("All are built."))),),
        (ends("answered", 0), asks_exactly(6), raises_none("doom_loop"), never_tells_the_model(NOTHING_CHANGED)),
        files=POLLED,
    ),
    Fault(
        "test-after-edit",
        "no fault: the same test after each edit, until it passes",
        (
            code(
                script(
                    TEST,
                    edit("one.py", "'one'", "2"),
                    TEST,
                    edit("one.py", "2", "3"),
                    TEST,
                    edit("one.py", "3", "1"),
                    TEST,
                    say("It passes."),
                ),
                "--yes",
            ),
        ),
        (
            ends("answered", 0),
            asks_exactly(8),
            answers_mistakes_with(),
            never_tells_the_model(NOTHING_CHANGED),
            holds("one.py", "def one():\n    return 1\n"),
        ),
        files=TESTED,
    ),
)
