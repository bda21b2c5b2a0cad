"""From the calls of one reply to calls that can be run, or to messages that say why they can't."""

from collections.abc import Sequence
from dataclasses import replace

from mulligan.core.provenance import WRITING
from mulligan.core.reply_limits import MAX_CALLS
from mulligan.core.tool_calls import explain
from mulligan.core.tool_calls.coerce import fit_arguments
from mulligan.core.tool_calls.names import closest, presentable, resolve_tool
from mulligan.core.tool_calls.parse import Parsed, Unreadable, parse_arguments
from mulligan.core.tool_calls.reached import calls_reached, in_place, read_reached
from mulligan.core.tool_calls.unnest import unnest_call
from mulligan.types.tool_calls import JsonObject, RawCall, RejectedCall, ToolCall, ToolSpec


def read_calls(
    raws: Sequence[RawCall], specs: Sequence[ToolSpec], *, finish_reason: str | None
) -> list[ToolCall | RejectedCall]:
    """One result for each call, in order. Never raises.

    Without a finish reason, or with `length`, the reply was truncated and none of its calls may run: not even one that
    looks whole, since its last characters may be missing. Otherwise the first few run, and the others are refused.
    """
    if finish_reason is None or finish_reason == "length":
        return [_cut_off(raw, specs, at_limit=finish_reason is not None) for raw in raws]
    return [_read(raw, specs) if index < MAX_CALLS else _one_too_many(raw, specs) for index, raw in enumerate(raws)]


def _read(raw: RawCall, specs: Sequence[ToolSpec]) -> ToolCall | RejectedCall:
    reached = calls_reached(raw, specs)
    if reached != raw:
        call = read_call(reached, specs)
        return replace(call, repairs=("tool_name", *call.repairs)) if isinstance(call, ToolCall) else call
    if wanted := wants_to_write(raw.name, [each.name for each in specs]):
        message = explain.only_reads(wanted)
        return RejectedCall(raw.id, wanted, _legible(raw.arguments), kind="permission_denied", message=message)
    return read_call(raw, specs)


def read_call(raw: RawCall, specs: Sequence[ToolSpec]) -> ToolCall | RejectedCall:
    """One call of a whole reply, for any agent's tools. Never raises."""
    spec = _find(raw.name, specs)
    if spec is None:
        available = [each.name for each in specs]
        message = explain.not_found(raw.name, closest(raw.name, available), available)
        return RejectedCall(
            raw.id, presentable(raw.name), _legible(raw.arguments), kind="tool_not_found", message=message
        )
    try:
        parsed = parse_arguments(raw.arguments)
        parsed = unnest_call(parsed, spec) if spec.reached is None else in_place(parsed)
    except Unreadable as unreadable:
        message = explain.unreadable(unreadable, spec)
        return RejectedCall(raw.id, spec.name, _legible(raw.arguments), kind="schema_reject", message=message)
    renamed = () if raw.name == spec.name else ("tool_name",)
    call = _fit(raw, spec, Parsed(parsed.value, (*renamed, *parsed.repairs)))
    return read_reached(call, spec.reached, read_call) if spec.reached and isinstance(call, ToolCall) else call


def _fit(raw: RawCall, spec: ToolSpec, parsed: Parsed) -> ToolCall | RejectedCall:
    # A guess must fit without changes: an argument that seems unknown may be a piece of another one's text.
    fitted = fit_arguments(parsed.value, spec.parameters, as_named="json_repair" in parsed.repairs)
    if fitted.problems:
        message = explain.misfit(fitted.problems, fitted.unknown, spec)
        return RejectedCall(raw.id, spec.name, parsed.value, kind="schema_reject", message=message)
    repairs = tuple(dict.fromkeys((*parsed.repairs, *fitted.repairs)))
    return ToolCall(raw.id, spec.name, fitted.arguments, repairs)


def wants_to_write(name: str, available: Sequence[str]) -> str | None:
    """The project-changing tool that the name means, if the agent has none because it only reads."""
    if WRITING.intersection(available) or resolve_tool(name, available):
        return None
    return resolve_tool(name, sorted(WRITING))


def _cut_off(raw: RawCall, specs: Sequence[ToolSpec], *, at_limit: bool) -> RejectedCall:
    message = explain.cut_off(at_limit=at_limit)
    return RejectedCall(raw.id, _shown_name(raw, specs), _legible(raw.arguments), kind="schema_reject", message=message)


def _one_too_many(raw: RawCall, specs: Sequence[ToolSpec]) -> RejectedCall:
    message = explain.one_too_many(MAX_CALLS)
    return RejectedCall(
        raw.id, _shown_name(raw, specs), _legible(raw.arguments), kind="permission_denied", message=message
    )


def _shown_name(raw: RawCall, specs: Sequence[ToolSpec]) -> str:
    spec = _find(raw.name, specs)
    return presentable(raw.name) if spec is None else spec.name


def _find(name: str, specs: Sequence[ToolSpec]) -> ToolSpec | None:
    found = resolve_tool(name, [spec.name for spec in specs])
    return next((spec for spec in specs if spec.name == found), None)


def _legible(text: str) -> JsonObject:
    """What the history can show of a call that won't be run."""
    try:
        return parse_arguments(text).value
    except Unreadable:
        return {}
