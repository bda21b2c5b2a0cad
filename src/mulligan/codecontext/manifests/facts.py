"""What a manifest tells, before it is put into words."""

from mulligan.types.codecontext import EntryPoint


class Facts:
    """Filled by the reader of a manifest."""

    def __init__(self, name: str = "", dependencies: list[str] | None = None) -> None:
        self.name = name
        self.dependencies = dependencies or []
        self.scripts: dict[str, str] = {}
        self.entry_points: list[EntryPoint] = []
