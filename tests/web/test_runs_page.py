"""Fix runs, live."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from tests.e2e.fix_project import CODE, FIXED, PLAN, RIGHT, TESTS, VERIFY, WRONG, three_attempts
from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import message_field
from tests.web.conftest import fixture
from tests.web.scripts import calling, hanging, saying
from tests.web.serving import served_project

pytestmark = pytest.mark.asyncio(loop_scope="session")


@fixture
async def served(tmp_path: Path) -> AsyncGenerator[Served]:
    """A repository with a failing test."""
    async with served_project(tmp_path, {"totals.py": CODE, "test_totals.py": TESTS}) as served:
        yield served


async def start(page: Page, served: Served) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/runs")
    await page.get_by_label("What should work afterwards?").fill("make the tests pass")
    await page.get_by_text("Profile, commands, model").click()
    await page.get_by_label("Other commands, one per line").fill(VERIFY)
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Start the run").click()
    await expect(page).to_have_url(re.compile("/runs/"))


def now(page: Page) -> Locator:
    """Where the run is."""
    return page.get_by_role("list", name="Stages of the run").locator("[aria-current=step]")


def verdict(page: Page) -> Locator:
    return page.get_by_role("region", name="Verdict")


async def test_a_run_is_watched_to_its_verdict_and_its_result_applied(served: Served, page: Page) -> None:
    await served.play(PLAN, calling("run_command", command="curl -s http://127.0.0.1:9"), RIGHT, saying("Done."))
    await start(page, served)
    await expect(now(page)).to_contain_text("Coder")
    await expect(now(page)).to_contain_text("running")
    card = page.get_by_role("region", name=re.compile("^Run this command"))
    await expect(page.get_by_text("Attempt 1 of 3")).to_be_visible()
    assert await grave_faults(page) == []
    await card.get_by_role("button", name=re.compile("^Allow")).click()

    await expect(verdict(page)).to_contain_text("Verified")
    await expect(now(page)).to_contain_text("Done")
    await expect(page.get_by_text("take off the one")).to_be_visible()
    evidence = page.get_by_role("region", name="Evidence").get_by_role("row", name=re.compile(re.escape(VERIFY)))
    await expect(evidence).to_contain_text("2 tests fail")
    await expect(evidence).to_contain_text("passed")
    assert await grave_faults(page) == []
    assert (served.project / "totals.py").read_text() == CODE
    await page.get_by_role("navigation").get_by_role("link", name=re.compile("^Changes")).click()
    await page.get_by_role("link", name="Run: make the tests pass").click()
    await page.get_by_role("button", name="Apply totals.py").click()
    await expect(page.get_by_role("listitem", name=re.compile("totals.py, applied"))).to_be_visible()
    assert (served.project / "totals.py").read_text() == FIXED

    await page.get_by_role("link", name="All runs").click()
    await expect(
        page.get_by_role("main").get_by_role("listitem").filter(has_text="make the tests pass")
    ).to_contain_text("Verified")


async def test_a_run_that_fails_three_times_says_so_and_leaves_nothing(served: Served, page: Page) -> None:
    await served.play(*three_attempts(WRONG))
    await start(page, served)
    await expect(verdict(page)).to_contain_text("Failed")
    await expect(verdict(page)).to_contain_text(
        re.compile("All attempts were made, and the project.s commands still fail.")
    )
    await expect(now(page)).to_contain_text("Report")
    await expect(page.get_by_text("Ended in attempt 3 of 3, 3 failed")).to_be_visible()
    for _ in range(2):
        attempts = page.get_by_role("listitem", name=re.compile("^Attempt [123]$"))
        await expect(attempts).to_have_count(3)
        second = attempts.nth(1)
        await expect(second.get_by_role("heading", name="Attempt 2: discarded")).to_be_visible()
        await expect(second).to_contain_text("No failure is gone: still 2.")
        await expect(second).to_contain_text("write the sum anew")
        await expect(second).to_contain_text(VERIFY)
        await expect(second).to_contain_text("2 tests fail")
        await second.get_by_text("What it changed in 1 file").click()
        await expect(second).to_contain_text("+    return sum(items) + 2")
        assert await grave_faults(page) == []
        turns = page.locator("details.coder-turns, .coder-turns")
        await expect(turns).to_have_count(3)
        await turns.first.get_by_text("Attempt 1").click()
        await expect(turns.first).to_contain_text("edit_file")
        await page.reload()  # from here on by what is stored
    assert (served.project / "totals.py").read_text() == CODE


async def test_a_failed_run_says_first_what_to_do_and_prepares_the_next(served: Served, page: Page) -> None:
    await served.play(*three_attempts(WRONG))
    await start(page, served)
    await expect(verdict(page)).to_contain_text("Failed")
    await page.reload()
    await expect(verdict(page).get_by_role("listitem").first).to_contain_text("still fails")
    await expect(page.get_by_text("3 attempts").first).to_be_visible()
    assert await grave_faults(page) == []
    run = page.url

    first = page.get_by_role("listitem", name="Attempt 1")
    await first.get_by_text(VERIFY).click()
    await first.get_by_text("Log of command").click()
    await expect(first.get_by_text("purpose: verify")).to_be_visible()

    await page.get_by_role("button", name="Try again with this test").press("Enter")
    await expect(page.get_by_label("What should work afterwards?")).to_have_value("make the tests pass")
    await expect(page.get_by_label("Other commands, one per line")).not_to_have_value("")
    await expect(page.get_by_label("Timeout per command (s)")).to_be_visible()
    await expect(page.get_by_role("main").get_by_role("listitem").filter(has_text="Failed")).to_contain_text(
        "3 attempts"
    )

    await page.goto(run)
    await page.get_by_role("button", name="Open as chat").press("Enter")
    await expect(message_field(page)).to_have_value(re.compile("^make the tests pass"))


async def test_a_run_under_way_is_seen_from_every_page(served: Served, page: Page) -> None:
    await served.play(PLAN, hanging("Let me see"))
    await start(page, served)
    await expect(now(page)).to_contain_text("Coder")
    under_way = page.get_by_role("link", name="Running: make the tests pass")
    await expect(under_way).to_have_count(0)
    await page.get_by_role("link", name="Checkpoints").click()
    await expect(page.get_by_role("navigation").get_by_text("1 running")).to_be_visible()
    assert await grave_faults(page) == []
    await under_way.press("Enter")
    await page.get_by_role("button", name="Stop").click()
    await expect(page.get_by_role("navigation").get_by_text("1 running")).to_have_count(0)


async def test_a_run_is_stopped_and_resumed(served: Served, page: Page) -> None:
    await served.play(PLAN, hanging("Let me see"))
    await start(page, served)
    await expect(now(page)).to_contain_text("Coder")
    await page.get_by_role("button", name="Stop").click()
    await served.play(RIGHT, saying("Done."))
    await page.get_by_role("button", name="Resume").click()
    await expect(verdict(page)).to_contain_text("Verified")
