"""The request for a summary: the session, cut to fit, and the headings to fill in."""

from collections.abc import Sequence

from mulligan.core.compaction.sections import template
from mulligan.core.compaction.summary import RejectedSummary
from mulligan.core.context_budget import FULL, ContextBudget, clip_result
from mulligan.core.payload import Unit
from mulligan.core.prompts import describe_call
from mulligan.types.messages import Text, ToolCallPart, ToolResultPart

SYSTEM = (
    "You sum up coding sessions, so that somebody else can go on from your summary alone. "
    "You do not answer or continue the session yourself."
)

_INSTRUCTIONS = """Sum up the session above under exactly these headings:
{template}

Short bullet points: facts, names, numbers, decisions. Say under Goal what the user wants. \
Write "none" under a heading where there is nothing to say. At most {words} words."""

MAX_TEXT_CHARS, MIN_TEXT_CHARS = 2_000, 60
"""Characters of a message or result in the session text, at most and at least."""


def session_text(units: Sequence[Unit], prompt: Unit | None, char_limit: int) -> str:
    """The session as text within `char_limit` characters: long texts are cut first, then the oldest are dropped."""
    limit = MAX_TEXT_CHARS
    while True:
        texts = [_unit_text(unit, limit) for unit in units]
        wanted = f"\n\nThe user's message that is being worked on:\n{clip_result(prompt.text, limit)}" if prompt else ""
        left = char_limit - len(wanted)
        if limit <= MIN_TEXT_CHARS or sum(map(len, texts)) + 2 * len(texts) <= left:
            break
        limit = max(MIN_TEXT_CHARS, limit // 2)
    session = "\n\n".join(filter(None, texts))
    if len(session) > left:
        session = "[… the beginning is left out …]\n" + session[len(session) - max(0, left - 40) :]
    return f"<session>\n{session}\n</session>{wanted}"


def session_char_limit(budget: ContextBudget, summary_chars: int, previous: str | None) -> int:
    """Characters for the session in the request, next to the previous summary and the reply."""
    fixed = len(SYSTEM) + len(_INSTRUCTIONS) + len(template()) + len(previous or "") + 400
    return max(MIN_TEXT_CHARS, budget.chars(FULL * budget.context_length) - summary_chars - fixed)


def request_text(session: str, previous: str | None, summary_chars: int, refused: RejectedSummary | None = None) -> str:
    """The request to the model; `refused` says what was wrong with its first try."""
    before = f"The summary so far, to be brought up to date:\n{previous}\n\nWhat happened since:\n" if previous else ""
    instructions = _INSTRUCTIONS.format(template=template(), words=max(60, summary_chars // 8))
    again = f"\nYour last summary {refused.reason}. Write it properly this time." if refused else ""
    return f"{before}{session}\n\n{instructions}{again}"


def _unit_text(unit: Unit, limit: int) -> str:
    """A unit as plain text, without notes to the user and the model's thinking."""
    if unit.prompt:
        return f"User: {clip_result(unit.text, limit)}"
    results = {part.call_id: part for part in unit.parts if isinstance(part, ToolResultPart)}
    lines: list[str] = []
    for part in unit.parts:
        match part:
            case Text(text=text) if text.strip():
                lines.append(f"Assistant: {clip_result(text, limit)}")
            case ToolCallPart():
                lines.append(f"Assistant called {describe_call(part.name, part.arguments)}")
                result = results.get(part.call_id)
                if result:
                    failed = f"failed ({result.failure})" if result.failure else "result"
                    lines.append(f"{failed}: {clip_result(result.content, limit)}")
            case _:
                pass
    return "\n".join(lines)
