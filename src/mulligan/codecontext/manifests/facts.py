"""What a manifest says, as raw data."""

from dataclasses import dataclass, field
from typing import Any, cast

from mulligan.types.codecontext import EntryPoint


@dataclass(slots=True)
class Facts:
    """Filled by the reader of a manifest."""

    name: str = ""
    dependencies: list[str] = field(default_factory=list[str])
    scripts: dict[str, str] = field(default_factory=dict[str, str])
    entry_points: list[EntryPoint] = field(default_factory=list[EntryPoint])


def table(document: Any, *keys: str) -> dict[str, Any]:
    """The table under these keys; empty if that is missing or something else."""
    for key in keys:
        document = cast("dict[str, Any]", document).get(key) if isinstance(document, dict) else None
    return cast("dict[str, Any]", document) if isinstance(document, dict) else {}
