"""Which edits came to nothing."""

import pytest

from mulligan.core.provenance import unapplied_edits
from mulligan.types.messages import Part, ToolCallPart, ToolResultPart


def played(*calls: tuple[str, str, bool]) -> list[Part]:
    parts: list[Part] = []
    for place, (name, path, works) in enumerate(calls):
        parts.append(ToolCallPart(call_id=str(place), name=name, arguments={"path": path}))
        failure = None if works else "exec_error"
        parts.append(ToolResultPart(call_id=str(place), name=name, content="", failure=failure))
    return parts


@pytest.mark.parametrize(
    ("calls", "unapplied"),
    [
        pytest.param([("edit_file", "a.py", True)], (), id="made"),
        pytest.param([("edit_file", "a.py", False)], ("a.py",), id="refused"),
        pytest.param([("edit_file", "a.py", False), ("edit_file", "./a.py", True)], (), id="made good"),
        pytest.param([("edit_file", "a.py", True), ("edit_file", "a.py", False)], ("a.py",), id="refused last"),
        pytest.param([("edit_file", "x/a.py", False), ("edit_file", "src/a.py", True)], (), id="wrong folder first"),
        pytest.param([("edit_file", "a.py", True), ("delete_file", "b.py", False)], ("b.py",), id="one of two"),
        pytest.param([("view_file", "a.py", False)], (), id="reading is no change"),
    ],
)
def test_the_last_word_on_each_file_counts(calls: list[tuple[str, str, bool]], unapplied: tuple[str, ...]) -> None:
    assert unapplied_edits(played(*calls)) == unapplied
