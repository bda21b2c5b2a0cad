"""What a command changed in the project itself, by content."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mulligan.core.project_state import UNCHANGED
from mulligan.workspace.work_tree_watch import WorkTreeWatch
from tests.workspace.command_tree.conftest import CommandScene, scene_in
from tests.workspace.worktrees.conftest import Yard, content

NOT_COMMITTED = (
    "both", "deleted", "edited", "link", "other name", "renamed", "src/tool", "staged", "unstaged_delete",
)  # fmt: skip


@pytest.fixture
async def applying(dirty: Yard) -> CommandScene:
    return await scene_in(dirty, apply_now=True)


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        pytest.param("true; touch kept", (), id="nothing but a time"),
        pytest.param("cat > kept <<< new", ("kept",), id="a clean file"),
        pytest.param("sed -i s/hand/foot/ edited", ("edited",), id="a file that was changed before"),
        pytest.param("rm new both", ("both", "new"), id="deleted"),
        pytest.param("mkdir -p a/b; echo x > a/b/c; echo x > d.log", ("a/b/c",), id="made, and one that is ignored"),
        pytest.param("chmod +x kept", ("kept",), id="a mode"),
        pytest.param("ln -sf kept new", ("new",), id="became a link"),
        pytest.param("git add -A", (), id="the index alone"),
        pytest.param("git -c user.name=A -c user.email=a@b commit -qam x; echo x > kept", ("kept",), id="committed"),
        pytest.param("git checkout -q HEAD -- edited", ("edited",), id="back to HEAD"),
        pytest.param("git reset -q --hard", NOT_COMMITTED, id="all back to HEAD"),
        pytest.param("cat kept", (), id="only read"),
        pytest.param("echo x > kept; exit 3", ("kept",), id="failed"),
    ],
)
async def test_the_files_that_a_command_changed_are_known(
    applying: CommandScene, command: str, changed: tuple[str, ...]
) -> None:
    ran = await applying.run(command)

    assert ran.changed == changed
    assert (ran.state is not None) == bool(changed)


async def test_going_back_to_a_content_is_no_new_state(applying: CommandScene) -> None:
    states = [(await applying.run(f"printf {text} > kept")).state for text in ("a", "b", "a")]

    assert states[0] == states[2]
    assert len({*states, UNCHANGED}) == 3


async def test_what_an_edit_changed_and_a_command_takes_back_is_the_state_that_was(applying: CommandScene) -> None:
    await applying.edit("kept", "kept\nkept\nkept", "ONE")
    ran = await applying.run("git checkout -q HEAD -- kept")

    assert ran.state == UNCHANGED


async def test_an_edit_and_a_command_that_write_the_same_lead_to_one_state(dirty: Yard) -> None:
    by_edit, by_command = [await scene_in(dirty, apply_now=True) for _ in range(2)]
    made = await by_edit.editing.create("made", "same\n")
    (dirty.root / "made").unlink()

    assert (await by_command.run("echo same > made")).state == made.state


async def test_without_git_it_is_not_known(root: Path, yard: Yard) -> None:
    with tempfile.TemporaryDirectory(dir=root.parent) as folder:
        scene = await scene_in(yard, Path(folder).resolve(), apply_now=True)
        assert (await scene.run("echo x > made")).changed is None


NAMES = ("a", "b", "dir/c", "dir/sub/d", "e.log")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(["1\n", "2\n", "3\n", ""])),
        st.tuples(st.sampled_from(NAMES), st.none()),
        st.tuples(st.just("git"), st.sampled_from(["add", "commit"])),
    ),
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=STEPS, second=STEPS)
async def test_two_looks_tell_exactly_what_differs(
    yard: Yard, first: list[tuple[str, str | None]], second: list[tuple[str, str | None]]
) -> None:
    with tempfile.TemporaryDirectory(dir=yard.root.parent) as folder:
        root = Path(folder)
        yard.git("init", "-q", folder=root)
        (root / ".gitignore").write_text("*.log\n")
        watch = await WorkTreeWatch.open(root.resolve())
        _play(yard, root, first)
        before, looked = content(root), await watch.snapshot()
        _play(yard, root, second)
        after = content(root)
        moves = await watch.moves(looked, await watch.snapshot())

    differing = {path for path in before | after if before.get(path) != after.get(path)}
    assert {move.path for move in moves} == {path for path in differing if not path.endswith(".log")}


def _play(yard: Yard, root: Path, steps: list[tuple[str, str | None]]) -> None:
    for path, text in steps:
        if path == "git" and text == "add":
            yard.git("add", "-A", folder=root)
        elif path == "git":
            yard.git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty", folder=root)
        elif text is None:
            (root / path).unlink(missing_ok=True)
        else:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
