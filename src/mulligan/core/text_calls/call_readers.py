"""One call after another, read where it begins: as JSON, as XML elements, or as a name with its arguments."""

import json
import re
from dataclasses import dataclass

from mulligan.core.text_calls.json_calls import LEFT_OPEN, json_calls, json_end
from mulligan.core.text_calls.source import CallSearch
from mulligan.types.tool_calls import RawCall

_ELEMENT = re.compile(
    r"""<function=\s*+["']?+(?P<function>[^"'<>\n]{1,64}+)["']?+\s*+>
      | <(?:\w{1,20}+:)?+invoke\s++name\s*+=\s*+["']?+(?P<invoke>[^"'<>\n]{1,64}+)["']?+\s*+>""",
    re.VERBOSE,
)
_PARAMETER = re.compile(r"""\s*+<(?:\w{1,20}+:)?+parameter(?:=|\s++name\s*+=)\s*+["']?+([^"'<>\n]{1,64}+)["']?+\s*+>""")
_PARAMETER_END = re.compile(r"</(?:\w{1,20}+:)?+parameter>")
_ELEMENT_END = re.compile(r"</(?:function|(?:\w{1,20}+:)?+invoke)>")
_NAMED = re.compile(r"\s*+(?P<name>[\w.-]{1,64}+)\s*+(?:\[ARGS\]|\()?+\s*+(?=\{)")
_CLOSER = re.compile(
    r"\s*+(?:</(?:\w{1,20}:)?(?:tool_calls?|function_calls?|tool_use|function|invoke)>|<\|[a-z_]{1,20}\|>|\[/TOOL_CALLS\])"
)
_BETWEEN = re.compile(r"(?:[\s,;]++|</?\|?(?:tool_calls?|function_calls?|tool_use)\|?>)*+")
_SPACE = re.compile(r"\s*+")
_PARENTHESIS = re.compile(r"\s*+\)?")
_STOPPER = re.compile(r"</?\|?(?:tool_call|function|invoke|tool_use)|^[ \t]*+```", re.MULTILINE)
"""Where a call that never closes its braces must be over."""


@dataclass(frozen=True, slots=True)
class CallSequence:
    calls: tuple[RawCall, ...]
    end: int


def read_run(source: CallSearch, at: int, *, marked: bool) -> CallSequence | None:
    """All calls that follow upon each other from here, or None if there is none."""
    calls: list[RawCall] = []
    end = at
    while one := _read_one(source, _past(_BETWEEN, source.text, end), marked=marked):
        calls += one.calls
        end = one.end
    return CallSequence(tuple(calls), end) if calls else None


def skip_closers(text: str, at: int) -> int:
    while closer := _CLOSER.match(text, at):
        at = closer.end()
    return at


def _read_one(source: CallSearch, at: int, *, marked: bool) -> CallSequence | None:
    text = source.text
    if element := _ELEMENT.match(text, at):
        return _read_element(source, element)
    if text.startswith(("{", "["), at):
        return _read_json(source, at, marked=marked)
    named = _NAMED.match(text, at) if marked else None
    if named and (name := source.tool(named["name"], marked=False)):
        end = _arguments_end(source, named.end())
        return CallSequence((RawCall("", name, text[named.end() : end]),), _past(_PARENTHESIS, text, end))
    return None


def _read_json(source: CallSearch, at: int, *, marked: bool) -> CallSequence | None:
    end = json_end(source, at)
    calls = json_calls(source, at, end, closed=True, marked=marked) if end is not None else None
    stopper = source.next(_STOPPER, at) if not calls or calls.broken else None
    # A quote left open takes in what follows, up to the next quote: the closing tag then is the better end.
    if end is None or (stopper and stopper.end() <= end):
        end = stopper.start() if stopper else len(source.text)
        calls = json_calls(source, at, end, closed=False, marked=marked)
    return CallSequence(calls.calls, end) if calls else None


def _read_element(source: CallSearch, element: re.Match[str]) -> CallSequence | None:
    name = source.tool((element["function"] or element["invoke"]).strip(), marked=True)
    if name is None:
        return None
    begins = _past(_SPACE, source.text, element.end())
    if source.text.startswith("{", begins):
        end = _arguments_end(source, begins)
        return CallSequence((RawCall("", name, source.text[begins:end]),), _past_element(source.text, end))
    return _read_parameters(source, element.end(), name)


def _arguments_end(source: CallSearch, at: int) -> int:
    end = json_end(source, at)
    if end is None:
        stopper = source.next(_STOPPER, at)
        end = stopper.start() if stopper else len(source.text)
    return end


def _read_parameters(source: CallSearch, at: int, name: str) -> CallSequence:
    text = source.text
    arguments: dict[str, str] = {}
    while parameter := _PARAMETER.match(text, at):
        key, begins = parameter[1].strip(), parameter.end()
        if end := source.next(_PARAMETER_END, begins):
            arguments[key] = _without_line_ends(text[begins : end.start()])
            at = end.end()
        elif end := source.next(_ELEMENT_END, begins):
            arguments[key] = _without_line_ends(text[begins : end.start()].rstrip())
            at = end.start()
        else:
            return CallSequence((RawCall("", name, _left_open({**arguments, key: text[begins:]})),), len(text))
    closed = _past_element(text, at)
    if closed == at and not arguments:
        return CallSequence((RawCall("", name, LEFT_OPEN),), len(text))
    return CallSequence((RawCall("", name, json.dumps(arguments, ensure_ascii=False)),), closed)


def _past_element(text: str, at: int) -> int:
    """Behind the closing tag, if there is nothing but space before it; else where it was."""
    end = _ELEMENT_END.match(text, _past(_SPACE, text, at))
    return end.end() if end else at


def _left_open(arguments: dict[str, str]) -> str:
    return json.dumps(arguments, ensure_ascii=False).removesuffix('"}')


def _without_line_ends(value: str) -> str:
    """The value without the line break that some models are taught to write around it."""
    return value[1:-1] if len(value) > 1 and value.startswith("\n") and value.endswith("\n") else value


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
