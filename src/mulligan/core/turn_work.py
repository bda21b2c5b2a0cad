"""What a turn really did, from its records. The model's own claims about it don't count."""

import re
from collections.abc import Sequence

from mulligan.types.messages import Part, ToolCallPart, ToolResultPart
from mulligan.types.turns import TurnWork

QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.", re.DOTALL)
HIDES = re.compile(r"[;|\n'\"]|(?<![&>])&(?![&>])")
"""With one of these the exit code may be that of another command: `pytest | tail`, `pytest; ls`, `pytest || true`. A
remaining quote was not closed."""
MAX_COMMAND_CHARS = 60
"""Characters of a command to show."""


def turn_work(parts: Sequence[Part], changed: Sequence[str], *, missing: bool, broken: Sequence[str] = ()) -> TurnWork:
    """`changed` are the files that differ from the start of the turn; `missing`: a change was asked for, and there is
    none; `broken`: new findings of checkers."""
    calls = {part.call_id: part for part in parts if isinstance(part, ToolCallPart) and part.name == "run_command"}
    passed: dict[str, bool] = {}
    for part in parts:
        call = calls.get(part.call_id) if isinstance(part, ToolResultPart) else None
        if call and isinstance(part, ToolResultPart) and part.failure != "permission_denied":
            command = str(call.arguments.get("command", ""))
            passed.pop(command, None)  # the newest run of a command counts, in the order of the newest runs
            passed[command] = part.failure is None
    passing = tuple(command for command, success in passed.items() if success and exit_code_covers_all(command))
    ran = tuple(command for command, success in passed.items() if success and not exit_code_covers_all(command))
    badly = tuple(command for command, success in passed.items() if not success)
    text = _sentence(changed, passing, ran, badly)
    if broken:
        text += f" New problems in the code: {'; '.join(broken)}."
    return TurnWork(
        files=tuple(changed), passed=passing, ran=ran, failed=badly, broken=tuple(broken), missing=missing, text=text
    )


def exit_code_covers_all(command: str) -> bool:
    """Whether exit code 0 of a command line means that every command in it succeeded."""
    return not HIDES.search(QUOTED.sub("", command.strip()))


def _sentence(files: Sequence[str], passed: Sequence[str], ran: Sequence[str], failed: Sequence[str]) -> str:
    clauses = [f"changed {_listed(files)}" if files else "no file changed"]
    clauses += [f"{_listed(passed)} passed"] if passed else []
    clauses += [f"{_listed(ran)} exited with 0"] if ran else []
    clauses += [f"{_listed(failed)} failed"] if failed else []
    clauses += [] if passed or ran or failed else ["no command run"]
    whole = "; ".join(clauses)
    return f"{whole[0].upper()}{whole[1:]}."


def _listed(names: Sequence[str], most: int = 4) -> str:
    lines = [" ".join(name.split()) for name in names[:most]]
    shown = [line if len(line) <= MAX_COMMAND_CHARS else f"{line[: MAX_COMMAND_CHARS - 1]}…" for line in lines]
    shown += [f"{len(names) - most} more"] if len(names) > most else []
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
