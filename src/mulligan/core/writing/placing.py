"""Puts written code into its file: each definition in place of the existing one, the rest next to it.

A model may return the whole file, or the function alone, or a method without its class. Each of these is split into
definitions, so that nothing of the file is lost that the reply did not include.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mulligan.core.writing.decorators import added_decorators, has_decorators_of
from mulligan.core.writing.forms import as_function, in_form_of, includes
from mulligan.core.writing.imports import added_imports, needed_imports, plain_text, without_unused
from mulligan.core.writing.indents import begins_line, indent_at, indent_unit, reindented
from mulligan.core.writing.matching import (
    asked_for,
    class_to_extend,
    is_within,
    members_of,
    paired,
    pieces_of,
    what_each_extends,
    what_each_replaces,
)
from mulligan.core.writing.replies import ALONE
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.definitions import CodeText, Definition, Replacement, Span, cut_code

Key = tuple[str, str, str, int]
"""Owner, name and role of a definition, and how many before it have the same."""
_MAIN = "\nif __name__ == "
"""What a model adds to demonstrate its code."""


def place_code(
    path: str, lines: Sequence[str], code: str, names: Sequence[str] = (), where: CodeBlock | None = None
) -> tuple[str, ...] | None:
    """All lines of the file with the code in it. None if no grammar can parse them, or nothing is defined.

    `names` are what was asked for, `where` the lines of the only one: names alone do not tell which of two functions is
    meant, nor a new method from a function.
    """
    old, new = cut_code(path, lines), cut_code(path, code.split("\n"))
    if old is None or new is None or new.is_broken or not new.definitions:
        return None
    asked = asked_for(old, names, where)
    if old.definitions or any(asked.values()):
        after = old.edited([*added_imports(path, old, new), *_definitions(old, new, asked)])
    else:
        after = _appended(path, old, new)
    return tuple(without_unused(path, old, after).rstrip("\n").split("\n"))


def functions_that_differ(path: str, lines: Sequence[str], other: Sequence[str]) -> list[Key]:
    """The functions that both texts define differently."""
    mine, theirs = cut_code(path, lines), cut_code(path, other)
    if mine is None or theirs is None or mine.is_broken or theirs.is_broken:
        return []
    came = _by_key(theirs)
    return [
        key
        for key, each in _by_key(mine).items()
        if key in came and each.is_function and not _is_same(mine.of(each.inner), theirs.of(came[key].inner))
    ]


def _is_same(one: str, other: str) -> bool:
    return plain_text(one) == plain_text(other)


def with_function_of(path: str, lines: Sequence[str], other: Sequence[str], key: Key) -> tuple[str, ...] | None:
    """The text with one function taken from the other text, and with the other's imports."""
    mine, theirs = cut_code(path, lines), cut_code(path, other)
    if mine is None or theirs is None:
        return None
    like, each = _by_key(mine)[key], _by_key(theirs)[key]
    after = mine.edited([*added_imports(path, mine, theirs), *_replaced(mine, theirs, like, each)])
    return tuple(without_unused(path, mine, after).split("\n"))


def _appended(path: str, old: CodeText, new: CodeText) -> str:
    """For a file without definitions: its text stays, and the code is appended."""
    head = [(*new.head, "")] if _is_same(new.of(new.head), old.of(old.head)) else []
    edits = [(*span, rest) for span, rest in needed_imports(path, old, new) if rest != new.of(span)]
    code = new.edited([*head, *edits]).strip("\n").partition(_MAIN)[0].rstrip("\n")
    if any(each.name == ALONE for each in new.definitions):
        code = "\n\n".join(_as_statement(new, each) for each in pieces_of(new))
    kept = old.text.decode("utf-8", "replace").strip("\n")
    return f"{kept}\n\n{code}" if kept else code


def _definitions(old: CodeText, new: CodeText, names: Mapping[str, Sequence[Definition]]) -> Iterator[Replacement]:
    """Existing definitions are replaced. A new one goes before the next existing one, or after the last."""
    pieces, asked = pieces_of(new), [like for likes in names.values() for like in likes]
    holders = what_each_extends(old, new, pieces, [name for name, likes in names.items() if not likes])
    likes = what_each_replaces(old, new, [each for each in pieces if each not in holders], asked)
    more: dict[Definition, list[Definition]] = {}
    waiting: list[Definition] = []
    behind: int | None = None
    for each in pieces:
        like = likes.get(each)
        if like is None:
            holder = holders.get(each) or class_to_extend(old, new, list(names), each)
            (more.setdefault(holder, []) if holder else waiting).append(each)
            continue
        start, end = _statement_of(old, like)
        for other, after in pairwise([*waiting, each]):
            yield start, start, f"{_as_statement(new, other)}{_gap(old, other, after)}"
        waiting = []
        yield from _merged(old, new, like, each, asked)
        behind = end
    for holder, members in more.items():
        yield from _added(old, new, holder, members)
    end = len(old.text.rstrip()) if behind is None else behind
    for at, each in enumerate(waiting):
        before = waiting[at - 1] if at else (old.definitions or waiting)[-1]
        yield end, end, f"{_gap(old, before, each)}{_as_statement(new, each)}"


def _statement_of(old: CodeText, each: Definition) -> Span:
    """The statement of the file that holds a definition, with the comments above it."""
    at = next(at for at, span in enumerate(old.statements) if is_within(each.outer, span))
    start, end = old.statements[at]
    for before in reversed(old.statements[:at]):
        is_comment = old.of(before).startswith(("//", "/*", "#")) and begins_line(old, before[0])
        if not is_comment or old.text[before[1] : start].strip(b" \t") not in (b"\n", b""):
            break
        start = before[0]
    return start, end


def _merged(
    old: CodeText, new: CodeText, like: Definition, each: Definition, asked: Sequence[Definition]
) -> Iterator[Replacement]:
    """Replaces one definition by the other. If only part of a class came back, the rest is kept, and so is what the
    reply only mentions."""
    if (each.is_stub and not like.is_stub) or each.what in {*_NO_CODE, "statement"}:
        return
    if not (like.inside and each.inside) or _has_all_of(old, new, like, each, asked):
        yield from _replaced(old, new, like, each)
        return
    yield from added_decorators(old, new, like, each)
    if like.head and each.head and includes(new.of(each.head), old.of(like.head)):
        yield *like.head, new.of(each.head)
    came = members_of(new, each)
    pairs = paired(members_of(old, like), came, asked)
    for one in came:
        if one in pairs:
            yield from _merged(old, new, pairs[one], one, asked)
    more: list[Definition] = []
    for one in _unpaired(old, like, came, pairs):
        beside = _beside(old, new, came, pairs, one) if _is_field(one) else None
        if beside:
            yield beside
        else:
            more.append(one)
    yield from _added(old, new, like, more)


def _has_all_of(old: CodeText, new: CodeText, like: Definition, each: Definition, asked: Sequence[Definition]) -> bool:
    """Whether what the file's definition has besides the code of its functions came back, too: its head, decorators,
    fields, blocks and comments."""
    if each.is_stub and not like.is_stub:
        return False
    if not like.inside or not each.inside:
        text = new.of(each.inner)
        return _is_same(in_form_of(old, like, each, text), text)
    had = members_of(old, like)
    pairs = paired(had, members_of(new, each), asked)
    return (
        bool(had or _EMPTY_CLASS.fullmatch(old.text, *like.inside))
        and (not like.head or not each.head or includes(new.of(each.head), old.of(like.head)))
        and len(pairs) >= len(had)
        and all(
            has_decorators_of(old, new, was, one) and _has_all_of(old, new, was, one, asked)
            for one, was in pairs.items()
        )
    )


def _unpaired(
    old: CodeText, like: Definition, came: Sequence[Definition], pairs: Mapping[Definition, Definition]
) -> list[Definition]:
    """What a class gets in addition. Comments are none of it, nor is another signature of a method that exists."""
    names = {each.name for each in members_of(old, like)}
    found: list[Definition] = []
    for each in came:
        has_known = any(is_within(one.outer, each.outer) for one in pairs)
        is_inside = any(is_within(each.outer, one.outer) for one in found)
        is_signature = each.form == "method_signature" and each.name in names
        if not (has_known or is_inside or is_signature or each.what in _NO_CODE):
            found.append(each)
    # The values of an enumeration may need a comma between them.
    return found if like.what != "enum" else [each for each in found if each.is_function]


def _beside(
    old: CodeText, new: CodeText, came: Sequence[Definition], pairs: Mapping[Definition, Definition], each: Definition
) -> Replacement | None:
    """A new field goes below the field that it follows in the reply, or above what follows it there: the order of
    fields may count. None if the file has that one not in lines of its own."""
    at = came.index(each)
    known = [(place, pairs[one]) for place, one in enumerate(came) if one in pairs and one.what not in _NO_CODE]
    before = next((like for place, like in reversed(known) if place < at), None)
    after = next((like for place, like in known if place > at), None)
    if before and _is_field(before) and begins_line(old, before.outer[0]):
        indent, rest = indent_at(old, before.outer[0]), _REST_OF_LINE.match(old.text, before.outer[1])
        return (rest.end(), rest.end(), f"\n{indent}{_member(new, each, indent)}") if rest else None
    if after and begins_line(old, after.outer[0]):
        indent, start = indent_at(old, after.outer[0]), _with_comments(old, after.outer[0])
        gap = "\n" if _is_field(after) else "\n\n"
        return start, start, f"{indent}{_member(new, each, indent)}{gap}"
    return None


def _is_field(each: Definition) -> bool:
    return not each.is_function and not each.inside


def _with_comments(cut: CodeText, at: int) -> int:
    """The start of the line, or of the comments above it."""
    start = cut.text.rfind(b"\n", 0, at) + 1
    while start:
        before = cut.text.rfind(b"\n", 0, start - 1) + 1
        if not cut.text[before:start].strip().startswith((b"#", b"//", b"/*", b"*")):
            break
        start = before
    return start


def _member(new: CodeText, each: Definition, indent: str) -> str:
    """With the sign that ends it, which is no part of a field."""
    ends = new.text[each.outer[1] :].lstrip(b" \t").startswith(b";")
    return f"{reindented(new, each.outer, indent)}{';' if ends else ''}"


def _added(old: CodeText, new: CodeText, holder: Definition, members: Sequence[Definition]) -> Iterator[Replacement]:
    """At the end of a class, or in place of its `pass`."""
    if not holder.inside or not members:
        return
    start, end = holder.inside
    margin = indent_at(old, holder.outer[0])
    indents = (indent_at(old, at) for at, _ in (each.outer for each in members_of(old, holder)) if begins_line(old, at))
    indent = next(indents, f"{margin}{indent_unit(old)}")
    text = "\n\n".join(f"{indent}{_member(new, each, indent)}" for each in members)
    if old.text[start:end].startswith(b"{"):
        body = old.text[start : end - 1].rstrip()
        gap = "\n" if body == b"{" else "\n\n"
        yield start + len(body), end - 1, f"{gap}{text}\n{margin}"
        return
    head = len(old.text[:start].rstrip())
    nothing = _EMPTY_CLASS.fullmatch(old.text, start, end)
    if nothing and not nothing["docstring"]:
        yield head, end, f"\n{text}"
        return
    if b"\n" not in old.text[head:start] and old.is_indented:
        yield head, start, f"\n{indent}"
    yield nothing.end("docstring") if nothing else end, end, f"\n\n{text}"


def _replaced(old: CodeText, new: CodeText, like: Definition, each: Definition) -> Iterator[Replacement]:
    """With the decorators of both; exported as in the file."""
    indent = indent_at(old, like.inner[0])
    yield from added_decorators(old, new, like, each)
    yield *like.inner, in_form_of(old, like, each, reindented(new, each.inner, indent))


def _as_statement(new: CodeText, each: Definition) -> str:
    """A new function outside of all classes, also one that came as a method."""
    text = reindented(new, each.outer, "")
    return as_function(text) if each.form == "method_definition" else text


def _gap(old: CodeText, one: Definition, other: Definition) -> str:
    """Two blank lines around functions in languages with indented blocks, as usual in Python."""
    if not any(each.is_function or each.inside for each in (one, other)):
        return "\n"
    return "\n\n\n" if old.is_indented else "\n\n"


def _by_key(cut: CodeText) -> dict[Key, Definition]:
    found: dict[Key, Definition] = {}
    for each in cut.definitions:
        before = sum(key[:3] == (each.owner, each.name, each.role) for key in found)
        found[each.owner, each.name, each.role, before] = each
    return found


_EMPTY_CLASS = re.compile(
    rb"\{\s*\}|(?P<docstring>[rRuU]?(?P<mark>\"\"\"|'\'\'|\"|').*?(?P=mark))?\s*(?:(?:pass|\.\.\.)\s*)?", re.DOTALL
)
_NO_CODE = frozenset({"comment", "docstring"})
_REST_OF_LINE = re.compile(rb"[ \t]*[;,]?[ \t]*(?:(?:#|//)[^\n]*)?(?=\n|\Z)")
