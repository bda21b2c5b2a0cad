"""Debian's chromium on a real `mulligan serve`. A worker has one of each, a test has a browser profile of its own."""

import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

from mulligan.server.routes.page import BUILT
from tests.server.server_process import Served
from tests.web.profile import PATIENCE, new_profile
from tests.web.serving import FILES, served_project

CHROMIUM = [
    "--no-sandbox", "--headless", "--disable-gpu", "--in-process-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--no-first-run",
]  # fmt: skip

fixture = partial(pytest_asyncio.fixture, loop_scope="session")
"""A browser outlives a test, so everything that uses it runs in one loop."""


@pytest.fixture(scope="session", autouse=True)
def built_page() -> None:
    if not (BUILT / "index.html").exists():
        pytest.fail("the page is not built, and these tests look at it: run `make web` first", pytrace=False)


@asynccontextmanager
async def launched(program: str) -> AsyncGenerator[Browser]:
    path = shutil.which(program)
    if path is None:
        pytest.fail(f"there is no {program}: run `make chromium` first", pytrace=False)
    expect.set_options(timeout=PATIENCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        await browser.close()


@fixture(scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """The same engine as the whole browser, for half of its processor time."""
    async with launched("chromium-headless-shell") as browser:
        yield browser


@fixture
async def whole_browser() -> AsyncGenerator[Browser]:
    """For features that only the complete browser has, such as notifications."""
    async with launched("chromium") as browser:
        yield browser


@fixture(scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    """Shared by all tests that start their own chats and leave no change behind."""
    async with served_project(tmp_path_factory.mktemp("served"), FILES) as served:
        yield served


@fixture
async def fresh(tmp_path: Path) -> AsyncGenerator[Served]:
    """For one test only. It is requested before `page`, which would report errors if its server stopped first."""
    async with served_project(tmp_path, FILES) as served:
        yield served


@fixture
async def context(browser: Browser) -> AsyncGenerator[BrowserContext]:
    """A browser with a screen of common size. Anything that its pages log fails the test."""
    async with new_profile(browser) as context:
        yield context


@fixture
async def page(context: BrowserContext) -> Page:
    return await context.new_page()
