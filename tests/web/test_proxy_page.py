"""The proxy's page in a real browser: live, readable at every width, without a grave fault for anybody."""

import shutil
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright, expect

from tests.proxy.through_proxy import call, proxied
from tests.web.axe import grave_faults
from tests.web.conftest import CHROMIUM

BROKEN = call("READ", "{'path': 'src/" + "a_long_name/" * 12 + "a.py'}")


@pytest.fixture
async def browser() -> AsyncGenerator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("there is no chromium: run `make chromium` first", pytrace=False)
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=program, args=CHROMIUM)
        yield started
        await started.close()


async def test_what_is_repaired_appears_while_the_page_is_open(tmp_path: Path, browser: Browser) -> None:
    async with proxied(tmp_path, {"text": ""}, {"text": "Yes."}, BROKEN) as proxy:
        page = await browser.new_page()
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 800, 1400])
async def test_it_can_be_read_at_every_width(tmp_path: Path, browser: Browser, width: int, scheme: str) -> None:
    async with proxied(tmp_path, {"text": ""}, {"text": "Yes."}, BROKEN) as proxy:
        for _ in range(2):
            await proxy.ask(headers={"user-agent": "goose/1.52"})
        page = await browser.new_page(
            viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
        )
        await page.goto(proxy.url)
        await expect(page.get_by_role("listitem")).to_have_count(3)
        assert await grave_faults(page) == []
        wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0
        await page.screenshot(path=str(tmp_path / f"{width}-{scheme}.png"))
