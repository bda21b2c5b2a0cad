"""Commands that the user gave to judge a run."""

from mulligan.core.command_policy import judge_command
from mulligan.types.fixing import GIVEN, ProjectCommand


def given_command(command: str) -> ProjectCommand:
    """No file that defines it is listed: `fix_runs.judging_files` finds those by the program."""
    kinds = judge_command(command).kinds
    return ProjectCommand(
        command=command, kind="lint" if "lint" in kinds and "test" not in kinds else "test", why=GIVEN
    )
