"""A server that others can reach asks for its token."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.server.server_process import serving
from tests.web.axe import grave_faults
from tests.web.conftest import fixture
from tests.web.profile import new_profile
from tests.web.serving import FILES, make_project

pytestmark = pytest.mark.asyncio(loop_scope="session")


@fixture
async def refused(browser: Browser) -> AsyncGenerator[Page]:
    """A page that is refused at first, which the browser reports as an error."""
    async with new_profile(browser, complaints=True) as context:
        yield await context.new_page()


async def test_the_token_signs_in_and_stays_valid(tmp_path: Path, refused: Page) -> None:
    project = make_project(tmp_path / "project", FILES)
    async with serving(project, tmp_path / "home", "--host", "0.0.0.0") as process:  # noqa: S104  that is the point
        token = (await process.line()).split()[-1]
        await refused.goto(process.url)
        await expect(refused).to_have_url(f"{process.url}/login")
        await expect(refused.get_by_label("Token")).to_be_focused()
        assert await grave_faults(refused) == []

        await refused.get_by_label("Token").fill("guessed")
        await refused.get_by_role("button", name="Sign in").click()
        await expect(refused.get_by_role("alert")).to_be_visible()

        await refused.get_by_label("Token").fill(token)
        await refused.get_by_role("button", name="Sign in").click()
        await expect(refused).to_have_url(re.compile("/p/"))
        await refused.reload()
        await expect(refused.get_by_text("No chats yet.")).to_be_visible()
        cookies = await refused.context.cookies()
        assert [(each.get("httpOnly"), each.get("sameSite")) for each in cookies] == [(True, "Strict")]
