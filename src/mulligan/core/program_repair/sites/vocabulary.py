"""Words of a project that a wrong line may have been meant to hold."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.failures.symptoms import Symptom, symptoms, values
from mulligan.syntax.line_tokens import KEYWORDS

MOST_FIELDS = 16
LEAST_FIELDS = 2
DEEPEST = 3
"""Literals within literals, and brackets within brackets."""

_LITERAL = re.compile(r"\{([^{}]*)\}")
_OWN_FIELD = re.compile(r"(?:^|,)\s*['\"]?([A-Za-z_]\w*)['\"]?\s*(?=:(?!=)|,|$)", re.MULTILINE)
_CLASS = re.compile(r"^class \w+.*:\n((?:(?:[ \t]+.*)?\n)+)", re.MULTILINE)
_CLASS_FIELD = re.compile(r"^    ([A-Za-z_]\w*)\s*:", re.MULTILINE)
_SET_FIELD = re.compile(r"\b(?:self|this)\.([A-Za-z_]\w*)\s*=(?!=)")
_PROPERTY = re.compile(r"@(?:cached_)?property\s+def (\w+)|^\s+get (\w+)\(", re.MULTILINE)
_STRUCT = re.compile(r"\bstruct\s*\{([^{}]*)\}")
_STRUCT_FIELD = re.compile(r"^\s*([A-Za-z_]\w*(?:,\s*[A-Za-z_]\w*)*)\s+[\w\[\]*.]+", re.MULTILINE)
_SCRIPT_CLASS = re.compile(r"^(?:export )?(?:default )?class \w+[^{]*\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)


def shapes_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Each shape once, in the order in which they stand."""
    found = dict.fromkeys(tuple(dict.fromkeys(fields)) for fields in _found(text))
    return tuple(fields for fields in found if LEAST_FIELDS <= len(fields) <= MOST_FIELDS)


def fitting_shapes(shapes: tuple[tuple[str, ...], ...], asked: frozenset[str]) -> list[tuple[str, ...]]:
    """Shapes of what is asked for these properties: those that have the most of them, and none where none has any."""
    overlaps = [(len(asked.intersection(each)), each) for each in shapes]
    best = max((count for count, _ in overlaps), default=0)
    return [each for count, each in overlaps if count == best > 0]


def _found(text: str) -> Iterator[list[str]]:
    for each in _CLASS.finditer(text):
        yield [*_CLASS_FIELD.findall(each[1]), *_SET_FIELD.findall(each[1]), *_properties(each[1])]
    for each in _SCRIPT_CLASS.finditer(text):
        yield [*_SET_FIELD.findall(each[1]), *_properties(each[1])]
    for each in _STRUCT.finditer(text):
        yield [name.strip() for row in _STRUCT_FIELD.findall(each[1]) for name in row.split(",")]
    plain = _without_inner(text)
    for _ in range(DEEPEST):
        yield from (_OWN_FIELD.findall(each) for each in _LITERAL.findall(plain))
        plain = _LITERAL.sub("0", plain)


def _properties(text: str) -> list[str]:
    return [one or other for one, other in _PROPERTY.findall(text)]


def _without_inner(text: str) -> str:
    """Without calls and lists, so that commas are those of the fields."""
    for _ in range(DEEPEST):
        text = re.sub(r"\([^(){}]*\)|\[[^\[\]{}]*\]", "0", text)
    return text


_NAME = re.compile(r"(?<![\w'\"])[A-Za-z_]\w*(?![\w'\"])")
_KEY = re.compile(r"""(?:\[|\bget\(|\bhas\(|[{,]\s*)(['"])([\w-]{1,30})\1(?=\s*[\]:,)])""")
_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.])")
_MEMBER = re.compile(r"(?<![\w.'\"])([A-Za-z_]\w*)\.([A-Za-z_]\w*)\b(\(?)")
_DEFINED = re.compile(
    r"(?:[{,(]|^)\s*['\"]?([A-Za-z_]\w*)['\"]?\s*:(?!=)"  # a key with its value
    r"|\b(?:this|self)\.([A-Za-z_]\w*)\s*="
    r"|[{,]\s*([A-Za-z_]\w*)\s*(?=[,}])"  # a key that is named as its value
    r"|^[ \t]+([A-Za-z_]\w*)(?:, *\w+)* +[\w\[\]*.]+$"  # a field of Go
    r"|\b(?:def|func|function|get|static|async)\s+(?:\([^()]*\)\s*)?([A-Za-z_]\w*)"
    r"|^[ \t]+([A-Za-z_]\w*)\(.*\)\s*\{",
    re.MULTILINE,
)
_AWAITED = re.compile(r"\basync\s+(?:def\s+|function\s*\*?\s*)?([A-Za-z_]\w*)\s*\(|\b([A-Za-z_]\w*)\s*=\s*async\b")
_SENTINEL = re.compile(r"\bErr[A-Z]\w*")
_TAKES = re.compile(
    r"(?:\b(?:def|function|func)\s+(?:\([^()]*\)\s*)?|^[ \t]+(?:static |async )*)([A-Za-z_]\w*)\(([^()]*)\)[^;\n]*"
    r"[{:]\s*$"
    r"|\b(?:const|let)\s+([A-Za-z_]\w*)\s*=\s*(?:async\s*)?\(([^()]*)\)\s*=>",
    re.MULTILINE,
)
_CONSTANT = re.compile(r"^(?:export )?(?:const |var |\t)?([A-Za-z]\w+)(?: [\w.\[\]]+)? +:?= *[^=\s(]", re.MULTILINE)
_RAISED = re.compile(r" raised (\w+(?:Error|Exception))\b")
_BEGINS = re.compile(r"\s*def (\w+)\(")
_YIELDS = re.compile(r"^\s+yield\b|= yield\b")
_DIGIT = re.compile(r"(?<![\w.])\d")
_LETTER = re.compile(r"['\"`]|[A-Za-z]{2}")
_PARAMETER = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class ProjectWords:
    names: Counter[str]
    keys: Counter[str]
    """What stands in quotes where keys stand, in sources and tests: other strings of a test would only please it."""
    numbers: tuple[str, ...]
    """What failures and failing tests speak of."""
    symptoms: frozenset[Symptom] = frozenset()
    members: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What is asked of a name behind its dot, somewhere in the sources."""
    methods: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The same, of what is called."""
    defined: frozenset[str] = frozenset()
    """Keys, fields and methods that sources and tests define."""
    awaited: frozenset[str] = frozenset()
    """Functions whose results have to be waited for."""
    sentinels: tuple[str, ...] = ()
    """Go's errors with a name, as far as sources and failing tests use them; those of the tests first."""
    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """What functions of the sources take, without the object of a method."""
    differences: tuple[tuple[str, str], ...] = ()
    """What was got and what was wanted."""
    shapes: tuple[tuple[str, ...], ...] = ()
    """Fields that stand together in what sources and tests make."""
    tested: frozenset[str] = frozenset()
    """Names that failing tests and failures use."""
    unused: frozenset[str] = frozenset()
    """Constants that the sources set, and that nothing uses."""
    raised: tuple[str, ...] = ()
    """Errors of Python that failures tell of."""
    generators: frozenset[str] = frozenset()
    """Functions of Python whose results can be gone through only once."""

    @property
    def tells_of_numbers(self) -> bool:
        """Whether failures are about numbers, as far as they say."""
        return not self.differences or any(_DIGIT.search(f"{got} {wanted}") for got, wanted in self.differences)

    @property
    def tells_of_text(self) -> bool:
        return not self.differences or any(_LETTER.search(f"{got} {wanted}") for got, wanted in self.differences)

    def is_read(self, name: str) -> bool:
        """Whether the sources ask for a field of this name."""
        return any(name in asked for asked in self.members.values())

    @classmethod
    def of(cls, brief: Brief) -> "ProjectWords":
        sources = "\n".join(each.text for each in brief.sources)
        tests = "\n".join(each.text for each in brief.tests)
        shown = f"{sources}\n{tests}"
        told = "\n".join([tests, *brief.failures])
        return cls(
            names=Counter(name for name in _NAME.findall(shown) if name not in KEYWORDS),
            keys=Counter(key for _, key in _KEY.findall(shown)),
            numbers=tuple(dict.fromkeys(_NUMBER.findall(told))),
            symptoms=symptoms(brief.failures),
            members=_asked(sources, called=False),
            methods=_asked(sources, called=True),
            defined=frozenset(name for found in _DEFINED.findall(shown) for name in found if name),
            awaited=frozenset(name for found in _AWAITED.findall(sources) for name in found if name),
            sentinels=tuple(dict.fromkeys(_SENTINEL.findall(f"{told}\n{sources}"))),
            parameters={
                one or other: _parameters(first or second) for one, first, other, second in _TAKES.findall(sources)
            },
            differences=tuple(values(brief.failures)),
            shapes=shapes_in(shown),
            tested=frozenset(_NAME.findall(told)),
            unused=_unused(sources),
            raised=tuple(dict.fromkeys(name for line in brief.failures for name in _RAISED.findall(line))),
            generators=frozenset(_generators(sources)),
        )


def _asked(sources: str, *, called: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for owner, member, opening in _MEMBER.findall(sources):
        if bool(opening) == called:
            found.setdefault(owner, {})[member] = None
    return {owner: tuple(members) for owner, members in found.items()}


def _unused(sources: str) -> frozenset[str]:
    count = Counter(_NAME.findall(sources))
    return frozenset(name for name in _CONSTANT.findall(sources) if count[name] == 1)


def _generators(sources: str) -> Iterator[str]:
    name = ""
    for row in sources.split("\n"):
        begins = _BEGINS.match(row)
        name = begins[1] if begins else name
        if name and _YIELDS.search(row):
            yield name


def _parameters(between: str) -> tuple[str, ...]:
    return tuple(name for name in _PARAMETER.findall(between) if name not in {"self", "cls"})
