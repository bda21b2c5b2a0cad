"""What a cheap check sees, and what it has to know for that."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CodeFinding:
    line: int
    text: str
    """A sentence that quotes the code."""
    weight: float
    """How often such a thing is a fault: 1 for what is often meant so."""


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
