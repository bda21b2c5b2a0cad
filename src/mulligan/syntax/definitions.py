"""The definitions of a file as pieces of its text: what a file and its classes define, and what is only a stub."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mulligan.syntax.functions import FUNCTIONS
from mulligan.syntax.line_tokens import usual_quotes
from mulligan.syntax.tree_query import HOLDERS, Match, Source, body_of, read_code

if TYPE_CHECKING:
    from tree_sitter import Node

Span = tuple[int, int]
"""Start and end (exclusive), in bytes of the text."""
Replacement = tuple[int, int, str]
"""Start and end in bytes, and the replacement."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Something that a file, or a class in it, defines."""

    name: str
    owner: str
    """Its class, or the type of its receiver."""
    what: str
    """Such as `function`, `class` or `value`."""
    inner: Span
    """Without decorators and without `export`."""
    outer: Span
    form: str = ""
    """What the grammar calls it: a method, a field with a function in it, or a statement."""
    role: str = ""
    """What tells it from others of its name, such as `setter`, `overload`, `static` or `Clock.prototype`."""
    decorators: tuple[Span, ...] = ()
    is_stub: bool = False
    """A function that does nothing, or only says that it is not implemented."""
    says_so: bool = False
    """It says that it is not implemented, by `raise NotImplementedError` or the like. An empty one may be intended."""
    body: Span | None = None
    """None for what is only declared."""
    head: Span | None = None
    """Of a class: what is before its body, such as its bases."""
    parts: "tuple[Definition, ...]" = ()
    """What the body of a class consists of, if its grammar says so: `field`, `statement`, `docstring` or `comment`.
    What has no name is called by its text."""

    @property
    def key(self) -> tuple[str, str]:
        """Its class and its name; several definitions may share them."""
        return self.owner, self.name

    @property
    def inside(self) -> Span | None:
        """The body of a class."""
        return self.body if self.what in HOLDERS else None

    @property
    def is_function(self) -> bool:
        return self.what in FUNCTIONS


@dataclass(frozen=True, slots=True)
class CodeText:
    """A text split into what it defines and imports."""

    text: bytes
    definitions: tuple[Definition, ...]
    """In the order of the text; members after their class. Definitions inside of functions are left out."""
    nested: tuple[Definition, ...]
    """Those inside of functions, of blocks, and of classes in classes."""
    statements: tuple[Span, ...]
    """What the text consists of, comments included."""
    verbatim: frozenset[int]
    """Rows, from 0, that begin inside of a string: another indentation would change it."""
    imports: tuple[Span, ...]
    head: Span
    """What has to come before imports: a shebang, a docstring, `package`."""
    is_broken: bool
    is_indented: bool
    """Blocks are marked by indentation."""

    def of(self, span: Span) -> str:
        return self.text[slice(*span)].decode("utf-8", "replace")

    def edited(self, edits: Iterable[Replacement]) -> str:
        """The text with these edits, except those in what another one replaces."""
        made, at = b"", 0
        for start, end, new in sorted(edits, key=lambda each: each[:2]):
            if start >= at:
                made += self.text[at:start] + new.encode()
                at = end
        return (made + self.text[at:]).decode("utf-8", "replace")


def cut_code(path: str, lines: Sequence[str]) -> CodeText | None:
    """None for a language without a grammar."""
    return _cut(path, "\n".join(lines))


def code_tokens(path: str, text: str) -> list[str] | None:
    """Every token of a text except comments and docstrings, and where statements end. None without a grammar."""
    source = read_code(path, text)
    if source is None or source.is_broken:
        return None
    return list(_leaves(source, source.root))


@lru_cache(maxsize=64)
def _cut(path: str, text: str) -> CodeText | None:
    source = read_code(path, text)
    if source is None:
        return None
    imports = [match.node for match in source.matches if match.what == "import"]
    at_top = {_piece(node)[1].id: _piece(node)[1] for node in imports}
    spans = sorted((node.start_byte, node.end_byte) for node in at_top.values() if _is_top(node))
    definitions = list(_definitions(source))
    return CodeText(
        source.text,
        tuple(each for each, is_nested in definitions if not is_nested),
        tuple(each for each, is_nested in definitions if is_nested),
        tuple((child.start_byte, child.end_byte) for child in source.root.named_children),
        frozenset(_verbatim(source)),
        tuple(spans),
        _head(source),
        source.is_broken,
        source.language.indented,
    )


def _definitions(source: Source) -> Iterator[tuple[Definition, bool]]:
    """Each with whether it is nested."""
    for match in source.definitions():
        inner, outer = _piece(match.node)
        holder = _holder(outer)
        nested = not _is_top(outer) and (holder is None or not _is_top(_piece(holder)[1]))
        if nested and holder is None and match.what not in FUNCTIONS | HOLDERS:
            continue  # a variable of a function
        if match.node.type in _MEMBERS:
            inner = outer = match.node
        name, owner = source.name_of(match)
        body = body_of(match.node) if match.what in FUNCTIONS | HOLDERS else None
        is_class = body is not None and match.what in HOLDERS
        decorators = _decorators(inner, outer)
        stub = _stub(source, match.node) if match.what in FUNCTIONS else None
        definition = Definition(
            name.lstrip("#"),
            source.of(holder.child_by_field_name("name")) if holder else owner,
            match.what,
            (_without_decorators(inner).start_byte, inner.end_byte),
            (min(node.start_byte for node in (outer, *decorators)), outer.end_byte),
            form=match.node.type,
            role=_role(source, match, outer),
            decorators=tuple((node.start_byte, node.end_byte) for node in decorators),
            is_stub=stub is not None,
            says_so=bool(stub),
            body=(body.start_byte, body.end_byte) if body else None,
            head=(_without_decorators(inner).start_byte, _end_of_head(body)) if body and is_class else None,
            parts=tuple(_parts(source, body)) if body and is_class and body.type in _AROUND else (),
        )
        yield definition, nested


def _role(source: Source, match: Match, outer: "Node") -> str:
    head = source.text[outer.start_byte : match.name.start_byte if match.name else 0].decode()
    if match.node.type == "assignment_expression":
        return head.rstrip(".")
    return " ".join(word for found in _ROLE.findall(head) for word in found if word)


def _decorators(inner: "Node", outer: "Node") -> list["Node"]:
    """In TypeScript those of a method precede it in the body of its class."""
    nodes = [outer] if inner.id == outer.id else [outer, inner]
    found = [child for node in nodes for child in node.children if child.type == "decorator"]
    before = outer.prev_sibling
    while before is not None and before.type == "decorator":
        found.insert(0, before)
        before = before.prev_sibling
    return found


def _without_decorators(node: "Node") -> "Node":
    """The node itself, or its first child after its decorators."""
    decorators = [child for child in node.children if child.type == "decorator"]
    after = decorators[-1].next_sibling if decorators else None
    return after or node


def _end_of_head(body: "Node") -> int:
    before = body.prev_sibling
    while before is not None and "comment" in before.type:
        before = before.prev_sibling
    return before.end_byte if before is not None else body.start_byte


def _parts(source: Source, body: "Node") -> Iterator[Definition]:
    comments: list[Node] = []
    before = body.prev_sibling
    while before is not None and "comment" in before.type:
        comments.insert(0, before)
        before = before.prev_sibling
    owner = source.of(body.parent.child_by_field_name("name")) if body.parent else ""
    for node in (*comments, *body.named_children):
        text = source.of(node)
        span = node.start_byte, node.end_byte
        named = node.child_by_field_name("name") or node.child_by_field_name("property")
        plain = " ".join(text.replace("'", '"').split())
        if named and "comment" not in node.type:
            # A method may have several signatures.
            role = plain if node.type.endswith("signature") and node.type != "property_signature" else ""
            yield Definition(source.of(named).strip("#\"'"), owner, "field", span, span, form=node.type, role=role)
        elif not (source.language.indented and _EMPTY.fullmatch(text)):
            is_docstring = source.language.docstrings and _is_string(source, node)
            is_comment = "comment" in node.type or node.type == "decorator"
            what = "comment" if is_comment else "docstring" if is_docstring else "statement"
            yield Definition(plain, owner, what, span, span, form=node.type)


def _verbatim(source: Source) -> Iterator[int]:
    """A docstring may be indented like the code around it."""
    for node in source.no_code:
        first, last = source.row(node.start_byte), source.row(node.end_byte)
        if first < last and "comment" not in node.type and not _is_alone(node.parent):
            yield from range(first + 1, last + 1)


def _is_alone(string: "Node | None") -> bool:
    return string is not None and string.parent is not None and string.parent.type == "expression_statement"


def _piece(node: "Node") -> tuple["Node", "Node"]:
    """The whole statement of a definition, without and with its decorators or `export`."""
    while node.parent is not None and node.parent.type not in _AROUND and node.parent.type not in _WRAPPERS:
        node = node.parent
    outer = node
    while outer.parent is not None and outer.parent.type in _WRAPPERS:
        outer = outer.parent
    return node, outer


def _is_top(node: "Node") -> bool:
    return node.parent is not None and node.parent.parent is None


def _holder(node: "Node") -> "Node | None":
    """The class whose body contains the node."""
    body = node.parent
    around = body.parent if body is not None else None
    if around is None or not re.search(r"class|interface|impl|trait|struct|enum", around.type):
        return None
    return around


def _head(source: Source) -> Span:
    end = 0
    for child in source.root.named_children:
        text = source.of(child)
        if child.type in _HEADS or _is_string(source, child) or text.startswith(("#!", "from __future__")):
            end = child.end_byte
        elif child.type != "comment":
            break
    return 0, end


def _stub(source: Source, node: "Node") -> str | None:
    """How a stub says that it is one, which may be empty; None for a function that does something."""
    body = body_of(node)
    if body is None or "abstractmethod" in source.of(node.parent if _is_wrapped(node) else None):
        return None
    is_expression = body.parent and body.parent.type == "arrow_function" and body.type != "statement_block"
    statements = [body] if is_expression else [each for each in body.named_children if each.type != "comment"]
    if source.language.docstrings and statements and _is_string(source, statements[0]):
        statements = statements[1:]
    statements_text = [source.of(each).strip().rstrip(";") for each in statements]
    todo = _TODO.search(source.of(node))
    if all(_EMPTY.fullmatch(each) for each in statements_text) or (
        len(statements_text) == 1 and todo and _NOTHING.fullmatch(statements_text[0])
    ):
        return todo[0] if todo else ""
    return (
        statements_text[0] if all(_STUB.fullmatch(each) or _EMPTY.fullmatch(each) for each in statements_text) else None
    )


def _is_wrapped(node: "Node") -> bool:
    return node.parent is not None and node.parent.type == "decorated_definition"


def _is_string(source: Source, node: "Node") -> bool:
    return node.type == "expression_statement" and bool(re.match(r"[rRuU]?['\"]", source.of(node)))


def _leaves(source: Source, node: "Node") -> Iterator[str]:
    nodes: list[Node | str] = [node]
    while nodes:
        each = nodes.pop()
        if isinstance(each, str):
            yield each
            continue
        if "comment" in each.type:
            continue
        is_string = "string" in each.type and each.type not in _SEVERAL_STRINGS
        if is_string or not each.child_count:
            text = source.of(each)
            # Signs that only end a statement are optional. A text of spaces is not.
            if each.is_named or text.strip(" \t\r\n;"):
                yield usual_quotes(source.language, text)
            continue
        children = each.children
        docstring = source.language.docstrings and each.type in ("block", "module")
        if docstring and children and _is_string(source, children[0]):
            children = children[1:]
        # Only indentation or the end of a line may tell where a statement or block ends.
        ends = each.type.endswith(("block", "statement"))
        nodes += [*(["end"] if ends else []), *reversed(children)]


_AROUND = frozenset({
    "module", "program", "source_file", "translation_unit", "compilation_unit", "chunk", "block", "class_body",
    "declaration_list", "statement_block", "body_statement", "interface_body", "enum_body",
})  # fmt: skip
_SEVERAL_STRINGS = frozenset({"concatenated_string", "chained_string"})
_MEMBERS = frozenset({"pair", "method_definition"})
"""Of a class or an object, whose statement they don't stand for."""
_WRAPPERS = frozenset({"decorated_definition", "export_statement"})
_HEADS = frozenset({"package_clause", "package_declaration", "hash_bang_line"})
_ROLE = re.compile(r"@[\w.]*\.(setter|deleter)\b|@(?:\w+\.)*(overload)\b|(?<![@.\w])(static|get|set)\b(?!\()")
_EMPTY = re.compile(r"pass|\.\.\.")
_STUB = re.compile(
    r"raise NotImplemented(?:Error)?\b.*"
    r"|(?:throw|panic|raise)\b.*(?i:implement|todo|not (?:yet )?written).*|(?:todo|unimplemented)!\(.*\)",
    re.DOTALL,
)
_NOTHING = re.compile(r"return(?:\s+(?:None|null|nil|undefined|false|False|0|''|\"\"|\[\]|\{\}))?")
_TODO = re.compile(r"\b(?:TODO|FIXME)\b")
