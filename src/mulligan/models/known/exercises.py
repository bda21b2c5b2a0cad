"""Tiny exercises that show whether a model can drive tools by itself.

Each is one request. Those about a later step come with the earlier steps already done correctly, so that one mistake
costs one point. Small models don't fail at the first call: they repeat a call that found nothing, or keep calling when
they already have the answer.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from mulligan.core.replies import Reply
from mulligan.core.tool_calls import read_calls
from mulligan.types.model_io import AssistantReply, SentCall, SystemText, ToolReply, UserText, WireMessage
from mulligan.types.profiles import Agency
from mulligan.types.tool_calls import JsonObject, ToolCall, ToolSpec

MAY_FAIL = 1
"""How many of the non-decisive exercises. One miss is chance; a model that solved all but the decisive one finished
only one task in four."""


@dataclass(frozen=True, slots=True)
class ExerciseAnswer:
    """What a model did: the calls that could be run, and its text."""

    calls: tuple[ToolCall, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Exercise:
    name: str
    messages: tuple[WireMessage, ...]
    solved: Callable[[ExerciseAnswer], bool]
    decisive: bool = False
    """A model that fails it goes in circles, whatever else it solves."""


def read_answer(reply: Reply) -> ExerciseAnswer:
    """The answer in a reply, with its calls repaired as in a turn."""
    calls = read_calls(reply.calls, TOOLS, finish_reason=reply.finish_reason)
    return ExerciseAnswer(tuple(call for call in calls if isinstance(call, ToolCall)), reply.text)


def agency_for(failed: Collection[Exercise]) -> Agency:
    return "guided" if len(failed) > MAY_FAIL or any(exercise.decisive for exercise in failed) else "agent"


def _tool(name: str, description: str, **arguments: JsonObject) -> ToolSpec:
    needed = [key for key, schema in arguments.items() if "default" not in schema]
    return ToolSpec(name, description, {"type": "object", "properties": arguments, "required": needed})


_TEXT: JsonObject = {"type": "string"}
TOOLS = (
    _tool("find_files", "Find files by name. `*` stands for any characters.", pattern=_TEXT),
    _tool("grep", "Search the contents of all files for a text.", pattern=_TEXT, path=_TEXT | {"default": "."}),
    _tool("list_dir", "List the entries of a folder.", path=_TEXT),
    _tool(
        "view_file",
        "Show a file, or some of its lines.",
        path=_TEXT,
        start_line={"type": "integer", "default": 1},
        end_line={"type": "integer", "default": 100},
    ),
)
_SYSTEM = SystemText(
    "You answer questions about a code project. Use the tools to look things up, one call at a time. "
    "When you know the answer, say it in one sentence without a tool."
)
_PORT = UserText("Which port is set in settings.toml? The file is somewhere in this project.")
_FOUND = "deploy/local/settings.toml"
_MISSED = SentCall("call-1", "grep", {"pattern": "def load_user", "path": "."})


def _step(call: SentCall, result: str) -> tuple[WireMessage, ...]:
    return AssistantReply("", (call,)), ToolReply(call.id, call.name, result)


_FINDS = _step(SentCall("call-1", "find_files", {"pattern": "settings.toml"}), _FOUND)
_READS = _step(
    SentCall("call-2", "view_file", {"path": _FOUND}), '[server]\nhost = "127.0.0.1"\nport = 8421\nworkers = 2'
)


def _chose(answer: ExerciseAnswer, *names: str) -> JsonObject | None:
    """The arguments of the one call, if it is to one of these tools."""
    return answer.calls[0].arguments if len(answer.calls) == 1 and answer.calls[0].name in names else None


def _searches(answer: ExerciseAnswer) -> bool:
    return "parse_date" in str((_chose(answer, "grep") or {}).get("pattern"))


def _shows_lines(answer: ExerciseAnswer) -> bool:
    wanted = {"path": "src/app.py", "start_line": 40, "end_line": 60}
    return wanted.items() <= (_chose(answer, "view_file") or {}).items()


def _finds_first(answer: ExerciseAnswer) -> bool:
    arguments = _chose(answer, "find_files", "grep") or {}
    return any(word in str(arguments.get("pattern")) for word in ("settings", "port"))


def _reads_what_was_found(answer: ExerciseAnswer) -> bool:
    return (_chose(answer, "view_file", "grep") or {}).get("path") in (_FOUND, f"./{_FOUND}")


def _tries_another_way(answer: ExerciseAnswer) -> bool:
    repeated = [call for call in answer.calls if {"path": ".", **call.arguments} == _MISSED.arguments]
    return bool(answer.calls) and not repeated


def _answers(answer: ExerciseAnswer) -> bool:
    return not answer.calls and "8421" in answer.text


EXERCISES: Sequence[Exercise] = (
    Exercise("choose a tool", (_SYSTEM, UserText("Find every line that contains the text parse_date.")), _searches),
    Exercise("fill its arguments", (_SYSTEM, UserText("Show lines 40 to 60 of src/app.py.")), _shows_lines),
    Exercise("find first", (_SYSTEM, _PORT), _finds_first),
    Exercise("read what was found", (_SYSTEM, _PORT, *_FINDS), _reads_what_was_found),
    Exercise("answer when it is known", (_SYSTEM, _PORT, *_FINDS, *_READS), _answers),
    Exercise(
        "try another way",
        (_SYSTEM, UserText("Where is load_user defined?"), *_step(_MISSED, "No matches.")),
        _tries_another_way,
        decisive=True,
    ),
)
