"""The decorators of a definition that is written again: those of the file, and what the reply adds to them."""

import re
from collections.abc import Iterator

from mulligan.core.writing.forms import includes
from mulligan.core.writing.indents import indent_at, reindented
from mulligan.syntax.definitions import CodeText, Definition, Replacement


def added_decorators(old: CodeText, new: CodeText, like: Definition, each: Definition) -> Iterator[Replacement]:
    """The file's decorators stay, in their order: they belong to the project, also those of a stub, and a model often
    leaves one out or guesses its arguments.

    One of the same name replaces the file's only if it has all of that one's text, as with one more argument. Others
    are added in the reply's order: above the file's decorator that follows in the reply, else above the function. One
    that binds the function in another way, as `classmethod` does, is added only if the file has none of these.
    """
    had = [(_name(old.of(span)), span) for span in like.decorators]
    came = [_name(new.of(span)) for span in each.decorators]
    names = [name for name, _ in had]
    is_bound = any(_binds(name) for name in names)
    indent = indent_at(old, like.inner[0])
    for at, (name, span) in enumerate(zip(came, each.decorators, strict=True)):
        text = reindented(new, span, indent)
        if name in names:
            mine = had[names.index(name)][1]
            is_only_one = names.count(name) == came.count(name) == 1
            if is_only_one and includes(text, old.of(mine)):
                yield *mine, text
        elif not (is_bound and _binds(name)):
            place = next((mine[0] for one, mine in had if one in came[at + 1 :]), like.inner[0])
            yield place, place, f"{text}\n{indent}"


def has_decorators_of(old: CodeText, new: CodeText, like: Definition, each: Definition) -> bool:
    return includes(_joined(new, each), _joined(old, like))


def _joined(cut: CodeText, each: Definition) -> str:
    return "\n".join(cut.of(span) for span in each.decorators)


def _name(decorator: str) -> str:
    return re.sub(r"\s", "", decorator.partition("(")[0])


def _binds(name: str) -> bool:
    return name.lstrip("@").rpartition(".")[2] in _BINDING


_BINDING = frozenset({"staticmethod", "classmethod", "property", "cached_property", "getter", "setter", "deleter"})
