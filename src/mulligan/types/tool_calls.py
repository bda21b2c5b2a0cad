"""Tools, calls and their outcomes."""

from typing import Any, Literal

from mulligan.types.frozen import frozen

FailureKind = Literal["schema_reject", "tool_not_found", "exec_error", "api_error", "permission_denied"]
"""`schema_reject`: the arguments don't fit, or the call was cut off. `tool_not_found`: no such tool.
`exec_error`: the tool ran and failed. `api_error`: a service behind the tool failed.
`permission_denied`: refused by the policy, the user or a budget."""

CallOutcome = Literal["success"] | FailureKind
"""What the mistake tracker records of a call."""


JsonObject = dict[str, Any]


@frozen
class ToolSpec:
    """A tool's description for the model, and its time limit."""

    name: str
    description: str
    parameters: JsonObject
    """A JSON schema of type object."""
    time_limit: float | None = None
    """Seconds; None if the tool has a limit of its own."""
    reached: "tuple[ToolSpec, ...] | None" = None
    """Known tools that are called through this one. Requests do not describe them to models. None: it calls no others.
    """


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
    """Names of the repairs made, in order."""


@frozen
class RejectedCall:
    """A call that could not be repaired, with the message for the model."""

    id: str
    name: str
    arguments: JsonObject
    """Goes into the history instead of the broken text, so that every later request is well-formed."""
    kind: FailureKind
    message: str


@frozen
class CallTrace:
    """Files that a call touched, beyond what its arguments say. Paths are relative to the project."""

    read: tuple[str, ...] = ()
    """Files that the result shows, at least in part."""
    changed: tuple[str, ...] = ()
    """Files that a command created, changed or deleted."""
    pending_seen: int = 0
    """How many pending changes were applied where the command ran."""
    pending_unseen: int = 0
    """How many were not applied: the command ran on the files as they are."""


NO_TRACE = CallTrace()


@frozen
class Succeeded:
    """The tool worked. A search that finds nothing is a success."""

    content: str
    state: str | None = None
    """Hash of the project's content afterwards, if the call may have changed it: what was tried before may now end
    differently. None: it changed nothing."""
    may_have_changed: bool = False
    """Whether it is a kind of command that changes things: it may have done something no file shows, such as a tag."""
    refers_to: tuple[str, ...] = ()
    """Files that the whole result is about, the most relevant first, including those cut from the content. Empty:
    nothing was found."""
    asked_for: tuple[str, ...] = ()
    """Those of them that the call itself named."""
    trace: CallTrace = NO_TRACE


@frozen
class Failed:
    """The tool failed; the model is told why."""

    kind: FailureKind
    content: str
    state: str | None = None
    """As in `Succeeded`: a failed command may have changed files too."""
    trace: CallTrace = NO_TRACE


@frozen
class Question:
    """A question that only the user can answer."""

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
    """A finished or refused call, as the guards see it."""

    name: str
    arguments: JsonObject
    outcome: Outcome
