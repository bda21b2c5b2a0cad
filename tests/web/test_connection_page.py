"""The page when the connection, the server or the model is lost."""

import asyncio
import re
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import serve_script
from tests.held_port import held_port
from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, cards, ended, message_field, own_messages, say
from tests.web.conftest import fixture
from tests.web.cutting_proxy import cutting_proxy
from tests.web.profile import new_profile
from tests.web.scripts import hanging, saying, viewing
from tests.web.serving import FILES, make_project, serve_again, write_user_file

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS = " ".join(f"word{number}" for number in range(120))
STALE = "Nothing from the model for 60 s. It may still be reading."
LOST = "No connection to the server."
BACK = "window.dispatchEvent(new Event('online'))"
"""The page tries again at once."""


@fixture
async def shaken(browser: Browser) -> AsyncGenerator[Page]:
    """A page that may log errors."""
    async with new_profile(browser, complaints=True) as context:
        yield await context.new_page()


async def test_a_cut_in_mid_stream_loses_nothing_and_repeats_nothing(served: Served, shaken: Page) -> None:
    await served.play(viewing("a.py"), saying(WORDS, chunk_size=4, chunk_delay=0.01))
    async with cutting_proxy(served.process.port) as proxy:
        await shaken.goto(f"{proxy.url}/p/{served.project_id}")
        await say(shaken, "count")
        await expect(answers(shaken)).to_contain_text("word5 ")
        proxy.cut()
        await expect(shaken.get_by_text(LOST)).to_be_visible()
        assert await grave_faults(shaken) == []
        proxy.fix()
        await expect(shaken.get_by_text(LOST)).to_have_count(0)
        await ended(shaken)
        await expect(answers(shaken).locator(".markdown")).to_have_text(WORDS)
        await expect(answers(shaken)).to_have_count(1)
        await expect(own_messages(shaken)).to_have_count(1)
        await expect(answers(shaken).locator(".call-line")).to_have_count(1)


async def test_what_ended_while_the_page_was_away_is_there_when_it_is_back(served: Served, shaken: Page) -> None:
    await served.play(hanging("Once upon"))
    async with cutting_proxy(served.process.port) as proxy:
        await shaken.goto(f"{proxy.url}/p/{served.project_id}")
        await say(shaken, "begin")
        await expect(answers(shaken)).to_contain_text("Once upon")
        proxy.cut()
        await expect(shaken.get_by_text(LOST)).to_be_visible()
        await message_field(shaken).fill("not lost")
        await expect(shaken.get_by_text("Not connected. Your draft is saved.")).to_be_visible()
        chat = shaken.url.rpartition("/")[2]
        assert (await served.client.post(f"/api/chats/{chat}/abort")).json() == {"aborted": True}
        proxy.fix()
        await ended(shaken, "Stopped by you")
        await expect(cards(shaken)).to_have_count(1)
        await expect(message_field(shaken)).to_have_value("not lost")


@pytest.fixture
def port() -> Generator[int]:
    with held_port() as port:
        yield port


async def test_the_chat_continues_after_the_server_died(tmp_path: Path, shaken: Page, port: int) -> None:
    project = make_project(tmp_path / "project", FILES)
    write_user_file(tmp_path)
    async with serve_script(Script(replies=())) as model:
        async with serve_again(project, model, port=port) as before:
            await before.play(viewing("a.py"), hanging("Half a sentence"))
            await begin(shaken, before, "say something")
            await expect(answers(shaken)).to_contain_text("Half a sentence")
            before.process.process.kill()
            await before.process.process.wait()
            await expect(shaken.get_by_text(LOST)).to_be_visible()
        async with serve_again(project, model, port=port) as after:
            await shaken.evaluate(BACK)
            await expect(cards(shaken)).to_contain_text("The process that was answering is gone")
            await expect(answers(shaken).locator(".call-line")).to_contain_text("view_file")
            await expect(shaken.get_by_text(LOST)).to_have_count(0)
            await after.play(saying("A whole one."))
            await say(shaken, "again")
            await expect(answers(shaken).last).to_contain_text("A whole one.")
            await expect(own_messages(shaken)).to_have_count(2)


async def test_two_tabs_show_the_same_chat_and_either_stops_it(
    served: Served, context: BrowserContext, page: Page
) -> None:
    await served.play(hanging("Together"), saying("In both."))
    await begin(page, served, "two of us")
    await expect(answers(page)).to_contain_text("Together")
    other = await context.new_page()
    await other.goto(page.url)
    await expect(answers(other)).to_contain_text("Together")
    await other.get_by_role("button", name="Stop").click()
    await asyncio.gather(ended(page, "Stopped by you"), ended(other, "Stopped by you"))
    await say(page, "on we go")
    await asyncio.gather(ended(page, turns=2), ended(other, turns=2))
    for tab in (page, other):
        await expect(own_messages(tab).get_by_role("button", name="Edit")).to_have_count(2)
    assert await other.locator(".conversation-content").inner_text() == (
        await page.locator(".conversation-content").inner_text()
    )
    await expect(other.get_by_text("In both.")).to_have_count(1)


async def test_a_silent_model_is_reported_after_a_minute_unless_the_turn_has_ended(served: Served, page: Page) -> None:
    await page.clock.install()
    await served.play(saying("Quick."), hanging("Hm"))
    await begin(page, served, "quick")
    await ended(page)
    await page.clock.fast_forward(65_000)
    await expect(page.get_by_text(STALE)).to_have_count(0)
    await say(page, "slow")
    await expect(answers(page).last).to_contain_text("Hm")
    await page.clock.fast_forward(30_000)
    await expect(page.get_by_text(STALE)).to_have_count(0)
    # In steps: a page that slept longer than the longest silence of the server reconnects first.
    await page.clock.fast_forward(15_000)
    await page.clock.fast_forward(20_000)
    await expect(page.get_by_text(STALE)).to_be_visible()
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Stop").click()
    await ended(page, "Stopped by you", turns=2)
    await page.clock.fast_forward(65_000)
    await expect(page.get_by_text(STALE)).to_have_count(0)


async def test_a_chat_that_is_not_there_says_so_and_offers_to_try_again(served: Served, shaken: Page) -> None:
    await shaken.goto(f"{served.url}/p/{served.project_id}/c/none")
    await expect(shaken.get_by_role("heading", name=re.compile("This chat can.t be shown"))).to_be_visible()
    await expect(shaken.get_by_role("button", name="Try again")).to_be_visible()
    assert await grave_faults(shaken) == []
