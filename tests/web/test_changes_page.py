"""Pending changes: what an agent wants to write, shown before it is written."""

import asyncio
import re

import pytest
from playwright.async_api import Locator, Page, Route, WebSocketRoute, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, ended
from tests.web.scripts import calling, editing, saying
from tests.web.serving import FILES

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOUTED = FILES["a.py"].replace("'a'", "'A'")
EDIT_A = editing("a.py", "return 'a'", "return 'A'")
EDIT_B = editing("b.py", "return 'b'", "return 'B'")
NEW = calling("create_file", path="new.py", text="x = 1\n")


async def staged(page: Page, served: Served, *replies: dict[str, object]) -> None:
    """A turn of the coder with these calls, then the page of changes."""
    await served.play(*replies, saying("Done."))
    await begin(page, served, "shout", agent="coder")
    await ended(page)
    await page.get_by_role("link", name=re.compile("^Changes")).click()
    await expect(change(page, "a.py")).to_be_visible()


def change(page: Page, path: str) -> Locator:
    return page.get_by_role("listitem", name=re.compile(f" {path}, "))


async def test_changes_are_pending_and_applied_rejected_and_reverted_one_by_one(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A, EDIT_B, NEW)
    await expect(page.get_by_role("button", name="Pending (3)")).to_be_visible()
    await expect(change(page, "a.py").locator(".diff-removed")).to_contain_text("return 'a'")
    await expect(change(page, "a.py").locator(".diff-added")).to_contain_text("return 'A'")
    assert await grave_faults(page) == []
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]

    await page.get_by_role("button", name="Apply a.py").click()
    await expect(change(page, "a.py")).to_contain_text("Applied")
    assert (fresh.project / "a.py").read_text() == SHOUTED

    await page.get_by_role("button", name="Reject b.py").click()
    await expect(change(page, "b.py")).to_contain_text("Rejected")
    assert (fresh.project / "b.py").read_text() == FILES["b.py"]

    await page.get_by_role("button", name="Revert a.py").click()
    await expect(change(page, "a.py")).to_contain_text("Reverted")
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]
    assert not (fresh.project / "new.py").exists()

    await page.get_by_role("button", name="History").click()
    await expect(change(page, "b.py")).to_contain_text("Rejected")
    await expect(change(page, "new.py")).to_have_count(0)
    assert await grave_faults(page) == []


async def test_all_changes_are_applied_at_once_or_rejected_and_a_rejection_is_undone(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A, EDIT_B)
    await page.get_by_role("button", name="Apply all 2").click()
    await expect(change(page, "b.py")).to_contain_text("Applied")
    assert (fresh.project / "a.py").read_text() == SHOUTED
    assert "'B'" in (fresh.project / "b.py").read_text()

    await staged(page, fresh, editing("a.py", "return 'A'", "return 'aa'"), NEW)
    await page.get_by_role("button", name="Reject all").click()
    await expect(change(page, "new.py")).to_contain_text("Rejected")
    await page.reload()
    await page.get_by_role("button", name="History").click()
    await page.get_by_role("button", name="Undo the rejection of new.py").click()
    await page.get_by_role("button", name="Pending (1)").click()
    await page.get_by_role("button", name="Apply new.py").click()
    await expect(change(page, "new.py")).to_contain_text("Applied")
    assert (fresh.project / "new.py").read_text() == "x = 1\n"
    assert (fresh.project / "a.py").read_text() == SHOUTED


LONG = "".join(f"x{number} = {number}\n" for number in range(40))
THREE = [("x1 = 1\n", "x1 = 10\n"), ("x20 = 20\n", "x20 = 200\n"), ("x38 = 38\n", "x38 = 380\n")]


async def test_hunks_are_applied_and_rejected_one_by_one_with_the_keyboard_alone(fresh: Served, page: Page) -> None:
    (fresh.project / "a.py").write_text(LONG)
    edits = [{"old": old, "new": new} for old, new in THREE]
    await staged(page, fresh, calling("edit_file", path="a.py", edits=edits))
    bars = page.locator("[data-hunk]")
    await expect(bars).to_have_count(3)
    assert await grave_faults(page) == []

    await page.keyboard.press("n")
    await page.keyboard.press("n")
    await expect(bars.nth(1)).to_be_focused()
    await page.keyboard.press("x")
    await expect(bars).to_have_count(2)
    await expect(change(page, "a.py")).to_contain_text("Rejected")
    assert (fresh.project / "a.py").read_text() == LONG

    await page.keyboard.press("n")
    await page.keyboard.press("a")
    await expect(change(page, "a.py")).to_contain_text("Applied")
    assert (fresh.project / "a.py").read_text() == LONG.replace(*THREE[0])
    assert await grave_faults(page) == []

    await page.keyboard.press("a")
    await expect(bars).to_have_count(0)
    assert (fresh.project / "a.py").read_text() == LONG.replace(*THREE[0]).replace(*THREE[2])
    await page.keyboard.press("u")
    await expect(change(page, "a.py")).to_contain_text("Reverted 2 of 3")
    assert (fresh.project / "a.py").read_text() == LONG


async def test_edits_of_one_file_are_in_one_card_and_are_applied_together(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A, editing("a.py", "def a():", "def a() -> str:"))
    await expect(page.locator("[data-file]")).to_have_count(1)
    await expect(change(page, "a.py")).to_contain_text("Edit 2 of 2")
    await page.get_by_role("button", name="Apply a.py").click()
    await expect(change(page, "a.py")).to_contain_text("Applied")
    assert (fresh.project / "a.py").read_text() == SHOUTED.replace("def a():", "def a() -> str:")


async def test_a_large_diff_is_complete_and_rendered_only_near_the_screen(fresh: Served, page: Page) -> None:
    before = "".join(f"def f{number}():\n" for number in range(2500))
    (fresh.project / "a.py").write_text(before)
    await staged(page, fresh, editing("a.py", before, before.replace("def f", "def g")))
    await page.get_by_role("button", name="Side by side").click()
    first = page.locator("table.diff-split tr[aria-rowindex='1']")
    await expect(first).to_contain_text("def f0():")
    await expect(first).to_contain_text("def g0():")
    await expect(first.locator(".hljs-keyword").first).to_have_text("def")
    assert await page.locator("table.diff-split").get_attribute("aria-rowcount") == "2500"
    assert await page.locator("tr[aria-rowindex]").count() < 500

    last = page.locator("tr[aria-rowindex='2500']")
    await page.locator("[data-block='2450']").scroll_into_view_if_needed()
    await expect(last).to_contain_text("def f2499():")
    await expect(last).to_contain_text("def g2499():")
    await expect(first).to_have_count(0)


async def test_a_file_is_shown_whole_with_the_change_in_place_and_opens_in_the_editor(
    fresh: Served, page: Page
) -> None:
    (fresh.project / "a.py").write_text(LONG)
    await staged(page, fresh, editing("a.py", *THREE[1]))
    await expect(page.locator(".diff-gap")).to_have_count(2)
    await page.get_by_role("button", name="Whole file").click()
    await expect(page.locator("tr.diff-same")).to_have_count(39)
    await expect(page.locator("tr.diff-added")).to_contain_text("x20 = 200")
    link = page.get_by_role("link", name="Open a.py in the editor")
    await expect(link).to_have_attribute("href", f"vscode://file{fresh.project / 'a.py'}:1")
    assert await grave_faults(page) == []


async def test_a_diff_is_drawn_inline_or_side_by_side_and_the_choice_is_kept(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A)
    await expect(page.locator("table.diff-inline")).to_be_visible()
    await page.get_by_role("button", name="Side by side").click()
    row = page.locator("table.diff-split tr", has_text="return")
    await expect(row).to_have_count(1)
    await expect(row.locator("td.diff-removed.diff-text")).to_have_text("    return 'a'")
    await expect(row.locator("td.diff-added.diff-text")).to_have_text("    return 'A'")
    await expect(row.locator("mark")).to_have_count(2)
    assert await grave_faults(page) == []
    await page.reload()
    await expect(page.locator("table.diff-split")).to_be_visible()


async def test_a_change_that_no_longer_fits_says_why(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A)
    (fresh.project / "a.py").write_text("mine now\n")
    await page.get_by_role("button", name="Apply a.py").click()
    await expect(change(page, "a.py").get_by_role("alert")).to_be_visible()
    assert (fresh.project / "a.py").read_text() == "mine now\n"


async def test_changes_of_a_chat_are_settled_next_to_it(fresh: Served, page: Page) -> None:
    await fresh.play(EDIT_A, saying("Done."))
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    changed = answers(page).get_by_role("region", name="Changes of this turn")
    await expect(changed).to_contain_text("pending")
    await page.get_by_role("button", name="1 pending change").click()
    sheet = page.get_by_role("complementary", name="Changes of this chat")
    await sheet.get_by_role("button", name="Apply a.py").click()
    await expect(changed).to_contain_text("applied")
    assert (fresh.project / "a.py").read_text() == SHOUTED
    assert await grave_faults(page) == []
    await page.keyboard.press("Escape")
    await expect(sheet).to_have_count(0)


async def test_keys_go_from_change_to_change_and_settle_them(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A, EDIT_B)
    await page.keyboard.press("j")
    await expect(change(page, "a.py")).to_be_focused()
    await page.keyboard.press("a")
    await expect(change(page, "a.py")).to_contain_text("Applied")
    await page.keyboard.press("u")
    await expect(change(page, "a.py")).to_contain_text("Reverted")
    await page.keyboard.press("j")
    await page.keyboard.press("x")
    await expect(change(page, "b.py")).to_contain_text("Rejected")
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]


async def test_a_key_that_comes_before_the_answer_to_the_last_one_is_not_lost(fresh: Served, page: Page) -> None:
    await staged(page, fresh, EDIT_A)
    answered = asyncio.Event()

    async def hold(route: Route) -> None:
        response = await route.fetch()
        await answered.wait()
        await route.fulfill(response=response)

    await page.route("**/changes/apply", hold)
    await page.keyboard.press("j")
    await page.keyboard.press("a")
    # The frame arrives before the answer.
    await expect(change(page, "a.py")).to_contain_text("Applied")
    await page.keyboard.press("u")
    answered.set()
    await expect(change(page, "a.py")).to_contain_text("Reverted")
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]


async def test_a_list_that_arrives_while_a_change_is_settled_keeps_its_outcome(fresh: Served, page: Page) -> None:
    rejecting, rejected, listed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def without_frames_from_then_on(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: None if rejecting.is_set() else socket.send(message))

    async def list_after_the_rejection(route: Route) -> None:
        await rejected.wait()
        await route.fulfill(response=await route.fetch())
        listed.set()

    async def reject_and_answer_last(route: Route) -> None:
        rejecting.set()
        response = await route.fetch()
        rejected.set()
        await listed.wait()
        await route.fulfill(response=response)

    await page.route_web_socket(re.compile("/api/"), without_frames_from_then_on)
    await staged(page, fresh, EDIT_A, EDIT_B)
    await page.route(re.compile(r"/changes/reject$"), reject_and_answer_last)
    await page.route(re.compile(r"/changes\?"), list_after_the_rejection)
    await page.get_by_role("button", name="Apply a.py").click()
    await expect(change(page, "a.py")).to_contain_text("Applied")
    await page.get_by_role("button", name="Reject b.py").click()
    await expect(change(page, "b.py")).to_contain_text("Rejected")


async def test_a_command_sees_pending_edits_and_its_own_line_says_so(fresh: Served, page: Page) -> None:
    await fresh.play(EDIT_A, EDIT_B, calling("run_command", command="cat a.py b.py"), saying("Done."))
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    line = page.locator(".call-line", has_text="cat a.py b.py")

    await expect(line).to_contain_text("ran with your 2 pending edits")
    await line.click()
    await expect(page.get_by_text("return 'A'").last).to_be_visible()
    assert await grave_faults(page) == []
    assert (fresh.project / "a.py").read_text() == FILES["a.py"]

    await page.reload()
    await expect(line).to_contain_text("ran with your 2 pending edits")


async def test_what_a_command_changes_in_addition_to_pending_edits_is_shown_as_a_diff(
    fresh: Served, page: Page
) -> None:
    await staged(page, fresh, EDIT_A, calling("run_command", command="sed -i 's/def c/async def c/' c.py"))

    await expect(page.get_by_role("button", name="Pending (2)")).to_be_visible()
    await expect(change(page, "c.py").locator(".diff-added")).to_contain_text("async def c")
    assert (fresh.project / "c.py").read_text() == FILES["c.py"]
    await page.get_by_role("button", name="Apply c.py").click()
    await expect(change(page, "c.py")).to_contain_text("Applied")
    assert (fresh.project / "c.py").read_text() == FILES["c.py"].replace("def c", "async def c")
