"""Commands that a person gave to judge a run."""

from mulligan.core.command_policy import judge_command
from mulligan.types.fixing import GIVEN, ProjectCommand


def given_command(command: str) -> ProjectCommand:
    """What it is defined in needs no look: `fix_runs.guarded_files` tells it by the program."""
    kinds = judge_command(command).kinds
    return ProjectCommand(
        command=command, kind="lint" if "lint" in kinds and "test" not in kinds else "test", why=GIVEN
    )
