"""The errors that packages share, in one tree. A package may add its own subclasses.

    MulliganError
    ├── CallRejected            the model can fix it: it goes back as the call's result
    │   ├── EditRefused         an edit whose place is not certain; its report lists similar lines
    │   └── ReadNeedsApproval            a file that is read only with the user's approval
    ├── ConfigurationError      the user can fix it: a setting, a flag, a file, an unknown id (exit code 2)
    │   ├── ChatBusy            another process is answering in this chat
    │   └── DownloadNotAllowed  a model would have to be downloaded, and nobody allowed it (exit code 6)
    ├── StoreError              the database failed (exit code 1)
    ├── IndexInterrupted        the process ended while it read a project's code (in `codecontext/parsing.py`)
    ├── DownloadError           a model could not be downloaded (exit code 1; in `models/embedded/download_progress.py`)
    ├── BackendError            an external agent or an MCP server failed (exit code 5)
    └── ModelError              the model server failed (exit code 5)
        ├── ModelUnreachable    no connection, or silence for too long; worth another try
        ├── ModelOverloaded     429 or 5xx; worth another try, after `retry_after` if it said so
        ├── ReplyCutOff         the stream ended without a finish reason; worth another try
        └── ModelRejected       the request itself was refused; repeating it would not help
            └── PromptTooLong   it does not fit into the model's context; a shorter one may

Foreign errors (httpx2, sqlite3, asyncpg, OSError) are translated at the edge where they arise.
"""

from typing import TYPE_CHECKING

from mulligan.types.tool_calls import FailureKind

if TYPE_CHECKING:
    from mulligan.types.edits import EditReport


class MulliganError(Exception):
    """Anything that Mulligan raises on purpose. Its text can be shown to the user."""


class CallRejected(MulliganError):
    """A tool call that can't be carried out."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind


class EditRefused(CallRejected):
    """An edit that was not made because its place is not certain."""

    def __init__(self, message: str, report: "EditReport") -> None:
        super().__init__("exec_error", message)
        self.report = report


class ReadNeedsApproval(CallRejected):
    """A file that the user wants to be asked about. If they approve, the call may be repeated."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__("permission_denied", message)
        self.path = path
        """Relative to the project, spelled as on disk."""


class ConfigurationError(MulliganError):
    """Something that the user set, typed or named, and that can't be used."""


class ChatBusy(ConfigurationError):
    """A live process is already answering in the chat: it answers one message at a time."""


class DownloadNotAllowed(ConfigurationError):
    """A model would have to be downloaded, and nobody has allowed that."""


class StoreError(MulliganError):
    """The database could not be opened, read or written."""


class BackendError(MulliganError):
    """An external agent or an MCP server could not be started, does not speak its protocol, or is gone."""


class ModelError(MulliganError):
    """The model server did not give a complete reply."""

    worth_retrying = False


class ModelUnreachable(ModelError):
    """No connection could be made, or nothing was received for too long."""

    worth_retrying = True


class ModelOverloaded(ModelError):
    """The server answered 429 or 5xx."""

    worth_retrying = True

    def __init__(self, message: str, *, retry_after: float | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds the server asked us to wait, if it did."""
        self.status = status
        """The HTTP status; None for an error within a reply that names none."""


class ReplyCutOff(ModelError):
    """The stream ended before the reply did."""

    worth_retrying = True


class ModelRejected(ModelError):
    """The server refused the request: wrong key, unknown model, prompt too long, bad field."""


class PromptTooLong(ModelRejected):
    """The request does not fit into the model's context."""

    def __init__(self, message: str, *, context_length: int | None = None, prompt_tokens: int | None = None) -> None:
        super().__init__(message)
        self.context_length = context_length
        """Size of the context in tokens, if the server said so."""
        self.prompt_tokens = prompt_tokens
        """Tokens of the prompt, if the server said so."""
