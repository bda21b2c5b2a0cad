"""`mulligan changes` against changes in a real store and the files of a real project."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.store.database import open_database
from mulligan.store.process_owner import this_process
from mulligan.store.store import SqlStore, open_store
from mulligan.types.changes import ChangeStatus, FileState, FileWrite, PendingChange

Start = Callable[..., Any]

OLD, NEW = b"def turn():\n    return 'one'\n", b"def turn():\n    return 'two'\n"


class Harness:
    """What agents staged for the project, and what became of it."""

    def __init__(self, project: Path, home: Path) -> None:
        self.project = project
        self.database = home / "mulligan.db"

    def stage(
        self, path: str, before: bytes | None, after: bytes | None, *, chat_id: str | None = None
    ) -> PendingChange:
        images = [None if data is None else FileState(data) for data in (before, after)]

        async def add(store: SqlStore) -> PendingChange:
            return await store.changes.add(
                project=str(self.project), path=path, before=images[0], after=images[1], chat_id=chat_id
            )

        return self.with_store(add)

    def chat(self) -> str:
        async def add(store: SqlStore) -> str:
            return (await store.chats.create(project=str(self.project), agent="coder", title="edits")).id

        return self.with_store(add)

    def statuses(self) -> list[ChangeStatus]:
        async def read(store: SqlStore) -> list[ChangeStatus]:
            return [change.status for change in await store.changes.list(str(self.project))]

        return self.with_store(read)

    def leave_writing(self, change: PendingChange) -> None:
        """A process noted that it would write the file, and was killed."""

        async def begin(store: SqlStore) -> None:
            await store.changes.begin_write(
                change.id, FileWrite("apply", change.before, change.after), expected="pending"
            )
            raw = await open_database(self.database)
            gone = replace(this_process(), started="another boot/1").to_json()
            await raw.execute("UPDATE pending_changes SET write_owner = :gone WHERE id = :id", gone=gone, id=change.id)
            await raw.close()

        self.with_store(begin)

    def with_store(self, work: Callable[[SqlStore], Any]) -> Any:
        async def run() -> Any:
            store = await open_store(self.database)
            try:
                return await work(store)
            finally:
                await store.close()

        return asyncio.run(run())


@pytest.fixture
def harness(project: Path, environment: dict[str, str]) -> Harness:
    """The project's turn.py waits to be edited."""
    return Harness(project.resolve(), Path(environment["MULLIGAN_HOME"]))


@pytest.fixture
def edit(harness: Harness) -> PendingChange:
    return harness.stage("turn.py", OLD, NEW)


def lines_of(done: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_bare_changes_lists_what_is_pending(run: Start, harness: Harness, edit: PendingChange) -> None:
    chat = harness.chat()
    made = harness.stage("new.py", None, b"x\n", chat_id=chat)
    done = run("changes")
    heading, first, second = done.stdout.splitlines()
    assert heading.split() == ["id", "change", "made", "chat"]
    assert first.startswith(f"{edit.id}  edit turn.py +1 -1 ")
    assert second.startswith(f"{made.id}  create new.py +1 -0 ")
    assert second.endswith(chat)


def test_what_was_decided_is_listed_only_if_asked_for(run: Start, harness: Harness, edit: PendingChange) -> None:
    other = harness.stage("new.py", None, b"x\n")
    run("changes", "reject", edit.id)
    assert [line["id"] for line in lines_of(run("changes", "list", "--json"))] == [other.id]
    listed = lines_of(run("changes", "list", "--all", "--json"))
    assert [(line["id"], line["status"]) for line in listed] == [(edit.id, "rejected"), (other.id, "pending")]


@pytest.mark.usefixtures("edit")
def test_a_chats_changes_are_listed_alone(run: Start, harness: Harness) -> None:
    chat = harness.chat()
    own = harness.stage("new.py", None, b"x\n", chat_id=chat)
    (listed,) = lines_of(run("changes", "list", "--chat", chat[:6], "--json"))
    assert listed == {
        "id": own.id,
        "path": "new.py",
        "kind": "create",
        "status": "pending",
        "added": 1,
        "removed": 0,
        "seq": 2,
        "chat_id": chat,
        "message_id": None,
        "created_at": own.created_at,
        "updated_at": own.updated_at,
        "under_way": None,
    }


@pytest.mark.usefixtures("edit")
def test_another_project_has_changes_of_its_own(run: Start, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = run("changes", "apply", "-C", str(elsewhere))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "nothing is pending\n")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param(["list"], "nothing is pending", id="list"),
        pytest.param(["list", "--all"], "no changes yet", id="list all"),
        pytest.param(["show"], "nothing is pending", id="show"),
        pytest.param(["apply"], "nothing is pending", id="apply"),
        pytest.param(["reject"], "nothing is pending", id="reject"),
        pytest.param(["revert", "--all"], "nothing is applied", id="revert"),
    ],
)
def test_nothing_to_do_is_said_and_no_failure(run: Start, command: list[str], words: str) -> None:
    done = run("changes", *command)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"{words}\n")


def test_show_prints_the_diffs_of_all_that_is_pending(run: Start, harness: Harness, edit: PendingChange) -> None:
    binary = harness.stage("logo.png", None, b"\0" * 2000)
    assert run("changes", "show").stdout == (
        f"{edit.id} · pending · edit turn.py +1 -1\n"
        "--- a/turn.py\n+++ b/turn.py\n@@ -1,2 +1,2 @@\n def turn():\n-    return 'one'\n+    return 'two'\n"
        "\n"
        f"{binary.id} · pending · create logo.png (binary)\nnew: a binary file of 2.0 kB\n"
    )


def test_show_takes_beginnings_of_ids_and_any_status(run: Start, harness: Harness, edit: PendingChange) -> None:
    harness.stage("new.py", None, b"x\r\n")
    run("changes", "apply", edit.id)
    (shown,) = lines_of(run("changes", "show", edit.id[:8], edit.id.upper(), "--json"))
    assert (shown["id"], shown["status"], shown["notes"]) == (edit.id, "applied", [])
    assert shown["diff"].endswith("\n-    return 'one'\n+    return 'two'\n")


@pytest.mark.usefixtures("edit")
def test_show_is_coloured_on_a_terminal(in_terminal: Start, environment: dict[str, str]) -> None:
    del environment["NO_COLOR"]
    terminal = in_terminal("changes", "show")
    terminal.sees("\x1b[31m-    return 'one'")
    terminal.sees("\x1b[32m+    return 'two'")
    assert terminal.leaves() == 0


def test_apply_writes_all_that_is_pending(run: Start, harness: Harness, edit: PendingChange) -> None:
    made = harness.stage("deep/new.py", None, b"x\n")
    done = run("changes", "apply")
    assert done.returncode == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [["✓", edit.id], ["✓", made.id]]
    assert (harness.project / "turn.py").read_bytes() == NEW
    assert (harness.project / "deep" / "new.py").read_bytes() == b"x\n"
    assert harness.statuses() == ["applied", "applied"]


@pytest.mark.usefixtures("edit")
def test_only_what_is_named_is_applied(run: Start, harness: Harness) -> None:
    made = harness.stage("new.py", None, b"x\n")
    (outcome,) = lines_of(run("changes", "apply", made.id, "--json"))
    assert outcome == {
        "id": made.id,
        "path": "new.py",
        "success": True,
        "message": "new.py: applied",
        "status": "applied",
    }
    assert (harness.project / "turn.py").read_bytes() == OLD
    assert harness.statuses() == ["pending", "applied"]


def test_what_can_not_be_applied_is_said_and_the_others_go_on(run: Start, harness: Harness) -> None:
    gone = harness.stage("gone.py", b"x\n", b"y\n")
    made = harness.stage("new.py", None, b"x\n")
    done = run("changes", "apply", "--json")
    assert done.returncode == 4
    refused, applied = lines_of(done)
    assert (refused["id"], refused["success"], refused["status"]) == (gone.id, False, "pending")
    assert "gone.py" in refused["message"]
    assert (applied["id"], applied["success"]) == (made.id, True)
    assert (harness.project / "new.py").exists()


def test_a_failure_is_marked_for_people_too(run: Start, harness: Harness) -> None:
    gone = harness.stage("gone.py", b"x\n", b"y\n")
    done = run("changes", "apply")
    assert done.returncode == 4
    assert done.stdout.startswith(f"✗ {gone.id} gone.py ")


def test_reject_leaves_the_file_alone(run: Start, harness: Harness, edit: PendingChange) -> None:
    done = run("changes", "reject")
    assert (done.returncode, done.stdout) == (0, f"✓ {edit.id} turn.py: rejected\n")
    assert (harness.project / "turn.py").read_bytes() == OLD
    assert harness.statuses() == ["rejected"]


def test_what_was_rejected_is_not_applied(run: Start, harness: Harness, edit: PendingChange) -> None:
    run("changes", "reject", edit.id)
    assert run("changes", "apply", edit.id).returncode == 4
    assert (harness.project / "turn.py").read_bytes() == OLD


def test_revert_restores_the_file(run: Start, harness: Harness, edit: PendingChange) -> None:
    run("changes", "apply")
    done = run("changes", "revert", edit.id)
    assert (done.returncode, done.stdout) == (0, f"✓ {edit.id} turn.py: reverted\n")
    assert (harness.project / "turn.py").read_bytes() == OLD
    assert harness.statuses() == ["reverted"]


def test_revert_all_starts_with_the_newest(run: Start, harness: Harness, edit: PendingChange) -> None:
    second = harness.stage("turn.py", NEW, b"")
    run("changes", "apply")
    outcomes = lines_of(run("changes", "revert", "--all", "--json"))
    assert [(outcome["id"], outcome["success"]) for outcome in outcomes] == [(second.id, True), (edit.id, True)]
    assert (harness.project / "turn.py").read_bytes() == OLD


def test_revert_keeps_its_earlier_name(run: Start, harness: Harness, edit: PendingChange) -> None:
    run("changes", "apply")
    assert run("changes", "rewind", edit.id).returncode == 0
    assert harness.statuses() == ["reverted"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param([], "no change was named", id="nothing named"),
        pytest.param(["ab", "--all"], "not both", id="all and one"),
    ],
)
def test_revert_needs_to_know_what(
    run: Start, harness: Harness, edit: PendingChange, arguments: list[str], words: str
) -> None:
    run("changes", "apply", edit.id)
    done = run("changes", "revert", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert harness.statuses() == ["applied"]


@pytest.mark.parametrize("command", ["show", "apply", "reject", "revert"])
def test_an_unknown_id_is_a_usage_error_and_nothing_is_done(
    run: Start, harness: Harness, edit: PendingChange, command: str
) -> None:
    done = run("changes", command, edit.id, "zzzz")
    assert done.returncode == 2
    assert (
        done.stderr == "mulligan: there is no change 'zzzz' in this project: `mulligan changes list --all` lists them\n"
    )
    assert done.stdout == ""
    assert harness.statuses() == ["pending"]


def test_what_a_killed_process_left_is_settled_and_told(run: Start, harness: Harness, edit: PendingChange) -> None:
    harness.leave_writing(edit)
    (harness.project / "turn.py").write_bytes(NEW)
    done = run("changes", "list", "--all", "--json")
    assert [(line["status"], line["under_way"]) for line in lines_of(done)] == [("applied", None)]
    assert "turn.py" in done.stderr


def test_a_path_that_is_no_text_is_listed_and_applied(run: Start, harness: Harness) -> None:
    made = harness.stage("\udcff\x1b[31m.txt", None, b"x\n")
    assert "create <U+DCFF>^[[31m.txt +1 -0" in run("changes").stdout
    (outcome,) = lines_of(run("changes", "apply", "--json"))
    assert (outcome["id"], outcome["path"], outcome["success"]) == (made.id, made.path, True)
    assert (harness.project / made.path).read_bytes() == b"x\n"
