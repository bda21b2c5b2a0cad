"""Tools, calls to them and what comes of the calls."""

from typing import Any, Literal

from mulligan.types.frozen import frozen

FailureKind = Literal["schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"]
"""`schema_reject`: the arguments don't fit, or the call was cut off. `tool_not_found`: no such tool.
`exec_error`: the tool ran and failed. `api_error`: a service behind the tool failed.
`permission_denied`: refused by the policy, the user or a budget."""

CallOutcome = Literal["success"] | FailureKind
"""What the mistake tracker needs to know of one call."""


JsonObject = dict[str, Any]


@frozen
class ToolSpec:
    """What a model is told of a tool, and how long a call of it may take."""

    name: str
    description: str
    parameters: JsonObject
    """A JSON schema of type object."""
    time_limit: float | None = None
    """Seconds; None where the tool keeps a limit of its own."""
    reached: "tuple[ToolSpec, ...] | None" = None
    """Tools that are called through this one, as far as they are known. Models are not told of them in a request.
    None: it leads to no others."""


@frozen
class RawCall:
    """A call as the model wrote it."""

    id: str
    name: str
    arguments: str


@frozen
class ToolCall:
    """A call that can be run: the tool exists and the arguments are an object that fits its schema."""

    id: str
    name: str
    arguments: JsonObject
    repairs: tuple[str, ...] = ()
    """What had to be fixed, by name, in the order it was done."""


@frozen
class RejectedCall:
    """A call that could not be fixed, with the words that go back to the model."""

    id: str
    name: str
    arguments: JsonObject
    """What goes into the history in place of the broken text, so that every later request is well-formed."""
    kind: FailureKind
    message: str


@frozen
class CallTrace:
    """What a call had to do with files, beyond what its arguments say. Paths are from the project."""

    read: tuple[str, ...] = ()
    """Files of which the result shows something."""
    changed: tuple[str, ...] = ()
    """Files that a command made, changed or deleted."""
    pending_seen: int = 0
    """How many pending changes were applied where the command ran."""
    pending_unseen: int = 0
    """How many were not: it ran on the files as they are."""


NO_TRACE = CallTrace()


@frozen
class Succeeded:
    """The tool did what it was asked. A search that finds nothing is a success."""

    content: str
    state: str | None = None
    """The project afterwards, by content, where the call may have changed it: what was tried before may now end
    differently. None: it changed nothing."""
    may_have_changed: bool = False
    """A command of a kind that changes things: something may be done that no file shows, such as a tag."""
    refers_to: tuple[str, ...] = ()
    """Files that the whole result is about, the most telling first, those that were cut from the content included.
    None: nothing was found."""
    asked_for: tuple[str, ...] = ()
    """Those of them that the call itself was about."""
    trace: CallTrace = NO_TRACE


@frozen
class Failed:
    """The tool could not do it; the model is told why."""

    kind: FailureKind
    content: str
    state: str | None = None
    """As of a success: a command may fail and have changed files all the same."""
    trace: CallTrace = NO_TRACE


@frozen
class Question:
    """Something only the user can answer."""

    text: str
    options: tuple[str, ...] = ()


@frozen
class AwaitsAnswer:
    """The model asked the user something: the turn pauses."""

    question: Question
    content: str


Outcome = Succeeded | Failed | AwaitsAnswer


@frozen
class DoneCall:
    """A call that was carried out or refused, in the eyes of the guards."""

    name: str
    arguments: JsonObject
    outcome: Outcome
