"""Where a model would write a function otherwise, and what.

A small model that is asked for a corrected function copies it, wrong line included. But at each token of the copy its
probabilities say what it would have written next. The likeliest of these other tokens, over the whole function, are
where it doubts the code: it continues each of them for a few lines, and then the function goes on as it was.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.candidates import change_note
from mulligan.core.writing.prompts import REPLY_TOKENS
from mulligan.core.writing.task import WritingTask
from mulligan.syntax.blanking import blank_literals
from mulligan.syntax.file_types import file_type
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, TokenChoices, UserText, WireMessage

CONTINUED_TOKENS = 60
"""For what the model writes from a divergence on."""
MAX_WRITTEN_LINES = 6
"""Lines of it that are used."""
MAX_SKIPPED_LINES = 2
"""Lines of the function that it may replace."""

COMMENTS = ("#", "//", "/*", "*")
"""Begin a line that does nothing: a change does not end there."""

_QUOTES = " \t'\"`"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A function as it stands in its file, and as a model would write it: without its margin."""

    path: str
    name: str
    """Without its class."""
    first: int
    last: int
    code: str
    margin: str

    @property
    def rows(self) -> int:
        return self.last - self.first + 1

    @property
    def fence(self) -> str:
        """Begins the code in a reply."""
        kind = file_type(self.path)
        return f"```{kind.name.lower() if kind else ''}\n"

    @property
    def copy(self) -> str:
        """A reply with the function as it is."""
        return f"{self.fence}{self.code}\n```"

    def placed(self, lines: Sequence[str], new: str) -> tuple[str, ...]:
        """All lines of the file with new code for the function. Lines that did not change keep every character."""
        start, end, rows = self._changed(new)
        moved = [f"{self.margin}{row}" if row.strip() else row for row in rows]
        return (*lines[: self.first - 1 + start], *moved, *lines[self.first - 1 + end :])

    def note_of(self, new: str) -> str:
        start, end, rows = self._changed(new)
        return change_note(self.path, "\n".join(self.code.split("\n")[start:end]), "\n".join(rows))

    def _changed(self, new: str) -> tuple[int, int, Sequence[str]]:
        """The first changed row, the end of the changed rows, and what replaces them."""
        old, rows = self.code.split("\n"), new.split("\n")
        shorter = min(len(old), len(rows))
        start = next((row for row in range(shorter) if old[row] != rows[row]), shorter)
        end = next((row for row in range(shorter - start) if old[-1 - row] != rows[-1 - row]), shorter - start)
        return start, len(old) - end, rows[start : len(rows) - end]


def function_text(path: str, name: str, lines: Sequence[str], first: int, last: int) -> FunctionText | None:
    """None for a text that a server can't be made to write: its grammar has no control characters."""
    rows = lines[first - 1 : last]
    if _CONTROL.search("\n".join(rows)) or not any(row.strip() for row in rows):
        return None
    indents = {row[: len(row) - len(row.lstrip(" \t"))] for row in rows if row.strip()}
    margin = min(indents, key=len)
    while not all(each.startswith(margin) for each in indents):
        margin = margin[:-1]
    return FunctionText(path, name, first, last, "\n".join(row.removeprefix(margin) for row in rows), margin)


@dataclass(frozen=True, slots=True)
class Divergence:
    """A place in a function where the model might have written something else."""

    at: int
    """How many characters of the function come before it."""
    text: str
    """What it would have written there."""
    logprob: float


def ask_to_copy(task: WritingTask, function: FunctionText) -> ModelRequest:
    """Make the model write the function as it is, to see what it would rather write."""
    return ModelRequest(_asked(task), exact_text=function.copy, max_tokens=2 * REPLY_TOKENS, temperature=0.0, seed=1)


def ask_to_continue(
    task: WritingTask, function: FunctionText, divergence: Divergence, temperature: float
) -> ModelRequest:
    """Continue the function from a divergence on. Everything before it is cached."""
    begun = AssistantReply(f"{function.fence}{function.code[: divergence.at]}{divergence.text}")
    return ModelRequest((*_asked(task), begun), max_tokens=CONTINUED_TOKENS, temperature=temperature, seed=1)


def divergences(function: FunctionText, tokens: Sequence[TokenChoices]) -> list[Divergence]:
    """From a copy of the function, likeliest first. Its name stays, and so do comments and docstrings."""
    code = function.code
    rows = zip(code.split("\n"), blank_literals(function.path, code).split("\n"), strict=True)
    not_code = {row for row, (text, blank) in enumerate(rows) if text.strip() and not blank.strip(_QUOTES)}
    name = re.search(rf"\b{re.escape(function.name)}\b", code)
    named = name.end() if name else 0
    found: dict[tuple[int, str], Divergence] = {}
    at = -len(function.fence)
    for token in tokens:
        if not function.copy.startswith(token.text, at + len(function.fence)):
            break  # the server did not copy it
        if named < at < len(code) and code.count("\n", 0, at) not in not_code:
            for text, logprob in token.others:
                if "\n" not in text or text.rstrip("\n") != token.text.rstrip("\n"):
                    found.setdefault((at, text), Divergence(at, text, logprob))
        at += len(token.text)
    return sorted(found.values(), key=lambda each: -each.logprob)


def variants(function: FunctionText, divergence: Divergence, reply: str, *, whole: bool) -> list[str]:
    """The function with what the model wrote, in several ways, likeliest first: until it comes back to a line of the
    function, or its first lines, before or in place of those that stood there. `whole`: the reply has an end."""
    code = function.code
    before = code[: divergence.at].split("\n")
    old, row, begun = code.split("\n"), len(before) - 1, before[-1]
    # Some servers repeat what the reply began with.
    reply = reply.removeprefix(f"{function.fence}{code[: divergence.at]}{divergence.text}")
    written, ended = _written(begun + divergence.text + reply, whole=whole)
    found = [
        "\n".join([*old[:row], *kept, *rest])
        for kept, rest in _joined(old, row, written, at_start=not begun.strip(), ended=ended)
    ]
    return [each for each in dict.fromkeys(found) if each != code]


def _written(text: str, *, whole: bool) -> tuple[list[str], bool]:
    """The complete lines of a reply, and whether the function ends with them."""
    rows = text.split("\n")
    fence = next((number for number, row in enumerate(rows) if row.startswith("```")), None)
    ended = whole or fence is not None
    rows = rows[:fence] if ended else rows[:-1]
    while rows and ended and not rows[-1].strip():
        rows.pop()
    return rows, ended


def _joined(
    old: Sequence[str], row: int, written: Sequence[str], *, at_start: bool, ended: bool
) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Written lines, and the lines of the function that follow them."""
    came_back = next(_returns(old, row, written), None)
    if came_back:
        yield came_back
    if ended and len(written) <= 2 * MAX_WRITTEN_LINES:
        yield written, ()
    for count in range(1, min(len(written), MAX_WRITTEN_LINES) + 1):
        if written[count - 1].strip() and not written[count - 1].lstrip().startswith(COMMENTS):
            for skipped in range(0 if at_start else 1, MAX_SKIPPED_LINES + 1):
                yield written[:count], old[row + skipped :]


def _returns(old: Sequence[str], row: int, written: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Where the model goes on as the function does."""
    for count in range(1, len(written)):
        line = written[count].rstrip()
        if line.strip():
            for after in range(row, len(old)):
                if old[after].rstrip() == line:
                    yield written[:count], old[after:]


def _asked(task: WritingTask) -> tuple[WireMessage, ...]:
    named = task.names[0].rpartition(".")[2]
    question = f"There is a bug in `{named}`. Write the whole function `{named}`, corrected, in one code block."
    return SystemText(task.system), UserText(f"{task.context}\n\n{question}")
