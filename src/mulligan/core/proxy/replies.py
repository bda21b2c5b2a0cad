"""Whether a model's whole reply is usable for the agent that asked for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.proxy.checked_calls import FineCall, RepairedCall, check_call
from mulligan.core.proxy.switches import Switches
from mulligan.core.replies import ASK_AGAIN, Reply
from mulligan.core.tool_calls import explain
from mulligan.types.tool_calls import RawCall, RejectedCall, ToolSpec


@dataclass(frozen=True, slots=True)
class PassOn:
    """Usable as it is."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Usable with these calls in place of what the model wrote."""

    calls: tuple[RawCall, ...]
    """All calls of the reply, in order. Those found in the text have no id."""
    repairs: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()
    """The parts of the text that became calls."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Unusable. Worth one more request, which says why."""

    why: str
    note: str
    calls: tuple[RawCall, ...] = ()
    """The calls that are beyond repair, in a form that a history can contain."""
    harmless: bool = False
    """It may be forwarded as it is: the client will refuse it. A truncated one may not: the client could run it."""


ReplyDecision = PassOn | Rewrite | AskAgain


def judge_reply(reply: Reply, specs: Sequence[ToolSpec], switches: Switches) -> ReplyDecision:
    """`specs` are the offered tools; without any, calls have no meaning."""
    if reply.repeated and switches.on("repetition"):
        return AskAgain("repeated", ASK_AGAIN["repeated"])
    if reply.calls and specs:
        return _judge_calls(reply, reply.calls, specs, switches)
    if specs and switches.on("text_calls") and reply.text.strip():
        from mulligan.core.text_calls import find_text_calls  # not needed before a reply looks like a call

        found = find_text_calls(reply.text, [spec.name for spec in specs])
        if found:
            return _judge_calls(reply, found.calls, specs, switches, spans=found.spans)
    if not reply.text.strip() and not reply.calls and reply.finish_reason != "length" and switches.on("empty"):
        return AskAgain("empty", ASK_AGAIN["empty"])
    return PassOn()


def _judge_calls(
    reply: Reply,
    calls: Sequence[RawCall],
    specs: Sequence[ToolSpec],
    switches: Switches,
    *,
    spans: tuple[tuple[int, int], ...] = (),
) -> ReplyDecision:
    checked = [check_call(call, specs, switches) for call in calls]
    if reply.finish_reason in (None, "length") and (spans or not all(isinstance(each, FineCall) for each in checked)):
        return AskAgain("cut_off", explain.cut_off(at_limit=reply.finish_reason is not None))
    rejected = [each for each in checked if isinstance(each, RejectedCall)]
    if rejected:
        note = "\n\n".join(dict.fromkeys(each.message for each in rejected))
        return AskAgain("call_rejected", note, tuple(calls), harmless=True)
    repairs = [name for each in checked if isinstance(each, RepairedCall) for name in each.repairs]
    if not repairs and not spans:
        return PassOn()
    fixed = tuple(
        RawCall(call.id, each.name, each.arguments) if isinstance(each, RepairedCall) else call
        for call, each in zip(calls, checked, strict=True)
    )
    return Rewrite(fixed, tuple(dict.fromkeys([*(["call_as_text"] if spans else []), *repairs])), spans)
