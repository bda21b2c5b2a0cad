"""Queries the code index without waiting until a large project has been read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from mulligan.ports.code import CodeAnswers, OpenIndex

if TYPE_CHECKING:
    from mulligan.types.codecontext import IndexProgress

T = TypeVar("T")


async def ask_promptly(index: OpenIndex, question: Callable[[CodeAnswers], Awaitable[T]]) -> tuple[T, str]:
    """The answer, and a note if it only covers a part of the project."""
    found, so_far = await index().promptly(question)
    return found, _note(so_far) if so_far else ""


def _note(so_far: IndexProgress) -> str:
    left = so_far.of - so_far.read
    rest = f" The other {left:,} are still being read; grep finds what is in them." if left else ""
    read = f"{so_far.read:,} of {so_far.of:,}" if left else f"{so_far.read:,}"
    return f"\n\n[This is from {read} files.{rest} How files use each other is not known yet: ask again later.]"
