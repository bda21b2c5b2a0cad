"""The model's server fails, breaks off, refuses, or is not there."""

import json
from collections.abc import Sequence
from dataclasses import replace

from mulligan.drill.claims import asks_exactly, calls, ends, raises, says
from mulligan.drill.fault import Claim, CommandStep, Fault, claim
from mulligan.drill.observed import FinishedCommand, Observation
from mulligan.drill.scripting import ANSWER, ask, for_ever, say, script, view
from mulligan.models.scripted.script import ScriptedReply
from mulligan.types.tool_calls import JsonObject


def _event(**payload: object) -> str:
    return f"data: {json.dumps(payload)}"


def _reading(batch: int) -> str:
    """Prompt progress in llama.cpp's format."""
    return _event(choices=(), prompt_progress={"total": 4096, "cache": 0, "processed": 512 * (batch + 1)})


ANSWER_AT_LAST = (_event(choices=[{"delta": {"content": ANSWER}, "finish_reason": "stop"}]), "data: [DONE]")
BUSY = ScriptedReply(status=500)
CUT = ScriptedReply(text="It is in the file that", chunk_size=4, cut_after=2)
SILENT = ScriptedReply(text="It is in the file that", chunk_size=4, hang=2)
PING = ScriptedReply(raw=(*[": ping"] * 40, *ANSWER_AT_LAST), chunk_delay=0.25)
"""Ten seconds of keep-alives only."""
READING = ScriptedReply(raw=(*map(_reading, range(8)), *ANSWER_AT_LAST), chunk_delay=0.5)
"""Four seconds of reading the prompt, with progress."""
SLOW_READER = ScriptedReply(text=ANSWER, reading=4.0)
"""Four seconds of reading the prompt, with progress only if the server supports it and was asked for it."""
IMPATIENT = {"MULLIGAN_IDLE_TIMEOUT": "2", "MULLIGAN_FIRST_TOKEN_TIMEOUT": "2"}
ENDLESS_EVENT = ScriptedReply(raw=('data: {"open":' + " " * 4_500_000,))
PAGE = "<!doctype html><html><body><h1>Not Found</h1></body></html>"

CALL_IN_SCHEMA = '{"tool": "view_file", "arguments": {"path": "one.py"}}'
ANSWER_IN_SCHEMA = f'{{"tool": "answer", "text": "{ANSWER}"}}'
CALL_IN_TEXT = view("one.py").model_copy(update={"calls_as": "text"})


def _ask_on(before: Sequence[FinishedCommand]) -> Sequence[str]:
    return ("ask", "And now?", "--chat", before[0].last["chat_id"])


def _strict(name: str, title: str, first: CommandStep, *claims: Claim) -> Fault:
    """Something goes wrong on a server that requires alternating roles; the next message is still answered."""
    again = CommandStep(_ask_on, script(say(), strict_roles=True))
    return Fault(name, title, (first, again), (*claims, ends("answered", 0), says(ANSWER)))


@claim
def _explains(seen: Observation, *texts: str) -> str | None:
    """The explanation of the end contains all of these."""
    explanation = str(seen.last.last.get("explanation"))
    missing = [text for text in texts if text not in explanation]
    return f"the explanation does not say {missing[0]!r}: {explanation!r}" if missing else None


def _names_the_address(seen: Observation) -> str | None:
    words = seen.last.words
    return _explains(words[words.index("--base-url") + 1])(seen)


@claim
def _waits(seen: Observation, *seconds: float) -> str | None:
    """The waits before each retry, as shown to the user."""
    found = tuple(frame["delay"] for frame in seen.frames("reply_retry"))
    return None if found == seconds else f"it waited for {found} s, not {seconds}"


def _tells_progress(seen: Observation) -> str | None:
    return None if any(seen.frames("prompt_progress")) else "nobody was told how far the prompt is read"


def _shows_no_page(seen: Observation) -> str | None:
    explanation = str(seen.last.last.get("explanation"))
    return f"the explanation holds a web page: {explanation!r}" if "<" in explanation else None


@claim
def _calls_tools_by(seen: Observation, *protocols: str) -> str | None:
    """The protocols for calling tools, request by request."""
    fields = {"tools": "native", "response_format": "constrained"}
    found = tuple(
        next((protocol for field, protocol in fields.items() if request.get(field)), "text")
        for request in seen.last.requests
    )
    return None if found == protocols else f"tools were to be called by {found}, not {protocols}"


@claim
def _sends(seen: Observation, *fields: JsonObject) -> str | None:
    """The sampling and thinking fields of each request of the last command."""
    names = ("top_k", "min_p", "chat_template_kwargs")
    found = tuple({name: request[name] for name in names if name in request} for request in seen.last.requests)
    return None if found == fields else f"the requests said {found}, not {fields}"


def _gives_up_after(requests: int, *claims: Claim) -> tuple[Claim, ...]:
    """The server is unusable: this many requests, then an end that says why."""
    return (ends("model_error", 5), asks_exactly(requests), raises("model_failed"), *claims)


_ANSWERED_AT_LAST = (ends("answered", 0), asks_exactly(3), says(ANSWER))

SERVER = (
    _strict(
        "strict-roles-after-silence",
        "strict about roles, and the first question got an empty reply",
        ask(script(ScriptedReply(), strict_roles=True)),
        ends("empty_reply", 3, run=0),
    ),
    _strict(
        "strict-roles-after-failure",
        "strict about roles, and the first turn failed",
        ask(script(ScriptedReply(status=400), strict_roles=True)),
        ends("model_error", 5, run=0),
    ),
    _strict(
        "strict-roles-in-recovery",
        "strict about roles, and a note follows failing calls",
        ask(script(*(view(f"missing_{n}.py") for n in range(3)), view("one.py"), say(), strict_roles=True)),
        ends("answered", 0, run=0),
        raises("mistake_recovery", escalated=False),
    ),
    Fault(
        "two-errors", "two errors of the server, then an answer", (ask(script(BUSY, BUSY, say())),), _ANSWERED_AT_LAST
    ),
    Fault(
        "busy-server",
        "a server that is busy, and says when to come again",
        (ask(script(ScriptedReply(status=429, headers={"Retry-After": "1"}), say())),),
        (ends("answered", 0), asks_exactly(2), _waits(1.0), says(ANSWER)),
    ),
    Fault(
        "hour-of-waiting",
        "a server that is busy for an hour",
        (ask(for_ever(ScriptedReply(status=429, headers={"Retry-After": "3600"}))),),
        _gives_up_after(1, _explains("It asks to wait 60 minutes")),
    ),
    Fault(
        "cut-twice",
        "two replies cut off in the middle, then a whole one",
        (ask(script(CUT, CUT, say())),),
        _ANSWERED_AT_LAST,
    ),
    Fault(
        "silent-server",
        "a server that falls silent in the middle of a reply",
        (replace(ask(script(SILENT, say())), environ={"MULLIGAN_IDLE_TIMEOUT": "2"}),),
        (ends("answered", 0), asks_exactly(2), says(ANSWER)),
    ),
    Fault(
        "signs-of-life",
        "a server that sends signs of life, and no reply",
        (replace(ask(script(PING, say())), environ=IMPATIENT),),
        (ends("answered", 0), asks_exactly(2), says(ANSWER)),
    ),
    Fault(
        "slow-prompt",
        "no fault: a slow server that tells how far it has read the prompt",
        (replace(ask(script(READING, say())), environ=IMPATIENT),),
        (ends("answered", 0), asks_exactly(1), says(ANSWER), _tells_progress),
    ),
    Fault(
        "slow-prompt-asked",
        "no fault: a slow llama.cpp server, which tells how far it has read once it is known and asked to",
        (replace(ask(script(view("one.py"), SLOW_READER, kind="llama.cpp")), environ=IMPATIENT),),
        (ends("answered", 0), asks_exactly(2), says(ANSWER), _tells_progress),
    ),
    Fault(
        "progress-refused",
        "a server that refuses to tell how far it has read",
        (ask(script(view("one.py"), say(), kind="llama.cpp", progress="refused")),),
        (ends("answered", 0), asks_exactly(3), says(ANSWER)),
    ),
    Fault(
        "silent-prompt",
        "no fault: a slow server that reads the prompt in silence",
        (replace(ask(script(SLOW_READER, kind="ollama")), environ={"MULLIGAN_IDLE_TIMEOUT": "1"}),),
        (ends("answered", 0), asks_exactly(1), says(ANSWER)),
    ),
    Fault(
        "silent-for-ever",
        "a server that never begins its reply",
        (replace(ask(for_ever(ScriptedReply(delay=60.0))), environ={"MULLIGAN_FIRST_TOKEN_TIMEOUT": "1"}),),
        _gives_up_after(3, _explains("was silent for 1 s", "the first token", "MULLIGAN_FIRST_TOKEN_TIMEOUT")),
    ),
    Fault(
        "endless-event",
        "an event of a reply that never ends",
        (ask(for_ever(ENDLESS_EVENT)),),
        _gives_up_after(3, _explains("an event of more than 4 MB", "tried 3 times")),
    ),
    Fault(
        "cut-for-ever",
        "every reply cut off in the middle",
        (ask(for_ever(CUT)),),
        _gives_up_after(3, _explains("tried 3 times")),
    ),
    Fault(
        "errors-for-ever",
        "errors of the server for ever",
        (ask(for_ever(BUSY)),),
        _gives_up_after(3, _explains("500", "tried 3 times")),
    ),
    Fault(
        "dead-server",
        "no server at the address",
        (CommandStep(("ask", "Where is it?"), dead=True),),
        _gives_up_after(0, _names_the_address, _explains("Is the model server running?", "tried 3 times")),
    ),
    Fault(
        "web-page",
        "a web page in place of a reply",
        (ask(for_ever(ScriptedReply(status=404, body=PAGE))),),
        _gives_up_after(1, _explains("Check base_url"), _shows_no_page),
    ),
    Fault(
        "refused-request",
        "a request that the server will not take",
        (ask(for_ever(ScriptedReply(status=400, body="no such field"))),),
        _gives_up_after(1, _explains("no such field")),
    ),
    Fault(
        "refused-access",
        "a server that wants a key",
        (ask(for_ever(ScriptedReply(status=401, body="who are you?"))),),
        _gives_up_after(1, _explains("set MULLIGAN_API_KEY")),
    ),
    Fault(
        "thinking-off",
        "no fault: thinking is switched off, and every request has to say so",
        (ask(script(view("one.py"), say(), kind="vllm"), "--thinking", "off"),),
        (ends("answered", 0), asks_exactly(2), _sends(*[{"chat_template_kwargs": {"enable_thinking": False}}] * 2)),
    ),
    Fault(
        "refused-sampling",
        "a server that refuses how a model is to sample",
        (ask(script(view("one.py"), say(), refuses=("min_p",))),),
        (ends("answered", 0), _sends({"top_k": 20, "min_p": 0.05}, {"top_k": 20}, {"top_k": 20})),
        settings="[models.scripted]\ntop_k = 20\nmin_p = 0.05\n",
    ),
    Fault(
        "no-tools",
        "a server that refuses tools",
        (ask(script(say(CALL_IN_SCHEMA), say(ANSWER_IN_SCHEMA), kind="llama.cpp", tools="refused")),),
        (
            ends("answered", 0),
            _calls_tools_by("native", "constrained", "constrained"),
            calls("view_file", {"path": "one.py"}),
            says(ANSWER),
        ),
    ),
    Fault(
        "no-schema",
        "a server that refuses tools and ignores schemas",
        (ask(script(CALL_IN_TEXT, say(), kind="llama.cpp", tools="refused", json_schema="ignored")),),
        (
            ends("answered", 0),
            _calls_tools_by("native", "constrained", "text"),
            calls("view_file", {"path": "one.py"}),
            says(ANSWER),
        ),
    ),
)
