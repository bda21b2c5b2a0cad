"""What the user permits: the rows of their table, and all rows in force."""

from mulligan.types.base import Record, field
from mulligan.types.commands import Decision
from mulligan.types.frozen import frozen

COMMAND_TOOL = "run_command"


class PermissionRule(Record):
    """A row `[[permissions]]` of the user's settings file."""

    decision: Decision
    """`allow`, `ask` or `deny`. Of several matching rows, the strictest counts."""
    tool: str = field(default="*", min_length=1)
    """The name of a tool, or a pattern for names: `edit_file`, `*_file`."""
    path: str | None = field(default=None, min_length=1)
    """A glob for files of the project: `migrations/**`, `*.sql`."""
    command: str | None = field(default=None, min_length=1)
    """The beginning of a command, word by word: `make deploy`, `npm run *`."""
    source: str = ""
    """Where it is set; filled in when the file is read."""

    def __post_init__(self) -> None:
        if self.path and self.command:
            raise ValueError("a row has a path or a command, not both")
        if self.command and self.tool not in ("*", COMMAND_TOOL):
            raise ValueError(f"a row with a command is about {COMMAND_TOOL}, not about {self.tool}")
        if not self.path and not self.command and self.tool == "*":
            raise ValueError("a row names a tool, a path or a command")


@frozen
class Permissions:
    """All rows that are in force."""

    rules: tuple[PermissionRule, ...] = ()

    @classmethod
    def of_commands(cls, *, allow: tuple[str, ...] = (), deny: tuple[str, ...] = (), source: str = "") -> "Permissions":
        """Rows for beginnings of commands. Blank ones are skipped."""
        given: tuple[tuple[Decision, tuple[str, ...]], ...] = (("allow", allow), ("deny", deny))
        return cls(
            tuple(
                PermissionRule(decision=decision, tool=COMMAND_TOOL, command=command, source=source)
                for decision, commands in given
                for command in commands
                if command.strip()
            )
        )

    def __add__(self, other: "Permissions") -> "Permissions":
        return Permissions((*self.rules, *other.rules))

    def about_files(self) -> "Permissions":
        """Only the rows that are not just about commands."""
        return Permissions(tuple(rule for rule in self.rules if rule.command is None))


NO_PERMISSIONS = Permissions()
