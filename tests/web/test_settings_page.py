"""Settings: what is in force, where it comes from, and what the person changes."""

import pytest
from playwright.async_api import Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.scripts import saying

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_setting_is_changed_kept_in_the_persons_file_and_reset(fresh: Served, page: Page) -> None:
    mine = fresh.home / "mulligan.toml"
    before = mine.read_text()
    await page.goto(f"{fresh.url}/p/{fresh.project_id}")
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="Settings").click()
    await expect(page).to_have_title("Settings · Mulligan")
    steps = page.get_by_label("Steps", exact=True)
    await steps.fill("many")
    await steps.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text("Enter a whole number.")
    await steps.fill("7")
    await page.get_by_role("button", name="Save Steps").click()
    await expect(page.get_by_role("button", name="Reset Steps")).to_be_visible()
    assert "steps = 7" in mine.read_text()
    await page.get_by_label("Allowed commands").fill("make deploy\ngit push")
    await page.get_by_role("button", name="Save Allowed commands").click()
    await expect(page.get_by_role("button", name="Reset Allowed commands")).to_be_visible()
    assert 'allow_commands = ["make deploy", "git push"]' in mine.read_text()
    await page.get_by_role("button", name="Reset Steps").click()
    await expect(page.get_by_role("button", name="Reset Steps")).to_have_count(0)
    await page.get_by_role("button", name="Reset Allowed commands").click()
    await expect(page.get_by_role("button", name="Reset Allowed commands")).to_have_count(0)
    assert mine.read_text().strip() == before.strip()
    assert await grave_faults(page) == []


async def test_what_a_flag_has_set_says_so_and_can_not_be_changed(served: Served, page: Page) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/settings")
    model = page.get_by_label("Model", exact=True)
    await expect(model).to_have_value("scripted")
    await expect(model).to_be_disabled()
    await expect(page.get_by_text("--model was given when Mulligan was started")).to_be_visible()


async def test_a_probe_tells_in_words_what_it_found(fresh: Served, page: Page) -> None:
    await fresh.play({"text": "I can't."}, then="repeat_last", server_style={"tools": "refused"})
    await page.goto(f"{fresh.url}/p/{fresh.project_id}/settings")
    await page.get_by_role("button", name="Probe this model").click()
    await expect(page.get_by_text("Calls tools natively")).to_be_visible()


async def test_agents_that_are_not_installed_are_folded_away_with_how_to_get_them(served: Served, page: Page) -> None:
    await served.play(saying("Hello."))
    await page.goto(f"{served.url}/p/{served.project_id}/settings#agents")
    await expect(page.get_by_text("Answers questions about the project.")).to_be_visible()
    folded = page.get_by_text("external agents that are not installed")
    goose = page.get_by_role("listitem").filter(has_text="goose").last
    await expect(goose).to_be_hidden()
    await folded.click()
    await expect(goose).to_be_visible()


async def test_the_colours_are_chosen_among_the_settings(served: Served, page: Page) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/settings")
    await page.get_by_role("group", name="Colours").get_by_role("button", name="Dark").click()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
