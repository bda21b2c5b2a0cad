"""Settings from their sources: the project's `mulligan.toml`, the user's, `MULLIGAN_*`, flags; later ones win."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from mulligan.runtime.own_secrets import whole_environment
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.base import InvalidRecord
from mulligan.types.errors import CallRejected, ConfigurationError
from mulligan.types.frozen import frozen
from mulligan.types.setting_views import SettingSource
from mulligan.types.settings import Settings

FILE_NAME = "mulligan.toml"
MCP_FILES = {".mcp.json": "mcpServers", ".vscode/mcp.json": "servers"}
"""Where other tools keep a project's MCP servers, and the key in that file."""
_ENVIRONMENT = "the environment"
_COMMAND_LINE = "the command line"

_ROWS = ("permissions", "hooks", "formatters")
"""Lists of tables that only the user's own file may have: `[[permissions]]`."""

_NO_SETTINGS = {"home", "project", "key_withheld", "models", *_ROWS}
"""Not set by a single value: Mulligan's folder, the project, omitted settings, and tables."""

PERSONAL = {
    "allow_commands", "api_key", "approvals", "database_url", "downloads", "editor_link", "network",
    "pass_environment", "sandbox",
    "sandbox_read", "sandbox_write", *_ROWS,
}  # fmt: skip
"""Never taken from a project: a repository's author must not choose where the user's data goes, or what runs on their
machine without asking."""

_PERSONAL_OF_MODELS = {"keep_alive", "num_ctx"}
"""Settings in the tables of models: how much memory a model uses, and for how long."""

_ON_THIS_MACHINE = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/[\w./-]*)?", re.IGNORECASE | re.ASCII)
"""Written out in full: URL parsers disagree about odd addresses, such as those with a backslash."""


@frozen
class Configuration:
    settings: Settings
    agents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The `[agents.NAME]` tables of the project's file."""
    external: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The `[external.NAME]` tables of the user's file."""
    mcp: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """The `[mcp.NAME]` tables of the user's file."""
    project_mcp: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Servers of the project's file: nothing of them runs until the user has trusted it."""
    editor_mcp: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Servers that the user's editor sends, as the same kind of tables."""
    chosen_model: str | None = None
    """The value of `--model`. It overrides an agent's own model, which overrides the settings."""
    agent_from_project: bool = False
    """Whether the project's file decided who answers."""
    origin: Mapping[str, str] = field(default_factory=dict[str, str])
    """Where each setting was set: `temperature`, `models.NAME.top_p`."""
    again: "Callable[..., Configuration] | None" = None
    """Reads everything again. With `user_text`, as if that were the user's file: nothing is written."""

    @property
    def declares_mcp(self) -> bool:
        """Whether there may be MCP servers. Runs before every first request, so it checks no more than that."""
        folder = self.settings.project
        declared = self.mcp or self.editor_mcp or self.project_mcp
        return bool(declared) or any(os.path.lexists(f"{folder}/{file}") for file in MCP_FILES)

    @property
    def user_file(self) -> Path:
        return self.settings.home / FILE_NAME

    @property
    def project_file(self) -> Path:
        return self.settings.project / FILE_NAME

    def source(self, name: str) -> SettingSource:
        """The source of a setting."""
        match self.origin.get(name):
            case None:
                return "default"
            case "the environment":
                return "environment"
            case "the command line":
                return "flag"
            case file:
                return "personal" if file == str(self.user_file) else "project"


def load_configuration(
    project: Path | None,
    flags: Mapping[str, Any],
    environ: Mapping[str, str] | None = None,
    *,
    user_text: str | None = None,
) -> Configuration:
    """Merge all sources. Raises `ConfigurationError` that names the source and the setting."""
    again = partial(load_configuration, project, flags, environ)
    environ = whole_environment() if environ is None else environ
    root = _project_root(project)
    home = Path(environ.get("MULLIGAN_HOME") or Path.home() / ".mulligan").expanduser().absolute()
    in_project = _read_file(root / FILE_NAME)
    of_user = _read_file(home / FILE_NAME) if user_text is None else _parsed(user_text, home / FILE_NAME)
    files = ((root / FILE_NAME, in_project), (home / FILE_NAME, of_user))
    agents = _tables("agents", in_project, root / FILE_NAME)
    external = _tables("external", of_user, home / FILE_NAME)
    own_mcp, project_mcp = (_tables("mcp", values, file) for file, values in reversed(files))
    models = [(str(file), _tables("models", values, file)) for file, values in files]
    _refuse_what_a_project_may_not_set(in_project, models[0][1], root / FILE_NAME)
    rows = {name: _rows(name, of_user, home / FILE_NAME) for name in _ROWS if name in of_user}
    sources = (
        *((str(file), values) for file, values in files),
        (_ENVIRONMENT, _from_environment(environ)),
        (_COMMAND_LINE, {name: value for name, value in flags.items() if value is not None}),
    )
    merged: dict[str, Any] = {"home": home, "project": root}
    origin: dict[str, str] = {}
    for source, values in sources:
        _refuse_unknown(values, source)
        merged.update(values)
        origin.update(dict.fromkeys(values, source))
    merged["models"] = _merged_models(models, origin)
    merged |= rows
    origin.update(dict.fromkeys(rows, str(home / FILE_NAME)))
    _withhold_key(merged, server_chosen_by_project=origin.get("base_url") == str(root / FILE_NAME))
    by_project = origin.get("agent") == str(root / FILE_NAME)
    settings = _validated(merged, origin)
    _refuse_bad_globs(settings, home / FILE_NAME)
    return Configuration(
        settings=settings,
        agents=agents,
        external=external,
        mcp=own_mcp,
        project_mcp=project_mcp,
        chosen_model=flags.get("model"),
        agent_from_project=by_project,
        origin=origin,
        again=again,
    )


def setting_names() -> list[str]:
    return [name for name in Settings.field_defaults if name not in _NO_SETTINGS]


def _project_root(project: Path | None) -> Path:
    folder = (project or Path.cwd()).expanduser()
    if not folder.is_dir():
        raise ConfigurationError(f"the project folder {folder} does not exist" + (" (-C)" if project else ""))
    return folder.resolve()


def _read_file(file: Path) -> dict[str, Any]:
    try:
        return _parsed(read_regular_text(file), file)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} can't be read: {error}") from error


def _parsed(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file} is not valid TOML: {error}") from error


def _tables(name: str, values: dict[str, Any], file: Path) -> dict[str, Mapping[str, Any]]:
    """Remove and return the `[name.…]` tables of a file's values."""
    found = values.pop(name, {})
    if isinstance(found, dict):
        tables = cast("dict[str, Any]", found)
        if all(isinstance(table, dict) for table in tables.values()):
            return tables
    raise ConfigurationError(f"{name} in {file} must be tables: [{name}.NAME]")


def _rows(name: str, values: dict[str, Any], file: Path) -> list[dict[str, Any]]:
    """Remove and return the `[[name]]` tables of a file's values. Permissions record their source."""
    found = values.pop(name)
    if isinstance(found, list):
        rows = cast("list[Any]", found)
        if all(isinstance(row, dict) for row in rows):
            more = {"source": str(file)} if name == "permissions" else {}
            return [{**row, **more} for row in rows]
    raise ConfigurationError(f"{name} in {file} must be tables: [[{name}]]")


def _merged_models(
    files: Sequence[tuple[str, Mapping[str, Mapping[str, Any]]]], origin: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """The tables of models, the user's over the project's. What the environment or a flag sets applies to every model
    of this command, so it is left out here."""
    overridden = {name for name, source in origin.items() if source in (_ENVIRONMENT, _COMMAND_LINE)}
    merged: dict[str, dict[str, Any]] = {}
    for file, tables in files:
        for name, table in tables.items():
            values = {key: value for key, value in table.items() if key not in overridden}
            merged.setdefault(name, {}).update(values)
            origin.update(dict.fromkeys((f"models.{name}.{key}" for key in values), file))
    return merged


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    names = {f"MULLIGAN_{name.upper()}": name for name in setting_names()}
    return {name: environ[variable] for variable, name in names.items() if environ.get(variable)}


def _refuse_what_a_project_may_not_set(
    values: Mapping[str, Any], models: Mapping[str, Mapping[str, Any]], file: Path
) -> None:
    if "external" in values:
        raise ConfigurationError(
            f"external agents can't be set in a project ({file}): a project may not choose what runs on your machine. "
            "Use your own file"
        )
    for name in PERSONAL & values.keys():
        instead = "use your own file" if name in _ROWS else "use your own file or the environment"
        raise ConfigurationError(f"{name} can't be set in a project ({file}): {instead}")
    for model, table in models.items():
        for name in _PERSONAL_OF_MODELS & table.keys():
            raise ConfigurationError(
                f"{name} of the model {model} can't be set in a project ({file}): use your own file"
            )
    url = values.get("base_url")
    if isinstance(url, str) and not _ON_THIS_MACHINE.fullmatch(url):
        raise ConfigurationError(
            f"base_url in {file} leads off this machine ({url}): a project may not choose where your code is sent. "
            "Use your own file, MULLIGAN_BASE_URL or --base-url"
        )


def _refuse_bad_globs(settings: Settings, file: Path) -> None:
    globs = [row.path for row in (*settings.permissions, *settings.hooks, *settings.formatters) if row.path]
    if not globs:
        return
    from mulligan.core.globs import glob_regex

    for glob in globs:
        try:
            glob_regex(glob)
        except CallRejected as rejected:
            raise ConfigurationError(f"path in {file} is invalid: {rejected}") from rejected


def _withhold_key(merged: dict[str, Any], *, server_chosen_by_project: bool) -> None:
    """A project may name a server on this machine, which anybody may have started: it doesn't get the user's key."""
    if server_chosen_by_project:
        merged["key_withheld"] = merged.pop("api_key", None) is not None


def _refuse_unknown(values: Mapping[str, Any], source: str) -> None:
    known = setting_names()
    for name in values:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            raise ConfigurationError(f"unknown setting {name} in {source}: {hint}")


def _validated(merged: Mapping[str, Any], origin: Mapping[str, str]) -> Settings:
    try:
        return Settings.model_validate(merged)
    except InvalidRecord as error:
        first = error.problems[0]
        loc = first["loc"]
        name = ".".join(map(str, loc[:3])) if loc[0] == "models" else str(loc[0])
        # People count rows from one.
        row = f" row {int(loc[1]) + 1}" + "".join(f", {each}," for each in loc[2:3]) if loc[0] in _ROWS else ""
        where = origin.get(name, "Mulligan")
        raise ConfigurationError(f"{name}{row} from {where} is invalid: {first['msg']}") from error


def own_keys(settings: Settings) -> list[str]:
    """Mulligan's own secrets, from any settings file."""
    key, url = settings.api_key, settings.database_url
    password = urlsplit(url.get_secret_value()).password if url else None
    return [each for each in (key.get_secret_value() if key else None, password) if each]
