"""What is stored about models between runs: their profiles, and the last choice."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from mulligan.runtime.regular_files import read_regular
from mulligan.types.base import InvalidRecord, Record
from mulligan.types.profiles import ModelProfile, ServerKind


class Choice(Record):
    """A server and a model that were used."""

    base_url: str
    kind: ServerKind
    model: str


class ProfileCache:
    """Profiles in separate files, one per server and model. A damaged or missing file counts as none."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "profiles"

    def get(self, server: str, model: str) -> ModelProfile | None:
        profile = _read(self._file(server, model), ModelProfile)
        return profile if profile and (profile.server, profile.model) == (server, model) else None

    def all(self) -> list[ModelProfile]:
        """By server and model."""
        try:
            found = [_read(file, ModelProfile) for file in self._folder.glob("*.json")]
        except OSError:
            found = []
        return sorted((each for each in found if each), key=lambda each: (each.server, each.model))

    def put(self, profile: ModelProfile) -> None:
        """Save the profile, replacing an older one."""
        _write(self._file(profile.server, profile.model), profile)

    def _file(self, server: str, model: str) -> Path:
        digest = hashlib.sha256(f"{server}\n{model}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest[:32]}.json"


class Remembered:
    """The last chosen server that was found, not configured."""

    def __init__(self, home: Path) -> None:
        self._file = home / "last-model.json"

    def get(self) -> Choice | None:
        return _read(self._file, Choice)

    def keep(self, choice: Choice) -> None:
        if choice != self.get():
            _write(self._file, choice)


R = TypeVar("R", bound=Record)


def _read(file: Path, kind: type[R]) -> R | None:
    try:
        return kind.model_validate_json(read_regular(file))
    except (OSError, InvalidRecord):
        return None


def _write(file: Path, record: Record) -> None:
    """Write atomically. A failure is no error: the model is measured again next time."""
    import tempfile  # most runs write nothing

    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.stem}-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as draft:
                draft.write(record.model_dump_json(indent=1))
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
