"""Dark, and narrow: every view in both, without a horizontal scrollbar and without serious accessibility faults."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import begin, cards, ended, say
from tests.web.profile import PHONE, new_profile
from tests.web.scripts import LAST_WORDS, editing, saying, viewing

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = f"A [link](https://example.org/{'long/' * 60}) and `{'code_' * 60}`.\n\n```\n{'wide ' * 80}\n```\n\n" + (
    "| " + " | ".join(f"column {number}" for number in range(12)) + " |\n" + "|---" * 12 + "|\n"
)
DARK = re.compile(r"^rgb\((\d\d?, ){2}\d\d?\)$")
LIGHT = re.compile(r"^rgb\((2\d\d, ){2}2\d\d\)$")
VIEWS = ("", "/changes", "/runs", "/map", "/checkpoints", "/settings")


async def all_views(page: Page, served: Served) -> None:
    """Checks a chat with all kinds of content, then every view."""
    wide = editing("a.py", "    return 'a'", f"    return '{'a' * 300}'")
    await served.play({"reasoning": "Hm.", **wide}, saying(LONG), *[viewing("b.py")] * 3, LAST_WORDS)
    await begin(page, served, f"something wide: {'w' * 300}", agent="coder")
    await ended(page)
    await say(page, "circle")
    await expect(cards(page)).to_have_count(1)
    await looked_at(page)
    for view in VIEWS:
        await page.goto(f"{served.url}/p/{served.project_id}{view}")
        await expect(page.get_by_text("Loading…")).to_have_count(0)
        await expect(page.get_by_text("Reading the project…")).to_have_count(0)
        await looked_at(page)


async def looked_at(page: Page) -> None:
    assert await grave_faults(page) == []
    wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, f"{page.url} is {wider} pixels wider than the screen"


async def test_every_view_is_dark_if_the_system_is(fresh: Served, browser: Browser) -> None:
    async with new_profile(browser, color_scheme="dark") as context:
        page = await context.new_page()
        await all_views(page, fresh)
        await expect(page.locator("body")).to_have_css("background-color", DARK)


async def test_every_view_fits_a_phone(fresh: Served, browser: Browser) -> None:
    async with new_profile(browser, **PHONE) as context:
        await all_views(await context.new_page(), fresh)


async def test_the_theme_is_chosen_and_kept(served: Served, page: Page) -> None:
    await page.goto(served.url)
    await expect(page.locator("body")).to_have_css("background-color", LIGHT)
    switch = page.get_by_role("button", name="Theme:")
    await switch.click()
    await switch.click()
    await expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    await expect(page.locator("body")).to_have_css("background-color", DARK)
    await page.reload()
    await expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    await expect(page.locator("body")).to_have_css("background-color", DARK)


async def test_on_a_phone_the_sidebar_is_a_drawer_and_enter_a_new_line(served: Served, browser: Browser) -> None:
    await served.play(saying("Hello."))
    async with new_profile(browser, **PHONE) as context:
        page = await context.new_page()
        await page.goto(served.url)
        field = page.get_by_label("Your message")
        await field.fill("from")
        await field.press("End")
        await field.press("Enter")
        await field.press_sequentially("afar")
        await expect(field).to_have_value("from\nafar")
        await page.get_by_role("button", name="Send").tap()
        await ended(page)
        await expect(page.get_by_role("navigation", name="Projects and chats")).to_have_count(0)
        await page.get_by_role("button", name="Projects and chats").tap()
        drawer = page.get_by_role("dialog")
        await expect(drawer.get_by_role("link", name="from")).to_be_visible()
        assert await grave_faults(page) == []
        await drawer.get_by_role("link", name="Map").tap()
        await expect(drawer).to_have_count(0)
        await expect(page.get_by_role("heading", name="Map")).to_be_visible()


async def test_a_chat_keeps_its_width_next_to_a_panel_on_a_small_screen(fresh: Served, page: Page) -> None:
    await page.set_viewport_size({"width": 1024, "height": 768})
    await fresh.play(editing("a.py", "return 'a'", "return 'A'"), saying("Done."))
    await begin(page, fresh, "shout", agent="coder")
    await ended(page)
    await page.get_by_role("button", name="1 pending change").click()
    await expect(page.get_by_role("button", name="Apply a.py")).to_be_visible()
    column = await page.locator(".chat-page-column").bounding_box()
    assert column is not None
    assert column["width"] > 480
    await page.get_by_role("button", name="Projects and chats").click()
    await expect(page.get_by_role("dialog").get_by_role("link", name="Checkpoints")).to_be_visible()


async def test_links_stay_while_chats_scroll(fresh: Served, page: Page) -> None:
    await page.set_viewport_size({"width": 1440, "height": 420})
    for number in range(12):
        await fresh.play(saying("Yes."))
        answer = await fresh.client.post(f"/api/projects/{fresh.project_id}/chats", json={"text": f"chat {number}"})
        assert answer.status_code == 202
    await page.goto(fresh.url)
    last = page.get_by_role("navigation").get_by_role("link", name=re.compile("^chat 0"))
    await last.scroll_into_view_if_needed()
    await expect(last).to_be_in_viewport()
    await expect(page.get_by_role("link", name="New chat")).to_be_in_viewport()
    await expect(page.get_by_role("link", name="Checkpoints")).to_be_in_viewport()


async def test_the_title_has_room_on_a_phone_next_to_facts_about_the_chat(fresh: Served, browser: Browser) -> None:
    async with new_profile(browser, **PHONE) as context:
        page = await context.new_page()
        await fresh.play(saying("Yes."))
        await begin(page, fresh, "is there room for a title?", agent="default")
        await ended(page)
        title = await page.get_by_role("heading", level=1).bounding_box()
        meter = await page.locator(".context-meter").bounding_box()
        assert title is not None
        assert meter is not None
        assert title["width"] > 180
        assert meter["y"] >= title["y"] + title["height"]
