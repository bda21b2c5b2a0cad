"""The list of steps that a model keeps while it follows a plan, as the page shows it."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.server.server_process import Served
from tests.web.chatting import begin, ended, say
from tests.web.profile import new_profile
from tests.web.scripts import calling, saying
from tests.web.test_looks import looked_at

pytestmark = pytest.mark.asyncio(loop_scope="session")

STEPS = ["[x] read a.py", "[>] change what it returns, " + "and_a_very_long_name" * 8, "[ ] run the tests"]


WIDTHS = (390, 820, 1440)


async def test_the_steps_of_a_plan_are_listed_with_how_far_they_are(fresh: Served, browser: Browser) -> None:
    async with new_profile(browser) as context:
        page = await context.new_page()
        await follow_a_plan(fresh, page)
        steps = page.get_by_role("list", name="To do").get_by_role("listitem")
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            await expect(steps).to_have_text(["done: read a.py", f"in progress: {STEPS[1][4:]}", "open: run the tests"])
            await looked_at(page)
            inside = await steps.nth(1).evaluate("each => each.scrollWidth <= each.clientWidth")
            assert inside, f"a long word leaves its list at {width} pixels"
            await page.reload()
            await expect(steps).to_have_count(3)


async def follow_a_plan(served: Served, page: Page) -> None:
    await served.play(saying("1. Change a.py"), calling("update_todos", items=STEPS), saying("Done."))
    await begin(page, served, "/plan make it loud", agent="coder")
    await ended(page)
    await say(page, "/plan", agent="coder")
    await ended(page, turns=2)
