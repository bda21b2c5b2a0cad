"""The proxy's page in a real browser: live, readable at every width, without serious accessibility faults."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.proxy.through_proxy import call, proxied
from tests.web.axe import grave_faults
from tests.web.profile import new_profile

pytestmark = pytest.mark.asyncio(loop_scope="session")

BROKEN = call("READ", "{'path': 'src/" + "a_long_name/" * 12 + "a.py'}")


async def test_what_is_repaired_appears_while_the_page_is_open(tmp_path: Path, browser: Browser) -> None:
    answers = ({"text": ""}, {"text": "Yes."}, BROKEN)
    async with proxied(tmp_path, *answers) as proxy, new_profile(browser) as context:
        page = await context.new_page()
        await page.goto(proxy.url)
        await expect(page.get_by_text("Nothing had to be repaired so far.")).to_be_visible()
        await expect(page.get_by_role("status")).to_have_text("Live")
        await proxy.ask(headers={"user-agent": "goose/1.52"})
        await proxy.ask(headers={"user-agent": "opencode/1.18"})
        await expect(page.get_by_text("An empty reply was asked for again")).to_be_visible()
        await expect(page.get_by_text("Single quotes became double quotes")).to_be_visible()
        await expect(page.get_by_role("row", name="goose")).to_contain_text("empty: 1")
        await expect(page.get_by_role("row", name="opencode")).to_contain_text("tool name: 1")
        await page.reload()
        await expect(page.get_by_role("listitem").first).to_contain_text("opencode")


async def test_it_can_be_read_at_every_width(tmp_path: Path, browser: Browser) -> None:
    async with proxied(tmp_path, {"text": ""}, {"text": "Yes."}, BROKEN) as proxy:
        for _ in range(2):
            await proxy.ask(headers={"user-agent": "goose/1.52"})
        for scheme in ("light", "dark"):
            async with new_profile(browser, color_scheme=scheme) as context:
                page = await context.new_page()
                await page.goto(proxy.url)
                await expect(page.get_by_role("listitem")).to_have_count(3)
                for width in (360, 800, 1400):
                    await page.set_viewport_size({"width": width, "height": 800})
                    assert await grave_faults(page) == []
                    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                    assert await page.evaluate(wider) <= 0, (scheme, width)
