"""Puts written code into its file: each definition in place of the existing one, the rest next to it.

A model may return the whole file, or the function alone, or a method without its class. Each of these is split into
definitions, so that nothing of the file is lost that the reply did not include.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from mulligan.syntax.definitions import CodeText, Definition, Span, cut_code

Edit = tuple[int, int, str]
"""Start and end in bytes, and the replacement."""
_MAIN = "\nif __name__ == "
"""What a model adds to demonstrate its code."""


def place_code(path: str, lines: Sequence[str], code: str, names: Sequence[str] = ()) -> tuple[str, ...] | None:
    """All lines of the file with the code in it. None if no grammar can parse them, or nothing is defined.

    `names` are what was asked for: only its name tells a new method from a function.
    """
    old, new = cut_code(path, lines), cut_code(path, code.split("\n"))
    if old is None or new is None or new.is_broken or not new.definitions:
        return None
    if not old.definitions:
        return _appended(path, old, new)
    edits = [*_imports(path, old, new), *_definitions(old, new, dict(_owners(names)))]
    return tuple(_applied(old.text, edits).rstrip("\n").split("\n"))


def functions_that_differ(path: str, lines: Sequence[str], other: Sequence[str]) -> list[tuple[str, str]]:
    """Owner and name of the functions that both texts define differently."""
    mine, theirs = cut_code(path, lines), cut_code(path, other)
    if mine is None or theirs is None or mine.is_broken or theirs.is_broken:
        return []
    texts = {each.key: _plain(theirs.of(each.inner)) for each in theirs.definitions if each.is_function}
    functions = [each for each in mine.definitions if each.is_function]
    return [
        each.key
        for each in functions
        if texts.get(each.key, _plain(mine.of(each.inner))) != _plain(mine.of(each.inner))
    ]


def with_function_of(
    path: str, lines: Sequence[str], other: Sequence[str], key: tuple[str, str]
) -> tuple[str, ...] | None:
    """The text with one function taken from the other text, and with the other's imports."""
    mine, theirs = cut_code(path, lines), cut_code(path, other)
    if mine is None or theirs is None:
        return None
    had = {each.key: each for each in mine.definitions}
    came = {each.key: each for each in theirs.definitions}
    edits = [*_imports(path, mine, theirs), _replaced(mine, theirs, had[key], came[key])]
    return tuple(_applied(mine.text, edits).split("\n"))


def _appended(path: str, old: CodeText, new: CodeText) -> tuple[str, ...]:
    """For a file without definitions: its text stays, and the code is appended."""
    known = {_plain(old.of(span)) for span in (*old.imports, old.head)}
    repeated = [span for span in (*new.imports, new.head) if _plain(new.of(span)) in known]
    repeated += [span for span in new.imports if span not in repeated and _imports_itself(path, new.of(span))]
    code = _applied(new.text, [(*span, "") for span in repeated]).strip("\n").partition(_MAIN)[0].rstrip("\n")
    kept = old.text.decode("utf-8", "replace").strip("\n")
    return tuple((f"{kept}\n\n{code}" if kept else code).split("\n"))


def _imports(path: str, old: CodeText, new: CodeText) -> Iterator[Edit]:
    """Imports that the file lacks, after the existing ones."""
    known = {_plain(old.of(span)) for span in old.imports}
    new_texts = [new.of(span) for span in new.imports]
    more = [text for text in new_texts if _plain(text) not in known and not _imports_itself(path, text)]
    if not more:
        return
    end = old.imports[-1][1] if old.imports else old.head[1]
    before = "\n" if end else ""
    gap = "\n\n" if end and not old.imports else before
    yield end, end, gap + "\n".join(more) + ("" if end else "\n\n\n")


def _imports_itself(path: str, text: str) -> bool:
    """A model that has seen how tests import a file writes that import into the file too."""
    module = re.escape(path.rpartition("/")[2].partition(".")[0])
    return path.endswith(".py") and bool(
        re.match(rf"(?:from\s+(?:\w+\.)*{module}\s+import\b|import\s+{module}\s*$)", text)
    )


def _plain(text: str) -> str:
    return re.sub(r"[\s;]+", " ", text.replace("'", '"')).strip()


def _owners(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    for each in names:
        owner, _, name = each.rpartition(".")
        if owner:
            yield name, owner


def _definitions(old: CodeText, new: CodeText, owners: Mapping[str, str]) -> Iterator[Edit]:
    """Existing definitions are replaced. A new one goes before the next existing one, or after the last."""
    known = {each.key: each for each in old.definitions}
    methods = {each.name: each for each in old.definitions if each.owner and each.is_function}
    waiting: list[Definition] = []
    behind: int | None = None
    for each in _top_level(new):
        like = known.get(each.key) or (methods.get(each.name) if each.is_function and not each.owner else None)
        holder = known.get(("", owners.get(each.name, "")))
        if like is None and each.is_function and not each.owner and holder and holder.inside:
            yield from _added(old, new, holder, each)
            continue
        if like is None:
            waiting.append(each)
            continue
        for other, after in pairwise([*waiting, each]):
            yield like.outer[0], like.outer[0], f"{new.of(other.outer)}{_gap(old, other, after)}"
        waiting = []
        yield from _merged(old, new, like, each)
        behind = like.outer[1]
    for before, each in pairwise([old.definitions[-1], *waiting]):
        end = len(old.text.rstrip()) if behind is None else behind
        yield end, end, f"{_gap(old, before, each)}{new.of(each.outer)}"


def _top_level(new: CodeText) -> list[Definition]:
    """One for each piece of text, without imports: `a, b = 1, 2` defines two names in one."""
    classes = [each.inside for each in new.definitions if each.inside]
    found = {
        each.outer: each
        for each in new.definitions
        if not any(_within(each.outer, inside) for inside in classes) and each.outer not in new.imports
    }
    return list(found.values())


def _merged(old: CodeText, new: CodeText, like: Definition, each: Definition) -> Iterator[Edit]:
    """Replaces one definition by the other. If only part of a class came back, the rest is kept."""
    if like.inside and each.inside:
        had = {one.name: one for one in old.definitions if _within(one.outer, like.inside)}
        came = {one.name: one for one in new.definitions if _within(one.outer, each.inside)}
        if not had.keys() <= came.keys():
            yield from _members(old, new, like, had, came)
            return
    yield _replaced(old, new, like, each)


def _members(
    old: CodeText, new: CodeText, like: Definition, had: dict[str, Definition], came: dict[str, Definition]
) -> Iterator[Edit]:
    for name, one in came.items():
        if name in had:
            yield _replaced(old, new, had[name], one)
        else:
            yield from _added(old, new, like, one)


def _added(old: CodeText, new: CodeText, holder: Definition, each: Definition) -> Iterator[Edit]:
    """After the last definition of the class."""
    had = [one.outer for one in old.definitions if holder.inside and _within(one.outer, holder.inside)]
    if had:
        indent = _indent(old, had[0][0])
        yield had[-1][1], had[-1][1], f"\n\n{indent}{_reindented(new, each.outer, indent)}"


def _replaced(old: CodeText, new: CodeText, like: Definition, each: Definition) -> Edit:
    """With the decorators of both, the file's own first; exported as in the file."""
    both = like.is_decorated and each.is_decorated
    target = like.outer if both else like.inner
    source = each.outer if each.is_decorated and (both or not like.is_decorated) else each.inner
    return *target, _reindented(new, source, _indent(old, target[0]))


def _reindented(new: CodeText, span: Span, indent: str) -> str:
    """The piece at another depth; its first line is indented already."""
    given = _indent(new, span[0])
    rows = new.of(span).split("\n")
    moved = [f"{indent}{row.removeprefix(given)}" if row.strip() else "" for row in rows[1:]]
    return "\n".join([rows[0], *moved])


def _indent(cut: CodeText, at: int) -> str:
    start = cut.text.rfind(b"\n", 0, at) + 1
    before = cut.text[start:at]
    return before[: len(before) - len(before.lstrip(b" \t"))].decode()


def _gap(old: CodeText, one: Definition, other: Definition) -> str:
    """Two blank lines around functions in languages with indented blocks, as usual in Python."""
    if not any(each.is_function or each.inside for each in (one, other)):
        return "\n"
    return "\n\n\n" if old.is_indented else "\n\n"


def _within(span: Span, around: Span) -> bool:
    return around[0] <= span[0] and span[1] <= around[1]


def _applied(text: bytes, edits: Sequence[Edit]) -> str:
    ordered = sorted(enumerate(edits), key=lambda each: (each[1][0], each[1][1], each[0]))
    spans = [edit for _, edit in ordered]
    kept = [text[: spans[0][0]]] if spans else [text]
    for (_, end, new), (start, _, _) in pairwise([*spans, (len(text), len(text), "")]):
        kept += [new.encode(), text[end:start]]
    return b"".join(kept).decode("utf-8", "replace")
