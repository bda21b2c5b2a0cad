"""Settings, after all sources were merged."""

from pathlib import Path
from typing import Annotated, Any, Literal, cast

from mulligan.types.base import Record, field
from mulligan.types.field_rules import Converted
from mulligan.types.hooks import Formatter, Hook
from mulligan.types.permissions import PermissionRule
from mulligan.types.profiles import Agency, ToolProtocol
from mulligan.types.sandbox import ApprovalMode, SandboxChoice
from mulligan.types.secret import Secret
from mulligan.types.tuning import ModelSettings, ThinkingSetting


def _listed(value: Any) -> Any:
    """An environment variable contains several commands, separated by commas."""
    return [each.strip() for each in value.split(",") if each.strip()] if isinstance(value, str) else value


CommandList = Annotated[tuple[str, ...], Converted(_listed)]


def _paths(value: Any) -> Any:
    """Several paths, separated by commas in an environment variable; `~` is the home folder."""
    listed = _listed(value)
    if not isinstance(listed, list):
        return listed
    try:
        return [Path(each).expanduser().absolute() for each in cast("list[Any]", listed)]
    except (TypeError, RuntimeError) as error:  # no text, or the home of a user that there is not
        raise ValueError(str(error)) from error


PathList = Annotated[tuple[Path, ...], Converted(_paths)]


def _answered(value: Any) -> Any:
    """A file may say `true` or `false`, an environment variable any word for them."""
    for answer, words in (("yes", ("true", "1", "on", "y", "t")), ("no", ("false", "0", "off", "n", "f"))):
        if str(value).strip().lower() in (answer, *words):
            return answer
    return value


def _renamed_mode(value: Any) -> Any:
    """Settings files may still have the old name of `outside`."""
    return "outside" if value == "leaving" else value


ApprovalSetting = Annotated[ApprovalMode, Converted(_renamed_mode)]
DownloadSetting = Annotated[Literal["ask", "yes", "no"], Converted(_answered)]


class Settings(Record):
    """Every field is a setting. `MULLIGAN_<NAME>` sets it from the environment."""

    home: Path
    """Where Mulligan keeps its data."""
    project: Path
    """The folder it works on, as a real path."""
    model: str | None = None
    """The model's name. Without it, the first one the server lists."""
    base_url: str | None = None
    """The model server, up to and including `/v1`."""
    api_key: Secret | None = None
    """Sent as a bearer token. Only from the environment or the user file, never to a server a project chose."""
    key_withheld: bool = False
    """A key is set and was left out, because the server is the project's choice."""
    discovery: bool = True
    """Whether to look for a model server on the usual ports of this machine when none is named."""
    downloads: DownloadSetting = "ask"
    """Whether an embedded model may be downloaded when it is needed and not here: `yes`, `no`, or `ask` first. Only
    from the environment or the user file."""
    protocol: ToolProtocol | None = None
    """How tools are called: `native`, `constrained` or `text`. Without it, what the model can do decides."""
    agency: Agency | None = None
    """Who drives: `agent` or `guided`. Without it, what is known of the model decides."""
    context_length: int | None = field(default=None, ge=1024)
    """Tokens of context, if the server reports them wrongly."""
    instructions: bool = True
    """Whether models are given the instructions in `AGENTS.md`, `MULLIGAN.md` and the like."""
    agent: str = "default"
    """Who answers unless `--agent` says otherwise."""
    steps: int | None = field(default=None, ge=0)
    """Steps that a turn may take at most, whatever the agent says."""
    temperature: float | None = field(default=None, ge=0, le=2)
    """Sent with every request, instead of what is recommended for the model."""
    thinking: ThinkingSetting | None = None
    """Whether the model thinks: `on`, `off`, or `low`, `medium`, `high`. Without it, the
    model's own default."""
    thinking_budget: int | None = field(default=None, ge=0)
    """Tokens that a model may think before it has to answer. Without it, five minutes at its measured speed, and never
    more than half of its context."""
    models: dict[str, ModelSettings] = field(default_factory=dict)
    """Sampling, thinking and replay of single models or families: tables `[models."NAME"]` of a file."""
    max_tokens: int | None = field(default=None, ge=1)
    """The longest reply to ask for, if set."""
    idle_timeout: float = field(default=300.0, gt=0)
    """Seconds without new output after which a reply counts as lost; keep-alive messages alone do not count."""
    first_token_timeout: float | None = field(default=None, gt=0)
    """Seconds until a reply begins, restarted whenever the server reports progress in reading the prompt.
    Without it, three times what the prompt should take at the model's measured speed, 6 minutes at least."""
    diagnostics: bool = True
    """Whether the project's own checkers (pyright, ruff, tsc and others) tell the model what an edit broke."""
    diagnostics_timeout: float = field(default=10.0, gt=0)
    """Seconds that an edit's result may wait for them."""
    allow_commands: CommandList = ()
    """Beginnings of commands that need no approval, as `make deploy`. Only from the environment or the user file."""
    deny_commands: CommandList = ()
    """Beginnings of commands that never run."""
    permissions: tuple[PermissionRule, ...] = ()
    """What is allowed, asked about or denied, by tool, file or command: rows `[[permissions]]` of the user file."""
    hooks: tuple[Hook, ...] = ()
    """Commands of yours at events of a turn: rows `[[hooks]]` of the user file."""
    formatters: tuple[Formatter, ...] = ()
    """Commands that format a file after an edit: rows `[[formatters]]` of the user file."""
    sandbox: SandboxChoice = "auto"
    """How commands are confined: `auto`, `bubblewrap`, `landlock`, `seatbelt` or `none`. Only from the environment or
    the user file."""
    approvals: ApprovalSetting = "outside"
    """Which commands need approval: those that leave the sandbox (`outside`), also those that change files directly
    (`changes`), or `all`. Only from the environment or the user file."""
    network: bool = False
    """Whether commands have the network. Only from the environment or the user file."""
    sandbox_read: PathList = ()
    """Files and folders that commands may read although the sandbox hides them. Only from the environment or the user
    file."""
    sandbox_write: PathList = ()
    """Folders outside the project that commands may write to. Only from the environment or the user file."""
    pass_environment: CommandList = ()
    """Names of variables that commands get, beyond those that builds usually need. Only from the environment or the
    user file."""
    editor_link: str = field(default="vscode://file/{path}:{line}", pattern=r"^$|^[a-zA-Z][a-zA-Z0-9+.-]*:.*\{path\}")
    """What the page links files to, so that they open in your editor; empty for no links. Only from the environment or
    the user file."""
    database_url: Secret | None = None
    """`postgresql://…`; without it a SQLite file in the home folder. A secret: it may contain a password."""
