"""What a model is told that writes code. Samples of one task are asked for with the very same words: a server has them
in its cache after the first, and only the sampling differs."""

from collections.abc import Sequence

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.task import WritingTask
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, UserText, WireMessage

WRITING_SYSTEM = "You are an expert programmer. You write complete and correct code."
TEMPERATURES = (0.0, 0.3, 0.6, 0.8)
"""Of the samples of one task. The likeliest code first; what differs a little, then what differs more."""
LATER_TEMPERATURES = (0.4, 0.7, 0.9)
"""Of an attempt after the first, which has had the likeliest code."""
REPLY_TOKENS = 700
"""Enough for 60 to 80 lines. A reply that goes on longer repeats itself."""

_WHOLE = "Reply with the whole file {path} in one code block, and nothing else."
_PART = "Reply with this code alone, complete, in one code block, and nothing else."


def ask_to_write(task: WritingTask, temperature: float = 0.0, *, seed: int = 1) -> ModelRequest:
    """A seed makes that a run can be repeated; each attempt has its own."""
    return _request(_asked(task), temperature, seed)


def ask_to_correct(task: WritingTask, reply: str, failures: Sequence[str]) -> ModelRequest:
    """Tell what is still wrong with the code of a reply. It goes on from the same words, so that they stay cached."""
    listed = "\n".join(f"- {line}" for line in failures)
    again = f"With this code tests still fail:\n{listed}\n\nFind out why, and correct it. {_how(task)}"
    return _request((*_asked(task), AssistantReply(reply.strip()), UserText(again)), 0.0, 1)


def missing_context(
    *, instructions: str, shown: Sequence[Excerpt], tests: Sequence[Excerpt], failures: Sequence[str], goal: str
) -> str:
    """What is told of code that nobody has written yet."""
    told = [f"Instructions:\n{instructions.strip()}"] if instructions.strip() else []
    told += [f"File {each.path}:\n```\n{each.text}\n```" for each in shown]
    told += [f"Tests in {each.path}:\n```\n{each.text}\n```" for each in tests]
    if failures:
        told.append("What fails:\n" + "\n".join(f"- {each}" for each in failures))
    return "\n\n".join([*told, f"Task: {goal.strip()}"])


def _asked(task: WritingTask) -> tuple[WireMessage, ...]:
    told = f"How work is done in this project:\n{task.conventions}\n\n" if task.conventions else ""
    return SystemText(task.system), UserText(f"{task.context}\n\n{told}{_what(task)} {_how(task)}")


def _what(task: WritingTask) -> str:
    named = ", ".join(f"`{name}`" for name in task.names)
    if task.kind == "again":
        return f"{named} in {task.path} is wrong. Write the whole function again, so that the tests pass."
    if not named:
        return f"Write the file {task.path}, with all that the tests use of it."
    return f"Write {named} in {task.path}, with all that it needs."


def _how(task: WritingTask) -> str:
    return _WHOLE.format(path=task.path) if task.whole else _PART


def _request(messages: tuple[WireMessage, ...], temperature: float, seed: int) -> ModelRequest:
    return ModelRequest(messages=messages, max_tokens=REPLY_TOKENS, temperature=temperature, seed=seed)
