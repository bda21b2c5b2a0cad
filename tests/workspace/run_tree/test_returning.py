"""A run's work tree returns to a snapshot: exactly, without a trace, and from wherever a killed process left it."""

import signal

import pytest

from tests.forked_function import run_forked
from tests.workspace.run_tree import returning_process
from tests.workspace.run_tree.conftest import Scene
from tests.workspace.worktrees.conftest import content

COMMIT = "git -c user.name=A -c user.email=a@localhost commit -q"

DEEDS = [
    pytest.param("echo more >> edited; echo x > src/tool; chmod -x src/tool", id="edits"),
    pytest.param("rm -r kept src link; mkdir kept; echo x > kept/inner", id="deletes and replaces"),
    pytest.param("mkdir -p out/deep; echo x > out/deep/a; touch core .coverage 'a b'", id="litters"),
    pytest.param(f"echo x > made; git add -A; {COMMIT} -m work; echo y > later", id="commits"),
    pytest.param(f"git checkout -q -b topic; echo x > made; git add -A; {COMMIT} -m work", id="commits on a branch"),
    pytest.param("git add -A; git rm -q --cached kept; git stash -q", id="changes the index and stashes"),
    pytest.param("echo '*' > .gitignore; echo x > hidden; echo y > new; rm image.png", id="ignores everything"),
    pytest.param("echo build/ > .gitignore; rm edited", id="ignores less"),
    pytest.param("rm link; ln -s /etc link; ln -s /etc/passwd out", id="links out"),
    pytest.param("touch $(git rev-parse --git-dir)/index.lock; rm edited", id="is stopped within a git command"),
    pytest.param("mkdir $(git rev-parse --git-dir)/rebase-merge; rm edited", id="leaves a rebase"),
    pytest.param("rm .git; rm edited", id="takes git away"),
    pytest.param("rm -r -- * ; rm .gitignore", id="deletes everything"),
]


@pytest.mark.parametrize("script", DEEDS)
async def test_whatever_a_command_did_the_moment_comes_back(scene: Scene, script: str) -> None:
    before = scene.photograph()
    snapshot = await scene.run.keep("start")
    await scene.sh(script)
    await scene.run.return_to(snapshot)
    assert scene.photograph() == before
    assert await scene.run.changed_since(snapshot) == ()


async def test_the_persons_checkout_and_refs_are_not_touched(scene: Scene) -> None:
    before, refs = content(scene.yard.root), scene.yard.git("for-each-ref")
    status = scene.yard.git("status", "--porcelain=v2", "--branch")
    snapshot = await scene.run.keep("start")
    await scene.sh(f"echo x > kept; git add -A; {COMMIT} -m work")
    await scene.run.return_to(snapshot)
    await scene.run.remove()
    assert content(scene.yard.root) == before
    assert scene.yard.git("status", "--porcelain=v2", "--branch") == status
    assert (
        scene.yard.git("for-each-ref")
        == "\n".join(line for line in refs.splitlines() if "refs/mulligan" not in line) + "\n"
    )


async def test_ignored_files_stay(scene: Scene) -> None:
    snapshot = await scene.run.keep("start")
    await scene.sh("echo cached > noise.log; mkdir build; echo built > build/out")
    await scene.sh("mkdir cache; echo '*' > cache/.gitignore")
    await scene.run.return_to(snapshot)
    assert (scene.root / "noise.log").read_text() == "cached\n"
    assert (scene.root / "build" / "out").read_text() == "built\n"
    assert (scene.root / "cache" / ".gitignore").exists()


async def test_no_checkpoint_is_added_and_no_later_one_goes(scene: Scene) -> None:
    first = await scene.run.keep("first")
    (scene.root / "kept").write_text("more\n")
    second = await scene.run.keep("second")
    await scene.run.return_to(first)
    assert [each.id for each in await scene.yard.store.checkpoints.list(root=scene.run.tree.path)] == [first, second]
    await scene.run.return_to(second)
    assert (scene.root / "kept").read_text() == "more\n"


async def test_in_a_repository_without_a_commit_a_commit_is_taken_back(unborn: Scene) -> None:
    before = unborn.photograph()
    snapshot = await unborn.run.keep("start")
    await unborn.sh(f"git add -A; {COMMIT} -m work; echo x > a")
    await unborn.run.return_to(snapshot)
    assert unborn.photograph() == before
    assert unborn.yard.git("for-each-ref", "refs/heads") == ""


def was_killed(scene: Scene, snapshot: str, step: int) -> bool:
    where = (scene.yard.root, scene.yard.home, scene.run.tree.id, snapshot, step)
    return run_forked(returning_process.go_back, *where) == -signal.SIGKILL


async def test_killed_at_any_step_it_is_finished_by_doing_it_again(scene: Scene) -> None:
    action = f"git add -A; {COMMIT} -m work; echo x > kept; rm src/tool; mkdir out; echo x > out/a; echo a > .gitignore"
    before = scene.photograph()
    snapshot = await scene.run.keep("start")
    steps: list[str] = []
    await scene.sh(action)
    await scene.run.return_to(snapshot, on_step=steps.append)

    for step in range(0, len(steps), 4):
        await scene.sh(action)
        assert was_killed(scene, snapshot, step), steps[step]
        await scene.run.return_to(snapshot)
        assert scene.photograph() == before, steps[step]
