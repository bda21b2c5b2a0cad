"""The note to the model after several failing calls: what failed, in the failures' own words, and what helps."""

from collections.abc import Sequence

from mulligan.core.prompts import describe_call
from mulligan.types.tool_calls import DoneCall, FailureKind

SHOWN_LINES = 6
SHOWN_CHARS = 500
"""Characters of each failure. Refusals begin with what is there instead; commands end with what went wrong."""


def recovery_note(failures: Sequence[DoneCall], kinds: Sequence[FailureKind], *, own_tools: bool = True) -> str:
    """For the next request only. `kinds` are those of the failures, in call order. Our tools are named only if the
    agent has them."""
    seen = dict.fromkeys(describe_failure(call) for call in failures)
    known = _ADVICE if own_tools else {**_ADVICE, **_WITHOUT_OUR_TOOLS}
    advice = [known[kind] for kind in dict.fromkeys(kinds)]
    return "\n".join(
        [f"{_opening(failures, kinds)} {_CHANGE}", *seen, "What helps:", *(f"- {line}" for line in advice)]
    )


def describe_failure(call: DoneCall) -> str:
    """The call, and the lines of its result that say what to do instead."""
    lines = [line for line in call.outcome.content.strip().split("\n") if line.strip()]
    if call.name == "run_command" and len(lines) > SHOWN_LINES:
        lines = [lines[0], "…", *lines[-(SHOWN_LINES - 2) :]]
    text = "\n  ".join(lines[:SHOWN_LINES])
    shown = text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 1]}…"
    return f"- {describe_call(call.name, call.arguments)}: {shown}"


def _opening(failures: Sequence[DoneCall], kinds: Sequence[FailureKind]) -> str:
    names = {call.name for call in failures}
    if len(names) == 1 and len(set(kinds)) == 1:
        return f"Your last {len(kinds)} calls of {names.pop()} all failed."
    return f"Your last {len(kinds)} tool calls failed with several different errors."


_CHANGE = (
    "Stop retrying variations of them. Re-read the tool schemas, check that the paths and arguments you use exist, "
    "and take a fundamentally different approach. This is what failed:"
)

_ADVICE: dict[FailureKind, str] = {
    "schema_reject": "Arguments did not fit: send one JSON object with exactly the arguments of the schema.",
    "tool_not_found": "That tool does not exist: call only the tools listed for you, by their exact names.",
    "exec_error": "A call ran and failed: read its message, then look with list_dir or find_files before you go on.",
    "api_error": "A service behind a tool failed: do without it for now.",
    "permission_denied": "A call was refused: asking again will not change that, so work with what is allowed.",
}
_WITHOUT_OUR_TOOLS: dict[FailureKind, str] = {
    "exec_error": "A call ran and failed: read its message, then look at what is really there before you go on.",
}
