"""What sources, failing tests and failures tell beyond one place: names, fields, keys, numbers, values."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.failures.symptoms import Symptom, symptoms, values
from mulligan.syntax.code_tree import CodeNode, CodeTree, code_tree
from mulligan.syntax.expressions import is_key, is_target_value, string_value
from mulligan.syntax.scopes import OWNERS, parameters

LEAST_FIELDS, MOST_FIELDS = 2, 16
Fields = tuple[str, ...]

_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_]\w*")
_RAISED = re.compile(r" raised (\w+(?:Error|Exception))\b")
_DIGIT = re.compile(r"(?<![\w.])\d")
_LETTER = re.compile(r"['\"`]|[A-Za-z]{2}")


@dataclass(frozen=True, eq=False)
class ProjectFacts:
    trees: Mapping[str, CodeTree]
    """Of the sources that may be wrong."""
    names: Counter[str]
    keys: Counter[str]
    """What stands in quotes where keys stand, in sources and tests: other strings of a test would only please it."""
    numbers: Fields
    """What failures and failing tests speak of."""
    symptoms: frozenset[Symptom]
    members: Mapping[str, Fields]
    """What the sources ask of a name behind its dot."""
    methods: Mapping[str, Fields]
    """The same, of what is called."""
    defined: frozenset[str]
    """Keys, fields and methods that sources and tests define."""
    awaited: frozenset[str]
    """Functions whose results have to be waited for."""
    generators: frozenset[str]
    """Functions whose results can be gone through only once."""
    parameters: Mapping[str, Fields]
    """What functions of the sources take, without the object of a method."""
    differences: tuple[tuple[str, str], ...]
    """What was got and what was wanted."""
    shapes: tuple[Fields, ...]
    """Fields that stand together in what sources and tests make."""
    tested: frozenset[str]
    """Names that failing tests and failures use."""
    unused: frozenset[str]
    """Constants that the sources set, and that nothing uses."""
    raised: Fields
    """Errors that failures tell of."""

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

    def fitting_shapes(self, asked: frozenset[str]) -> list[Fields]:
        """Shapes of what is asked for these properties: those that have the most of them, and none where none has."""
        overlaps = [(len(asked.intersection(each)), each) for each in self.shapes]
        best = max((count for count, _ in overlaps), default=0)
        return [each for count, each in overlaps if count == best > 0]


def project_facts(brief: Brief, files: Mapping[str, Sequence[str]]) -> ProjectFacts:
    trees = {path: tree for path, lines in files.items() if (tree := code_tree(path, "\n".join(lines)))}
    tests = [tree for each in brief.tests if (tree := code_tree(each.path, each.text))]
    told = "\n".join([*(each.text for each in brief.tests), *brief.failures])
    seen = _Seen()
    for tree in trees.values():
        seen.look_through(tree, source=True)
    for tree in tests:
        seen.look_through(tree, source=False)
    return ProjectFacts(
        trees=trees,
        names=seen.names,
        keys=seen.keys,
        numbers=tuple(dict.fromkeys(_NUMBER.findall(told))),
        symptoms=symptoms(brief.failures),
        members={owner: tuple(found) for owner, found in seen.members.items()},
        methods={owner: tuple(found) for owner, found in seen.methods.items()},
        defined=frozenset(seen.defined),
        awaited=frozenset(seen.awaited),
        generators=frozenset(seen.generators),
        parameters=seen.parameters,
        differences=tuple(values(brief.failures)),
        shapes=tuple(each for each in dict.fromkeys(seen.shapes) if LEAST_FIELDS <= len(each) <= MOST_FIELDS),
        tested=frozenset(_WORD.findall(told)),
        unused=frozenset(name for name in seen.constants if seen.in_sources[name] == 1),
        raised=tuple(dict.fromkeys(name for line in brief.failures for name in _RAISED.findall(line))),
    )


class _Seen:
    def __init__(self) -> None:
        self.names: Counter[str] = Counter()
        self.in_sources: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        self.members: dict[str, dict[str, None]] = {}
        self.methods: dict[str, dict[str, None]] = {}
        self.defined: set[str] = set()
        self.awaited: set[str] = set()
        self.generators: set[str] = set()
        self.parameters: dict[str, Fields] = {}
        self.shapes: list[Fields] = []
        self.constants: set[str] = set()

    def look_through(self, tree: CodeTree, *, source: bool) -> None:
        for node in tree.root.walk():
            if node.kind in {"name", "field"}:
                self.names[tree.of(node)] += 1
                self.in_sources[tree.of(node)] += source
            match node.kind:
                case "string" if is_key(node):
                    self.keys[string_value(tree, node)] += 1
                case "attribute" if source:
                    self._member(tree, node)
                case "function" | "lambda":
                    self._function(tree, node, source=source)
                case "class" | "map" | "composite" | "call":
                    self._shape(tree, node)
                case "assign" | "declare" if source and _is_top_level(node):
                    left = node.part("left")
                    self.constants |= {tree.of(each) for each in left.walk() if each.kind == "name"} if left else set()
                case _:
                    pass

    def _member(self, tree: CodeTree, node: CodeNode) -> None:
        owner, member = node.part("object"), node.part("member")
        if owner and member and owner.kind in {"name", ""} and tree.of(owner).isidentifier():
            called = node.parent is not None and node.parent.kind == "call" and node.field == "function"
            found = self.methods if called else self.members
            found.setdefault(tree.of(owner), {})[tree.of(member)] = None
            if is_target_value(node) and tree.of(owner) in OWNERS:
                self.defined.add(tree.of(member))

    def _function(self, tree: CodeTree, node: CodeNode, *, source: bool) -> None:
        name = tree.of(node.part("name")) or tree.of(node.parent.part("left") if node.parent else None)
        self.defined.add(name)
        if not source or not name:
            return
        self.parameters[name] = tuple(each for each in parameters(tree, node) if each not in OWNERS)
        if any(child.type == "async" for child in node.children):
            self.awaited.add(name)
        body = node.part("body")
        if body and any(each.kind == "yield" for each in body.walk()):
            self.generators.add(name)

    def _shape(self, tree: CodeTree, node: CodeNode) -> None:
        fields = tuple(dict.fromkeys(_fields(tree, node)))
        self.defined.update(fields)
        self.shapes.append(fields)


def _fields(tree: CodeTree, node: CodeNode) -> Iterator[str]:
    """Fields of what a class, a literal or a call with names makes."""
    if node.kind == "class":
        for each in node.walk():
            if each.kind == "attribute" and is_target_value(each) and tree.of(each.part("object")) in OWNERS:
                yield tree.of(each.part("member"))
            elif each.type == "field_declaration" or (each.kind == "assign" and _directly_in(each, node)):
                yield from (tree.of(name) for name in each.children if name.field in {"name", "left"})
            elif each.kind == "function" and any(up.type == "decorator" for up in _beside(each)):
                yield tree.of(each.part("name"))
        return
    holder = node.part("arguments") if node.kind == "call" else node
    for child in holder.children if holder else ():
        if child.kind in {"pair", "named"} and child.children:
            yield tree.of(child.children[0]).strip("'\"`")
        elif child.type == "shorthand_property_identifier":
            yield tree.of(child)


def _beside(node: CodeNode) -> list[CodeNode]:
    return node.parent.children if node.parent else []


def _directly_in(node: CodeNode, holder: CodeNode) -> bool:
    return next((up for up in node.above() if up.kind in {"function", "lambda", "class"}), None) is holder


def _is_top_level(node: CodeNode) -> bool:
    return node.within("function", "lambda", "class") is None
