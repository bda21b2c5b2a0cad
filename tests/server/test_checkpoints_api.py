"""The way back over the API: files and chat together, and back again."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.server.state import ServerState
from tests.e2e.delegate_project import SCRIPTED
from tests.server.coding import (
    call,
    changes,
    code,
    delegate,
    edit,
    git,
    got,
    restore,
    roles,
    settle,
    turns_checkpoint,
)
from tests.server.server_process import Served


@pytest.fixture
def scripted_agent(tmp_path: Path) -> None:
    """An external agent that does what its prompt says, and remembers its sessions."""
    (tmp_path / "sessions").mkdir()
    script = tmp_path / "agent.json"
    script.write_text(json.dumps({"state": str(tmp_path / "sessions")}))
    command = json.dumps([sys.executable, str(SCRIPTED)])
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mulligan.toml").write_text(
        f'[external.scripted]\nkind = "acp"\ncommand = {command}\nenv.SCRIPTED_ACP = {json.dumps(str(script))}\n'
    )


def standing(folder: Path) -> tuple[str, str, dict[str, str]]:
    """HEAD, what git says of the files, and the files themselves."""
    files = {file.name: file.read_text() for file in folder.iterdir() if file.is_file()}
    return git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain"), files


@pytest.mark.both_databases
async def test_files_and_chat_return_to_before_a_turn_and_an_undo_brings_both_back(served: Served) -> None:
    (served.project / "notes.txt").write_text("mine\n")
    async with served.socket() as page:
        chat = await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        await settle(served, "apply")
        before, said_before = standing(served.project), await roles(served, chat)

        await code(served, page, edit("b.py", "return 'b'", "return 'B'"), call("create_file", path="d.py", text="d\n"),
                   chat=chat)  # fmt: skip
        await settle(served, "apply")
        git(served.project, "add", "d.py")
        git(served.project, "commit", "-qm", "more")
        after, said_after = standing(served.project), await roles(served, chat)
        assert before != after

        checkpoint = await turns_checkpoint(served, chat)
        result = await restore(served, checkpoint)
        assert result == {
            "checkpoint_id": checkpoint["id"],
            "messages_deleted": 1,
            "worktree_reset": True,
            "backend_reset": True,
        }
        assert standing(served.project) == before
        assert await roles(served, chat) == [*said_before, "user"]
        assert [each["status"] for each in await changes(served)] == ["applied", "reverted", "reverted"]

        (safety,) = [each for each in await checkpoints(served) if each["kind"] == "safety"]
        await restore(served, safety)
        assert standing(served.project) == after
        assert await roles(served, chat) == said_after
        assert [each["status"] for each in await changes(served)] == ["applied", "applied", "applied"]


async def test_every_page_hears_of_a_restore_step_by_step(served: Served) -> None:
    async with served.socket() as page:
        chat = await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        await settle(served, "apply")
        checkpoint = await turns_checkpoint(served, chat)
        await restore(served, checkpoint)
        steps = [await page.until("restore_step", chat_id=chat) for _ in range(3)]
        settled = await page.until("change_settled", chat_id=chat)
        await page.until("chat_changed", chat_id=chat, trimmed=True)
    told = [each["frame"]["text"] for each in steps]
    assert told[0].startswith("what is there now is kept as checkpoint")
    assert told[1] == "1 file written, 0 deleted"
    assert told[2].startswith(f"restored to checkpoint {checkpoint['id']}; 1 message taken out of the chat")
    assert settled["frame"]["status"] == "reverted"


async def test_a_preview_says_what_would_be_done_and_does_nothing(served: Served) -> None:
    async with served.socket() as page:
        chat = await code(
            served, page, edit("a.py", "return 'a'", "return 'A'"), call("create_file", path="d.py", text="d\n"),
            call("delete_file", path="c.py"),
        )  # fmt: skip
    await settle(served, "apply")
    git(served.project, "commit", "-qam", "A")
    before = standing(served.project)
    checkpoint = await turns_checkpoint(served, chat)
    where = f"/api/sessions/{checkpoint['session_id']}/checkpoints/{checkpoint['id']}/preview"
    preview = await got(served, where)
    assert (preview["writes"], preview["creates"], preview["deletes"]) == (["a.py"], ["c.py"], ["d.py"])
    assert (preview["messages"], preview["head_moves"]) == (1, True)
    assert preview["head"].startswith("main, at ")
    assert [kept["subject"] for kept in preview["set_aside"]] == ["A"]
    assert standing(served.project) == before


@pytest.mark.usefixtures("scripted_agent")
async def test_a_delegated_turn_is_restored_with_its_agent_gone_and_the_next_starts_afresh(served: Served) -> None:
    async with served.socket() as page:
        chat = await delegate(served, page, {"write": "a.py", "text": "one\n"}, {"recall": True})
        await delegate(served, page, {"write": "b.py", "text": "two\n"}, {"recall": True}, chat=chat)
        said = await texts(served, chat)
        assert [each.split(",")[0] for each in said] == ["1 prompts", "2 prompts"]
        assert agents_running(served)
        assert len(await changes(served, status="pending")) == 2

        checkpoint = await turns_checkpoint(served, chat)
        assert checkpoint["worktree"]
        result = await restore(served, checkpoint)
        assert (result["messages_deleted"], result["backend_reset"]) == (1, True)
        assert [each["path"] for each in await changes(served, status="pending")] == ["a.py"]
        assert not agents_running(served)

        await delegate(served, page, {"recall": True}, chat=chat)
        assert (await texts(served, chat))[-1] == said[0]
        crashed, fresh = await got(served, f"/api/chats/{chat}/sessions")
        assert (crashed["id"], crashed["status"], fresh["status"]) == (checkpoint["session_id"], "crashed", "open")
        assert crashed["worktree"] == fresh["worktree"] != str(served.project)
    assert git(served.project, "status", "--porcelain") == ""


async def test_a_checkpoint_made_by_hand_is_restored_in_the_project(served: Served) -> None:
    made = await served.client.post(f"/api/projects/{served.project_id}/checkpoints", json={"label": "all well"})
    assert (made.status_code, made.json()["label"], made.json()["kind"]) == (201, "all well", "manual")
    (served.project / "a.py").write_text("spoilt\n")
    where = f"/api/projects/{served.project_id}/checkpoints/{made.json()['id']}"
    assert (await got(served, f"{where}/preview"))["writes"] == ["a.py"]
    result = await served.client.post(f"{where}/restore")
    assert (result.status_code, result.json()["messages_deleted"], result.json()["backend_reset"]) == (200, 0, False)
    assert (served.project / "a.py").read_text() == "def a():\n    return 'a'\n"
    assert [each["kind"] for each in await checkpoints(served)] == ["manual", "safety"]


async def test_a_chat_that_is_being_answered_is_not_restored(served: Served) -> None:
    async with served.socket() as page:
        chat = await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        checkpoint = await turns_checkpoint(served, chat)
        await served.play({"text": "still at it", "hang": 1})
        await served.client.post(f"/api/chats/{chat}/messages", json={"text": "go on"})
        await page.until("text_delta", chat_id=chat)
        where = f"/api/sessions/{checkpoint['session_id']}/checkpoints/{checkpoint['id']}/restore"
        refused = await served.client.post(where)
        assert (refused.status_code, "a turn is running" in refused.json()["error"]) == (409, True)
        await served.client.post(f"/api/chats/{chat}/abort")
        assert (await served.client.post(where)).status_code == 200


async def test_a_checkpoint_is_found_only_where_it_belongs(served: Served) -> None:
    async with served.socket() as page:
        one = await turns_checkpoint(served, await code(served, page, edit("a.py", "'a'", "'A'")))
        other = await turns_checkpoint(served, await code(served, page, edit("b.py", "'b'", "'B'")))
    sessions, project = "/api/sessions", f"/api/projects/{served.project_id}"
    for path in (
        f"{sessions}/{other['session_id']}/checkpoints/{one['id']}",
        f"{sessions}/{one['session_id'][:6]}/checkpoints/{one['id']}",
        f"{sessions}/{one['session_id']}/checkpoints/{one['id'][:6]}",
        f"{sessions}/none/checkpoints/{one['id']}",
        f"{project}/checkpoints/{one['id']}",
        f"{project}/checkpoints/none",
        f"/api/projects/none/checkpoints/{one['id']}",
    ):
        assert (await served.client.get(f"{path}/preview")).status_code == 404, path
        assert (await served.client.post(f"{path}/restore")).status_code == 404, path


async def test_a_session_of_a_project_that_is_not_served_is_not_found(
    near: httpx2.AsyncClient, state: ServerState
) -> None:
    store = next(iter(state.projects.values())).session.store
    chat = await store.chats.create(project="/elsewhere", agent="coder", title="t")
    session = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    kept = await store.checkpoints.add(
        "cp", root="/elsewhere", commit="c0ffee", label="", kind="turn", chat_id=chat.id, session_id=session.id
    )
    answer = await near.post(f"/api/sessions/{session.id}/checkpoints/{kept.id}/restore")
    assert answer.status_code == 404


async def test_moments_of_a_runs_work_tree_are_not_for_people(near: httpx2.AsyncClient, state: ServerState) -> None:
    (project,) = state.projects.values()
    store, root = project.session.store, str(project.path)
    tree = await store.worktrees.add(project=root, path=f"{root}-run", base_commit="c0ffee")
    moment = await store.checkpoints.add(
        "cp", root=tree.path, commit="c0ffee", label="attempt 1", kind="turn", worktree_id=tree.id
    )
    assert (await near.get(f"/api/projects/{project.id}/checkpoints")).json() == []
    assert (await near.post(f"/api/projects/{project.id}/checkpoints/{moment.id}/restore")).status_code == 404


async def test_without_a_repository_there_are_none_and_none_can_be_made(
    project: Path, near: httpx2.AsyncClient, state: ServerState
) -> None:
    (project / ".git").rename(project / "git")
    (project_id,) = state.projects
    assert (await near.get(f"/api/projects/{project_id}/checkpoints")).json() == []
    refused = await near.post(f"/api/projects/{project_id}/checkpoints", json={})
    assert (refused.status_code, "repository" in refused.json()["error"]) == (400, True)


async def checkpoints(served: Served) -> list[dict[str, Any]]:
    return await got(served, f"/api/projects/{served.project_id}/checkpoints")


async def texts(served: Served, chat: str) -> list[str]:
    """What agents said in a chat, a text a message."""
    messages = (await got(served, f"/api/chats/{chat}"))["messages"]
    return [
        "".join(part["text"] for part in message["parts"] if part["kind"] == "text")
        for message in messages
        if message["role"] == "assistant"
    ]


def agents_running(served: Served) -> list[Path]:
    """Processes that were started with this test's script."""
    mark = f"SCRIPTED_ACP={served.home.parent / 'agent.json'}".encode()
    found: list[Path] = []
    for process in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            found += [process] if mark in process.read_bytes() else []
    return found


async def test_a_preview_has_diffs_and_says_what_becomes_of_branch_and_changes(served: Served) -> None:
    async with served.socket() as page:
        chat = await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        (served.project / "b.py").write_text("mine\n")
        git(served.project, "commit", "-qam", "Mine")
        checkpoint = await turns_checkpoint(served, chat)
        where = f"/api/sessions/{checkpoint['session_id']}/checkpoints/{checkpoint['id']}/preview"
        seen = await got(served, where)
        assert (seen["rejects"], seen["messages"]) == (["a.py"], 1)
        (moves,) = seen["branches"]
        assert moves.startswith("Your branch main moves back by 1 commit; the commit stays reachable as refs/mulligan/")
        (diff,) = seen["diffs"]
        assert diff["path"] == "b.py"
        assert diff["diff"].startswith("@@ -1 +1,2 @@\n-mine\n+def b():")

        assert (await got(served, f"/api/chats/{chat}"))["restores"] == []
        await restore(served, checkpoint)
        (mark,) = (await got(served, f"/api/chats/{chat}"))["restores"]
        assert (mark["undoes"], mark["messages_deleted"], mark["safety"]["kind"]) == (False, 1, "safety")
        await restore(served, mark["safety"])
        (undone,) = (await got(served, f"/api/chats/{chat}"))["restores"]
        assert undone["undoes"]
