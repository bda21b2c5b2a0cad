"""What an editor shows of a turn, from its frames. No I/O. Imports the SDK."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from acp.helpers import (
    plan_entry,
    start_tool_call,
    text_block,
    tool_content,
    tool_diff_content,
    tool_terminal_ref,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
)
from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    ContentToolCallContent,
    CurrentModeUpdate,
    FileEditToolCallContent,
    PlanEntryStatus,
    SessionInfoUpdate,
    TerminalToolCallContent,
    ToolCallLocation,
    ToolCallProgress,
    ToolCallStart,
    ToolKind,
    UsageUpdate,
    UserMessageChunk,
)

from mulligan.core.provenance import CHANGING, WRITING
from mulligan.core.todos import TOOL as TODOS
from mulligan.core.turn_words import (
    UNCHECKED,
    attached_words,
    call_words,
    change_words,
    checkpoint_words,
    question_words,
    repair_words,
    retry_words,
    unapplied_words,
)
from mulligan.types.changes import PendingChange
from mulligan.types.frames import (
    ChangeMade,
    CheckpointTaken,
    ContextUsed,
    Frame,
    ReasoningStreamed,
    ReplyRetried,
    SentinelRaised,
    StepStarted,
    TextStreamed,
    ToolCalled,
    ToolReturned,
    TurnEnd,
    TurnStart,
)
from mulligan.types.run_frames import RunFrame
from mulligan.types.sentinels import Aborted, ModelFailed
from mulligan.workspace.files.file_bytes import decode

Update = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCallStart
    | ToolCallProgress
    | AgentPlanUpdate
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
)
Content = ContentToolCallContent | FileEditToolCallContent | TerminalToolCallContent

KINDS: dict[str, ToolKind] = {
    "view_file": "read",
    "list_dir": "read",
    "get_file_analysis": "read",
    "grep": "search",
    "find_files": "search",
    "search_symbols": "search",
    "get_symbol_info": "search",
    "get_dependencies": "search",
    "get_codebase_overview": "search",
    "get_framework_analysis": "search",
    "get_semantic_neighborhoods": "search",
    "create_file": "edit",
    "edit_file": "edit",
    "delete_file": "delete",
    "run_command": "execute",
}
"""The protocol's kinds for our tools; `other` for the rest."""

MAX_SHOWN = 20_000
"""Most characters of a tool's result. The editor already has what it read."""
MAX_LOCATIONS = 10
MAX_DIFF_CHARS = 400_000
"""Most characters of a file whose whole text is sent, before and after. For a larger one, we only say what changed."""


@dataclass(slots=True)
class _OpenCall:
    called: ToolCalled
    content: list[Content] = field(default_factory=list[Content])
    """What it shows in addition to its result."""


class TurnUpdates:
    """The updates of one turn, frame by frame. It remembers the unfinished calls."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._open: dict[str, _OpenCall] = {}
        self._line_ended = True
        """The last text ends in a blank line, or there is none."""

    def of(self, frame: Frame | RunFrame, change: PendingChange | None = None) -> list[Update]:
        """The updates for a frame; none for most. `change` is the change of a `ChangeMade`."""
        match frame:
            case TextStreamed(text=text):
                self._line_ended = text.endswith("\n\n") if text else self._line_ended
                return [update_agent_message_text(text)] if text else []
            case ReasoningStreamed(text=text):
                return [update_agent_thought_text(text)] if text else []
            case ToolCalled():
                return [self._called(frame)]
            case ToolReturned(name=name, failure=failure):
                todos = [_todos(frame)] if name == TODOS and not failure else []
                return [self._returned(frame), *todos]
            case ChangeMade():
                return self._changed(frame, change)
            case ContextUsed(tokens=tokens, length=length) if length:
                return [UsageUpdate(session_update="usage_update", used=tokens, size=length)]
            case _:
                return [self.note(words) for words in _note_texts(frame)]

    def note(self, words: str) -> AgentMessageChunk:
        """A sentence from Mulligan, set apart from the model's text."""
        text = note(words)
        text = text if self._line_ended else f"\n\n{text}"
        self._line_ended = True
        return update_agent_message_text(text)

    def open_call(self, name: str, argument: str, value: str) -> str | None:
        """The id of a running call, by its tool and one of its arguments."""
        for each in self._open.values():
            if each.called.name == name and each.called.arguments.get(argument) == value:
                return each.called.call_id
        return None

    def in_terminal(self, call_id: str, terminal_id: str) -> ToolCallProgress:
        """A command runs in a terminal of the editor, which shows more than its result."""
        shown = self._open[call_id].content
        shown.append(tool_terminal_ref(terminal_id))
        return update_tool_call(call_id, content=shown)

    def _called(self, called: ToolCalled) -> ToolCallStart:
        self._open[called.call_id] = _OpenCall(called)
        repaired = repair_words(called.repairs)
        return start_tool_call(
            called.call_id,
            call_words(called.name, called.arguments) + (f" ({repaired})" if repaired else ""),
            kind=KINDS.get(called.name, "other"),
            status="in_progress",
            locations=self._locations(called),
            raw_input=called.arguments,
        )

    def _returned(self, returned: ToolReturned) -> ToolCallProgress:
        call = self._open.pop(returned.call_id, None)
        shown = _shortened(returned.content)
        content: list[Content] = list(call.content) if call and not _only_tried(returned) else []
        if shown and not content:
            content = [tool_content(text_block(shown))]
        return update_tool_call(
            returned.call_id,
            status="failed" if returned.failure else "completed",
            content=content,
            locations=self._places(returned.read) if returned.read else None,
        )

    def _changed(self, made: ChangeMade, change: PendingChange | None) -> list[Update]:
        """A change belongs to the call that names its file, else to the one that changes files by other means."""
        content = change_content(change, self._project) if change else None
        if content is None or made.status not in ("pending", "applied"):
            return [self.note(change_words(made))] if content is None else []
        named = [each for each in self._open.values() if each.called.arguments.get("path") == made.path]
        others = [each for each in self._open.values() if each.called.name in WRITING]
        call = next(iter(named or others), None)
        if call is None:
            return [
                start_tool_call(
                    f"change-{made.change_id}",
                    change_words(made),
                    kind="delete" if made.kind == "delete" else "edit",
                    status="completed",
                    content=[content],
                    locations=self._places([made.path]),
                )
            ]
        call.content.append(content)
        return [update_tool_call(call.called.call_id, content=call.content, locations=self._places([made.path]))]

    def _locations(self, called: ToolCalled) -> list[ToolCallLocation] | None:
        path, line = called.arguments.get("path"), called.arguments.get("start_line")
        if not isinstance(path, str) or path in ("", "."):
            return None
        number = line if isinstance(line, int) and line > 0 else None
        return [ToolCallLocation(path=str(self._project / path), line=number)]

    def _places(self, paths: Iterable[str]) -> list[ToolCallLocation]:
        return [ToolCallLocation(path=str(self._project / path)) for path in list(paths)[:MAX_LOCATIONS]]


def _todos(returned: ToolReturned) -> AgentPlanUpdate:
    """The list that the model keeps of what it has to do."""
    status: dict[str, PlanEntryStatus] = {"[x] ": "completed", "[>] ": "in_progress"}
    items = returned.content.split("\n")
    return update_plan([plan_entry(each[4:], status=status.get(each[:4], "pending")) for each in items])


def note(words: str) -> str:
    """The text as a quotation, which an editor sets apart from the model's own text."""
    return "".join(f"> {line}\n" for line in words.strip().split("\n")) + "\n"


def change_content(change: PendingChange, project: Path) -> FileEditToolCallContent | None:
    """A change as a diff; None if there is no text to compare, or too much of it."""
    texts: list[str | None] = []
    for image in (change.before, change.after):
        decoded = decode(image) if image else None
        if (image and decoded is None) or (decoded and len(decoded.text) > MAX_DIFF_CHARS):
            return None
        texts.append(decoded.text if decoded else None)
    return tool_diff_content(str(project / change.path), texts[1] or "", texts[0])


def _note_texts(frame: Frame | RunFrame) -> Sequence[str]:
    """What Mulligan says about a frame."""
    match frame:
        case TurnStart(attached=attached):
            return [attached_words(each) for each in attached if each.problem]
        case ReplyRetried():
            return [retry_words(frame)]
        case CheckpointTaken(problem=problem) if problem:
            return [checkpoint_words(frame)]
        case StepStarted(wrap_up=True):
            return [UNCHECKED]
        case SentinelRaised(message=message, text=text):
            if isinstance(message.metadata, ModelFailed | Aborted):
                return []  # the response to the prompt says it
            hint = " To continue: /continue" if getattr(message.metadata, "can_continue", None) else ""
            return [f"{text}{hint}"]
        case TurnEnd():
            return _ending(frame)
        case _:
            return []


def _ending(end: TurnEnd) -> list[str]:
    texts = [question_words(end.question, end.options)] if end.question else []
    if words := unapplied_words(end):
        texts.append(words)
    if end.work:
        if end.work.missing:
            texts.append("Not done: you asked for a change, and there is none.")
        if end.work.text:
            texts.append(end.work.text)
    return texts


def _only_tried(returned: ToolReturned) -> bool:
    """An edit that failed after all has no diff. A command that failed has shown what it did."""
    return returned.failure is not None and returned.name in CHANGING


def _shortened(content: str) -> str:
    text = content.strip()
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}\n… {len(text) - MAX_SHOWN:,} more characters"
