"""Puts written code into its file: each definition in place of the existing one, the rest next to it.

A model may return the whole file, or the function alone, or a method without its class. Each of these is split into
definitions, so that nothing of the file is lost that the reply did not include.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mulligan.core.writing.imports import added_imports, needed_imports, plain_text, without_unused
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
    after = mine.edited([*added_imports(path, mine, theirs), _replaced(mine, theirs, like, each)])
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
        is_comment = old.of(before).startswith(("//", "/*", "#")) and _begins_line(old, before[0])
        if not is_comment or old.text[before[1] : start].strip(b" \t") not in (b"\n", b""):
            break
        start = before[0]
    return start, end


def _merged(
    old: CodeText, new: CodeText, like: Definition, each: Definition, asked: Sequence[Definition]
) -> Iterator[Replacement]:
    """Replaces one definition by the other. If only part of a class came back, the rest is kept, and so is what the
    reply only mentions."""
    if each.is_stub and not like.is_stub:
        return
    if _is_whole(old, new, like, each, asked):
        yield _replaced(old, new, like, each)
        return
    came = members_of(new, each)
    pairs = paired(members_of(old, like), came, asked)
    for one in came:
        if one in pairs:
            yield from _merged(old, new, pairs[one], one, asked)
    yield from _added(old, new, like, [one for one in came if one not in pairs])


def _is_whole(old: CodeText, new: CodeText, like: Definition, each: Definition, asked: Sequence[Definition]) -> bool:
    if not like.inside or not each.inside:
        return not each.is_stub or like.is_stub
    had = members_of(old, like)
    pairs = paired(had, members_of(new, each), asked)
    if not had:
        empty = _EMPTY_CLASS.fullmatch(old.text, *like.inside)
        heads = old.of((like.inner[0], like.inside[0])), new.of((each.inner[0], each.inside[0]))
        return empty is not None and not (empty["docstring"] and _is_same(*heads))
    return len(pairs) >= len(had) and all(_is_whole(old, new, was, one, asked) for one, was in pairs.items())


def _added(old: CodeText, new: CodeText, holder: Definition, members: Sequence[Definition]) -> Iterator[Replacement]:
    """At the end of a class, or in place of its `pass`."""
    if not holder.inside or not members:
        return
    start, end = holder.inside
    margin = _indent(old, holder.outer[0])
    had = members_of(old, holder)
    indent = _indent(old, had[0].outer[0]) if had and _begins_line(old, had[0].outer[0]) else f"{margin}{_unit(old)}"
    text = "\n\n".join(f"{indent}{_reindented(new, each.outer, indent)}" for each in members)
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


def _replaced(old: CodeText, new: CodeText, like: Definition, each: Definition) -> Replacement:
    """With the decorators of both, the file's own first; exported as in the file."""
    both = like.is_decorated and each.is_decorated
    target = like.outer if both else like.inner
    source = each.outer if each.is_decorated and (both or not like.is_decorated) else each.inner
    return *target, _in_form_of(old, like, each, _reindented(new, source, _indent(old, target[0])))


def _in_form_of(old: CodeText, like: Definition, each: Definition, text: str) -> str:
    """In JavaScript a function may be a statement, a method or a value: what the model wrote takes the form that the
    file has."""
    if not {like.form, each.form} & _FORMS:
        return text
    was, value = old.of(like.inner), text
    if each.form == "method_definition":
        value = _METHOD.sub(r"\1function\2 ", text, count=1)
    elif each.form == "pair":
        value = text.partition(":")[2].strip()
    elif "function" not in each.form:
        value = text.removeprefix(_assigned_to(text)).removesuffix(";")
    function = _FUNCTION.match(value)
    if like.form == "method_definition" and function:
        words = "".join(f"{word} " for word in _MODIFIER.findall(was[: was.index("(")]))
        return f"{words}{function[1]}{function[2]}{value[function.end() :]}"
    if like.form == each.form:
        return text
    if like.form in ("method_definition", "pair"):
        return f"{like.name} = {value}" if like.owner else f"{like.name}: {value}"
    if like.form in _FORMS:
        return f"{_assigned_to(was)}{value}{';' if was.endswith(';') else ''}"
    return f"const {like.name} = {value};" if each.form == "pair" else value


def _assigned_to(text: str) -> str:
    """What is before the value of an assignment, with its sign."""
    found = _ASSIGNS.search(text)
    return text[: found.end()] if found else ""


def _as_statement(new: CodeText, each: Definition) -> str:
    """A new function outside of all classes, also one that came as a method."""
    text = _reindented(new, each.outer, "")
    return _METHOD.sub(r"\1function\2 ", text, count=1) if each.form == "method_definition" else text


def _reindented(new: CodeText, span: Span, indent: str) -> str:
    """The piece at another depth; its first line is indented already."""
    given, first = _indent(new, span[0]), new.text.count(b"\n", 0, span[0])
    rows = new.of(span).split("\n")
    if given == indent:
        return "\n".join(rows)
    for at, row in enumerate(rows[1:], 1):
        if first + at not in new.verbatim:
            rows[at] = f"{indent}{row.removeprefix(given)}" if row.strip() else ""
    return "\n".join(rows)


def _indent(cut: CodeText, at: int) -> str:
    start = cut.text.rfind(b"\n", 0, at) + 1
    before = cut.text[start:at]
    return before[: len(before) - len(before.lstrip(b" \t"))].decode()


def _begins_line(cut: CodeText, at: int) -> bool:
    return not cut.text[cut.text.rfind(b"\n", 0, at) + 1 : at].strip()


def _unit(cut: CodeText) -> str:
    """One level of indentation, as the file has it."""
    found = re.search(rb"^(\t|  +)[^\s*]", cut.text, re.MULTILINE)
    return found[1].decode() if found else " " * (4 if cut.is_indented else 2)


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


_FORMS = frozenset({
    "method_definition", "pair", "field_definition", "public_field_definition", "assignment_expression",
})  # fmt: skip
_EMPTY_CLASS = re.compile(
    rb"\{\s*\}|(?P<docstring>[rRuU]?(?P<mark>\"\"\"|'\'\'|\"|').*?(?P=mark))?\s*(?:(?:pass|\.\.\.)\s*)?", re.DOTALL
)
_MODIFIER = re.compile(r"\b(?:static|public|private|protected|override|get|set)\b")
_METHOD = re.compile(rf"(?:{_MODIFIER.pattern}\s+)*(async\s+)?(\*?)\s*")
_FUNCTION = re.compile(r"(async\s+|)function\s*(\*?)\s*")
_ASSIGNS = re.compile(r"=(?!>)\s*")
