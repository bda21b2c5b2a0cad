"""The person's own settings file, changed by a program: comments, order and what it does not know stay as they are."""

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
    """Write these values into the person's file; None takes one out. Raises `ConfigurationError`, and then nothing was
    written: for a value that is not right, for a setting that something else overrules, for a file that can't be
    written."""
    for place in changes:
        if words := overruled_words(configuration, place[-1]):
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
    """The address of a server in full, and the key taken out that was for another one."""
    address = changes.get(SERVER)
    if not isinstance(address, str):
        return changes
    address = server_address(address)
    moved = not same_server(address, configuration.settings.base_url)
    drops = moved and KEY not in changes and configuration.source("api_key") == "personal"
    return {**changes, SERVER: address, **({KEY: None} if drops else {})}


def overruled_words(configuration: Configuration, name: str) -> str:
    """Why a value in the person's file would change nothing now; empty if it would count."""
    match configuration.source(name):
        case "environment":
            return (
                f"MULLIGAN_{name.upper()} in the environment overrules your file until Mulligan is started without it"
            )
        case "flag":
            flag = f"--{name.replace('_', '-')}"
            return f"{flag} was given when Mulligan was started, and overrules your file until it is started without it"
        case _:
            return ""


def changed_text(text: str, changes: Mapping[Place, Any]) -> str:
    """The text of a settings file with these values; None takes one out."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        for place, value in changes.items():
            _put(document, place, value)
        return tomlkit.dumps(document)
    except TOMLKitError as error:
        raise ConfigurationError(f"your settings file is no valid TOML: {error}") from error


def _put(document: Any, place: Sequence[str], value: Any) -> None:
    """Raises `ConfigurationError` where a table is wanted and something else stands."""
    import tomlkit

    *tables, name = place
    table = cast("MutableMapping[str, Any]", document)
    for each in tables:
        if each not in table:
            if value is None:
                return
            # `[models]` itself needs no heading of its own.
            table[each] = tomlkit.table(is_super_table=each == tables[0])
        if not isinstance(table[each], MutableMapping):
            raise ConfigurationError(f"{each} in your settings file is no table")
        table = cast("MutableMapping[str, Any]", table[each])
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


def _replace(file: Path, text: str) -> None:
    """Whole or not at all, through a link where the person has one; readable by its owner alone, as it may hold a
    key."""
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
