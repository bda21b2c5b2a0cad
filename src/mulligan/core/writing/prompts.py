"""Prompts for a model that writes code. Samples of one task use one of two wordings, each always with the same text, so
that a server has it cached after the first."""

from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.task import WritingTask
from mulligan.types.model_io import AssistantReply, ModelRequest, SystemText, UserText, WireMessage

WRITING_SYSTEM = "You are an expert programmer. You write complete and correct code."
REPLY_TOKENS = 1000
"""Enough for 100 lines. A longer reply repeats itself."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How one sample of a task is asked for."""

    temperature: float
    in_other_words: bool = False


SAMPLES = (Sample(0.0), Sample(0.0, in_other_words=True), Sample(0.6), Sample(0.9))
"""The likeliest code first, in both wordings; then more varied samples."""
LATER_SAMPLES = (Sample(0.8), Sample(0.8, in_other_words=True), Sample(1.0))
"""If the likeliest code was written before: in later attempts, and for code that was written and fails some tests."""
MAX_REWRITTEN_FUNCTIONS = 2
"""Functions to rewrite in one attempt."""

_WHOLE = "Reply with the whole file {path} in one code block, and nothing else."
_PART = "Reply with this code alone, complete, in one code block, and nothing else."


def samples_of(task: WritingTask, attempt: int) -> tuple[Sample, ...]:
    """The samples of an attempt, in order."""
    every = SAMPLES if attempt == 1 and not task.written else LATER_SAMPLES
    return tuple(each for each in every if task.context_in_other_words or not each.in_other_words)


@dataclass(frozen=True, slots=True)
class SampleBatch:
    """Some of the samples of one function, before another function has its turn."""

    function: int
    """Its rank of suspicion, from 0."""
    samples: slice


def sample_batches(functions: int, attempt: int) -> tuple[SampleBatch, ...]:
    """The order in which suspected functions are rewritten. Of 24 bugs planted in packages the most suspicious function
    was the wrong one in 17, the second in 6: the first sample of the second is worth more than the third of the
    first."""
    every = slice(None)
    if attempt > 1 or functions < 2:
        return tuple(SampleBatch(each, every) for each in range(min(functions, MAX_REWRITTEN_FUNCTIONS)))
    return SampleBatch(0, slice(0, 2)), SampleBatch(1, slice(0, 1)), SampleBatch(0, slice(2, None))


def ask_to_write(task: WritingTask, sample: Sample = SAMPLES[0], *, seed: int = 1) -> ModelRequest:
    """With a seed a run can be repeated; each attempt has its own."""
    return _request(_asked(task, sample), sample.temperature, seed)


def ask_to_correct(task: WritingTask, sample: Sample, reply: str, failures: Sequence[str]) -> ModelRequest:
    """Say what is still wrong with the code of a reply. Continues the same conversation, so that it stays cached."""
    listed = "\n".join(f"- {line}" for line in failures)
    again = f"With this code tests still fail:\n{listed}\n\nFind out why, and correct it. {_how(task)}"
    return _request((*_asked(task, sample), AssistantReply(reply.strip()), UserText(again)), 0.0, 1)


def missing_context(
    *, instructions: str, shown: Sequence[Excerpt], tests: str, failures: Sequence[str], goal: str
) -> str:
    """The context for code that does not exist yet."""
    parts = [f"Instructions:\n{instructions.strip()}"] if instructions.strip() else []
    parts += [f"File {each.path}:\n```\n{each.text}\n```" for each in shown]
    parts += [tests] if tests else []
    if failures:
        parts.append("What fails:\n" + "\n".join(f"- {each}" for each in failures))
    return "\n\n".join([*parts, f"Task: {goal.strip()}"])


def plain_context(*, instructions: str, shown: Sequence[Excerpt], failures: Sequence[str], goal: str) -> str:
    """The same as a person would type it, with the failures instead of the tests' expectations."""
    parts = [instructions.strip()] if instructions.strip() else []
    parts += [f"{each.path}:\n```\n{each.text}\n```" for each in shown]
    return "\n\n".join([*parts, f"Task: {goal.strip()}", "Its tests fail:\n" + "\n".join(failures)])


def _asked(task: WritingTask, sample: Sample) -> tuple[WireMessage, ...]:
    parts = f"How work is done in this project:\n{task.conventions}\n\n" if task.conventions else ""
    if sample.in_other_words:
        return (UserText(f"{task.context_in_other_words}\n\n{parts}{_plainly(task)}"),)
    return SystemText(task.system), UserText(f"{task.context}\n\n{parts}{_what(task)} {_how(task)}")


def _what(task: WritingTask) -> str:
    named = ", ".join(f"`{name}`" for name in task.names)
    if task.kind == "again":
        return f"{named} in {task.path} is wrong. Write the whole function again, so that the tests pass."
    if not named:
        return f"Write the file {task.path}, with all that the tests use of it."
    return f"Write {named} in {task.path}, with all that it needs."


def _plainly(task: WritingTask) -> str:
    if task.kind == "again":
        return f"There is a bug in `{task.names[0]}`. Write the whole function, corrected, in one code block."
    return f"Write the whole file {task.path} so that its tests pass, in one code block."


def _how(task: WritingTask) -> str:
    return _WHOLE.format(path=task.path) if task.whole else _PART


def _request(messages: tuple[WireMessage, ...], temperature: float, seed: int) -> ModelRequest:
    return ModelRequest(messages=messages, max_tokens=REPLY_TOKENS, temperature=temperature, seed=seed)
