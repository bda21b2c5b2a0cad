"""Models write calls and thinking into their text, each family in its own way; or they only announce a call."""

import json

from mulligan.drill.claims import (
    asks_exactly,
    calls,
    calls_nothing,
    ends,
    fails,
    leaves_files_alone,
    raises,
    raises_none,
    says,
    says_only,
    tells_the_model,
)
from mulligan.drill.fault import Fault, claim
from mulligan.drill.observed import Observation
from mulligan.drill.scripting import ANSWER, ask, for_ever, say, script, view
from mulligan.models.scripted.script import ScriptedReply

_ONE = json.dumps({"path": "one.py"})
_CALL = json.dumps({"name": "view_file", "arguments": {"path": "one.py"}})
_FUNCTION = "<function=view_file>\n<parameter=path>\none.py\n</parameter>\n</function>"
_THOUGHT = "It may be in two.py, or not."
_MUSINGS = " ".join(f"It may be line {number * 7919 % 10_007} of a file, or not." for number in range(3_000))
_ANNOUNCED = "Let me look at the file now."

CALLS_IN_TEXT = {
    "qwen-coder": f"<tool_call>\n{_FUNCTION}\n</tool_call>",
    "seed": f"<seed:tool_call>\n{_FUNCTION}\n</seed:tool_call>",
    "glm": "<tool_call>view_file\n<arg_key>path</arg_key>\n<arg_value>one.py</arg_value>\n</tool_call>",
    "cline": "<view_file>\n<path>one.py</path>\n</view_file>",
    "minimax": '<minimax:tool_call>\n<invoke name="view_file">\n<parameter name="path">one.py</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    "deepseek-v3-2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="view_file">\n<｜DSML｜parameter name="path" '
    'string="true">one.py</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "gpt-oss": f"<|channel|>commentary to=functions.view_file <|constrain|>json<|message|>{_ONE}<|call|>",
    "deepseek-v3": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>view_file\n```json\n{_ONE}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3-1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>view_file<｜tool▁sep｜>{_ONE}<｜tool▁call▁end｜>"
    "<｜tool▁calls▁end｜>",
    "step-3": '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="view_file">'
    '<steptml:parameter name="path">one.py</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>',
    "longcat": f"<longcat_tool_call>{_CALL}</longcat_tool_call>",
    "olmo-3": '<function_calls>view_file(path="one.py")</function_calls>',
    "kimi": f"<|tool_calls_section_begin|><|tool_call_begin|>functions.view_file:0<|tool_call_argument_begin|>{_ONE}"
    "<|tool_call_end|><|tool_calls_section_end|>",
    "mistral": f"[TOOL_CALLS]view_file[ARGS]{_ONE}",
    "react": f"Action: view_file\nAction Input: {_ONE}",
    "mistral-list": f"[TOOL_CALLS] [{_CALL}]",
    "llama-3": f"<|python_tag|>{_CALL}",
    "phi": f"functools[{_CALL}]",
    "granite": f"<|tool_call|>[{_CALL}]",
    "command-r": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "view_file", "parameters": {"path": "one.py"}}]'
    "<|END_ACTION|>",
    "internlm": f"<|action_start|><|plugin|>\n{_CALL}<|action_end|>",
    "nemotron": f"<TOOLCALL>[{_CALL}]</TOOLCALL>",
    "llama-4": "<|python_start|>[view_file(path='one.py')]<|python_end|>",
    "pythonic": "[view_file(path='one.py')]",
    "lfm2": '<|tool_call_start|>[view_file(path="one.py")]<|tool_call_end|>',
    "gemma-3": '```tool_code\nprint(view_file(path="one.py"))\n```',
    "gemma-4": '<|tool_call>call:view_file{path:<|"|>one.py<|"|>}<tool_call|>',
}  # fmt: skip
"""Calls by model family: `view_file` with the path `one.py`."""

THINKING = {
    "think": f"<think>{_THOUGHT}</think>\n\n{ANSWER}",
    "thought": f"<thought>{_THOUGHT}</thought>\n{ANSWER}",
    "magistral": f"[THINK]{_THOUGHT}[/THINK]{ANSWER}",
    "seed": f"<seed:think>{_THOUGHT}</seed:think>{ANSWER}",
    "gemma": f"<|channel>thought\n{_THOUGHT}<channel|>{ANSWER}",
    "gpt-oss": f"<|channel|>analysis<|message|>{_THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
    "unopened": f"{_THOUGHT}\n</think>\n\n{ANSWER}",
}


@claim
def _thinks(seen: Observation, thought: str, answer: str) -> str | None:
    """Exactly this is recorded in the end as thinking, and exactly this as the answer."""
    texts = {"reasoning_delta": "", "text_delta": ""}
    for frame in seen.last.frames:
        if frame["type"] == "reply_trimmed":
            texts["text_delta"] = frame["text"]
        elif frame["type"] in texts:
            texts[frame["type"]] += frame["text"]
    found = (texts["reasoning_delta"].strip(), texts["text_delta"])
    return None if found == (thought, answer) else f"thinking and answer are {found}"


@claim
def _thinks_at_most(seen: Observation, characters: int) -> str | None:
    """No more than this much thinking was read, in all replies together."""
    thought = sum(len(frame["text"]) for frame in seen.frames("reasoning_delta"))
    return None if thought <= characters else f"{thought} characters of thinking, more than {characters}"


def _written(family: str, text: str) -> Fault:
    """The call runs, and its text is not shown to the user."""
    claims = (ends("answered", 0), asks_exactly(2), calls("view_file", {"path": "one.py"}), says_only(ANSWER))
    played = (ask(script(say(text), say())),)
    return Fault(f"call-of-{family}", f"a call as {family} writes it into the text", played, claims)


def _thought(family: str, text: str) -> Fault:
    """The thinking is not part of the answer, and is never sent back to the model."""
    claims = (ends("answered", 0), asks_exactly(1), _thinks(_THOUGHT, ANSWER))
    return Fault(f"thinking-of-{family}", f"thinking as {family} marks it", (ask(script(say(text))),), claims)


FORMATS = (
    *(_written(family, text) for family, text in CALLS_IN_TEXT.items()),
    Fault(
        "calls-as-examples",
        "calls of all families in a fence, to be shown",
        (ask(script(say("They look like this:\n\n````text\n" + "\n\n".join(CALLS_IN_TEXT.values()) + "\n````"))),),
        (ends("answered", 0), asks_exactly(1), calls_nothing, *map(says, CALLS_IN_TEXT.values())),
    ),
    Fault(
        "element-cut-off",
        "a call in elements that lacks its end",
        (
            ask(
                script(
                    say('<invoke name="view_file">\n<parameter name="path">two.py</parameter>'), view("one.py"), say()
                )
            ),
        ),
        (ends("answered", 0), asks_exactly(3), fails("schema_reject"), calls("view_file", {"path": "one.py"})),
    ),
    *(_thought(family, text) for family, text in THINKING.items()),
    Fault(
        "thinks-too-long",
        "thinking that goes on and on, and an answer once it is asked for",
        (ask(script(ScriptedReply(reasoning=_MUSINGS), say())),),
        (
            ends("answered", 0),
            asks_exactly(2),
            tells_the_model("You have thought long enough", requests=1),
            _thinks_at_most(6_000),
            says_only(ANSWER),
        ),
        settings="thinking_budget = 1000\n",
    ),
    Fault(
        "thinks-for-ever",
        "thinking that goes on and on, also when the answer is asked for",
        (ask(for_ever(ScriptedReply(reasoning=_MUSINGS))),),
        (ends("model_error", 5), asks_exactly(2), raises("model_failed"), _thinks_at_most(12_000)),
        settings="thinking_budget = 1000\n",
    ),
    Fault(
        "thinks-in-circles",
        "the same thought over and over",
        (ask(script(ScriptedReply(reasoning=_THOUGHT * 500), say())),),
        (
            ends("answered", 0),
            asks_exactly(2),
            raises("reply_cut"),
            tells_the_model("said the same thing over and over", requests=1),
            _thinks_at_most(4_000),
        ),
    ),
    Fault(
        "announced-once",
        "an announcement of a call, then the call",
        (ask(script(say(_ANNOUNCED), view("one.py"), say())),),
        (
            ends("answered", 0),
            asks_exactly(3),
            tells_the_model("it called no tool", requests=1),
            calls("view_file", {"path": "one.py"}),
            raises_none("only_announced"),
        ),
    ),
    Fault(
        "announced-for-ever",
        "announcements, and never a call",
        (ask(for_ever(say(_ANNOUNCED))),),
        (ends("answered", 4), asks_exactly(2), calls_nothing, raises("only_announced"), leaves_files_alone()),
    ),
    Fault(
        "offer-to-go-on",
        "no fault: an answer that ends with an offer",
        (ask(script(say(f"{ANSWER} I'll change it if you like."))),),
        (ends("answered", 0), asks_exactly(1), raises_none("only_announced")),
    ),
)
