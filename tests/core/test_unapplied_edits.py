"""Which edits came to nothing, and which files a command changed instead."""

import pytest

from mulligan.core.provenance import RefusedEdits, refused_edits, refused_words
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
    assert refused_edits(played(*calls)) == RefusedEdits(unapplied)


def command(*changed: str) -> list[Part]:
    call = ToolCallPart(call_id="c", name="run_command", arguments={"command": "cat > a.py"})
    return [call, ToolResultPart(call_id="c", name="run_command", content="", changed=changed)]


REFUSED, MADE = played(("edit_file", "a.py", False)), played(("edit_file", "a.py", True))


@pytest.mark.parametrize(
    ("parts", "refused"),
    [
        pytest.param([*REFUSED, *command("a.py")], RefusedEdits(overwritten=("a.py",)), id="changed by a command"),
        pytest.param([*command("a.py"), *REFUSED], RefusedEdits(("a.py",)), id="refused after the command"),
        pytest.param([*REFUSED, *command("b.py")], RefusedEdits(("a.py",)), id="another file was changed"),
        pytest.param([*REFUSED, *command("a.py"), *REFUSED], RefusedEdits(("a.py",)), id="refused once more"),
        pytest.param([*REFUSED, *command("a.py"), *MADE], RefusedEdits(), id="edited after all"),
        pytest.param([*MADE, *command("a.py")], RefusedEdits(), id="no edit was refused"),
    ],
)
def test_a_file_that_a_command_changed_after_its_edit_was_refused_is_not_unapplied(
    parts: list[Part], refused: RefusedEdits
) -> None:
    assert refused_edits(parts) == refused


@pytest.mark.parametrize(
    ("refused", "words"),
    [
        pytest.param(RefusedEdits(), "", id="none"),
        pytest.param(
            RefusedEdits(("a.py", "b.py")),
            " But its last edit of a.py and b.py was refused: that is not done.",
            id="not done",
        ),
        pytest.param(
            RefusedEdits((), ("a.py",)),
            " a.py was changed by a command, after an edit of it was refused.",
            id="changed by a command",
        ),
    ],
)
def test_the_end_of_a_turn_says_it(refused: RefusedEdits, words: str) -> None:
    assert refused_words(refused) == words
