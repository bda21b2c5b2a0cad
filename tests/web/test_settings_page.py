"""Settings: current values, their origins, and changes by the user."""

import json
import re
import sys

import pytest
from playwright.async_api import Browser, Page, expect

from tests.mcp_client.conftest import LITTLE
from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import begin, ended
from tests.web.profile import new_profile
from tests.web.scripts import calling, saying
from tests.web.serving import serve_again

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_setting_is_changed_saved_in_the_users_file_and_reset(fresh: Served, page: Page) -> None:
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


async def test_a_setting_from_a_flag_says_so_and_can_not_be_changed(served: Served, page: Page) -> None:
    await page.goto(f"{served.url}/p/{served.project_id}/settings")
    model = page.get_by_label("Model", exact=True)
    await expect(model).to_have_value("scripted")
    await expect(model).to_be_disabled()
    await expect(page.get_by_text("--model was given when Mulligan was started")).to_be_visible()


async def test_a_probe_shows_what_it_found(fresh: Served, page: Page) -> None:
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


async def test_rules_are_shown_with_their_source_and_a_server_of_the_project_is_trusted_as_shown(
    fresh: Served, browser: Browser
) -> None:
    mine = fresh.home / "mulligan.toml"
    rules = '[[permissions]]\ndecision = "deny"\ntool = "edit_file"\npath = "*.sql"\n'
    mine.write_text(f'{rules}[[hooks]]\nevent = "turn_end"\ncommand = "notify-me"\n{mine.read_text()}')
    declared = fresh.project / ".mcp.json"
    tracker = {"command": sys.executable, "args": [str(LITTLE), "tracker"]}
    declared.write_text(json.dumps({"mcpServers": {"tracker": tracker}}))
    async with (
        serve_again(fresh.project, fresh.model) as served,
        new_profile(browser, complaints=True) as context,
    ):
        page = await context.new_page()
        await page.goto(f"{served.url}/p/{served.project_id}/settings#permissions")
        allowed = page.get_by_role("list", name="Permissions")
        await expect(allowed).to_contain_text("deny edit_file *.sql")
        await expect(allowed).to_contain_text(str(mine))
        await expect(page.get_by_role("list", name="Hooks and formatters")).to_contain_text("turn_end of *: notify-me")
        server = page.get_by_role("list", name="MCP servers").get_by_role("listitem")
        await expect(server).to_contain_text("tracker not trusted")
        await expect(server).to_contain_text("declared in .mcp.json")
        await expect(server).to_contain_text("runs, with your rights and outside the sandbox")
        await expect(server).to_contain_text("little_server.py tracker")
        assert await grave_faults(page) == []

        declared.write_text(declared.read_text().replace('"tracker"]', '"wiki"]'))
        await page.get_by_role("button", name="Trust tracker").click()
        await expect(page.get_by_role("alert")).to_contain_text("has changed since you saw it: review it again")
        await page.reload()
        await expect(server).to_contain_text("little_server.py wiki")
        await page.get_by_role("button", name="Trust tracker").click()
        await expect(server).to_contain_text("tracker ready")

        call = calling("use_tool", tool="create_page", arguments={"title": "Home"})
        await served.play(call, saying("Made."))
        await begin(page, served, "make a page")
        await page.get_by_role("button", name=re.compile("^Allow")).click()
        await ended(page)
        asked = (await served.model.asked(2)).body["messages"][-1]["content"]
        assert "created page 'Home'" in asked

        await page.goto(f"{served.url}/p/{served.project_id}/settings#permissions")
        await page.get_by_role("button", name="Do not trust tracker any more").click()
        await expect(server).to_contain_text("tracker not trusted")
