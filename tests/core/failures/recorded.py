"""Outputs that real tools printed, under `outputs/`, and what `recorded.toml` says is to be read from them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mulligan.types.fixing import CommandFailure, TestCounts

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Recorded:
    name: str
    command: str
    exit_code: int | None
    kind: CommandFailure
    summary: str
    failing: tuple[str, ...]
    blocked: tuple[str, ...]
    counts: TestCounts | None

    @property
    def text(self) -> str:
        return output(self.name)


def output(name: str) -> str:
    return (HERE / "outputs" / f"{name}.txt").read_text(encoding="utf-8")


def recorded() -> list[Recorded]:
    table: dict[str, dict[str, Any]] = tomllib.loads((HERE / "recorded.toml").read_text(encoding="utf-8"))
    return [
        Recorded(
            name=name,
            command=row["command"],
            exit_code=row.get("exit_code"),
            kind=row["kind"],
            summary=row["summary"],
            failing=tuple(row.get("failing", ())),
            blocked=tuple(row.get("blocked", ())),
            counts=TestCounts(**row["counts"]) if "counts" in row else None,
        )
        for name, row in table.items()
    ]
