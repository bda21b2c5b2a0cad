"""The page of a fleet, on a real PostgreSQL."""

import re
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.e2e.fix_project import CODE, FIXED, TESTS, VERIFY
from tests.server.fleet_jobs import WorkedFleet, fixing_patch, head_of, worked_fleet
from tests.server.server_process import Served
from tests.store.postgres_server import PostgresServer, empty_database, postgres_server
from tests.web.axe import grave_faults
from tests.web.conftest import fixture
from tests.web.profile import new_profile
from tests.web.serving import served_project

__all__ = ["postgres_server"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


@fixture
async def fleet(postgres_server: PostgresServer) -> AsyncGenerator[WorkedFleet]:
    async with empty_database(postgres_server) as url, worked_fleet(url) as fleet:
        yield fleet


def branch_file(project: Path, branch: str, file: str) -> str:
    shown = subprocess.run(["git", "show", f"{branch}:{file}"], cwd=project, check=True, capture_output=True, text=True)
    return shown.stdout


@fixture
async def served(tmp_path: Path, fleet: WorkedFleet) -> AsyncGenerator[Served]:
    files = {"totals.py": CODE, "test_totals.py": TESTS}
    async with served_project(tmp_path, files, "--fleet", fleet.url) as served:
        yield served


async def test_a_job_is_submitted_followed_reviewed_and_fetched(fleet: WorkedFleet, served: Served, page: Page) -> None:
    await fleet.store.servers.register("http://gpu-1:8080/v1", models=["qwen"], slots=4)
    await fleet.store.servers.failed("http://gpu-1:8080/v1", "connection refused")
    await fleet.store.workers.beat("rack-1", slots=2, labels=["nightly"], sandbox="bubblewrap")
    await page.goto(served.url)
    await page.get_by_role("navigation").get_by_role("link", name="Fleet").click()
    await expect(page.get_by_role("list", name="Workers")).to_contain_text("rack-1")
    await expect(page.get_by_role("list", name="Model servers")).to_contain_text("connection refused")
    await page.get_by_text("Submit a job").click()
    await expect(page.get_by_label("Repository")).to_have_value(str(served.project))
    await page.get_by_label("What should work afterwards?").fill("make the tests pass")
    await page.get_by_label("Commands that judge it, one per line").fill(VERIFY)
    await page.get_by_label("Label", exact=True).first.fill("nightly")
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Submit", exact=True).click()

    state = page.get_by_role("region", name="State")
    await expect(state).to_contain_text("Queued")
    taken = await fleet.begin(head_of(served.project))
    assert (taken.job.spec.verify, taken.job.spec.labels) == ((VERIFY,), ("nightly",))
    await expect(state).to_contain_text("Running")
    now = page.get_by_role("list", name="Stages of the run").locator("[aria-current=step]")
    await expect(now).to_contain_text("Coder")
    await expect(page.get_by_text("take off the one")).to_be_visible()
    assert await grave_faults(page) == []
    await fleet.end(taken, fixing_patch(served.project))
    await expect(state).to_contain_text("Verified")
    await expect(now).to_contain_text("Done")
    await expect(page.locator(".attempt-diff")).to_contain_text("+    return sum(items)")
    await expect(page.get_by_role("link", name="Download the patch")).to_have_attribute(
        "href", re.compile(r"/api/fleet/jobs/.*/patch")
    )
    await page.get_by_text("Fetch as a branch").click()
    await page.get_by_label("Branch", exact=True).fill("fix/totals")
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Create the branch").click()
    await expect(page.get_by_text("Branch fix/totals is at")).to_be_visible()
    assert branch_file(served.project, "fix/totals", "totals.py") == FIXED
    await page.get_by_role("button", name="Fetch as pending changes").click()
    await expect(page.get_by_role("button", name="Apply totals.py")).to_be_visible()
    await expect(page.get_by_role("navigation").get_by_role("link", name=re.compile("^Changes"))).to_contain_text("1")
    assert (served.project / "totals.py").read_text() == CODE


async def test_jobs_are_filtered_paged_cancelled_and_queued_again(
    fleet: WorkedFleet, served: Served, page: Page
) -> None:
    for number in range(51):
        await fleet.submit(f"job {number}", labels=("many",))
    await fleet.submit("the odd one", labels=("few",), priority=9)
    await fleet.end(await fleet.begin(), "", "failed", "poisoned")
    await page.goto(f"{served.url}/p/{served.project_id}/fleet")
    jobs = page.get_by_role("list", name="Jobs").get_by_role("listitem")
    await expect(jobs).to_have_count(50)
    await page.get_by_role("button", name="Older").click()
    await expect(jobs).to_have_count(2)
    await page.get_by_label("Label").select_option("few")
    await expect(jobs).to_have_count(1)
    await expect(jobs).to_contain_text("Failed")
    await expect(jobs).to_contain_text("failed every time")
    await page.get_by_label("Label").select_option("all")
    await page.get_by_label("State").select_option("failed")
    await expect(jobs).to_have_count(1)
    await page.get_by_text("By label and model").click()
    await expect(page.get_by_role("row", name=re.compile("^many"))).to_contain_text("51")
    assert await grave_faults(page) == []

    await page.get_by_role("link", name="the odd one").click()
    state = page.get_by_role("region", name="State")
    await page.get_by_role("button", name="Retry").click()
    await expect(state).to_contain_text("Queued")
    await page.get_by_role("button", name="Cancel").click()
    await expect(state).to_contain_text("Cancelled")


async def test_model_servers_are_added_and_removed_and_old_jobs_deleted(
    fleet: WorkedFleet, served: Served, page: Page
) -> None:
    for goal in ("has ended", "waits"):
        await fleet.submit(goal)
    await fleet.end(await fleet.begin(), "")
    await page.goto(f"{served.url}/p/{served.project_id}/fleet")
    await page.get_by_text("Add a model server").click()
    await page.get_by_label("Address").fill("http://gpu-1:8080/v1/")
    await page.get_by_label("Models").fill("qwen, coder")
    await page.get_by_label("Slots").fill("4")
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Add", exact=True).click()
    servers = page.get_by_role("list", name="Model servers")
    await expect(servers).to_contain_text("0 of 4 slots busy · qwen, coder")
    await page.get_by_role("button", name="Remove http://gpu-1:8080/v1 from the list").click()
    await expect(page.get_by_text("The list is empty")).to_be_visible()
    assert list(await fleet.store.reading.servers()) == []

    await page.get_by_text("Delete old jobs").click()
    await page.get_by_label("Days since they ended").fill("1")
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_text("0 jobs deleted.")).to_be_visible()
    await page.get_by_label("Days since they ended").fill("0")
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_text("1 job deleted.")).to_be_visible()
    jobs = page.get_by_role("list", name="Jobs").get_by_role("listitem")
    await expect(jobs).to_have_count(1)
    await expect(jobs).to_contain_text("waits")


async def test_a_refusal_is_shown_where_it_was_requested(fleet: WorkedFleet, served: Served, browser: Browser) -> None:
    job = await fleet.submit("make the tests pass", str(served.project))
    await fleet.end(await fleet.begin(head_of(served.project)), fixing_patch(served.project))
    async with new_profile(browser, complaints=True) as context:
        page = await context.new_page()
        await page.goto(f"{served.url}/p/{served.project_id}/fleet")
        await page.get_by_text("Add a model server").click()
        await page.get_by_label("Address").fill("gpu-1")
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text("Not a server address: gpu-1")
        await page.goto(f"{served.url}/p/{served.project_id}/fleet/{job}")
        await page.get_by_text("Fetch as a branch").click()
        await page.get_by_label("Branch", exact=True).fill("main")
        await page.get_by_role("button", name="Create the branch").click()
        await expect(page.get_by_role("alert")).to_contain_text("Branch main already exists")


async def test_without_a_fleet_there_is_no_link_to_one(tmp_path: Path, page: Page) -> None:
    async with served_project(tmp_path, {"a.py": "a = 1\n"}) as alone:
        await page.goto(alone.url)
        await expect(page.get_by_role("link", name="Runs")).to_be_visible()
        await expect(page.get_by_role("link", name="Fleet")).to_have_count(0)
        await page.goto("about:blank")
