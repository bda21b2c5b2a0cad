"""The model says nothing, repeats itself, or is cut off while it calls a tool."""

from mulligan.drill.claims import (
    asks_at_most,
    asks_exactly,
    calls,
    ends,
    ends_with,
    fails,
    holds,
    leaves_files_alone,
    raises,
    raises_none,
    says,
    tells_the_model,
)
from mulligan.drill.fault import Claim, CommandStep, Fault, claim
from mulligan.drill.observed import Observation
from mulligan.drill.scripting import ANSWER, ask, call, code, for_ever, say, script, view
from mulligan.models.scripted.script import ScriptedCall, ScriptedReply, When

SENTENCE = "The file is read and then it is closed. "
BLOCK = "First the file is opened.\nThen each line is read, and counted.\n\nAt last it is closed again.\n\n"
NUMBERED = "".join(f"{number}. Look at the file and see what it does there.\n" for number in range(1, 400))
STORY = "".join(
    f"On day {number} they went {number * 7919 % 1000} miles and {number % 13} more.\n" for number in range(3_000)
)
SIMILAR = "".join(f"- part_{number}.py holds the part of the work with the number {number}.\n" for number in range(60))

MEANT: dict[str, object] = {"path": "new.py", "content": "whole = True\n"}
SHORTENED = '{"path": "new.py", "content": "whole = False\\n"}'
"""Well-formed, but not what the model meant: nothing shows that a part is missing."""


@claim
def _streams_at_most(seen: Observation, characters: int) -> str | None:
    """No more than this many characters were read, in all replies together."""
    streamed = sum(len(frame["text"]) for frame in seen.frames("text_delta"))
    return None if streamed <= characters else f"{streamed} characters streamed, more than {characters}"


def _cut_off(arguments: str, finish_reason: str | None) -> CommandStep:
    """A call without its end; when told so, the model sends it complete."""
    cut = ScriptedReply(
        tool_calls=(ScriptedCall(name="create_file", arguments=arguments),), finish_reason=finish_reason
    )
    return code(script(cut, call("create_file", MEANT), say("Done.")), "--yes")


_RUNS_THE_WHOLE_CALL_ALONE: tuple[Claim, ...] = (
    ends("answered", 0),
    asks_exactly(3),
    calls("create_file", MEANT),
    holds("new.py", "whole = True\n"),
    leaves_files_alone(but=["new.py"]),
)

_CUT_OFF_TWICE: tuple[Claim, ...] = (
    ends("doom_loop", 3),
    asks_at_most(3),
    raises("reply_cut"),
    raises("doom_loop", cycle=0, can_continue=True),
    tells_the_model("Your last reply said the same thing over and over"),
    _streams_at_most(4_000),
)

NOTHING: dict[str, object] = {
    "files": [],
    "passed": [],
    "ran": [],
    "failed": [],
    "broken": [],
    "missing": True,
    "text": "No file changed; no command run.",
}
FIX = "Fix one.py so that its tests pass."

REPLIES = (
    Fault(
        "claims-without-work",
        "says that it is fixed and the tests pass, and did nothing",
        (code(script(say("Fixed, the tests pass.")), goal=FIX),),
        (
            ends("answered", 4),
            asks_exactly(2),
            tells_the_model("no file is changed so far"),
            ends_with(work=NOTHING),
            leaves_files_alone(),
        ),
    ),
    Fault(
        "claims-after-stop",
        "goes in circles, and says in its last words that all is done",
        (
            code(
                for_ever(
                    ScriptedReply(when=When(tools=False), text="I changed one.py, the tests pass."), view("one.py")
                ),
                goal=FIX,
            ),
        ),
        (ends("doom_loop", 3), ends_with(work=NOTHING), says("I changed one.py")),
    ),
    Fault(
        "empty-replies",
        "empty replies for ever",
        (ask(for_ever(ScriptedReply())),),
        (
            ends("empty_reply", 3),
            asks_at_most(3),
            raises("empty_reply", count=2),
            tells_the_model("Your last reply was empty"),
            says("this is Mulligan's own list"),
        ),
    ),
    Fault(
        "only-thinking",
        "thinking for ever, and never an answer",
        (ask(for_ever(ScriptedReply(reasoning="It may be in one.py. Or in two.py."))),),
        (ends("empty_reply", 3), asks_at_most(3), raises("empty_reply", count=2)),
    ),
    Fault(
        "one-empty-reply",
        "one empty reply, then an answer",
        (ask(script(ScriptedReply(), say())),),
        (ends("answered", 0), asks_exactly(2), raises_none("empty_reply"), says(ANSWER)),
    ),
    Fault("one-sentence", "one sentence for ever", (ask(for_ever(say(SENTENCE * 400))),), _CUT_OFF_TWICE),
    Fault("one-paragraph", "the same few lines for ever", (ask(for_ever(say(BLOCK * 200))),), _CUT_OFF_TWICE),
    Fault(
        "numbered-sentence",
        "a numbered list of one and the same sentence",
        (ask(for_ever(say(NUMBERED))),),
        _CUT_OFF_TWICE,
    ),
    Fault(
        "endless-reply",
        "a reply that is far longer than the model's context",
        (ask(for_ever(say(STORY))),),
        (
            ends("model_error", 5),
            asks_exactly(2),
            raises("model_failed"),
            tells_the_model("Your last reply was cut off at the token limit"),
            _streams_at_most(20_000),
        ),
        settings="context_length = 1024\n",
    ),
    Fault(
        "long-list",
        "no fault: a long list of lines that are much alike",
        (ask(script(say(SIMILAR))),),
        (ends("answered", 0), asks_exactly(1), raises_none("reply_cut"), says(SIMILAR.strip())),
    ),
    Fault(
        "call-at-the-limit",
        "a call that ends at the token limit",
        (_cut_off(SHORTENED, "length"),),
        (*_RUNS_THE_WHOLE_CALL_ALONE, fails("schema_reject"), tells_the_model("was cut off at the token limit")),
    ),
    Fault(
        "call-in-a-string",
        "a call that ends in the middle of a string",
        (_cut_off('{"path": "new.py", "content": "whole = ', "tool_calls"),),
        (*_RUNS_THE_WHOLE_CALL_ALONE, fails("schema_reject"), tells_the_model("they end inside a string")),
    ),
    Fault(
        "call-without-an-end",
        "a call in a reply that never says it is whole",
        (_cut_off(SHORTENED, None),),
        (*_RUNS_THE_WHOLE_CALL_ALONE, fails("schema_reject", times=0)),
    ),
)
