"""The tables of commands: a section for each kind or reason, a command a line, ⏎ for a newline within one."""

from pathlib import Path

Case = tuple[str, str]


def read_table(name: str) -> list[Case]:
    """Each command with the head of its section."""
    cases: list[Case] = []
    head = ""
    for line in (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and line[1] not in " [":
            head = line[1:-1]
        elif line:
            cases.append((line.replace("⏎", "\n"), head))
    return cases
