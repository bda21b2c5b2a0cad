"""Builds requests from history. Append-only: a step's messages begin with those of the step before, byte for byte.

Only compaction changes what was sent before, and its result is part of the history: the same messages always give the
same request, in any process. Sentinels never go to the model, and reasoning only to models that need it back.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from mulligan.core.context_budget import HIDDEN, clip_result
from mulligan.core.provenance import show_ledger, split_ledger
from mulligan.core.roles import alternating
from mulligan.types.frozen import frozen, replace
from mulligan.types.messages import (
    AttachmentInfo,
    Message,
    Part,
    Reasoning,
    StepStart,
    Text,
    ToolCallPart,
    ToolResultPart,
    UserMeta,
)
from mulligan.types.model_io import AssistantReply, SentCall, SentImage, SystemText, ToolReply, UserText, WireMessage
from mulligan.types.sentinels import Compacted
from mulligan.types.tuning import Replay

LOST_RESULT = "No result: the turn ended before this call did."
NO_ANSWER = "(I was stopped before I could answer.)"
"""Between tool results and the user's next message, for templates that require a model's message there."""

SUMMARY_BEGINS = (
    "[The context was full. This summary, made by Mulligan, stands for everything that came before. Go on from it.]"
)
SUMMARY_ENDS = "[End of the summary.]"

HistoryPosition = tuple[int, int]
"""A message's number in the chat, and the step within it."""

NOWHERE: HistoryPosition = (0, 0)
LAST_STEP = 1_000_000


def opening(system: str, history: Sequence[Message], replay: Replay = "none") -> list[WireMessage]:
    """The request's messages at the start of a turn; the history ends with the user's message."""
    return render(system, units_of(history), compacted_view(history, replay))


@frozen
class Unit:
    """The user's message or one step of an answer: a request shows it or not, as a whole."""

    position: HistoryPosition
    parts: tuple[Part, ...]
    prompt: bool
    """It is the user's message."""
    continues: bool = False
    """Mulligan wrote it when the user pressed Continue."""
    images: tuple[SentImage, ...] = ()

    @property
    def text(self) -> str:
        return _text(self.parts)


@frozen
class TextCut:
    """Long texts up to a position are shown cut."""

    through: HistoryPosition
    step_chars: int | None
    prompt_chars: int | None


@frozen
class View:
    """The history after its compactions."""

    summary: str | None = None
    """As stored, with its whole ledger."""
    covered: HistoryPosition = NOWHERE
    """Everything up to this position is replaced by the summary."""
    ledger_chars: int = 0
    hidden: HistoryPosition = NOWHERE
    """Tool results up to this position are hidden."""
    cuts: tuple[TextCut, ...] = ()
    images: int = 0
    """How many images from before the summary are shown with it, the newest."""
    reasoning_after: HistoryPosition | None = None
    """Reasoning is shown for steps after this. None: for no step."""


def units_of(history: Sequence[Message]) -> list[Unit]:
    """The history in the smallest pieces that can be left out. Sentinels are skipped."""
    units: list[Unit] = []
    for message in history:
        if isinstance(message.metadata, UserMeta):
            meta, position = message.metadata, (message.seq, 0)
            units.append(
                Unit(position, message.parts, prompt=True, continues=meta.continues, images=images_in(meta.attached))
            )
        elif message.role == "assistant" and not message.is_failed_synthesis:
            for number, parts in _steps(message.parts):
                units.append(Unit((message.seq, number), tuple(parts), prompt=False))
    return units


def images_in(attached: Iterable[AttachmentInfo]) -> tuple[SentImage, ...]:
    return tuple(SentImage(each.image) for each in attached if each.image and not each.problem)


def message_images(message: Message) -> tuple[SentImage, ...]:
    return images_in(message.metadata.attached) if isinstance(message.metadata, UserMeta) else ()


def images_asked_with(history: Sequence[Message]) -> tuple[SentImage, ...]:
    """The images of the message being answered, for requests that show no history."""
    metas = (message.metadata for message in reversed(history))
    asked = (each for each in metas if isinstance(each, UserMeta) and not each.continues and not each.is_note)
    return images_in(next((each.attached for each in asked), ()))


def shown_with(messages: Sequence[WireMessage], images: tuple[SentImage, ...]) -> list[WireMessage]:
    """The same request, with images added to its last user message."""
    *before, last = messages
    return [*before, UserText(last.text, images) if isinstance(last, UserText) else last]


def compacted_view(history: Sequence[Message], replay: Replay = "none") -> View:
    """The result of the chat's compactions."""
    view = View(reasoning_after=_reasoning_after(history, replay))
    newest = NOWHERE
    for message in history:
        done = message.metadata
        if isinstance(done, Compacted):
            summary = _text(message.parts)
            through = newest if message.step is None else (newest[0], message.step)
            view = compacted(view, done, summary, through)
        elif message.parts and not message.is_failed_synthesis:
            newest = (message.seq, LAST_STEP)
    return view


def compacted(view: View, done: Compacted, summary: str, newest: HistoryPosition) -> View:
    """The view after one more compaction, made when the history ended at `newest`."""
    through = (done.through_seq, LAST_STEP if done.through_step is None else done.through_step)
    if done.how == "hidden":
        view = replace(view, hidden=max(view.hidden, through))
    elif summary:
        view = replace(view, summary=summary, covered=through, ledger_chars=done.ledger_chars, images=done.images)
    if done.step_chars or done.prompt_chars:
        view = replace(view, cuts=(*view.cuts, TextCut(newest, done.step_chars, done.prompt_chars)))
    return view


def render(system: str, units: Sequence[Unit], view: View) -> list[WireMessage]:
    """The request's messages, as the view shows the units."""
    messages: list[WireMessage] = [SystemText(system)]
    shown = shown_units(units, view.covered)
    if view.summary:
        images = covered_images(units, view.covered)[-view.images :] if view.images else ()
        messages.append(UserText(show_summary(view.summary, view.ledger_chars), images))
    for unit in shown:
        if unit.prompt and isinstance(messages[-1], ToolReply):
            messages.append(AssistantReply(NO_ANSWER))
        messages += unit_messages(unit, view)
    return list(alternating(messages))


def shown_units(units: Sequence[Unit], covered: HistoryPosition) -> list[Unit]:
    """What is left after a cut. A turn that is cut in the middle keeps the message that it answers."""
    kept = [unit for unit in units if unit.position > covered]
    seq, step = covered
    if 0 < step < LAST_STEP:
        kept[:0] = [unit for unit in units if unit.prompt and unit.position[0] < seq][-1:]
    return kept


def covered_images(units: Sequence[Unit], covered: HistoryPosition) -> tuple[SentImage, ...]:
    """Images of messages that a cut removes."""
    kept = {unit.position for unit in shown_units(units, covered)}
    return tuple(image for unit in units if unit.position not in kept for image in unit.images)


def show_summary(summary: str, ledger_chars: int) -> str:
    body, ledger = split_ledger(summary)
    return "\n\n".join([SUMMARY_BEGINS, body, show_ledger(ledger, ledger_chars), SUMMARY_ENDS])


def unit_messages(unit: Unit, view: View) -> list[WireMessage]:
    parts = shown_parts(unit, view)
    if unit.prompt:
        return [UserText(_text(parts), unit.images)]
    after = view.reasoning_after
    return step_messages(parts, reasoning=after is not None and unit.position > after)


def shown_parts(unit: Unit, view: View) -> Sequence[Part]:
    """The parts of a unit, hidden or cut as the view says."""
    parts: Sequence[Part] = unit.parts
    if unit.position <= view.hidden:
        parts = [_hidden(part) for part in parts]
    for cut in view.cuts:
        limit = cut.prompt_chars if unit.prompt else cut.step_chars
        if limit and unit.position <= cut.through:
            parts = [_cut(part, limit) for part in parts]
    return parts


def step_messages(parts: Sequence[Part], *, reasoning: bool = False) -> list[WireMessage]:
    """One step as the model sees it: its text and calls, then a result for every call."""
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    text = _text(parts)
    if not calls and not text:
        return []
    results = {part.call_id: part.content for part in parts if isinstance(part, ToolResultPart)}
    sent = tuple(SentCall(call.call_id, call.name, call.arguments) for call in calls)
    thought = "\n\n".join(part.text for part in parts if isinstance(part, Reasoning)) if reasoning else ""
    return [
        AssistantReply(text, sent, thought),
        *(ToolReply(call.call_id, call.name, results.get(call.call_id, LOST_RESULT)) for call in calls),
    ]


def _reasoning_after(history: Sequence[Message], replay: Replay) -> HistoryPosition | None:
    match replay:
        case "none":
            return None
        case "all":
            return NOWHERE
        case "last":
            prompts = [message.seq for message in history if isinstance(message.metadata, UserMeta)]
            return (prompts[-1], 0) if prompts else NOWHERE


def _hidden(part: Part) -> Part:
    if isinstance(part, ToolResultPart) and len(part.content) > len(HIDDEN):
        return part.model_copy(update={"content": HIDDEN})
    return part


def _cut(part: Part, limit: int) -> Part:
    match part:
        case Text():
            return part.model_copy(update={"text": clip_result(part.text, limit)})
        case ToolResultPart():
            return part.model_copy(update={"content": clip_result(part.content, limit)})
        case ToolCallPart():
            return part.model_copy(update={"arguments": _cut_values(part.arguments, limit)})
        case _:
            return part


def _cut_values(value: Any, limit: int) -> Any:
    match value:
        case str():
            return clip_result(value, limit)
        case dict():
            return {key: _cut_values(each, limit) for key, each in cast("dict[str, Any]", value).items()}
        case list():
            return [_cut_values(each, limit) for each in cast("list[Any]", value)]
        case _:
            return value


def _text(parts: Iterable[Part]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, Text))


def _steps(parts: Sequence[Part]) -> Iterator[tuple[int, list[Part]]]:
    """The parts of each step with its number; 0 for what Mulligan read before the first."""
    number, step = 0, list[Part]()
    for part in parts:
        if isinstance(part, StepStart) and step:
            yield number, step
            step = []
        if isinstance(part, StepStart):
            number = part.step
        step.append(part)
    if step:
        yield number, step
