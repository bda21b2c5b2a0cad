"""What sources, failing tests and failures say about the project: names, fields, keys, numbers, values."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from mulligan.core.failures.summaries.lines import actual_and_expected
from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.symptoms import symptoms
from mulligan.syntax.code_tree import CodeNode, CodeTree, code_tree
from mulligan.syntax.expressions import is_called, is_key, is_target_value, string_value
from mulligan.syntax.node_kinds import Kind
from mulligan.syntax.scopes import OWNERS, parameters

MIN_FIELDS, MAX_FIELDS = 2, 16
DEFINING: tuple[Kind, ...] = ("function", "lambda", "class")
Fields = tuple[str, ...]

_NUMBER = re.compile(r"(?<![\w.])\d{1,6}(?:\.\d+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_]\w*")
_RAISED = re.compile(r" raised (\w+(?:Error|Exception))\b")
_DIGIT = re.compile(r"(?<![\w.])\d")
_LETTER = re.compile(r"['\"`]|[A-Za-z]{2}")


class RepairFacts:
    def __init__(self, brief: Brief, files: Mapping[str, Sequence[str]]) -> None:
        read = {path: tree for path, lines in files.items() if (tree := code_tree(path, "\n".join(lines)))}
        self.trees = {path: tree for path, tree in read.items() if path not in brief.references}
        """The sources that may be wrong."""
        self.names: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        """Strings used as keys, in sources and tests: other strings of tests would only satisfy the test."""
        self.members: dict[str, dict[str, None]] = {}
        """The attributes that the sources read from each name."""
        self.methods: dict[str, dict[str, None]] = {}
        """The methods that the sources call on each name."""
        self.defined: set[str] = set()
        """Keys, fields and methods that sources and tests define."""
        self.awaited: set[str] = set()
        """Functions whose results have to be awaited."""
        self.generators: set[str] = set()
        """Functions whose results can be iterated only once."""
        self.parameters: dict[str, Fields] = {}
        """The parameters of the sources' functions, without `self` or its like."""
        self.shapes: dict[Fields, None] = {}
        """Fields that occur together in objects that sources and tests create."""
        constants: set[str] = set()
        for tree in read.values():
            constants |= self._look_through(tree, source=True)
        in_sources = self.names.copy()
        for each in brief.tests:
            if tree := code_tree(each.path, each.text):
                self._look_through(tree, source=False)
        texts_seen = "\n".join([*(each.text for each in brief.tests), *brief.failures])
        self.unused = frozenset(name for name in constants if in_sources[name] == 1)
        """Constants that the sources set and nothing uses."""
        self.tested = frozenset(_WORD.findall(texts_seen))
        """Names that failing tests and failures use."""
        self.numbers = tuple(dict.fromkeys(_NUMBER.findall(texts_seen)))
        """Numbers in failures and failing tests."""
        self.raised = tuple(dict.fromkeys(name for line in brief.failures for name in _RAISED.findall(line)))
        """Errors named in failures."""
        self.symptoms = symptoms(brief.failures)
        self.differences = tuple(actual_and_expected(brief.failures))
        """Actual and expected values."""
        texts = [f"{got} {wanted}" for got, wanted in self.differences]
        self.tells_of_numbers = not texts or any(map(_DIGIT.search, texts))
        """Whether failures are about numbers, as far as they show."""
        self.tells_of_text = not texts or any(map(_LETTER.search, texts))

    def is_read(self, name: str) -> bool:
        """Whether the sources read a field of this name."""
        return any(name in asked for asked in self.members.values())

    def fitting_shapes(self, asked: AbstractSet[str]) -> list[Fields]:
        """Shapes with most of these properties; none if no shape has any."""
        overlaps = [(len(asked & set(each)), each) for each in self.shapes]
        best = max((count for count, _ in overlaps), default=0)
        return [each for count, each in overlaps if count == best > 0]

    def _look_through(self, tree: CodeTree, *, source: bool) -> set[str]:
        """Returns the constants that are set."""
        constants: set[str] = set()
        for node in tree.root.walk():
            if node.kind in {"name", "field"}:
                self.names[tree.of(node)] += 1
            match node.kind:
                case "string" if is_key(node):
                    self.keys[string_value(tree, node)] += 1
                case "attribute" if source:
                    self._member(tree, node)
                case "function" | "lambda":
                    self._function(tree, node, source=source)
                case "class" | "map" | "composite" | "call":
                    fields = tuple(dict.fromkeys(_fields(tree, node)))
                    self.defined.update(fields)
                    self.shapes.update({fields: None} if MIN_FIELDS <= len(fields) <= MAX_FIELDS else {})
                case "assign" | "declare" if node.within(*DEFINING) is None:
                    left = node.part("left")
                    constants |= {tree.of(each) for each in left.walk() if each.kind == "name"} if left else set()
                case _:
                    pass
        return constants

    def _member(self, tree: CodeTree, node: CodeNode) -> None:
        owner, member = node.part("object"), node.part("member")
        if owner and member and owner.kind in {"name", ""} and tree.of(owner).isidentifier():
            found = self.methods if is_called(node) else self.members
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


def _fields(tree: CodeTree, node: CodeNode) -> Iterator[str]:
    """Fields of the object that a class, a literal or a call with keywords creates."""
    if node.kind == "class":
        for each in node.walk():
            if each.kind == "attribute" and is_target_value(each) and tree.of(each.part("object")) in OWNERS:
                yield tree.of(each.part("member"))
            elif each.type == "field_declaration" or (each.kind == "assign" and each.within(*DEFINING) is node):
                yield from (tree.of(name) for name in each.children if name.field in {"name", "left"})
            elif each.kind == "function" and each.parent and each.parent.children[0].type == "decorator":
                yield tree.of(each.part("name"))
        return
    holder = node.part("arguments") if node.kind == "call" else node
    for child in holder.children if holder else ():
        if child.kind in {"pair", "named"} and child.children:
            yield tree.of(child.children[0]).strip("'\"`")
        elif child.type == "shorthand_property_identifier":
            yield tree.of(child)
