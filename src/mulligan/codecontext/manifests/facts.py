"""What a manifest tells, before it is put into words."""

from dataclasses import dataclass, field

from mulligan.types.codecontext import EntryPoint


@dataclass(slots=True)
class Facts:
    name: str = ""
    dependencies: list[str] = field(default_factory=list[str])
    scripts: dict[str, str] = field(default_factory=dict[str, str])
    entry_points: list[EntryPoint] = field(default_factory=list[EntryPoint])
