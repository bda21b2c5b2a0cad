"""A restore brings files and chat back together, and nothing of what was there is lost."""

import asyncio

import pytest

from mulligan.store.ids import new_id
from mulligan.store.store import open_store
from mulligan.types.checkpoints import CheckpointKind
from mulligan.types.errors import ChatBusy, ConfigurationError
from mulligan.types.messages import TurnMeta, UserMeta
from mulligan.workspace.checkpoints.service import open_checkpoints
from tests.forked_function import run_forked
from tests.workspace.restoring.conftest import Scene
from tests.workspace.restoring.restore_process import restore


def unheard(_words: str) -> None:
    """Nobody listens."""


def work(scene: Scene) -> None:
    """What an agent might do in a turn: edit, delete, create, stage, commit, ignore."""
    (scene.root / "kept.py").write_text("changed\n")
    (scene.root / "gone.py").unlink()
    (scene.root / "new").mkdir()
    (scene.root / "new" / "made.py").write_text("made\n")
    (scene.root / "debug.log").write_text("noise\n")
    scene.git("add", "-A")
    scene.git("commit", "-qm", "by the agent")
    (scene.root / "untracked.txt").write_text("no longer mine\n")


async def test_files_and_chat_go_back_together_and_come_back_together(scene: Scene) -> None:
    await scene.turn("first")
    before, said_before = scene.state(), await scene.said()
    checkpoint = await scene.turn("second")
    work(scene)
    await scene.turn("third")
    after, said_after = scene.state(), await scene.said()

    result = await scene.checkpoints.restore(checkpoint, tell=unheard)
    assert (result.messages_deleted, result.worktree_reset, result.checkpoint_id) == (3, True, checkpoint.id)
    files, status, index = scene.state()
    assert files == {**before[0], "debug.log": "noise\n"}
    assert (status, index) == before[1:]
    assert await scene.said() == [*said_before, "second"]

    await scene.checkpoints.undo(tell=unheard)
    assert scene.state() == after
    assert await scene.said() == said_after


async def test_commits_made_since_stay_under_a_ref_that_the_preview_names(scene: Scene) -> None:
    made = await scene.checkpoints.create()
    work(scene)
    commit = scene.git("rev-parse", "HEAD").strip()
    plan = await scene.checkpoints.preview(made.checkpoint)
    (ref,) = plan.refs
    await scene.checkpoints.restore(made.checkpoint, tell=unheard)
    assert ref.kept_under
    assert scene.git("rev-parse", ref.kept_under).strip() == commit


async def test_a_preview_changes_nothing(scene: Scene) -> None:
    made = await scene.checkpoints.create()
    work(scene)
    before = scene.state(), scene.git("for-each-ref")
    await scene.checkpoints.preview(made.checkpoint)
    assert (scene.state(), scene.git("for-each-ref")) == before
    assert len(await scene.checkpoints.all()) == 1


async def test_later_checkpoints_go_and_this_one_and_the_safety_one_stay(scene: Scene) -> None:
    first = await scene.turn("first")
    second = await scene.turn("second")
    await scene.turn("third")
    await scene.checkpoints.restore(second, tell=unheard)
    left = await scene.checkpoints.all()
    assert [each.id for each in left[:2]] == [first.id, second.id]
    assert [each.kind for each in left[2:]] == ["safety"]


async def test_a_chat_that_is_being_answered_is_not_trimmed(scene: Scene) -> None:
    checkpoint = await scene.turn("first")
    await scene.store.messages.open_turn(scene.chat_id, "second", UserMeta(), TurnMeta(agent="coder", model="m"))
    work(scene)
    before = scene.state()
    with pytest.raises(ChatBusy):
        await scene.checkpoints.restore(checkpoint, tell=unheard)
    assert scene.state() == before
    assert [each.kind for each in await scene.checkpoints.all()] == ["turn"]


async def test_nobody_answers_in_a_chat_that_is_being_restored(scene: Scene) -> None:
    checkpoint = await scene.turn("first")

    def at(step: str) -> None:
        if step == "after it is noted":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await scene.checkpoints.restore(checkpoint, tell=unheard, on_step=at)
    with pytest.raises(ChatBusy, match="being restored"):
        await scene.store.messages.open_turn(scene.chat_id, "second", UserMeta(), TurnMeta(agent="coder", model="m"))


async def test_without_a_restore_there_is_nothing_to_undo(scene: Scene) -> None:
    with pytest.raises(ConfigurationError, match="nothing to undo"):
        await scene.checkpoints.undo(tell=unheard)


async def test_pruning_keeps_the_newest(scene: Scene) -> None:
    made = [(await scene.checkpoints.create()).checkpoint.id for _ in range(4)]
    pruned = await scene.checkpoints.prune(1)
    assert list(pruned.ids) == made[:3]
    assert scene.git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/mulligan/checkpoints").split() == made[3:]


async def test_pruning_keeps_what_an_unfinished_restore_needs_and_names_only_what_it_deleted(scene: Scene) -> None:
    kinds: list[CheckpointKind] = ["manual", "manual", "safety", "manual"]
    made = [(await scene.checkpoints.create(kind=kind)).checkpoint.id for kind in kinds]
    await scene.store.restores.begin(str(scene.root), made[0], made[2])
    assert list((await scene.checkpoints.prune(1)).ids) == [made[1]]


async def test_over_the_quota_the_oldest_go(scene: Scene) -> None:
    checkpoints = await open_checkpoints(scene.root, scene.store, new_id=new_id, quota_bytes=1)
    pruned = 0
    for number in range(16):
        (scene.root / "kept.py").write_text(f"{number}\n" * 100)
        pruned = (await checkpoints.create()).pruned
    assert pruned > 0
    assert len(await checkpoints.all()) == 16 - pruned


async def killed_at(scene: Scene, checkpoint_id: str, step: int) -> int | None:
    """Run a restore in a process of its own that is killed at this step. Its exit code."""
    return await asyncio.to_thread(run_forked, restore, scene.root, scene.database, checkpoint_id, step)


async def test_killed_at_any_step_either_state_is_whole_and_the_chat_agrees(scene: Scene) -> None:
    checkpoint = await scene.turn("first")
    then = scene.state()
    work(scene)
    now = scene.state()
    steps: list[str] = []
    await scene.checkpoints.restore(checkpoint, tell=unheard, on_step=steps.append)
    await scene.checkpoints.undo(tell=unheard)
    assert scene.state() == now

    for step in range(len(steps)):
        assert await killed_at(scene, checkpoint.id, step) == -9, steps[step]
        store = await open_store(scene.database)
        checkpoints = await open_checkpoints(scene.root, store, new_id=new_id)
        await checkpoints.recover(tell=unheard)
        done = await scene.said() == ["first"]
        files, status, index = scene.state()
        expected = ({**then[0], "debug.log": "noise\n"}, *then[1:]) if done else now
        assert (files, status, index) == expected, steps[step]
        if done:
            await checkpoints.undo(tell=unheard)
        await store.close()
        assert scene.state() == now, steps[step]
        assert await scene.said() == ["first", "done: first"]


async def test_what_a_person_did_after_the_crash_is_kept(scene: Scene) -> None:
    checkpoint = await scene.turn("first")
    work(scene)
    steps: list[str] = []
    await scene.checkpoints.restore(checkpoint, tell=unheard, on_step=steps.append)
    await scene.checkpoints.undo(tell=unheard)
    assert await killed_at(scene, checkpoint.id, steps.index("after HEAD moved")) == -9
    (scene.root / "kept.py").write_text("written by the person in between\n")

    store = await open_store(scene.database)
    checkpoints = await open_checkpoints(scene.root, store, new_id=new_id)
    await checkpoints.recover(tell=unheard)
    assert (scene.root / "kept.py").read_text() == "one\n"
    await checkpoints.undo(tell=unheard)
    await store.close()
    assert (scene.root / "kept.py").read_text() == "written by the person in between\n"
