"""The edit tool on a real project: what it makes of a list of edits, and of one that was made already."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mulligan.codecontext.syntax_check import TreeSitterSyntax
from mulligan.tools.edit_file import EditFile
from mulligan.types.errors import EditRefused
from mulligan.types.tool_calls import Succeeded
from tests.workspace.change_bench import ChangeBench, bench
from tests.workspace.conftest import root, write

__all__ = ["bench", "root", "write"]

Write = Callable[..., Path]


async def edited(bench: ChangeBench, **arguments: Any) -> str:
    """What the model is told."""
    outcome = await EditFile(bench.editing(apply_now=True), TreeSitterSyntax()).run({"path": "a.py", **arguments})
    assert isinstance(outcome, Succeeded)
    return outcome.content


async def test_replace_all_beside_a_list_of_edits_is_for_all_of_them(bench: ChangeBench, write: Write) -> None:
    write("a.py", "x = 1\ny = x\n\nx = 1\ny = x\n")
    edits = [{"old": "x = 1", "new": "x = 2"}, {"old": "y = x", "new": "z = x"}]

    await edited(bench, edits=edits, replace_all=True)

    assert bench.tree() == {"a.py": b"x = 2\nz = x\n\nx = 2\nz = x\n"}


async def test_what_was_overlooked_is_told_below_the_diff(bench: ChangeBench, write: Write) -> None:
    write("a.py", "def total(basket):\n    count = len(basket)\n    return count\n")

    told = await edited(
        bench, old="    cuont = len(basket)\n    return count\n", new="    cuont = len(basket)\n    return 2 * count\n"
    )

    assert told.endswith("Placed at lines 2-3, 96% alike: `cuont` read as `count`.")


@pytest.mark.parametrize(("old", "new"), [("i + 1", "i - 1"), ("8", "9")])
async def test_a_short_edit_that_this_chat_made_is_recognised(
    bench: ChangeBench, write: Write, old: str, new: str
) -> None:
    write("a.py", f"n = [{old}]\nm = [{new}]\n")
    await edited(bench, old=old, new=new)

    assert await edited(bench, old=old, new=new) == "Nothing to do: a.py has this change already."
    assert bench.tree() == {"a.py": f"n = [{new}]\nm = [{new}]\n".encode()}


async def test_a_short_edit_that_nobody_made_is_refused(bench: ChangeBench, write: Write) -> None:
    write("a.py", "n = i - 1\n")

    with pytest.raises(EditRefused, match="Nearest to it"):
        await edited(bench, old="i + 1", new="i - 1")


async def test_an_edit_that_was_taken_back_can_be_made_again(bench: ChangeBench, write: Write) -> None:
    write("a.py", "n = i + 1\n")
    await edited(bench, old="i + 1", new="i - 1")
    await bench.revert(bench.told[-1])

    await edited(bench, old="i + 1", new="i - 1")

    assert bench.tree() == {"a.py": b"n = i - 1\n"}
