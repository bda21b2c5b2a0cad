"""What other agents get through the proxy: the model misbehaves, and the agent has no guards of its own."""

import json
from collections.abc import Mapping
from typing import Any

from mulligan.core.proxy.conversation import MARK
from mulligan.drill.claims import asks_at_most, asks_exactly, exits
from mulligan.drill.fault import Claim, Fault, ProxyStep, claim
from mulligan.drill.observed import Observation
from mulligan.drill.scripting import ANSWER, call, for_ever, say, script
from mulligan.models.scripted.reply import streamed_reply
from mulligan.models.scripted.script import Script, ScriptedReply

ONE: dict[str, Any] = {"path": "one.py"}
WHOLE: dict[str, Any] = {"path": "one.py", "whole": True}
READ = call("read_file", ONE)
TESTS = call("run_shell", {"command": "pytest -q"})
CALL = json.dumps({"name": "read_file", "arguments": ONE})
BUSY = ScriptedReply(status=503)
CUT = ScriptedReply(text=ANSWER, chunk_size=4, cut_after=2)
CUT_CALL = call("edit_file", '{"path": "one.py", "old": "return", "new": "ret').model_copy(
    update={"finish_reason": "length"}
)
FAILING = {"read_file": "Error: no such file", "run_shell": "sh: command not found\nexit code: 127"}


def _ends(seen: Observation) -> str | None:
    """The agent is done, and its last reply is complete."""
    last = seen.last.replies[-1] if seen.last.replies else None
    if last is None:
        return "the agent got nothing"
    if last.calls:
        return f"the agent was still at it after {len(seen.last.replies)} requests"
    return None if (last.status, last.finish) == (200, "stop") else f"the last reply was {last.raw[-300:]!r}"


@claim
def _answers(seen: Observation, text: str) -> str | None:
    """The last reply's text is exactly this."""
    reply = seen.last.replies[-1].text
    return None if reply == text else f"the agent was told {reply!r}, not {text!r}"


@claim
def _did_last(seen: Observation, wanted: str) -> str | None:
    """The last action of the proxy, as named in its log."""
    actions = [action for frame in seen.frames("request") for action in frame["actions"]]
    return None if actions[-1:] == [wanted] else f"the proxy did {actions}"


def _says_who_ended_it(seen: Observation) -> str | None:
    reply = seen.last.replies[-1].text
    return None if reply.startswith(MARK) else f"the last words do not begin with {MARK!r}: {reply!r}"


def _says_that_it_was_cut_off(seen: Observation) -> str | None:
    last = seen.last.replies[-1]
    reported = "cut off before its end" in last.text and (last.status, last.finish) == (200, "length")
    return None if reported else f"the agent was told {last.text!r}, and that it ended by {last.finish}"


@claim
def _calls(seen: Observation, *wanted: tuple[str, dict[str, Any]]) -> str | None:
    """The agent got exactly these native calls. Their arguments must be JSON."""
    found = [(name, arguments) for reply in seen.last.replies for name, arguments in reply.calls]
    try:
        read = [(name, json.loads(arguments)) for name, arguments in found]
    except ValueError:
        return f"the agent got arguments that are no JSON: {found}"
    return None if read == [*wanted] else f"the agent got the calls {read}, not {[*wanted]}"


def _shows_no_call(seen: Observation) -> str | None:
    """Text that became a call is not also shown as text."""
    leaked = [reply.text for reply in seen.last.replies if "read_file" in reply.text]
    return f"the agent was shown {leaked[0]!r}" if leaked else None


@claim
def _passes_unchanged(seen: Observation, played: Script) -> str | None:
    """The model got exactly what the agent sent, and the agent got exactly the model's bytes."""
    replies = seen.last.replies
    if [*seen.last.requests] != [reply.sent for reply in replies]:
        return "the model was not asked what the agent sent"
    for number, reply in enumerate(replies, 1):
        scripted = played.reply_for(number)
        events = streamed_reply(scripted, number, played.model, reply.sent["messages"], include_usage=False).events
        if reply.raw != "".join(events).encode():
            return f"reply {number} was changed on its way: {reply.raw[:300]!r}"
    return None


def _fault(name: str, title: str, played: Script, *claims: Claim, results: Mapping[str, str] | None = None) -> Fault:
    return Fault(name, title, (ProxyStep(played, results or {}),), (exits(0), _ends, *claims))


def _looping(name: str, title: str, *replies: ScriptedReply) -> Fault:
    """The model would continue forever. The proxy ends the loop, and says so."""
    return _fault(name, title, for_ever(*replies), asks_at_most(8), _says_who_ended_it, _did_last("ended_loop"))


def _failing(name: str, title: str, *replies: ScriptedReply) -> Fault:
    """Like `_looping`, with calls that fail."""
    return _fault(
        name,
        title,
        for_ever(*replies),
        asks_at_most(12),
        _says_who_ended_it,
        _did_last("ended_mistakes"),
        results=FAILING,
    )


def _repaired(name: str, title: str, wrong: ScriptedReply, arguments: dict[str, Any] = ONE) -> Fault:
    """The agent gets the call as it was meant, without another request to the model."""
    claims = (asks_exactly(2), _calls(("read_file", arguments)), _shows_no_call, _answers(ANSWER))
    return _fault(name, title, script(wrong, say()), *claims)


def _healthy(name: str, title: str, *replies: ScriptedReply) -> Fault:
    """Every reply takes one request, and passes unchanged."""
    played = script(*replies)
    return _fault(name, title, played, asks_exactly(len(replies)), _passes_unchanged(played), _answers(ANSWER))


def _edit(number: int) -> ScriptedReply:
    return call("edit_file", {"path": "one.py", "old": f"return {number}", "new": f"return {number + 1}"})


PROXY = (
    _looping("proxy-same-call", "another agent's model makes the same call for ever", READ),
    _looping(
        "proxy-circle",
        "another agent's model goes in a circle of two calls",
        READ,
        call("read_file", {"path": "two.py"}),
    ),
    _failing(
        "proxy-failures",
        "another agent's model makes one failing call after another, each of them new",
        call("read_file", {"path": "missing_$n.py"}),
        call("run_shell", {"command": "missing_$n"}),
    ),
    _failing(
        "proxy-unknown-tool",
        "another agent's model calls a tool that the agent does not have, for ever",
        call("fly_to_moon", {"day": "$n"}),
    ),
    _repaired(
        "proxy-text-call",
        "another agent's model writes its call as text, in marks",
        READ.model_copy(update={"calls_as": "text"}),
    ),
    _repaired(
        "proxy-fenced-call",
        "another agent's model writes its call as text, in a code block",
        say(f"I will read it.\n\n```json\n{CALL}\n```"),
    ),
    _repaired(
        "proxy-trailing-comma",
        "arguments for another agent with a trailing comma",
        call("read_file", '{"path": "one.py",}'),
    ),
    _repaired(
        "proxy-single-quotes", "arguments for another agent in single quotes", call("read_file", "{'path': 'one.py'}")
    ),
    _repaired(
        "proxy-missing-brace",
        "arguments for another agent without their last brace",
        call("read_file", '{"path": "one.py"'),
    ),
    _repaired(
        "proxy-encoded-twice",
        "arguments for another agent that are encoded twice",
        call("read_file", json.dumps(json.dumps(ONE))),
    ),
    _repaired(
        "proxy-boolean-as-text",
        "arguments for another agent with a boolean as text",
        call("read_file", '{"path": "one.py", "whole": "True"}'),
        WHOLE,
    ),
    _repaired("proxy-wrong-case", "a tool of another agent, by a name in the wrong case", call("Read_File", ONE)),
    _fault(
        "proxy-empty-reply",
        "another agent's model answers nothing, then does",
        script(ScriptedReply(), say()),
        asks_exactly(2),
        _calls(),
        _answers(ANSWER),
    ),
    _fault(
        "proxy-cut-twice",
        "two replies for another agent cut off in the middle, then a whole one",
        script(CUT, CUT, say()),
        asks_exactly(3),
        _answers(ANSWER),
    ),
    _fault(
        "proxy-two-errors",
        "two errors of the server behind the proxy, then an answer",
        script(BUSY, BUSY, say()),
        asks_exactly(3),
        _answers(ANSWER),
    ),
    Fault(
        "proxy-cut-call",
        "every call for another agent is cut off at the token limit",
        (ProxyStep(for_ever(CUT_CALL)),),
        (exits(0), asks_exactly(2), _calls(), _says_that_it_was_cut_off),
    ),
    _healthy(
        "proxy-healthy",
        "no fault: another agent's model reads, edits, tests and answers",
        READ.model_copy(update={"text": "I will read it first.", "chunk_size": 7}),
        _edit(1),
        TESTS,
        say(),
    ),
    _healthy(
        "proxy-tests-again",
        "no fault: another agent runs the same tests after each edit",
        TESTS,
        *(reply for number in range(4) for reply in (_edit(number), TESTS)),
        say(),
    ),
)
