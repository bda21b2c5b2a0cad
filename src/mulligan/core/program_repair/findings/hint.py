"""Something that was noticed at a place."""

from dataclasses import dataclass

from mulligan.core.program_repair.findings.finding import Finding
from mulligan.core.program_repair.findings.sentences import sentence
from mulligan.core.retrieval.line_change import LineLocation


@dataclass(frozen=True, slots=True)
class Hint:
    place: LineLocation
    function: str
    """Where it was noticed; empty outside of functions."""
    finding: Finding

    @property
    def text(self) -> str:
        where = f"{self.place.path}, {self.function}" if self.function else self.place.path
        return f"{where}: {sentence(self.finding)}"
