"""Access that the user gave to a project, stored in Mulligan's own folder, so that a project can't grant itself any."""

import json
import os
from pathlib import Path
from typing import Any, cast

from mulligan.runtime.lenient_json import as_object
from mulligan.types.errors import ConfigurationError
from mulligan.types.sandbox import NO_EXTRA_ACCESS, ExtraAccess

FILE_NAME = "openings.json"
MAX_FILE_BYTES = 1_000_000


def read_grants(home: Path, project: Path) -> ExtraAccess:
    """Raises `ConfigurationError` if the file can't be read."""
    return _openings(_read(home).get(_key(project), {}))


def remember(home: Path, project: Path, access: ExtraAccess) -> ExtraAccess:
    """Give a project more access. Returns what it has from now on."""
    known, kept = _read(home), _kept(home, project)
    now = _openings(kept).with_all(access)
    known[_key(project)] = kept | {
        "network": now.network,
        "write": [str(each) for each in now.write],
        "read": [str(each) for each in now.read],
    }
    _write(home, known)
    return now


def read_commands(home: Path, project: Path) -> tuple[str, ...]:
    """Beginnings of commands that the user allowed permanently when asked about one."""
    return tuple(_commands(_read(home).get(_key(project))))


def remember_command(home: Path, project: Path, beginning: str) -> None:
    """Allow commands with this beginning from now on."""
    kept = _kept(home, project)
    _write(home, _read(home) | {_key(project): kept | {"commands": [*dict.fromkeys([*_commands(kept), beginning])]}})


def read_trusted(home: Path, project: Path) -> dict[str, str]:
    """The project's MCP servers that the user trusts, by name, each with the fingerprint of the declaration they
    saw."""
    return {name: str(seen) for name, seen in as_object(_kept(home, project).get("mcp")).items()}


def trust_server(home: Path, project: Path, name: str, seen: str | None) -> None:
    """Trust an MCP server with this declaration. None: no longer."""
    trusted = {**read_trusted(home, project), name: seen}
    left = {each: value for each, value in trusted.items() if value is not None}
    _write(home, _read(home) | {_key(project): _kept(home, project) | {"mcp": left}})


def forget(home: Path, project: Path) -> bool:
    """Revoke all access. Returns whether there was any."""
    known = _read(home)
    gone = known.pop(_key(project), None)
    if gone is not None:
        _write(home, known)
    return gone is not None


def _kept(home: Path, project: Path) -> dict[str, Any]:
    return as_object(_read(home).get(_key(project)))


def _key(project: Path) -> str:
    return os.path.realpath(project)


def _commands(stored: Any) -> list[str]:
    kept = cast("dict[str, Any]", stored).get("commands") if isinstance(stored, dict) else None
    return [str(each) for each in cast("list[Any]", kept)] if isinstance(kept, list) else []


def _openings(stored: Any) -> ExtraAccess:
    if not isinstance(stored, dict):
        return NO_EXTRA_ACCESS
    kept = cast("dict[str, Any]", stored)
    return ExtraAccess(
        network=kept.get("network") is True,
        write=tuple(Path(str(each)) for each in kept.get("write", ())),
        read=tuple(Path(str(each)) for each in kept.get("read", ())),
    )


def _read(home: Path) -> dict[str, Any]:
    file = home / FILE_NAME
    try:
        stored = json.loads(file.read_bytes()[:MAX_FILE_BYTES])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} can't be read ({error}): delete it to close everything again") from error
    return cast("dict[str, Any]", stored) if isinstance(stored, dict) else {}


def _write(home: Path, known: dict[str, Any]) -> None:
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = home / f".{FILE_NAME}-{os.getpid()}"
    made.write_text(json.dumps(known, indent=2), encoding="utf-8")
    made.replace(home / FILE_NAME)
