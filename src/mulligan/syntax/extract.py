"""What one file's text tells: its symbols, its imports and the names it uses."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, cast

from mulligan.syntax.doc_comments import docstring_line, signature
from mulligan.syntax.file_types import BY_GRAMMAR, language_of
from mulligan.syntax.grammars import load, parse
from mulligan.syntax.imports import imports_in
from mulligan.syntax.parsed_file import ParsedFile, RawImport
from mulligan.syntax.queries import QUERIES
from mulligan.syntax.skipping import is_binary, skip_by_content
from mulligan.types.codecontext import Symbol, SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node, Query, Tree

MOST_SYMBOLS = 5_000
"""Of one file: beyond it the rest is data in the shape of code."""
LONGEST_PARENT = 500
"""Characters. A thousand classes, each in the one before, would else be told a thousand times."""
LONGEST_TEXT = 20_000
"""Bytes of an import, and of a docstring, whose first line counts."""
MOST_COMMENTS = 200
"""That are passed over in search of what follows or precedes them: each step costs as much as there are siblings."""
MOST_SIGNS = 1_000
"""Brackets and commas in a row, with nothing between them. A query looks from each to the last of them."""
DEEPEST = 1_000
"""Nodes, each in the one before. A query goes all the way down from many of them."""

_NAME = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]+")
_HOLDERS = frozenset({"class", "interface", "struct", "enum", "trait", "inside"})
"""A function in one of these is a method."""
_CPP = re.compile(
    rb"^[ \t]*+(?:class\s+\w|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)", re.MULTILINE
)
_FUNCTIONS = frozenset({"function", "method"})
_VALUES = frozenset({"value", "constant", "variable", "type"})
"""What is local to a function, or the second name of `a = b = 1`, is no symbol."""
_MARKS: dict[str, tuple[str, ...]] = {"python": ("#",), "ruby": ("#",), "bash": ("#",), "php": ("//", "#")}


def parse_file(path: str, data: bytes, seconds: float | None = None) -> ParsedFile:
    """What can't be parsed is read as far as it goes, and said to be broken. Raises `TooSlow` where time is limited."""
    text = _utf8(data)
    language = language_of(path, text[:200])
    if text is data and is_binary(data):
        return ParsedFile(language=language.name if language else None, skipped="binary")
    lines = text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    if language is None:
        return ParsedFile(lines=lines, skipped="unknown language")
    reason = skip_by_content(path, language, text)
    if reason or language.grammar is None:
        unread = "unknown language" if language.is_code else None
        return ParsedFile(language=language.name, lines=lines, skipped=reason or unread)
    grammar, tree = _parse(path, language.grammar, text, seconds)
    is_code = _can_be_queried(tree.root_node)
    matches, texts = _matches(grammar, tree.root_node) if is_code else ([], [])
    source = _Source(grammar, text)
    return ParsedFile(
        grammar=grammar,
        language=BY_GRAMMAR[grammar].name,
        lines=lines,
        doc=_file_doc(source, tree.root_node),
        skipped="broken" if tree.root_node.has_error or not is_code else None,
        symbols=tuple(_symbols(path, source, matches)),
        imports=_imports(source, matches),
        names=_names(text, texts),
    )


class _Source:
    """A text that can be parsed. Rows and columns are counted here from bytes: `Node.start_point` and `end_point` of
    tree-sitter 0.26.0 free integers that are still in use, which ends the process sooner or later."""

    def __init__(self, grammar: str, text: bytes) -> None:
        self.grammar = grammar
        self.text = text
        self.rows = text.decode("utf-8", "replace").split("\n")
        self.comment_marks = _MARKS.get(grammar, ("//",))
        self.starts = [0, *(found.end() for found in re.finditer(rb"\n", text))]

    def row(self, place: int) -> int:
        """From 0."""
        return bisect_right(self.starts, place) - 1

    def of(self, node: "Node | None") -> str:
        if node is None:
            return ""
        return self.text[node.start_byte : min(node.end_byte, node.start_byte + LONGEST_TEXT)].decode(
            "utf-8", "replace"
        )


def _utf8(data: bytes) -> bytes:
    """Without a byte order mark; UTF-16 only where such a mark says so."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


def _parse(path: str, grammar: str, text: bytes, seconds: float | None) -> "tuple[str, Tree]":
    # C or C++: the name of a header does not say.
    if path.lower().endswith(".h") and _CPP.search(text):
        grammar = "cpp"
    return grammar, parse(grammar, text, seconds)


@cache
def _query(grammar: str) -> "Query":
    from tree_sitter import Query

    return Query(load(grammar), QUERIES[grammar])


class _Match(NamedTuple):
    pattern: int
    what: str
    """The capture that names the kind."""
    node: "Node"
    name: "Node | None"
    parent: "Node | None"


class _Enclosing(NamedTuple):
    span: tuple[int, int]
    kind: str
    name: str
    """With those of its own parents."""


def _matches(grammar: str, root: "Node") -> "tuple[list[_Match], list[Node]]":
    """Definitions and imports; and what is text."""
    from tree_sitter import QueryCursor

    found: list[_Match] = []
    texts: list[Node] = []
    for pattern, captures in QueryCursor(_query(grammar)).matches(root):
        if "text" in captures:
            texts += captures["text"]
            continue
        names, parents = captures.pop("name", ()), captures.pop("parent", ())
        what = next(each for each in captures if not each.startswith("_"))
        node = captures[what][0]
        parent = parents[0] if parents else None
        found.extend(_Match(pattern, what, node, name, parent) for name in names or (None,))
    return found, texts


def _can_be_queried(root: "Node") -> bool:
    """Whether a query does not take hours: what is no code may be one node with a million brackets in a row."""
    nodes = [(root, 0)]
    while nodes:
        node, depth = nodes.pop()
        if depth > DEEPEST:
            return False
        children = node.children
        if node.child_count - node.named_child_count > MOST_SIGNS:
            runs = groupby(children, lambda child: child.is_named)
            if any(not is_named and sum(1 for _ in run) > MOST_SIGNS for is_named, run in runs):
                return False
        nodes += [(child, depth + 1) for child in children if child.end_byte - child.start_byte > MOST_SIGNS]
    return True


def _symbols(path: str, source: _Source, matches: Sequence[_Match]) -> Iterator[Symbol]:
    enclosing: list[_Enclosing] = []
    known = 0
    for match in _one_a_name(matches):
        name_node = cast("Node", match.name)
        span = match.node.byte_range
        # One definition may have several names: `const A, B = 1, 2`.
        while enclosing and (enclosing[-1].span[1] <= span[0] or enclosing[-1].span == span):
            enclosing.pop()
        holder, around = (enclosing[-1].kind, enclosing[-1].name) if enclosing else ("", "")
        name, parent = _plain_name(source, match)
        if not name:
            continue
        parent = _joined(around, parent)
        if match.what == "inside":
            enclosing.append(_Enclosing(span, "inside", _joined(around, name)))
            continue
        kind = _kind(match.what, name, holder, has_parent=parent != around)
        if kind is None or (name == around and kind == holder):  # typedef struct Name { … } Name
            continue
        enclosing.append(_Enclosing(span, kind, _joined(parent, name)))
        known += 1
        if known > MOST_SYMBOLS:
            return
        yield Symbol(
            name=name,
            kind=kind,
            path=path,
            line=source.row(name_node.start_byte) + 1,
            end_line=source.row(max(span[0], span[1] - 1)) + 1,
            signature=_signature(source, match.node),
            doc=_doc(source, match.node),
            parent=parent,
        )


def _one_a_name(matches: Sequence[_Match]) -> list[_Match]:
    """The definitions in the order of the file, what encloses before what is enclosed."""
    best: dict[int, _Match] = {}
    for match in matches:
        if match.name is not None and match.name.start_byte < match.name.end_byte:
            known = best.get(match.name.start_byte)
            if known is None or match.pattern < known.pattern:
                best[match.name.start_byte] = match
    return [best[place] for place in sorted(best, key=lambda place: (*_outermost_first(best[place].node), place))]


def _outermost_first(node: "Node") -> tuple[int, int]:
    return node.start_byte, -node.end_byte


def _plain_name(source: _Source, match: _Match) -> tuple[str, str]:
    """The name alone, and the parent that stands before it or beside it."""
    written = source.of(match.name)
    if source.grammar == "cpp" and match.what == "module":
        return written.replace("::", "."), ""
    if source.grammar in {"cpp", "ruby"}:
        # Template arguments may hold colons of their own.
        begin, end = written.find("<"), written.rfind(">")
        scope, _, name = (written[:begin] + written[end + 1 :] if 0 <= begin < end else written).rpartition("::")
        return name.strip(), scope.replace("::", ".")
    return written.strip("\"'"), source.of(match.parent)


def _kind(what: str, name: str, holder: str, *, has_parent: bool) -> SymbolKind | None:
    if what == "prototype":
        if holder in _FUNCTIONS:
            return None
        what = "function"
    if what == "function" and (holder in _HOLDERS or has_parent):
        return "method"
    if what == "method" and not (holder or has_parent):
        return "function"
    if what in _VALUES and (holder in _FUNCTIONS or holder in _VALUES):
        return None
    if what == "value":
        return _kind_of_value(name)
    return cast("SymbolKind", what)


def _kind_of_value(name: str) -> SymbolKind:
    bare = name.strip("_")
    if bare.upper() == bare:
        return "constant"
    return "type" if bare[:1].isupper() and "_" not in bare else "variable"


def _joined(parent: str, name: str) -> str:
    return f"{parent}.{name}"[:LONGEST_PARENT] if parent and name else parent or name


def _signature(source: _Source, node: "Node") -> str:
    body = node.child_by_field_name("body")
    if body is None and (value := node.child_by_field_name("value") or node.child_by_field_name("right")):
        body = value.child_by_field_name("body")
    begin = node.start_byte
    end = _head_end(body) if body else node.end_byte
    # What has no body is told by its first line: a constant may be a table of a thousand.
    head = source.text[begin : min(end, begin + 1_000)].decode("utf-8", "replace")
    if body is None:
        head = head.split("\n", 1)[0]
    line_start = source.text[source.starts[source.row(begin)] : begin].decode("utf-8", "replace")
    return signature(line_start.lstrip(), head)


def _head_end(body: "Node") -> int:
    """A comment may stand between a head and its body."""
    before = body.prev_sibling
    for _ in range(MOST_COMMENTS):
        if before is None or before.type != "comment":
            break
        before = before.prev_sibling
    return before.end_byte if before else body.start_byte


def _doc(source: _Source, node: "Node") -> str:
    if source.grammar != "python":
        from mulligan.syntax.doc_comments import comment_above  # nothing that Python needs

        return comment_above(source.rows, source.row(node.start_byte), source.comment_marks)
    body = node.child_by_field_name("body")
    if body is not None:
        return _docstring(source, _first_named(body))
    # A string below a constant says what it means.
    statement = node.parent
    return _docstring(source, statement.next_named_sibling if statement else None)


def _file_doc(source: _Source, root: "Node") -> str:
    if source.grammar != "python":
        from mulligan.syntax.doc_comments import comment_at_top

        return comment_at_top(source.rows, source.comment_marks)
    first = _first_named(root)
    for _ in range(MOST_COMMENTS):
        if first is None or first.type != "comment":
            break
        first = first.next_named_sibling
    return _docstring(source, first)


def _docstring(source: _Source, statement: "Node | None") -> str:
    string = _first_named(statement) if statement and statement.type == "expression_statement" else None
    return docstring_line(source.of(string)) if string and string.type == "string" else ""


def _first_named(node: "Node") -> "Node | None":
    return node.named_child(0) if node.named_child_count else None


def _imports(source: _Source, matches: Sequence[_Match]) -> tuple[RawImport, ...]:
    statements = [match.node for match in matches if match.what == "import"]
    statements.sort(key=lambda node: node.start_byte)
    found = (each for node in statements for each in imports_in(source.grammar, source.of(node)))
    return tuple(dict.fromkeys(found))


def _names(text: bytes, no_code: "Sequence[Node]") -> str:
    code = bytearray(text)
    for node in no_code:
        begin, end = node.start_byte, node.end_byte
        code[begin:end] = b" " * (end - begin)
    counts: dict[bytes, int] = {}
    firsts: list[int] = []
    for found in _NAME.finditer(code):
        name = found.group()
        if name in counts:
            counts[name] += 1
        else:
            counts[name] = 1
            firsts.append(found.start())
    line, place = 1, 0
    entries: list[str] = [""]
    for (name, count), first in zip(counts.items(), firsts, strict=True):
        line += text.count(b"\n", place, first)
        place = first
        entries.append(f"{name.decode('utf-8', 'replace')}\t{count}\t{line}")
    return "\n".join([*entries, ""]) if len(entries) > 1 else ""
