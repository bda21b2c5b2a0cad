"""The page without a mouse."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, ended, message_field, own_messages, own_texts
from tests.web.scripts import calling, hanging, saying, viewing

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_chat_is_started_sent_stopped_and_left_by_keyboard(page: Page, served: Served) -> None:
    await served.play(hanging("Well then"))
    await page.goto(f"{served.url}/p/{served.project_id}/changes")
    await expect(page.get_by_text("No change is pending.")).to_be_visible()
    await page.keyboard.press("n")
    await expect(message_field(page)).to_be_focused()
    await page.keyboard.type("first line")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("second line")
    await page.keyboard.press("Enter")
    await expect(own_texts(page)).to_have_text("first line\nsecond line")
    await expect(answers(page)).to_contain_text("Well then")
    await expect(message_field(page)).to_be_focused()
    await page.keyboard.press("Escape")
    await ended(page, "Stopped by you")


async def test_the_palette_goes_to_chats_and_views_and_returns_the_focus(page: Page, served: Served) -> None:
    await served.play(saying("One."), saying("Two."))
    await begin(page, served, "the green one")
    await ended(page)
    green = page.url
    await begin(page, served, "the blue one")
    await ended(page)
    await page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Go to")
    await expect(field).to_be_focused()
    assert await grave_faults(page) == []
    await page.keyboard.press("Escape")
    await expect(field).to_have_count(0)
    await expect(message_field(page)).to_be_focused()
    await page.keyboard.press("Control+k")
    await field.press_sequentially("green")
    await expect(
        page.get_by_role("listbox", name="Places").get_by_role("option").filter(has_not=page.locator("mark"))
    ).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(green)
    await page.keyboard.press("Control+k")
    await field.press_sequentially("checkp")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/checkpoints$"))


async def test_keys_lead_to_every_view_and_a_dialog_lists_them(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/changes")
    await expect(page.get_by_text("No change is pending.")).to_be_visible()
    for keys, view in ((["g", "m"], "map"), (["g", "r"], "runs"), (["g", "c"], "checkpoints"), (["c"], "changes")):
        for key in keys:
            await page.keyboard.press(key)
        await expect(page).to_have_url(re.compile(f"/{view}$"))
    await page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(dialog.get_by_text("Switch chats")).to_be_visible()
    assert await grave_faults(page) == []
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


async def test_letters_go_to_the_focused_field(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}")
    await expect(message_field(page)).to_be_focused()
    await page.keyboard.type("ncgm?/")
    await expect(message_field(page)).to_have_value("ncgm?/")
    await expect(page).to_have_url(f"{served.url}/p/{served.project_id}")


async def test_messages_are_walked_through_and_unfolded_by_keys(page: Page, served: Served) -> None:
    await served.play(viewing("a.py"), calling("grep", pattern="return"), saying("It is a."))
    await begin(page, served, "walk")
    await ended(page)
    await page.get_by_role("region", name="Conversation").focus()
    await page.keyboard.press("j")
    await expect(own_messages(page)).to_be_focused()
    await page.keyboard.press("j")
    await expect(answers(page)).to_be_focused()
    await page.keyboard.press("o")
    await expect(answers(page).get_by_text("view_file")).to_be_visible()
    await page.keyboard.press("k")
    await expect(own_messages(page)).to_be_focused()
    await page.keyboard.press("/")
    await expect(message_field(page)).to_be_focused()
