"""Changes the user's own settings file: comments, order and unknown entries stay as they are."""

import os
import tempfile
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, cast

from mulligan.app.configuration import Configuration
from mulligan.app.server_address import same_server, server_address
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.errors import ConfigurationError

Place = tuple[str, ...]
"""A setting: `("model",)`, or `("models", "qwen3:8b", "top_p")` for one of a model."""
SERVER: Place = ("base_url",)
KEY: Place = ("api_key",)


def change_settings(configuration: Configuration, changes: Mapping[Place, Any]) -> None:
    """Write these values to the user's file; None removes one. Raises `ConfigurationError` without writing anything:
    for an invalid value, for a setting that something else overrides, for a file that can't be written."""
    for path in changes:
        if words := overruled_words(configuration, path[-1]):
            raise ConfigurationError(words)
    file = configuration.user_file
    try:
        before = read_regular_text(file)
    except FileNotFoundError:
        before = ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} can't be read: {error}") from error
    text = changed_text(before, _with_its_key(configuration, changes))
    if configuration.again:
        configuration.again(user_text=text)
    try:
        _replace(file, text)
    except OSError as error:
        raise ConfigurationError(f"{file} can't be written: {error.strerror}") from error


def _with_its_key(configuration: Configuration, changes: Mapping[Place, Any]) -> Mapping[Place, Any]:
    """The full address of a server, and without a key that was for another one."""
    address = changes.get(SERVER)
    if not isinstance(address, str):
        return changes
    address = server_address(address)
    moved = not same_server(address, configuration.settings.base_url)
    drops = moved and KEY not in changes and configuration.source("api_key") == "personal"
    return {**changes, SERVER: address, **({KEY: None} if drops else {})}


def overruled_words(configuration: Configuration, name: str) -> str:
    """Why a value in the user's file would have no effect now; empty if it would."""
    match configuration.source(name):
        case "environment":
            return (
                f"MULLIGAN_{name.upper()} in the environment overrides your file until Mulligan is started without it"
            )
        case "flag":
            flag = f"--{name.replace('_', '-')}"
            return f"{flag} was given when Mulligan was started, and overrides your file until it is started without it"
        case _:
            return ""


def changed_text(text: str, changes: Mapping[Place, Any]) -> str:
    """The text of a settings file with these values; None removes one."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        for path, value in changes.items():
            _put(document, path, value)
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ConfigurationError(f"your settings file is not valid TOML: {error}") from error


def _put(document: Any, path: Sequence[str], value: Any) -> None:
    """Raises `ConfigurationError` if there is something other than the table that is needed."""
    import tomlkit

    *tables, name = path
    table = cast("MutableMapping[str, Any]", document)
    for each in tables:
        if each not in table:
            if value is None:
                return
            # `[models]` itself needs no heading.
            table[each] = tomlkit.table(is_super_table=each == tables[0])
        if not isinstance(table[each], MutableMapping):
            raise ConfigurationError(f"{each} in your settings file is not a table")
        table = cast("MutableMapping[str, Any]", table[each])
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


def _replace(file: Path, text: str) -> None:
    """Atomically, through a link if the user has one; readable only by its owner, as it may contain a key."""
    real = file.resolve()
    real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.stem}-")  # its mode is 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as draft:
            draft.write(text)
            draft.flush()
            os.fsync(draft.fileno())
        Path(name).replace(real)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
