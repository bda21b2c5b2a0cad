from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.project_state import UNCHANGED, ProjectState, content_id


def test_going_back_gives_the_state_that_was() -> None:
    edited = ProjectState().after("a.py", "x = 1", "x = 2")
    back = edited.after("a.py", "x = 2", "x = 1")
    assert edited.digest != UNCHANGED
    assert back.digest == UNCHANGED
    assert back.after("a.py", "x = 1", "x = 2").digest == edited.digest


def test_a_file_made_and_deleted_again_leaves_no_trace() -> None:
    assert ProjectState().after("b.py", None, "").after("b.py", "", None).digest == UNCHANGED


def test_an_empty_file_is_not_a_missing_one() -> None:
    assert ProjectState().after("b.py", None, "").digest != UNCHANGED


def test_a_content_is_named_as_git_names_it() -> None:
    # printf 'x = 1\n' | git hash-object --stdin
    assert content_id("100644", b"x = 1\n") == "100644 7d4290a117a4ddcc11daae7ea675841033830c8f"
    assert content_id("100755", b"x = 1\n") != content_id("100644", b"x = 1\n")


WRITES = st.lists(st.tuples(st.sampled_from("a"), st.sampled_from([None, "1", "2"])), max_size=8)


@given(WRITES)
def test_the_digest_depends_on_contents_alone(writes: list[tuple[str, str | None]]) -> None:
    contents: dict[str, str | None] = {}
    state = ProjectState()
    for path, content in writes:
        state = state.after(path, contents.get(path), content)
        contents[path] = content
    at_once = ProjectState()
    for path, content in reversed(contents.items()):
        at_once = at_once.after(path, None, content)
    assert state.digest == at_once.digest
