"""The first visit to the page."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import message_field

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_first_visit_leads_to_the_project_and_says_what_to_do(fresh: Served, page: Page) -> None:
    await page.goto(fresh.url)
    await expect(page).to_have_url(f"{fresh.url}/p/{fresh.project_id}")
    await expect(page).to_have_title("New chat · Mulligan")
    await expect(page.get_by_role("main").get_by_role("heading", name="project")).to_be_visible()
    await expect(page.get_by_text("No chats yet.")).to_be_visible()
    await expect(page.get_by_text("Every change stays pending until you apply or reject it.")).to_be_visible()
    await expect(page.get_by_text("Answers come from scripted at")).to_be_visible()
    await expect(message_field(page)).to_be_focused()
    await expect(page.get_by_role("button", name="Send")).to_be_disabled()
    assert await grave_faults(page) == []


async def test_an_example_is_put_into_the_composer_and_not_sent(page: Page, served: Served) -> None:
    await page.goto(served.url)
    await page.get_by_role("button", name="Explain how this project is built").click()
    await expect(message_field(page)).to_be_focused()
    await expect(message_field(page)).to_have_value(re.compile("^Explain how this project is built"))
    await expect(page.get_by_role("button", name="Send")).to_be_enabled()


async def test_an_address_that_leads_nowhere_says_so_and_shows_the_way(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/none/c/none")
    await expect(page.get_by_role("heading", name="Nothing here")).to_be_visible()
    await page.get_by_role("link", name="Go to the first project").click()
    await expect(page).to_have_url(f"{served.url}/p/{served.project_id}")
