"""What a coder is shown up front: the failing tests, their messages, and the code that they point to."""

from dataclasses import dataclass

from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.findings.finding import Hint
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.task import WritingTask
from mulligan.runtime.counted import counted

MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class SuspectFunction:
    """A function that is short enough to be rewritten."""

    path: str
    name: str
    """With its class: `Cart.total`."""
    shown: bool = True
    """Whether `Brief.sources` show all of it."""
    around: Excerpt | None = None
    """The function with as much of its file as fits, for a question about this function alone: what is written next
    to it shows how such things are done here."""
    outline: str = ""
    """What the other suspected files define, and the rest of this one, by its signatures."""
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class LocatedFunction:
    """A function that may be wrong."""

    path: str
    name: str
    first: int
    last: int
    score: float
    """From coverage, tracebacks and names together. Only the order matters."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Gathered by code from failures, most important first."""

    task: str
    """The user's goal."""
    sources: tuple[Excerpt, ...]
    """Code that may be wrong, the most suspicious file first; of large files the relevant functions. Never a test."""
    tests: tuple[Excerpt, ...]
    """Only the failing tests' bodies."""
    failures: tuple[str, ...]
    """One line per failure, such as `page_items([1, 2, 3], 1, 2) gave [3], expected [1, 2]`."""
    hints: tuple[Hint, ...]
    """What cheap checks noticed: a missing import, a statement without effect, nearly equal keys."""
    suspects: tuple[LineLocation, ...]
    """Source lines that tracebacks, hints and what ran point to, shown or not, the most suspicious first."""
    references: tuple[str, ...] = ()
    """Other sources that the tests or these files import: what they define shows how names and fields are used."""
    functions: tuple[SuspectFunction, ...] = ()
    """Functions that may be wrong, the most suspicious first."""
    located: tuple[LocatedFunction, ...] = ()
    """Functions related to the failures, of any length, the most suspicious first."""
    functions_ran: int = 0
    """How many functions ran in failing tests, if that is known."""
    missing: tuple[WritingTask, ...] = ()
    """Code that the failing tests use and that does not exist."""
    documents: str = ""
    """Documentation about the suspected functions."""
    instructions: str = ""
    """The project's instructions, for a coder that is asked narrow questions."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files in which changes are tried."""
        return tuple(dict.fromkeys(each.path for each in (*self.sources, *self.suspects)))


def summarize_located(brief: Brief) -> str:
    """What tracing the failing tests showed, in one line; empty if nothing."""
    names = ", ".join(f"{each.name} ({each.path}:{each.first})" for each in brief.located[:MAX_NAMED])
    text = f"{counted(brief.functions_ran, 'function')} ran in failing tests; most suspicious: {names}."
    return text if brief.functions_ran else ""


def brief_text(brief: Brief) -> str:
    """What fails, the failing tests, the code they point to, and what cheap checks noticed. Empty if nothing fails."""
    parts: list[str] = []
    if brief.failures:
        parts.append("What fails:\n" + "\n".join(f"- {line}" for line in brief.failures))
    parts += [f"The failing test, {each.path}:{each.first}:\n```\n{each.text}\n```" for each in brief.tests]
    parts += [f"{each.path}:{each.first}:\n```\n{each.text}\n```" for each in brief.sources]
    if brief.hints:
        parts.append("Noticed by code, not certain:\n" + "\n".join(f"- {hint.text}" for hint in brief.hints))
    return "\n\n".join(parts)
