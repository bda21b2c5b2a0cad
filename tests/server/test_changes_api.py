"""Pending changes over the API: what they do, and the user's yes or no."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.app.configuration import Configuration, load_configuration
from mulligan.server.app import make_app
from mulligan.server.state import ServerState, open_server_state
from mulligan.types.changes import FileState, PendingChange
from tests.server.coding import call, changes, code, edit, got, settle
from tests.server.server_process import Served

EDITED = "def a():\n    return 'A'\n"
UNTOUCHED = "def a():\n    return 'a'\n"


async def test_what_an_agent_staged_waits_and_is_shown_line_by_line(served: Served) -> None:
    async with served.socket() as page:
        chat = await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
    (waiting,) = await changes(served, status="pending", chat_id=chat)
    assert (waiting["path"], waiting["kind"], waiting["added"], waiting["removed"]) == ("a.py", "edit", 1, 1)
    assert waiting["chat_id"] == chat
    detail = await got(served, f"/api/projects/{served.project_id}/changes/{waiting['id']}")
    assert [tuple(line.values()) for line in detail["hunks"][0]["lines"]] == [
        (" ", 1, 1, "def a():", None),
        ("-", 2, None, "    return 'a'", 0),
        ("+", None, 2, "    return 'A'", 0),
    ]
    assert (served.project / "a.py").read_text() == UNTOUCHED


@pytest.mark.both_databases
async def test_applied_reverted_and_told_to_every_page(served: Served) -> None:
    async with served.socket() as page, served.socket() as another:
        chat = await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        (applied,) = await settle(served, "apply", chat_id=chat)
        assert (applied["success"], applied["change"]["status"]) == (True, "applied")
        assert (served.project / "a.py").read_text() == EDITED
        (reverted,) = await settle(served, "revert", ids=[applied["change"]["id"]])
        assert (reverted["success"], reverted["change"]["status"]) == (True, "reverted")
        assert (served.project / "a.py").read_text() == UNTOUCHED
        for each in (page, another):
            for status in ("applied", "reverted"):
                told = await each.until("change_settled", chat_id=chat, status=status)
                assert told["frame"]["path"] == "a.py"


async def test_a_hunk_is_applied_by_itself_and_told_to_every_page(served: Served) -> None:
    lines = [f"x{number} = {number}\n" for number in range(20)]
    (served.project / "a.py").write_text("".join(lines))
    both = [("x1 = 1", "x1 = 10"), ("x18 = 18", "x18 = 180")]
    async with served.socket() as page:
        chat = await code(
            served, page, call("edit_file", path="a.py", edits=[{"old": old, "new": new} for old, new in both])
        )
        (waiting,) = await changes(served, status="pending", chat_id=chat)
        where = f"/api/projects/{served.project_id}/changes/{waiting['id']}"
        detail = await got(served, where, context=100)
        assert {line["hunk"] for line in detail["hunks"][0]["lines"]} == {None, 0, 1}
        choice = {"action": "apply", "hunks": [1], "seen": waiting["updated_at"]}
        outcome = (await served.client.post(f"{where}/hunks", json=choice)).json()
        assert (outcome["success"], outcome["change"]["status"]) == (True, "applied")
        told = await page.until("change_settled", chat_id=chat, status="applied")
        assert told["frame"]["change_id"] == outcome["change"]["id"]
        late = (await served.client.post(f"{where}/hunks", json=choice)).json()
        assert not late["success"]
    assert (served.project / "a.py").read_text() == "".join(lines).replace(*both[1])
    (left,) = await changes(served, status="pending", chat_id=chat)
    assert (left["id"], left["added"], left["removed"]) == (waiting["id"], 1, 1)


async def test_a_rejected_change_is_brought_back_when_it_is_named(served: Served) -> None:
    async with served.socket() as page:
        await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        (rejected,) = await settle(served, "reject")
        (again,) = await settle(served, "reopen", ids=[rejected["change"]["id"]])
        assert (again["success"], again["change"]["status"]) == (True, "pending")
        await page.until("change_settled", status="pending")
    unnamed = await served.client.post(f"/api/projects/{served.project_id}/changes/reopen", json={})
    assert (unnamed.status_code, unnamed.json()["error"]) == (400, "name the changes by their ids")


async def test_rejected_it_leaves_the_file_alone(served: Served) -> None:
    async with served.socket() as page:
        await code(served, page, edit("a.py", "return 'a'", "return 'A'"))
        (rejected,) = await settle(served, "reject")
        await page.until("change_settled", status="rejected")
    assert rejected["change"]["status"] == "rejected"
    assert (served.project / "a.py").read_text() == UNTOUCHED
    (again,) = await settle(served, "apply", ids=[rejected["change"]["id"]])
    assert (again["success"], again["message"]) == (False, "a.py: it is rejected; only pending changes can be applied")


async def test_one_that_does_not_fit_any_more_is_told_and_the_others_go_on(served: Served) -> None:
    async with served.socket() as page:
        await code(served, page, edit("a.py", "return 'a'", "return 'A'"), edit("b.py", "return 'b'", "return 'B'"))
        (served.project / "a.py").write_text("something else\n")
        misfit, fits = await settle(served, "apply")
        settled = await page.until("change_settled")
    assert (misfit["success"], misfit["change"]["status"]) == (False, "pending")
    assert "a.py" in misfit["message"]
    assert (fits["success"], settled["frame"]["path"]) == (True, "b.py")
    assert (served.project / "a.py").read_text() == "something else\n"
    assert "return 'B'" in (served.project / "b.py").read_text()


@dataclass
class Staged:
    """A change that is staged by hand, and a client to ask about it."""

    client: httpx2.AsyncClient
    state: ServerState

    async def add(self, before: FileState | None, after: FileState | None, path: str = "x.txt") -> PendingChange:
        (project, *_) = self.state.projects.values()
        return await project.session.store.changes.add(project=str(project.path), path=path, before=before, after=after)

    async def detail(self, change: PendingChange, **query: Any) -> dict[str, Any]:
        answer = await self.client.get(f"{self.address}/{change.id}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def address(self) -> str:
        return f"/api/projects/{next(iter(self.state.projects))}/changes"


@pytest.fixture
def staged(near: httpx2.AsyncClient, state: ServerState) -> Staged:
    return Staged(near, state)


def lines(detail: dict[str, Any]) -> list[str]:
    return [f"{line['mark']}{line['text']}" for hunk in detail["hunks"] for line in hunk["lines"]]


@pytest.mark.parametrize(
    ("before", "after", "shown", "notes"),
    [
        pytest.param(None, FileState("a\x1b[2J\u202eb\n".encode()), ["+a^[[2J<U+202E>b"], [], id="hidden characters"),
        pytest.param(FileState(b"a\r\nb\n"), FileState(b"a\nb\n"), ["-a^M", "+a", " b"], [], id="line endings"),
        pytest.param(FileState(b"a\n"), FileState(b"a"), ["-a", "+a"], ["no newline at the end"], id="no newline"),
        pytest.param(
            FileState(b"a"), FileState(b"a\n"), ["-a", "+a"], ["gets a newline at the end"], id="a newline at last"
        ),
        pytest.param(None, FileState(b"\0" * 1500), [], ["new: a binary file of 1.5 kB"], id="a binary file"),
        pytest.param(None, FileState(b"to", "120000"), [], ["new: a symbolic link to to"], id="a link"),
        pytest.param(
            FileState(b"a\n"), FileState(b"a\n", "100755"), [], ["becomes a program (mode 100755)"], id="a mode"
        ),
        pytest.param(FileState(b"a\n"), None, ["-a"], [], id="a deleted file"),
    ],
)
async def test_everything_that_a_change_does_is_shown_or_said(
    staged: Staged, before: FileState | None, after: FileState | None, shown: list[str], notes: list[str]
) -> None:
    detail = await staged.detail(await staged.add(before, after))
    assert lines(detail) == shown
    assert detail["change"]["notes"] == notes


async def test_lines_far_from_a_change_come_on_demand(staged: Staged) -> None:
    text = "".join(f"{number}\n" for number in range(1, 31))
    change = await staged.add(FileState(text.encode()), FileState(text.replace("15\n", "fifteen\n").encode()))
    few, all_of_them = await staged.detail(change, context=1), await staged.detail(change, context=100_000)
    assert lines(few) == [" 14", "-15", "+fifteen", " 16"]
    assert len(lines(all_of_them)) == 31


async def test_a_path_that_is_no_text_can_be_sent(staged: Staged) -> None:
    change = await staged.add(None, FileState(b"x"), path="b\udcff\n.txt")
    assert (await staged.detail(change))["change"]["path"] == "b<U+DCFF>^J.txt"
    (outcome,) = (await staged.client.post(f"{staged.address}/reject", json={"ids": [change.id]})).json()
    assert outcome["success"]


@pytest.mark.parametrize("action", ["apply", "reject", "revert"])
async def test_an_unknown_change_is_not_found_and_nothing_else_is_done(staged: Staged, action: str) -> None:
    change = await staged.add(None, FileState(b"x"))
    answer = await staged.client.post(f"{staged.address}/{action}", json={"ids": [change.id, "nothing"]})
    assert (answer.status_code, answer.json()) == (404, {"error": "there is no change nothing here"})
    assert (await staged.detail(change))["change"]["status"] == "pending"


async def test_the_beginning_of_an_id_is_no_id(staged: Staged) -> None:
    change = await staged.add(None, FileState(b"x"))
    assert (await staged.client.get(f"{staged.address}/{change.id[:5]}")).status_code == 404


async def test_a_change_of_another_chat_is_not_found(staged: Staged) -> None:
    change = await staged.add(None, FileState(b"x"))
    answer = await staged.client.post(f"{staged.address}/reject", json={"ids": [change.id], "chat_id": "elsewhere"})
    assert answer.status_code == 404


async def test_a_chat_that_there_is_not_has_no_changes(staged: Staged) -> None:
    await staged.add(None, FileState(b"x"))
    assert (await staged.client.get(staged.address, params={"chat_id": "\0"})).json() == []


async def test_what_is_to_be_rewound_must_be_named(staged: Staged) -> None:
    answer = await staged.client.post(f"{staged.address}/revert", json={})
    assert (answer.status_code, "name the changes" in answer.json()["error"]) == (400, True)


async def test_no_project_knows_the_changes_of_another(configuration: Configuration, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with both_served(configuration, other) as staged:
        change = await staged.add(None, FileState(b"x"))
        elsewhere = list(staged.state.projects)[1]
        for path in (f"/api/projects/{elsewhere}/changes/{change.id}", f"/api/projects/none/changes/{change.id}"):
            assert (await staged.client.get(path)).status_code == 404
        answer = await staged.client.post(f"/api/projects/{elsewhere}/changes/apply", json={"ids": [change.id]})
        assert answer.status_code == 404


@asynccontextmanager
async def both_served(configuration: Configuration, other: Path) -> AsyncGenerator[Staged, None]:
    home = {"MULLIGAN_HOME": str(configuration.settings.home), "MULLIGAN_DISCOVERY": "no"}
    async with open_server_state([configuration, load_configuration(other, {}, home)]) as state:
        transport = httpx2.ASGITransport(app=make_app(state))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8383") as client:
            yield Staged(client, state)
