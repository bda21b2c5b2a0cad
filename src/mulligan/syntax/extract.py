"""Extracts from one file's text its symbols, its imports and the names it uses."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from mulligan.syntax.doc_comments import comment_above, comment_at_top, docstring_line, signature
from mulligan.syntax.file_types import file_type, type_with
from mulligan.syntax.imports import file_imports
from mulligan.syntax.parsed_file import FileSymbol, ParsedFile
from mulligan.syntax.registry import grammars
from mulligan.syntax.skipping import is_binary, skip_by_content
from mulligan.syntax.tree_query import HOLDERS, Match, Source, body_of, written_in
from mulligan.types.symbols import SymbolKind

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_SYMBOLS = 5_000
"""Most symbols of one file: a file with more is data written as code."""
MAX_PARENT_CHARS = 500
"""Otherwise, the names of a thousand nested classes would take quadratic space."""
MAX_COMMENTS = 200
"""Most comments to skip when searching before or after them: each step takes time in proportion to the siblings."""

_NAME = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]+")
_COMMENT_MARK = re.compile(rb"#|//|/\*|--")
_STRING_NEXT = re.compile(rb"\s*[A-Za-z]{0,2}[\"']")
_FUNCTIONS = frozenset({"function", "method"})
_VALUES = frozenset({"value", "constant", "variable", "type"})
"""Local to a function, or as the second name of `a = b = 1`, these are not symbols."""


def parse_file(path: str, data: bytes, seconds: float | None = None) -> ParsedFile:
    """A file with errors is read as far as possible and marked as broken. Raises `TooSlow` after `seconds`."""
    text = _utf8(data)
    kind = file_type(path, text[:200])
    if text is data and is_binary(data):
        return ParsedFile(language=kind.name if kind else None, skipped="binary")
    lines = text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    if kind is None:
        return ParsedFile(lines=lines, skipped="unknown language")
    reason = skip_by_content(path, kind, text)
    if reason or kind.grammar is None:
        unread = "unknown language" if kind.is_code else None
        return ParsedFile(language=kind.name, lines=lines, skipped=reason or unread)
    source = Source(written_in(path, text) or kind.grammar, text, seconds)
    # Comments are found in rows, docstrings in the tree.
    rows = [] if source.language.docstrings else text.decode("utf-8", "replace").split("\n")
    return ParsedFile(
        grammar=source.grammar,
        language=type_with(grammars()[source.grammar]).name,
        lines=lines,
        doc=_file_doc(source, rows),
        skipped="broken" if source.is_broken else None,
        symbols=tuple(_symbols(source, rows)),
        imports=file_imports(source),
        names=_names(text, source.no_code),
    )


def _utf8(data: bytes) -> bytes:
    """Without a byte order mark. UTF-16 is only recognized by such a mark."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode()
    return data.removeprefix(b"\xef\xbb\xbf")


class _Enclosing(NamedTuple):
    span: tuple[int, int]
    kind: str
    name: str
    """Including the names of its own parents."""


def _symbols(source: Source, rows: Sequence[str]) -> Iterator[FileSymbol]:
    enclosing: list[_Enclosing] = []
    known = 0
    for match in source.definitions():
        name_node = cast("Node", match.name)
        span = match.node.byte_range
        # One definition may have several names: `const A, B = 1, 2`.
        while enclosing and (enclosing[-1].span[1] <= span[0] or enclosing[-1].span == span):
            enclosing.pop()
        holder, around = (enclosing[-1].kind, enclosing[-1].name) if enclosing else ("", "")
        name, parent = source.name_of(match)
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
        if known > MAX_SYMBOLS:
            return
        body = body_of(match.node)
        yield FileSymbol(
            name=name,
            kind=kind,
            line=source.row(name_node.start_byte) + 1,
            end_line=source.last_row(match.node) + 1,
            signature=_signature(source, match.node, body),
            doc=_doc(source, rows, match.node, body),
            parent=parent,
            is_declaration=_is_declaration(match, body),
        )


def _is_declaration(match: Match, body: "Node | None") -> bool:
    """In Java, C# and PHP, methods have the same type of node with a body and without."""
    return match.what == "prototype" or (match.node.type == "method_declaration" and body is None)


def _kind(what: str, name: str, holder: str, *, has_parent: bool) -> SymbolKind | None:
    if what == "local":
        return None
    if what == "namespace":
        return "module"
    if what == "prototype":
        if holder in _FUNCTIONS:
            return None
        what = "function"
    if what == "function" and (holder in HOLDERS or has_parent):
        return "method"
    if what == "method" and not (holder or has_parent):
        return "function"
    if what in _VALUES and (holder in _FUNCTIONS or holder in _VALUES):
        return None
    if what == "value":
        return _kind_of_value(name)
    return cast("SymbolKind", what)


def _kind_of_value(name: str) -> SymbolKind:
    stripped = name.strip("_")
    if stripped.upper() == stripped:
        return "constant"
    return "type" if stripped[:1].isupper() and "_" not in stripped else "variable"


def _joined(parent: str, name: str) -> str:
    return f"{parent}.{name}"[:MAX_PARENT_CHARS] if parent and name else parent or name


def _signature(source: Source, node: "Node", body: "Node | None") -> str:
    begin = node.start_byte
    end = _head_end(source, begin, body) if body else node.end_byte
    # Without a body, only the first line counts: a constant may be a table of a thousand lines.
    head = source.text[begin : min(end, begin + 1_000)].decode("utf-8", "replace")
    if body is None:
        head = head.split("\n", 1)[0]
    line_start = source.text[source.starts[source.row(begin)] : begin].decode("utf-8", "replace")
    return signature(line_start.lstrip(), head)


def _head_end(source: Source, begin: int, body: "Node") -> int:
    """A comment may come between a head and its body. Siblings are only visited if there may be one: that is slow."""
    if not _COMMENT_MARK.search(source.text, begin, body.start_byte):
        return body.start_byte
    before = body.prev_sibling
    for _ in range(MAX_COMMENTS):
        if before is None or before.type != "comment":
            break
        before = before.prev_sibling
    return before.end_byte if before else body.start_byte


def _doc(source: Source, rows: Sequence[str], node: "Node", body: "Node | None") -> str:
    if not source.language.docstrings:
        return comment_above(rows, source.row(node.start_byte), source.language.comment_marks)
    if body is not None and node.child_by_field_name("body") is not None:
        return _docstring(source, _first_named(body))
    # A string below a constant is its documentation.
    statement = node.parent if _STRING_NEXT.match(source.text, node.end_byte) else None
    return _docstring(source, statement.next_named_sibling if statement else None)


def _file_doc(source: Source, rows: Sequence[str]) -> str:
    if not source.language.docstrings:
        return comment_at_top(rows, source.language.comment_marks)
    first = _first_named(source.root)
    for _ in range(MAX_COMMENTS):
        if first is None or first.type != "comment":
            break
        first = first.next_named_sibling
    return _docstring(source, first)


def _docstring(source: Source, statement: "Node | None") -> str:
    string = _first_named(statement) if statement and statement.type == "expression_statement" else None
    return docstring_line(source.of(string)) if string and string.type == "string" else ""


def _first_named(node: "Node") -> "Node | None":
    return node.named_child(0) if node.named_child_count else None


def _names(text: bytes, no_code: "Sequence[Node]") -> str:
    code = bytearray(text)
    for node in no_code:
        begin, end = node.byte_range
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
    line, counted_to = 1, 0
    entries: list[str] = [""]
    for (name, count), first in zip(counts.items(), firsts, strict=True):
        line += text.count(b"\n", counted_to, first)
        counted_to = first
        entries.append(f"{name.decode('utf-8', 'replace')}\t{count}\t{line}")
    return "\n".join([*entries, ""]) if len(entries) > 1 else ""
