"""Which parts of a reply are calls, and which are prose that only shows what a call looks like.

Marked calls (those with an opening, or a start of their own, in the table of formats, and those in a fence named for
tools) count anywhere and for any tool, except within inline code and other fences, and when introduced as an example.
Text that only its shape identifies (JSON, a function with its arguments) counts only if it calls a known tool and is
not a mere example: it is on separate lines, the reply ends with it, it is not introduced as an example, and, if it is
in a fence, the reply has no fences with anything else. If the model has just said that it will now do this, the last
three don't matter: small models go on to explain the call, or to imagine its result.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mulligan.core.call_formats import FENCE, FLAGS, RESULT, grammar_for
from mulligan.core.text_calls.readers import read_run, skip_closers
from mulligan.core.text_calls.source import CallSearch
from mulligan.types.tool_calls import RawCall

_FENCES_FOR_CALLS = frozenset({"", "json", "jsonc", "json5", "xml"})
_FENCE_NAMED_FOR_TOOLS = re.compile(r"tool|function")
_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|an? example|such as|like this|(?:this|following) form(?:at)?|syntax)\b"
    r"|\be\.g\.|\b(?:examples?|looks? like)\s*:",
    re.IGNORECASE,
)
_LEADS_OVER = re.compile(r"(?::|(?:example|instance|e\.g\.|such as|like this),?)$", re.IGNORECASE)
_INTENT = re.compile(
    r"\b(?:I will|I'll|I am going to|I'm going to|I need to|let me|let's)\s+(?:now |first |then )?"
    r"(?:use|call|run|invoke|execute|search|look|read|check|find|list|open|view|start|grep)\b",
    re.IGNORECASE,
)
_RESULT = re.compile(RESULT, FLAGS)
_ANNOUNCEMENT = 160
"""Characters before a call that can introduce it."""
_REST_OF_LINE = re.compile(r"[ \t]*(?:\n|\Z)")
_MAX_TRIES = 200
"""Each try may read to the end of the text: a limit keeps the time linear for any text."""


@dataclass(frozen=True, slots=True)
class TextCalls:
    calls: tuple[RawCall, ...]
    """Without ids. The arguments are the text as written, or its JSON; truncated arguments are left open."""
    spans: tuple[tuple[int, int], ...]
    """The parts of the reply that are not prose: the calls, and results that the model invented for them."""
    text: str
    """The remaining prose."""


@dataclass(frozen=True, slots=True)
class _CallSpan:
    start: int
    end: int
    calls: tuple[RawCall, ...] = ()
    """Empty for a fence with other content."""
    marked: bool = False
    fenced: bool = False


def find_text_calls(text: str, tool_names: Sequence[str]) -> TextCalls | None:
    """The calls in a whole reply, or None if it makes none. Never raises."""
    pieces = _pieces(CallSearch(text, tool_names))
    end = _end_of_facts(text, pieces)
    pieces = [piece for piece in pieces if piece.start < end]
    made = [piece for piece in pieces if piece.marked and not _is_example(text, piece)]
    made = made or _unmarked_calls(text[:end], [piece for piece in pieces if not piece.marked])
    if not made:
        return None
    spans = [(piece.start, piece.end) for piece in made]
    if end < len(text):
        spans.append((end, len(text)))
    return TextCalls(tuple(call for piece in made for call in piece.calls), tuple(spans), _without(text, spans))


@lru_cache(maxsize=16)
def _landmarks(tool_names: tuple[str, ...]) -> re.Pattern[str]:
    grammar = grammar_for(tool_names)
    return re.compile(
        rf"""
        (?P<fence> ^[ \t]*+ (?P<ticks>{FENCE}) [ \t]*+ (?P<language>[\w+-]*+) )
      | (?P<opener> {grammar.opening} )
      | (?P<start> (?={grammar.start}) )
      | (?P<bare> ^[ \t]*+ (?={grammar.bare}) )
        """,
        FLAGS,
    )


def _pieces(source: CallSearch) -> list[_CallSpan]:
    pieces: list[_CallSpan] = []
    landmarks = _landmarks(tuple(source.tool_names))
    at = tries = 0
    while tries < _MAX_TRIES and (landmark := landmarks.search(source.text, at)):
        tries += 1
        piece = _read_fence(source, landmark) if landmark["fence"] else _read_call(source, landmark)
        if piece:
            pieces.append(piece)
        at = piece.end if piece else max(landmark.end(), landmark.start() + 1)
    return pieces


def _read_fence(source: CallSearch, opening: re.Match[str]) -> _CallSpan:
    text = source.text
    language = opening["language"].lower()
    named = bool(_FENCE_NAMED_FOR_TOOLS.match(language))
    if named or language in _FENCES_FOR_CALLS:
        content = len(text) - len(text[opening.end() :].lstrip())
        mark = _landmarks(tuple(source.tool_names)).match(text, content)
        marked = named or bool(mark and (mark["opener"] or mark["start"]))
        shown = not marked and not text.startswith(("{", "["), content)
        run = None if shown else read_run(source, mark.end() if mark and mark["opener"] else content, marked=marked)
        end = _fence_end(text, skip_closers(text, run.end)) if run else None
        if run and end is not None:
            return _CallSpan(opening.start(), end, run.calls, marked=named, fenced=True)
    fences = _CLOSING_FENCE.finditer(text, opening.end())
    closing = next((fence for fence in fences if fence[1].startswith(opening["ticks"])), None)
    return _CallSpan(opening.start(), closing.end() if closing else len(text), fenced=True)


_CLOSING_FENCE = re.compile(r"^[ \t]*+([`~]{3,}+)[ \t]*+$", re.MULTILINE)
_FENCE_END = re.compile(r"\s*+(?:[`~]{3,}+|\Z)")


def _fence_end(text: str, at: int) -> int | None:
    """Where the fence ends, if nothing else is in it."""
    closing = _FENCE_END.match(text, at)
    return closing.end() if closing else None


def _read_call(source: CallSearch, landmark: re.Match[str]) -> _CallSpan | None:
    text = source.text
    if _in_inline_code(text, landmark.start()):
        return None
    marked = landmark["bare"] is None
    run = read_run(source, landmark.end() if landmark["opener"] else landmark.start(), marked=marked)
    if run is None:
        return None
    end = skip_closers(text, run.end)
    # A closing tag without its opening one still tells what the JSON before it is.
    marked = marked or end > run.end
    if not marked and not _REST_OF_LINE.match(text, end):
        return None
    return _CallSpan(landmark.start(), end, run.calls, marked=marked)


def _in_inline_code(text: str, at: int) -> bool:
    return text.count("`", text.rfind("\n", 0, at) + 1, at) % 2 == 1


def _unmarked_calls(text: str, pieces: Sequence[_CallSpan]) -> list[_CallSpan]:
    intended = [piece for piece in pieces if piece.calls and _INTENT.search(_lines_before(text, piece)[-1])]
    if intended:
        return intended
    made = [piece for piece in pieces if piece.calls and not _is_example(text, piece)]
    if any(piece.fenced and not piece.calls for piece in pieces):
        made = [piece for piece in made if not piece.fenced]
    return made if made and not text[made[-1].end :].strip() else []


def _is_example(text: str, piece: _CallSpan) -> bool:
    before, last = ("", *_lines_before(text, piece))[-2:]
    # A marked call may follow any sentence: only one that leads over to it introduces it.
    sentences = [last] if not piece.marked or _LEADS_OVER.search(last) else []
    sentences += [before] if before.endswith(":") else []
    return any(map(_EXAMPLE.search, sentences)) and not _INTENT.search(last)


def _lines_before(text: str, piece: _CallSpan) -> list[str]:
    """The lines that introduce the call."""
    return text[max(0, piece.start - _ANNOUNCEMENT) : piece.start].rstrip().split("\n")


def _end_of_facts(text: str, pieces: Sequence[_CallSpan]) -> int:
    """Where the model begins to invent the result of its first call: everything after that is unfounded."""
    first = next((piece for piece in pieces if piece.calls), None)
    invented = _RESULT.search(text, first.end) if first else None
    return invented.start() if invented else len(text)


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    prose = (text[start:end].strip() for start, end in zip([0, *ends], [*starts, len(text)], strict=True))
    return "\n\n".join(each for each in prose if each)
