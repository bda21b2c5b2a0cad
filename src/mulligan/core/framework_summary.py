"""A project's manifest in one line."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # creating its classes takes time at every start
    from mulligan.types.codecontext import Framework


def framework_summary(found: "Framework") -> str:
    """`python · mulligan · fastapi, pytest · commands: test, lint`"""
    parts = [found.language, found.name, ", ".join(found.frameworks)]
    parts += [f"commands: {', '.join(name for name, _ in found.scripts[:8])}"] if found.scripts else []
    return " · ".join(words for words in parts if words)
