"""Restore to here: files and chat are restored together, after a preview, and it can be undone."""

import asyncio
import re
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.server.coding import git
from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, chat_id, ended, message_field, own_messages, own_texts, say
from tests.web.scripts import calling, editing, saying, script
from tests.web.serving import FILES

pytestmark = pytest.mark.asyncio(loop_scope="session")


def work_tree(project: Path) -> Path:
    """The one that the agent works in."""
    told = subprocess.run(
        ["git", "worktree", "list", "--porcelain"], cwd=project, check=True, capture_output=True, text=True
    ).stdout
    paths = [Path(line.removeprefix("worktree ")) for line in told.splitlines() if line.startswith("worktree ")]
    (tree,) = [path for path in paths if path != project.resolve()]
    return tree


def restore_buttons(page: Page) -> Locator:
    return page.get_by_role("button", name="Undo this turn…")


def mark(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Restore", exact=True)


async def restored(page: Page, *, written: str | None = None, deleted: str | None = None) -> None:
    """The preview says this, and the user agrees."""
    dialog = page.get_by_role("dialog")
    if written:
        await expect(dialog.locator("section", has_text="Restored")).to_contain_text(written)
    if deleted:
        await expect(dialog.locator("section", has_text="Deleted")).to_contain_text(deleted)
    await expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert await grave_faults(page) == []
    await dialog.get_by_role("button", name="Restore", exact=True).click()
    await expect(dialog).to_have_count(0)


async def test_a_delegated_turn_is_restored_in_its_work_tree_and_an_undo_returns_it(fresh: Served, page: Page) -> None:
    first, second = {"write": "a.py", "text": "one\n"}, {"write": "b.py", "text": "two\n"}
    await begin(page, fresh, script(first, {"say": "One is done."}), agent="scripted")
    await ended(page)
    await say(page, script(second, {"say": "Two is done."}))
    await ended(page, turns=2)
    tree = work_tree(fresh.project)
    assert ((tree / "a.py").read_text(), (tree / "b.py").read_text()) == ("one\n", "two\n")
    await expect(page.get_by_role("button", name="2 pending changes")).to_be_visible()
    await expect(answers(page).locator(".turn-mark")).to_have_count(0)
    assert await grave_faults(page) == []

    await expect(restore_buttons(page)).to_have_count(2)
    await restore_buttons(page).last.click()
    await restored(page, written="b.py")
    assert ((tree / "a.py").read_text(), (tree / "b.py").read_text()) == ("one\n", FILES["b.py"])
    await expect(answers(page)).to_have_count(1)
    await expect(own_messages(page)).to_have_count(2)
    await expect(page.get_by_role("button", name="1 pending change")).to_be_visible()

    await page.reload()
    await expect(answers(page)).to_have_count(1)
    await mark(page).get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("complementary", name="Undone restore")).to_be_visible()
    assert (tree / "b.py").read_text() == "two\n"
    await expect(answers(page)).to_have_count(2)
    await expect(mark(page)).to_have_count(0)
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]


async def test_a_turn_of_the_coder_is_restored_in_the_project(fresh: Served, page: Page) -> None:
    await fresh.play(
        editing("a.py", "return 'a'", "return 'A'"), calling("create_file", path="new.py", text="x\n"), saying("Done.")
    )
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    await page.get_by_role("button", name="2 pending changes").click()
    await page.get_by_role("button", name="Apply all 2").click()
    await expect(answers(page).get_by_role("region", name="Changes of this turn")).not_to_contain_text("pending")
    assert (fresh.project / "new.py").exists()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("complementary", name="Changes of this chat")).to_have_count(0)

    await restore_buttons(page).click()
    await restored(page, written="a.py", deleted="new.py")
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]
    assert not (fresh.project / "new.py").exists()
    await expect(answers(page)).to_have_count(0)
    await expect(own_texts(page)).to_have_text("shout")
    await expect(mark(page)).to_contain_text("This removed 1 message from the chat.")
    await expect(page.get_by_role("textbox", name="Your message")).to_have_value("shout")
    assert await grave_faults(page) == []


async def test_a_turn_that_ends_while_its_chat_opens_can_be_undone(fresh: Served, page: Page) -> None:
    await fresh.play(saying("Hello."), editing("a.py", "return 'a'", "return 'A'"), saying("Done."))
    await begin(page, fresh, "hello")
    await ended(page)
    asked, answer = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        old = await route.fetch()
        asked.set()
        await answer.wait()
        await route.fulfill(response=old)

    another = await page.context.new_page()
    await another.route(f"**/api/chats/{chat_id(page)}?*", hold, times=1)
    async with another.expect_websocket() as connecting:
        await another.goto(page.url)
    socket = await connecting.value
    await asked.wait()
    async with socket.expect_event("framereceived", lambda frame: '"turn_end"' in str(frame)):
        await say(page, "shout", agent="coder")
        await ended(page, turns=2)
    answer.set()
    await ended(another, turns=2)
    await expect(restore_buttons(another)).to_be_visible()


async def test_the_preview_of_a_restore_can_be_closed_without_any_change(fresh: Served, page: Page) -> None:
    await fresh.play(editing("a.py", "return 'a'", "return 'A'"), saying("Done."))
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    await restore_buttons(page).click()
    await expect(page.get_by_role("dialog")).to_contain_text("1 message of the chat would be removed.")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(restore_buttons(page)).to_be_focused()
    await expect(answers(page)).to_have_count(1)


async def test_a_checkpoint_is_made_by_hand_and_restored(fresh: Served, page: Page) -> None:
    await page.goto(f"{fresh.url}/p/{fresh.project_id}/checkpoints")
    await expect(page.get_by_text("No checkpoints yet.")).to_be_visible()
    await page.get_by_label("Label").fill("all well")
    await page.get_by_role("button", name="Take one now").click()
    line = page.get_by_role("listitem").filter(has_text="all well")
    await expect(line).to_contain_text("Made by hand")
    assert await grave_faults(page) == []
    (fresh.project / "a.py").write_text("spoilt\n")
    await line.get_by_role("button", name="Restore").click()
    await restored(page, written="a.py")
    await expect(page.get_by_text("The files were restored.")).to_be_visible()
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]
    await expect(page.get_by_role("listitem").filter(has_text=re.compile("Before a restore"))).to_be_visible()


async def test_the_preview_shows_what_moves_with_diffs_and_asks_about_a_branch(fresh: Served, page: Page) -> None:
    await fresh.play(editing("a.py", "return 'a'", "return 'A'"), saying("Done."))
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    (fresh.project / "b.py").write_text("mine\n")
    git(fresh.project, "commit", "-qam", "Mine")

    await restore_buttons(page).click()
    dialog = page.get_by_role("dialog", name="Undo this turn")
    await expect(dialog).to_contain_text("Your branch main moves back by 1 commit; the commit stays reachable as refs/")
    await expect(dialog.locator("section", has_text="will be rejected")).to_contain_text("a.py")
    await dialog.get_by_text("b.py").click()
    await expect(dialog.locator(".diff-removed", has_text="-mine")).to_be_visible()
    await expect(dialog.locator(".diff-added", has_text="+def b():")).to_be_visible()
    assert await grave_faults(page) == []
    do_it = dialog.get_by_role("button", name="Restore", exact=True)
    await expect(do_it).to_be_disabled()
    await dialog.get_by_role("checkbox", name="Yes, move it").press("Space")
    await do_it.press("Enter")
    await expect(mark(page)).to_be_visible()
    assert (fresh.project / "b.py").read_text() == FILES["b.py"]


async def test_a_restore_is_marked_in_every_tab_and_undone_from_any_of_them(fresh: Served, page: Page) -> None:
    await fresh.play(editing("a.py", "return 'a'", "return 'A'"), saying("Done."))
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    another = await page.context.new_page()
    await another.goto(page.url)
    await expect(answers(another)).to_have_count(1)
    await restore_buttons(page).click()
    await restored(page)
    await expect(mark(another)).to_contain_text("Files and chat were restored to before")
    await expect(message_field(another)).to_have_value("shout")
    await mark(another).get_by_role("button", name="Undo").press("Enter")
    await expect(answers(page)).to_have_count(1)
    await expect(mark(page)).to_have_count(0)
    for tab in (page, another):
        await expect(message_field(tab)).to_have_value("")
    await page.get_by_role("complementary", name="Undone restore").get_by_role("button", name="Redo").press("Enter")
    await expect(mark(another)).to_be_visible()
    await expect(answers(another)).to_have_count(0)
