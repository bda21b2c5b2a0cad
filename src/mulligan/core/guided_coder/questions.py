"""The narrow questions of a guided repair.

All begin with the same code and failures, which a server has cached after the first question: the instruction comes
last.
"""

import re
from collections.abc import Sequence
from typing import cast

from mulligan.core.line_change import MAX_LINES, change_schema, read_object
from mulligan.core.program_repair.brief import Brief, SuspectFunction
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.prompts import WRITING_SYSTEM, plain_context
from mulligan.core.writing.task import WritingTask
from mulligan.syntax.blocks import CodeBlock
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, UserText, WireMessage
from mulligan.types.tool_calls import JsonObject

REPAIR_SYSTEM = "You repair code whose tests fail. The tests are right. One line of the code is wrong."
CHANGE = "Which line of the code is wrong? Give it as `old`, and as `new` the line that must stand there instead."
THINK = "Say in two sentences why the test fails. Then write the wrong line, and below it the corrected line."
EXTRACT = "Now give this correction as JSON: `old` is the wrong line, `new` is the corrected line."
SUSPECT = "Which lines of the code may be wrong? Give three, the most suspicious first."
REPLACE = "Suppose that this line is wrong:\n{line}\nGive five different lines that could stand there instead."
CHOOSE = "Suppose that this line is wrong:\n{line}\nGive the line that must stand there instead."

REPLY_TOKENS = 160
LIST_TOKENS = 240
"""For replies with several lines."""
SUSPECTS, REPLACEMENTS = 3, 5

_HEAD = re.compile(
    r"(?:async )?(?:def|class|import|from|package|func|type|@)\b|@|#|//|/?\*|\"\"\"|'''|else\b|try\b|finally\b|\}"
    r"|(?:export )?(?:default )?(?:async )?(?:function|class)\b"
)


def ask_for_change(brief: Brief, lines: Sequence[str]) -> ModelRequest:
    """Point at the wrong line, and write its replacement."""
    return _request(_asked(brief, CHANGE), change_schema(lines))


def ask_for_thought(brief: Brief) -> ModelRequest:
    """Say in plain words what is wrong. Free text is better than text inside JSON."""
    return _request(_asked(brief, THINK), None)


def ask_to_extract(brief: Brief, thought: str, lines: Sequence[str]) -> ModelRequest:
    """Turn a correction that was described in plain words into a change."""
    messages = (*_asked(brief, THINK), AssistantReply(thought), UserText(EXTRACT))
    return _request(messages, change_schema(lines))


def ask_for_suspects(brief: Brief, lines: Sequence[str]) -> ModelRequest:
    listed = {"type": "array", "items": {"enum": list(lines[:MAX_LINES])}, "minItems": SUSPECTS, "maxItems": SUSPECTS}
    return _request(_asked(brief, SUSPECT), _object("lines", listed), LIST_TOKENS)


def ask_for_replacements(brief: Brief, line: str) -> ModelRequest:
    listed = {"type": "array", "items": {"type": "string"}, "minItems": REPLACEMENTS, "maxItems": REPLACEMENTS}
    return _request(_asked(brief, REPLACE.format(line=line)), _object("lines", listed), LIST_TOKENS)


def ask_to_choose(brief: Brief, line: str, variants: Sequence[str]) -> ModelRequest:
    """Choose among variants made by code: the model can't repeat the same line, nor write one that is not code."""
    return _request(_asked(brief, CHOOSE.format(line=line)), _object("new", {"enum": list(variants)}))


def writing_again(brief: Brief, function: SuspectFunction) -> WritingTask:
    """The task to rewrite a function as a whole. It begins like all questions."""
    documents = f"\n\nWhat it has to do:\n{brief.documents}" if brief.documents else ""
    shown = [each for each in brief.sources if each.path == function.path]
    plain = plain_context(instructions=brief.documents, shown=shown, failures=brief.failures, goal=brief.task)
    context, where = f"{context_text(brief)}{documents}", CodeBlock(function.first, function.last)
    return WritingTask("again", function.path, (function.name,), REPAIR_SYSTEM, context, plain, where=where)


def read_lines(reply: str) -> list[str]:
    """The distinct lines that a reply lists; empty if it lists none."""
    lines = read_object(reply).get("lines")
    listed = cast("list[object]", lines) if isinstance(lines, list) else []
    return list(dict.fromkeys(line for line in listed if isinstance(line, str)))


def does_something(line: str) -> bool:
    """Whether a line is more than a comment, a quotation mark, an import or the head of a function."""
    return not _HEAD.match(line)


def read_choice(reply: str) -> str:
    """The choice; empty if there was none."""
    chosen = read_object(reply).get("new")
    return chosen if isinstance(chosen, str) else ""


def context_text(brief: Brief) -> str:
    """The beginning of all questions."""
    return _context(brief, [_shown("File", each) for each in brief.sources])


def diverging_in(brief: Brief, function: SuspectFunction) -> WritingTask:
    """The task to correct one function, with what is around it and what it may use."""
    outline = [f"What exists in other places:\n```\n{function.outline}\n```"] if function.outline else []
    around = [_shown("File", function.around)] if function.around else []
    documents = f"\n\nWhat it has to do:\n{brief.documents}" if brief.documents else ""
    context = f"{_context(brief, [*outline, *around])}{documents}"
    return WritingTask("again", function.path, (function.name,), WRITING_SYSTEM, context)


def _context(brief: Brief, sources: Sequence[str]) -> str:
    shown = list(sources)
    shown += [_shown("Failing test in", each) for each in brief.tests]
    if brief.failures:
        shown.append("What fails:\n" + "\n".join(f"- {each}" for each in brief.failures))
    if brief.hints:
        shown.append("Noticed:\n" + "\n".join(f"- {each.text}" for each in brief.hints))
    if brief.instructions:
        shown.append(f"How work is done in this project:\n{brief.instructions}")
    return "\n\n".join([*shown, f"Task: {brief.task.strip()}"])


def _shown(what: str, excerpt: Excerpt) -> str:
    return f"{what} {excerpt.path}:\n```\n{excerpt.text}\n```"


def _asked(brief: Brief, instruction: str) -> tuple[WireMessage, ...]:
    return SystemText(REPAIR_SYSTEM), UserText(f"{context_text(brief)}\n\n{instruction}")


def _request(messages: tuple[WireMessage, ...], schema: JsonObject | None, tokens: int = REPLY_TOKENS) -> ModelRequest:
    return ModelRequest(messages=messages, schema=schema, max_tokens=tokens, temperature=0.0)


def _object(name: str, value: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {name: value}, "required": [name], "additionalProperties": False}
