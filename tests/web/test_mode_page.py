"""Ask or Edit: visible, remembered for the project, and one click from a turn that could only read."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.server_process import Served
from tests.web.chatting import begin, ended, open_new_chat, say
from tests.web.scripts import calling, editing, saying, script

pytestmark = pytest.mark.asyncio(loop_scope="session")


def mode(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Mode").get_by_role("button", name=name, exact=True)


async def test_the_mode_is_ask_until_the_user_chooses_edit_which_is_remembered(fresh: Served, page: Page) -> None:
    await open_new_chat(page, fresh)
    await expect(mode(page, "Ask")).to_have_attribute("aria-pressed", "true")
    await mode(page, "Edit").click()
    await expect(page.get_by_role("combobox", name="Agent", exact=True)).to_have_value("coder")
    await page.reload()
    await expect(mode(page, "Edit")).to_have_attribute("aria-pressed", "true")
    await fresh.play(editing("a.py", "return 'a'", "return 'A'"), saying("Done."))
    await say(page, "change a")
    await ended(page)
    await expect(page.get_by_role("button", name="1 pending change")).to_be_visible()
    await expect(mode(page, "Edit")).to_have_attribute("aria-pressed", "true")


async def test_choosing_an_agent_moves_the_switch(served: Served, page: Page) -> None:
    await open_new_chat(page, served)
    agent = page.get_by_role("combobox", name="Agent", exact=True)
    await agent.select_option("architect")
    await expect(mode(page, "Ask")).to_have_attribute("aria-pressed", "true")
    await agent.select_option("coder")
    await expect(mode(page, "Edit")).to_have_attribute("aria-pressed", "true")
    await mode(page, "Ask").click()
    await expect(agent).to_have_value("default")


async def test_if_a_reading_agent_was_to_write_the_page_offers_edit(fresh: Served, page: Page) -> None:
    edit = editing("a.py", "return 'a'", "return 'A'")
    await fresh.play(edit, saying("I can't change files."), edit, saying("Done."))
    await begin(page, fresh, "change a")
    await ended(page)
    await page.get_by_role("button", name="Switch to Edit and try again").click()
    await ended(page, turns=2)
    await expect(page.get_by_role("article").filter(has_text="change a")).to_have_count(2)
    await expect(page.get_by_role("button", name="1 pending change")).to_be_visible()
    await expect(mode(page, "Edit")).to_have_attribute("aria-pressed", "true")
    await expect(page.get_by_role("button", name="Switch to Edit and try again")).to_have_count(0)


async def test_a_chat_of_an_external_agent_has_no_switch(served: Served, page: Page) -> None:
    await begin(page, served, script({"say": "Hello."}), agent="scripted")
    await ended(page)
    await expect(page.get_by_role("group", name="Mode")).to_have_count(0)


async def test_a_reading_turn_offers_no_edit(served: Served, page: Page) -> None:
    await served.play(calling("view_file", path="a.py"), saying("It is a."))
    await begin(page, served, "what is a?")
    await ended(page)
    await expect(page.get_by_role("button", name="Switch to Edit and try again")).to_have_count(0)
