"""Reads consecutive calls from a position: one reader for each shape in the table of formats."""

import json
import re
from dataclasses import dataclass

from mulligan.core.call_formats import CLOSING, FLAGS, FORMATS, CallFormat
from mulligan.core.text_calls.brackets import as_json, closing_of
from mulligan.core.text_calls.json_calls import LEFT_OPEN, json_calls
from mulligan.core.text_calls.source import CallSearch
from mulligan.types.tool_calls import RawCall

_BETWEEN = re.compile(r"(?:[\s,;]++|</?\|?(?:tool_calls?|function_calls?|tool_use)\|?>)*+")
_CLOSING = re.compile(CLOSING, FLAGS)
_CLOSER = re.compile(rf"\s*+(?:{CLOSING}|<\|(?:im_end|endoftext|end_of_text|return)\|>|</s>)", FLAGS)
_SPACE = re.compile(r"\s*+")
_LIST_END = re.compile(r"[\s,]*+\]")
_PRINT_END = re.compile(r"\s*+\)")
_STOPPER = re.compile(rf"{CLOSING}|</?\|?(?:tool_call|function|invoke|tool_use)|^[ \t]*+```", FLAGS)
"""Where a call with unclosed brackets must end."""
_PARAMETER = {each: re.compile(rf"\s*+{each.parameter}", re.VERBOSE) for each in FORMATS if each.parameter}
_PARAMETER_END = {each: re.compile(each.parameter_end) for each in FORMATS if each.parameter_end}


@dataclass(frozen=True, slots=True)
class CallSequence:
    calls: tuple[RawCall, ...]
    end: int


def read_run(source: CallSearch, at: int, *, marked: bool) -> CallSequence | None:
    """All consecutive calls from here, or None if there is none."""
    calls: list[RawCall] = []
    end = at
    while one := _read_one(source, _past(_BETWEEN, source.text, end), marked=marked):
        calls += one.calls
        end = one.end
    if calls and source.text.startswith("[", _past(_SPACE, source.text, at)):
        end = _past(_LIST_END, source.text, end)
    return CallSequence(tuple(calls), end) if calls else None


def skip_closers(text: str, at: int) -> int:
    while closer := _CLOSER.match(text, at):
        at = closer.end()
    return at


def _read_one(source: CallSearch, at: int, *, marked: bool) -> CallSequence | None:
    text = source.text
    if text.startswith(("{", "["), at) and (found := _read_object(source, at, marked=marked)):
        return found
    at += text.startswith("[", at)
    for form, head in source.heads:
        found = head.match(text, at) if marked or form.shape == "relaxed" else None
        if found and (name := source.tool(found["name"], marked=marked and not form.known)):
            one = _read_arguments(source, found, name, form)
            if one:
                return one
    return None


def _read_arguments(source: CallSearch, head: re.Match[str], name: str, form: CallFormat) -> CallSequence | None:
    if form.shape == "relaxed":
        return _read_relaxed(source, head, name)
    at = head.end()
    begins = _past(_SPACE, source.text, at)
    if source.text.startswith("{", begins):
        written, end = _bracketed(source, begins)
        return CallSequence((RawCall("", name, written),), end)
    return _read_elements(source, at, name, form) if form.shape == "elements" else None


def _read_object(source: CallSearch, at: int, *, marked: bool) -> CallSequence | None:
    end = closing_of(source, at)
    calls = json_calls(source, at, end, closed=True, marked=marked) if end is not None else None
    stopper = source.next(_STOPPER, at) if not calls or calls.broken else None
    # An open quote includes what follows, up to the next quote: then the closing tag is the better end.
    if end is None or (stopper and stopper.end() <= end):
        end = stopper.start() if stopper else len(source.text)
        calls = json_calls(source, at, end, closed=False, marked=marked)
        if calls and not stopper:
            # Neither its brackets nor its mark is closed.
            return CallSequence(tuple(RawCall("", call.name, LEFT_OPEN) for call in calls.calls), end)
    return CallSequence(calls.calls, end) if calls else None


def _bracketed(source: CallSearch, at: int) -> tuple[str, int]:
    """The arguments in brackets, up to their end or to where they must end."""
    end = closing_of(source, at)
    if end is not None:
        return source.text[at:end], end
    stopper = source.next(_STOPPER, at)
    return (source.text[at : stopper.start()], stopper.start()) if stopper else (LEFT_OPEN, len(source.text))


def _read_relaxed(source: CallSearch, head: re.Match[str], name: str) -> CallSequence:
    at = head.end() - head[0].endswith("(")
    end = closing_of(source, at)
    if end is None:
        return CallSequence((RawCall("", name, LEFT_OPEN),), len(source.text))
    inner = as_json(source.text[at + 1 : end - 1].strip())
    written = inner if inner.startswith("{") else f"{{{inner}}}"
    return CallSequence(
        (RawCall("", name, written),), _past(_PRINT_END, source.text, end) if "print(" in head[0] else end
    )


def _read_elements(source: CallSearch, at: int, name: str, form: CallFormat) -> CallSequence:
    text = source.text
    arguments: dict[str, str] = {}
    while parameter := _PARAMETER[form].match(text, at):
        key, begins = parameter["key"].strip(), parameter.end()
        if end := _value_end(source, key, begins, form):
            arguments[key] = _without_line_ends(text[begins : end[0]])
            at = end[1]
        elif closing := source.next(_CLOSING, begins):
            arguments[key] = _without_line_ends(text[begins : closing.start()].rstrip())
            at = closing.start()
        else:
            break
    begins = _past(_SPACE, text, at)
    closed = f"</{name}>" if text.startswith(f"</{name}>", begins) else _matched(_CLOSING, text, begins)
    if not closed:
        # Anything missing may be an argument.
        return CallSequence((RawCall("", name, LEFT_OPEN),), len(text))
    return CallSequence((RawCall("", name, json.dumps(arguments, ensure_ascii=False)),), begins + len(closed))


def _value_end(source: CallSearch, key: str, at: int, form: CallFormat) -> tuple[int, int] | None:
    if form not in _PARAMETER_END:
        return source.next_closing_tag(key, at)
    end = source.next(_PARAMETER_END[form], at)
    return end.span() if end else None


def _without_line_ends(value: str) -> str:
    """The value without the line breaks that some models are taught to write around it."""
    return value[1:-1] if len(value) > 1 and value.startswith("\n") and value.endswith("\n") else value


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    return at + len(_matched(pattern, text, at))


def _matched(pattern: re.Pattern[str], text: str, at: int) -> str:
    found = pattern.match(text, at)
    return found[0] if found else ""
