"""Commands of a chat with pending changes: what they see, what they change, and what they leave alone."""

import asyncio
import os
from pathlib import Path

import pytest

from mulligan.store.store import open_store
from mulligan.workspace.changes.pending import PendingChanges
from tests.workspace.command_tree.conftest import CommandScene, scene_in
from tests.workspace.worktrees.conftest import Yard, content


async def test_without_pending_changes_a_command_runs_in_the_project(scene: CommandScene) -> None:
    ran = await scene.run("pwd")

    assert (ran.result.stdout.strip(), ran.seen, ran.unseen) == (str(scene.project), 0, 0)
    assert await scene.yard.trees.of_commands() == []


async def test_a_command_sees_pending_edits_and_all_that_is_not_committed(scene: CommandScene) -> None:
    before = content(scene.project)
    await scene.edit("kept", "kept\nkept\nkept", "KEPT")
    await scene.editing.create("made/by chat", "new\n")
    await scene.editing.delete("new")

    said = await scene.said("cat kept 'made/by chat' edited both; ls")

    assert said.splitlines()[:4] == ["KEPT", "new", "by hand", "and once more"]
    assert not {"new", "deleted", "unstaged_delete", "noise.log"} & {*said.splitlines()[4:]}
    assert content(scene.project) == before


async def test_the_work_tree_is_exactly_the_checkout_and_the_pending_changes(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "KEPT")
    await scene.run("true")

    wanted = {path: held for path, held in content(scene.project).items() if not path.startswith(("build", "noise"))}
    wanted["kept"] = ("file", b"KEPT\n")
    assert content(await scene.tree()) == wanted


async def test_a_later_command_sees_what_changed_since_in_the_chat_and_in_the_checkout(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    assert await scene.said("cat kept both") == "ONE\nand once more\n"
    await scene.edit("kept", "ONE", "TWO")
    (scene.project / "both").write_text("by the person\n")
    (scene.project / "new").unlink()
    (scene.project / "src" / "late").write_text("late\n")

    assert await scene.said("cat kept both src/late; ls new 2>&1 | head -c 2") == "TWO\nby the person\nlate\nls"


async def test_a_commit_and_a_switch_of_branches_in_the_checkout_are_followed(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("true")
    head = scene.yard.commit_all("by the person")
    assert await scene.said("git rev-parse HEAD; git status --porcelain") == f"{head}\n M kept\n"
    scene.yard.git("checkout", "-q", "-b", "other", "HEAD~1")

    assert await scene.said("cat edited; cat kept") == "edited\nedited\nedited\nONE\n"


async def test_what_a_command_changes_is_pending_and_not_on_the_disk(scene: CommandScene) -> None:
    before = content(scene.project)
    await scene.edit("kept", "kept\nkept\nkept", "ONE")

    ran = await scene.run("echo more >> kept; echo made > made; rm both; chmod +x edited; echo x > noise2.log")

    assert ran.changed == ("both", "edited", "kept", "made")
    assert await scene.pending() == {"kept": b"ONE\nmore\n", "made": b"made\n", "both": None, "edited": b"by hand\n"}
    assert content(scene.project) == before
    assert await scene.said("cat kept made; ls both 2>&1 | head -c 2") == "ONE\nmore\nmade\nls"


async def test_what_a_person_writes_while_a_command_runs_is_not_undone_by_what_the_command_made(
    scene: CommandScene, tmp_path: Path
) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    (scene.project / "theirs.txt").write_text("first\n")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    running = asyncio.create_task(scene.run(f"cat {gate}; echo more >> theirs.txt; echo new > own.txt"))
    with await asyncio.to_thread(gate.open, "w") as opened:  # the command is at its gate
        (scene.project / "theirs.txt").write_text("first\nof the person\n")
        opened.write("go")
    ran = await running
    assert ran.changed == ("own.txt",)
    assert [each for each in ran.left_out if each.startswith("theirs.txt: it was changed in the project")]
    assert "theirs.txt" not in await scene.pending()
    assert (scene.project / "theirs.txt").read_text() == "first\nof the person\n"
    assert await scene.said("cat theirs.txt") == "first\nof the person\n"


async def test_what_a_command_changed_and_the_person_rejected_is_not_seen_any_more(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("echo more >> both")
    changes = PendingChanges(scene.project, scene.yard.store.changes, project=str(scene.project))
    await changes.reject([change for change in await scene.changes() if change.path == "both"])

    assert await scene.said("cat both kept") == "and once more\nONE\n"


async def test_pending_changes_of_commands_can_be_applied(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("echo more >> kept; echo made > made; rm both")
    changes = PendingChanges(scene.project, scene.yard.store.changes, project=str(scene.project))

    assert all(outcome.success for outcome in await changes.apply(await scene.changes()))
    assert (scene.project / "kept").read_text() == "ONE\nmore\n"
    assert not (scene.project / "both").exists()


async def test_a_file_that_only_the_chat_had_and_a_command_deletes_leaves_nothing_pending(scene: CommandScene) -> None:
    await scene.editing.create("made", "by the chat\n")
    ran = await scene.run("rm made")

    assert (ran.changed, await scene.pending()) == (("made",), {})


async def test_what_tools_leave_behind_is_no_change(scene: CommandScene) -> None:
    await scene.editing.create("made", "by the chat\n")
    ran = await scene.run("mkdir -p src/__pycache__; echo x > src/__pycache__/a.pyc; echo x > .coverage")

    assert ran.changed == ()


async def test_the_projects_own_path_means_the_work_tree_and_is_what_output_shows(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")

    assert await scene.said(f"cd {scene.project} && cat {scene.project}/kept && pwd") == f"ONE\n{scene.project}\n"


async def test_a_command_about_the_repository_runs_in_the_project_and_says_what_it_did_not_see(
    scene: CommandScene,
) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    ran = await scene.run("git add new")

    assert (ran.seen, ran.unseen) == (0, 1)
    assert ran.why_unseen.startswith("it is about the repository")
    assert scene.yard.git("status", "--porcelain", "new") == "A  new\n"


async def test_changes_that_are_applied_as_they_come_have_no_work_tree(dirty: Yard) -> None:
    scene = await scene_in(dirty, apply_now=True)
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    ran = await scene.run("cat kept; pwd")

    assert (ran.result.stdout, ran.seen, ran.unseen) == (f"ONE\n{scene.project}\n", 0, 0)


async def test_without_git_a_command_runs_on_the_files_as_they_are_and_it_is_said(root: Path, tmp_path: Path) -> None:
    (root / "kept").write_text("kept\n")
    store = await open_store(tmp_path / "home" / "mulligan.db")
    scene = await scene_in(Yard(root, tmp_path / "home", store, lambda *_args, **_more: ""))
    await scene.edit("kept", "kept", "ONE")
    ran = await scene.run("cat kept")
    await store.close()

    assert (ran.result.stdout, ran.seen, ran.unseen) == ("kept\n", 0, 1)
    assert "no git repository" in ran.why_unseen


async def test_a_repository_without_a_commit_has_a_work_tree_too(yard: Yard) -> None:
    (yard.root / "a").write_text("a\n")
    scene = await scene_in(yard)
    await scene.edit("a", "a", "A")
    assert await scene.said("cat a") == "A\n"
    yard.commit_all("the first")

    assert await scene.said("cat a; git log --format=%s") == "A\nthe first\n"


async def test_a_submodule_is_named_as_not_covered(yard: Yard, tmp_path: Path) -> None:
    other = tmp_path / "library"
    other.mkdir()
    yard.git("init", "-q", folder=other)
    (other / "lib").write_text("lib\n")
    yard.commit_all(folder=other)
    (yard.root / "a").write_text("a\n")
    yard.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "lib")
    yard.commit_all()
    scene = await scene_in(yard)
    await scene.edit("a", "a", "A")
    ran = await scene.run("cat a")

    assert ran.result.stdout == "A\n"
    assert [each.partition(":")[0] for each in ran.left_out] == ["lib"]


async def test_a_project_that_is_a_folder_of_its_repository_takes_over_its_own_files_only(yard: Yard) -> None:
    (yard.root / "app").mkdir()
    for name in ("app/main", "beside"):
        (yard.root / name).write_text(f"{name}\n")
    yard.commit_all()
    scene = await scene_in(yard, yard.root / "app")
    await scene.edit("main", "app/main", "ONE")
    ran = await scene.run("cat main; echo x >> main; echo x > ../beside")

    assert ran.result.stdout == "ONE\n"
    assert ran.changed == ("main",)
    assert ran.left_out == ("beside: outside the project",)
    assert await scene.said("cat ../beside") == "beside\n"


async def test_dependency_folders_are_linked_and_those_of_the_project_itself_are_its_own(yard: Yard) -> None:
    root = yard.root
    for name in ("node_modules/left-pad/index.js", "node_modules/@scope/pad/index.js", "packages/own/index.js"):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(f"{name}\n")
    (root / "node_modules" / "own").symlink_to("../packages/own")
    (root / "package.json").write_text("{}\n")
    (root / ".gitignore").write_text("node_modules/\n")
    yard.commit_all()
    scene = await scene_in(yard)
    await scene.edit("packages/own/index.js", "packages/own/index.js", "ONE")
    shown = "cat node_modules/left-pad/index.js node_modules/@scope/pad/index.js node_modules/own/index.js"
    said = "node_modules/left-pad/index.js\nnode_modules/@scope/pad/index.js\nONE\n"
    assert await scene.said(f"{shown}; git status --porcelain") == f"{said} M packages/own/index.js\n"
    (root / "node_modules" / "later").mkdir()

    assert await scene.said("ls node_modules") == "@scope\nlater\nleft-pad\nown\n"


async def test_a_stopped_command_leaves_no_process_and_no_change_and_the_next_one_starts_anew(
    scene: CommandScene, tmp_path: Path
) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    os.mkfifo(tmp_path / "begun")
    command = f"echo half > both; echo half > made; echo $$ > {tmp_path}/begun; exec sleep 600"
    running = asyncio.create_task(scene.run(command))
    pid = int(await asyncio.to_thread((tmp_path / "begun").read_text))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert await scene.pending() == {"kept": b"ONE\n"}
    assert await scene.said("cat both kept; ls made 2>/dev/null | wc -l") == "and once more\nONE\n0\n"


async def test_a_new_process_finds_the_work_tree_again_and_whatever_it_holds_is_put_right(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("true")
    tree = await scene.tree()
    (tree / "both").write_text("left by a killed command\n")
    (tree / "made").write_text("left by a killed command\n")
    (scene.project / "edited").write_text("by the person\n")
    scene.reopen()

    assert await scene.said("cat both edited kept; ls made 2>/dev/null | wc -l") == (
        "and once more\nby the person\nONE\n0\n"
    )
    assert await scene.tree() == tree


async def test_a_work_tree_that_somebody_deleted_is_made_again(scene: CommandScene) -> None:
    from mulligan.workspace.worktrees.discarding import delete_folder

    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("true")
    delete_folder(await scene.tree())

    assert await scene.said("cat kept") == "ONE\n"
    assert len(await scene.yard.trees.of_commands()) == 1


async def test_the_work_tree_of_a_chat_in_which_nothing_is_pending_is_swept(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("true")
    tree = await scene.tree()
    await scene.trees.sweep()
    assert tree.is_dir()
    changes = PendingChanges(scene.project, scene.yard.store.changes, project=str(scene.project))
    await changes.reject(await scene.changes())
    await scene.trees.sweep()

    assert not tree.exists()
    assert await scene.yard.trees.of_commands() == []
    assert scene.yard.refs() == []


async def test_work_trees_of_commands_are_none_to_import_from(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    await scene.run("true")

    (listed,) = await scene.yard.trees.listed()
    assert (listed.state, bool(listed.loss)) == ("clean", False)


async def test_in_the_sandbox_linked_dependencies_can_be_read_and_not_written(yard: Yard) -> None:
    (yard.root / "node_modules" / "pad").mkdir(parents=True)
    (yard.root / "node_modules" / "pad" / "index.js").write_text("pad\n")
    (yard.root / ".gitignore").write_text("node_modules\n")
    (yard.root / "a").write_text("a\n")
    yard.commit_all()
    scene = await scene_in(yard, sandbox="auto")
    await scene.edit("a", "a", "A")
    ran = await scene.run(
        "cat a node_modules/pad/index.js; echo x > node_modules/pad/index.js; echo own > node_modules/own"
    )

    assert ran.result.stdout == "A\npad\n"
    assert (yard.root / "node_modules" / "pad" / "index.js").read_text() == "pad\n"
    assert await scene.said("cat node_modules/own") == "own\n"


async def test_a_file_that_grows_too_large_to_be_pending_is_named_and_not_taken_for_deleted(
    scene: CommandScene,
) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    ran = await scene.run("truncate -s 70M both; truncate -s 70M made")

    assert ran.changed == ()
    assert [each.partition(": ")[0] for each in ran.left_out] == ["both", "made"]
    assert await scene.pending() == {"kept": b"ONE\n"}
    assert await scene.said("cat both; ls made 2>/dev/null | wc -l") == "and once more\n0\n"


async def test_commands_of_one_step_run_one_after_the_other_and_see_each_others_changes(scene: CommandScene) -> None:
    await scene.edit("kept", "kept\nkept\nkept", "ONE")
    first, second = await asyncio.gather(scene.run("echo x >> both"), scene.run("cat both"))

    assert first.changed == ("both",)
    assert second.result.stdout == "and once more\nx\n"
    assert second.seen == 2
