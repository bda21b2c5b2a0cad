"""What cheap checks find, and what they need to know for that.

Findings are values: `suggestions.py` turns them into changes, and no code reads their messages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from mulligan.core.line_change import LineLocation


@dataclass(frozen=True, slots=True)
class MissingImport:
    line: int
    name: str
    module: str
    """What it is imported from; empty if the name is the module."""
    weight: float = 3.0

    @property
    def statement(self) -> str:
        """The import in Python."""
        return f"from {self.module} import {self.name}" if self.module else f"import {self.name}"

    @property
    def sentence(self) -> str:
        return f"`{self.name}` is not imported: `{self.statement}` is missing"


@dataclass(frozen=True, slots=True)
class UndefinedName:
    line: int
    name: str
    meant: str = ""
    """The defined name that is nearly the same; a field begins with `self.`."""
    weight: float = 3.0

    @property
    def sentence(self) -> str:
        if not self.meant:
            return f"`{self.name}` is not defined or imported"
        return f"`{self.name}` is not defined{' here,' if '.' in self.meant else ';'} `{self.meant}` is"


@dataclass(frozen=True, slots=True)
class Misspelt:
    line: int
    what: Literal["key", "name", "attribute"]
    name: str
    meant: str
    weight: float = 2.0

    @property
    def sentence(self) -> str:
        match self.what:
            case "key":
                return f"the key {self.name!r} is nearly {self.meant!r}"
            case "attribute":
                return f"`.{self.name}` is defined nowhere; `.{self.meant}` is"
            case "name":
                return f"`{self.name}` is nearly `{self.meant}`"


class FindingKind(Enum):
    """Each with its weight and its message."""

    UNUSED_PARAMETER = 1.0, "the parameter `{}` is never used"
    UNUSED_VARIABLE = 1.2, "the variable `{}` is never used"
    UNUSED_FOR_FIELD = 1.2, "the variable `{0}` is never used; is `self.{0}` meant?"
    NO_RETURN = 2.5, "`{}` returns nothing, but its result is used"
    RETURNS_SOMETIMES = 1.5, "`{}` returns a value on some paths only, else nothing"
    CALLBACK = 2.5, "the function given to `.{}()` returns nothing"
    SHARED_DEFAULT = 2.0, "the default `{}` is shared by all calls"
    CHANGED_IN_LOOP = 2.0, "`{}` is changed while the loop goes over it"
    SHADOWED = 2.5, "`{}` is a new variable in this block, not the one outside"
    CHANGED_COPY = 2.5, "the receiver `{}` is a copy, so that what is set in it is lost"
    NO_EFFECT = 2.5, "`{}` has no effect, its result is not used"
    ALWAYS_TRUE = 2.5, "`{}` is always true"
    ALWAYS_FALSE = 2.5, "`{}` is always false"
    GIVES_NONE = 2.0, "`.{}()` gives None, not the list"
    ENDS_LOOP = 2.5, "`{}` ends the loop in its first round"
    NO_TEMPLATE = 2.0, "`{}` is not filled in: it is no template"
    SETS_FOR_ADDS = 2.5, "`{}` sets a value, it does not add to it"
    SETS_FOR_COMPARES = 3.0, "`{}` sets a value, it does not compare"
    SORTS_AS_TEXT = 1.5, "`{}` sorts as text, numbers too"
    GOES_OVER_KEYS = 1.5, "`{}` goes over keys, not over values"
    COMPARES_WITH_NAN = 2.5, "`{}` is always the same: NaN equals nothing"


@dataclass(frozen=True, slots=True)
class Odd:
    """Code that rarely means what it says, with a name or a piece of it."""

    line: int
    what: FindingKind
    code: str

    @property
    def weight(self) -> float:
        return self.what.value[0]

    @property
    def sentence(self) -> str:
        return self.what.value[1].format(self.code)


Finding = MissingImport | UndefinedName | Misspelt | Odd


@dataclass(frozen=True, slots=True)
class Hint:
    """A finding with its location."""

    location: LineLocation
    function: str
    """The function around it; empty outside of functions."""
    finding: Finding

    @property
    def text(self) -> str:
        where = f"{self.location.path}, {self.function}" if self.function else self.location.path
        return f"{where}: {self.finding.sentence}"


@dataclass(frozen=True, slots=True)
class FileContext:
    """What is known besides the file itself."""

    builtins: frozenset[str] = frozenset()
    """Python's built-in names."""
    modules: frozenset[str] = frozenset()
    """Modules of Python's standard library."""
    defined: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names that the project's sources define, and in which file."""
    attributes: frozenset[str] = frozenset()
    """Fields and methods that the sources define."""
    keys: frozenset[str] = frozenset()
    """Strings in the failing tests: the intended keys."""
    results_used: frozenset[str] = frozenset()
    """Functions whose results the failing tests use."""
