"""Actions of a user in a chat, and where their results are on the page."""

import re

from playwright.async_api import Locator, Page, expect

from tests.server.server_process import Served


async def open_new_chat(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}")
    await expect(message_field(page)).to_be_visible()


async def begin(page: Page, served: Served, text: str, *, agent: str | None = None) -> None:
    """A new chat, its first message sent."""
    await open_new_chat(page, served)
    await say(page, text, agent=agent)
    await expect(page).to_have_url(re.compile("/c/"))


async def say(page: Page, text: str, *, agent: str | None = None) -> None:
    if agent:
        await page.get_by_role("combobox", name="Agent", exact=True).select_option(agent)
    await message_field(page).fill(text)
    await page.get_by_role("button", name="Send").click()


async def ended(page: Page, words: str = "Answered", *, turns: int = 1) -> None:
    """The newest turn has ended like this, and a message can be sent."""
    await expect(ends(page)).to_have_count(turns)
    await expect(ends(page).last).to_contain_text(words)
    await expect(page.get_by_role("button", name="Send")).to_be_visible()


def message_field(page: Page) -> Locator:
    return page.get_by_label("Your message")


def answers(page: Page) -> Locator:
    return page.get_by_role("article", name=re.compile("^Answer,"))


def own_messages(page: Page) -> Locator:
    return page.get_by_role("article", name=re.compile("^You,"))


def own_texts(page: Page) -> Locator:
    """The texts of the user's messages, without the buttons."""
    return own_messages(page).locator(".user-message-text")


def cards(page: Page) -> Locator:
    """All sentinels on the page."""
    return page.locator(".sentinel")


def ends(page: Page) -> Locator:
    """The lines that say how turns ended."""
    return page.locator(".turn-end")


def chat_id(page: Page) -> str:
    return page.url.rpartition("/c/")[2]
