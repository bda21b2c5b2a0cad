"""Navigating the map of a project."""

import fcntl
import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from mulligan.codecontext.cache import cache_file
from tests.e2e.test_synthesis import CODE, DOCUMENTS
from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import message_field
from tests.web.conftest import fixture
from tests.web.serving import served_project

pytestmark = pytest.mark.asyncio(loop_scope="session")


@fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    """A bookshop."""
    async with served_project(tmp_path_factory.mktemp("served"), DOCUMENTS | CODE) as served:
        yield served


async def test_the_map_leads_from_the_whole_to_a_file_and_on_along_its_imports(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/map")
    important = page.locator("section", has=page.get_by_role("heading", name="Most important files"))
    await expect(page.get_by_role("heading", name="Entry points")).to_be_visible()
    assert await grave_faults(page) == []
    await important.get_by_role("link", name=re.compile("cart.py")).click()
    await expect(page.get_by_role("heading", name="bookshop/cart.py")).to_be_focused()
    await expect(page.get_by_text("class Cart").first).to_be_visible()
    source = page.get_by_role("region", name="Source")
    await expect(source.get_by_role("row").filter(has_text="class Cart")).to_be_visible()
    await expect(source.get_by_role("link", name="Open bookshop/cart.py in the editor")).to_be_visible()
    assert await grave_faults(page) == []
    await page.get_by_role("article").get_by_role("link", name=re.compile("money.py")).click()
    await expect(page.get_by_role("heading", name="bookshop/money.py")).to_be_visible()
    trail = page.get_by_role("navigation", name="Path to this file")
    await expect(trail.get_by_role("listitem")).to_have_text(["Overview", "cart.py", "money.py"])
    await page.go_back()
    await expect(page.get_by_role("heading", name="bookshop/cart.py")).to_be_visible()
    await page.get_by_role("button", name="Ask about this file").click()
    await expect(message_field(page)).to_have_value(re.compile("^Explain bookshop/cart.py"))


async def test_a_symbol_is_found_by_its_name(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/map")
    await page.get_by_label("Search symbols").fill("cents")
    found = page.get_by_role("region", name="Symbols found")
    await found.get_by_role("button").first.click()
    await expect(page.get_by_role("heading", name="bookshop/money.py")).to_be_visible()


async def test_the_map_shows_the_progress_of_reading(page: Page, tmp_path: Path) -> None:
    """Another process reads the project meanwhile; this test is that process."""
    async with served_project(tmp_path, {f"part{number}.py": "x = 1\n" for number in range(3)}) as served:
        lock = cache_file(served.home / "index", served.project.resolve()).with_suffix(".db-lock")
        lock.parent.mkdir(parents=True)
        with lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            await page.goto(f"{served.url}/p/{served.project_id}/map")
            await expect(page.get_by_role("status").get_by_text("Reading the project: 0 of 3 files")).to_be_visible()
            await expect(page.get_by_label("Files read")).to_have_attribute("max", "3")
            assert await grave_faults(page) == []
        await expect(page.get_by_text("3 files, 3 lines")).to_be_visible()
        await page.goto("about:blank")  # before its server ends
