"""What a cheap check sees, what it has to know for that, and names that are spelt nearly alike.

Findings are values. `sentences.py` says them in words, `cures.py` makes changes of them; nothing reads the words.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class MissingImport:
    line: int
    name: str
    module: str
    """What it is imported from; empty where the name is the module."""
    weight: float = 3.0


@dataclass(frozen=True, slots=True)
class UndefinedName:
    line: int
    name: str
    meant: str = ""
    """What is defined, and nearly the same; `self.` stands before a field."""
    weight: float = 3.0


@dataclass(frozen=True, slots=True)
class Misspelt:
    line: int
    what: Literal["key", "name", "attribute"]
    name: str
    meant: str
    weight: float = 2.0


@dataclass(frozen=True, slots=True)
class UnusedParameter:
    line: int
    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class UnusedVariable:
    line: int
    name: str
    is_field: bool = False
    """The object has a field of that name."""
    weight: float = 1.2


@dataclass(frozen=True, slots=True)
class NoReturn:
    line: int
    function: str
    sometimes: bool = False
    """It does return a value on other paths."""
    weight: float = 2.5


@dataclass(frozen=True, slots=True)
class NoReturnOfCallback:
    line: int
    method: str
    weight: float = 2.5


@dataclass(frozen=True, slots=True)
class SharedDefault:
    line: int
    name: str
    default: str
    weight: float = 2.0


@dataclass(frozen=True, slots=True)
class ChangedInLoop:
    line: int
    name: str
    weight: float = 2.0


@dataclass(frozen=True, slots=True)
class ShadowedVariable:
    line: int
    name: str
    weight: float = 2.5


@dataclass(frozen=True, slots=True)
class ChangedCopy:
    line: int
    receiver: str
    weight: float = 2.5


@dataclass(frozen=True, slots=True)
class Odd:
    """Code that seldom means what it says."""

    line: int
    what: Literal[
        "no effect", "always true", "always false", "gives none", "ends loop", "no template", "sets for adds",
        "sets for compares", "sorts as text", "goes over keys", "compares with NaN",
    ]  # fmt: skip
    code: str
    weight: float = 2.5


Finding = (
    MissingImport
    | UndefinedName
    | Misspelt
    | UnusedParameter
    | UnusedVariable
    | NoReturn
    | NoReturnOfCallback
    | SharedDefault
    | ChangedInLoop
    | ShadowedVariable
    | ChangedCopy
    | Odd
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known besides the file itself."""

    builtins: frozenset[str] = frozenset()
    """Names that Python always has."""
    modules: frozenset[str] = frozenset()
    """Of Python's standard library."""
    defined: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names that the project's sources define, and the file that does."""
    attributes: frozenset[str] = frozenset()
    """Fields and methods that the sources define."""
    keys: frozenset[str] = frozenset()
    """Strings in the failing tests: keys as they are meant."""
    results_used: frozenset[str] = frozenset()
    """Functions whose results the failing tests use."""


def nearly_equal(one: str, other: str) -> bool:
    """One slip of the fingers apart, two in long names. Numbered names and plurals are no slips."""
    from rapidfuzz.distance import OSA

    if one == other or min(len(one), len(other)) < 3 or abs(len(one) - len(other)) > 2:
        return False
    if one.lower() == other.lower():
        return True
    if one.rstrip("0123456789") == other.rstrip("0123456789") or one.lower().rstrip("s") == other.lower().rstrip("s"):
        return False
    shortest = min(len(one), len(other))
    allowed = 1 if shortest < 7 else 2
    return shortest > 3 and OSA.distance(one.lower(), other.lower(), score_cutoff=allowed) <= allowed


def nearest_to(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one was probably meant to be."""
    return next((each for each in sorted(known) if nearly_equal(name, each)), None)
