"""Sentinel cards: each with the server's sentence, some with Continue."""

import re
from collections.abc import AsyncGenerator

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import begin, cards, ended, say
from tests.web.conftest import fixture
from tests.web.scripts import LAST_WORDS, calls, hanging, saying, script, viewing
from tests.web.serving import FILES, served_project

pytestmark = pytest.mark.asyncio(loop_scope="session")

NUDGED = "Hit repeated different errors — recovery guidance injected, continuing."
ESCALATED = "Repeated errors persisted — stopped the turn."
MISTAKES = [
    calls(("view_file", {"path": f"{name}.py"}), ("no_such_tool", {}), ("grep", {"pattern": "x", "path": name}))
    for name in ("this", "that")
]


@fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Served]:
    """Turns of this project are stopped after four steps."""
    files = FILES | {"mulligan.toml": "steps = 4\n"}
    async with served_project(tmp_path_factory.mktemp("served"), files) as served:
        yield served


def continue_buttons(page: Page) -> Locator:
    return page.get_by_role("button", name="Continue", exact=True)


async def test_errors_in_a_row_are_shown_once_where_they_changed_the_turn(page: Page, served: Served) -> None:
    await served.play(MISTAKES[0], viewing("a.py"), saying("It is a."))
    await begin(page, served, "stumble")
    await ended(page)
    await expect(cards(page)).to_have_count(1)
    await expect(cards(page).get_by_text(NUDGED, exact=True)).to_be_visible()
    await expect(continue_buttons(page)).to_have_count(0)
    place = "card => card.closest('article').getAttribute('aria-label').startsWith('Answer')"
    assert await cards(page).evaluate(place)


async def test_errors_that_persist_stop_the_turn_and_the_card_offers_continue(page: Page, served: Served) -> None:
    await served.play(*MISTAKES, LAST_WORDS)
    await begin(page, served, "stumble and fall")
    await ended(page, "Stopped: repeated errors")
    await expect(cards(page)).to_have_count(2)
    await expect(cards(page).first.get_by_text(NUDGED, exact=True)).to_be_visible()
    await expect(cards(page).last.get_by_text(ESCALATED, exact=True)).to_be_visible()
    await expect(cards(page).last.get_by_role("button", name="Continue")).to_be_visible()
    await expect(continue_buttons(page)).to_have_count(1)
    assert await grave_faults(page) == []


async def test_a_reading_agent_that_wants_to_write_gets_a_card_with_a_switch(page: Page, served: Served) -> None:
    await served.play(calls(("edit_file", {"path": "a.py", "old": "a", "new": "b"})), saying("Change a to b in a.py."))
    await begin(page, served, "what should be changed?")
    await ended(page)
    await expect(cards(page)).to_have_count(1)
    await expect(cards(page).get_by_text("only reads. To let it change files, ask with")).to_be_visible()


async def test_a_loop_is_stopped_and_can_be_continued(page: Page, served: Served) -> None:
    await served.play(*[viewing("a.py")] * 3, LAST_WORDS)
    await begin(page, served, "go in circles")
    await ended(page, "Stopped: going in circles")
    words = "The model made the same view_file call 3 times — stopped the turn."
    await expect(cards(page).get_by_text(words, exact=True)).to_be_visible()
    await served.play(saying("Out of it."))
    await continue_buttons(page).click()
    await ended(page, turns=2)
    await expect(page.get_by_text("You pressed Continue")).to_be_visible()
    await expect(continue_buttons(page)).to_have_count(0)


async def test_continue_is_only_on_the_newest_card_and_works_three_times(page: Page, served: Served) -> None:
    looking = [viewing("a.py"), viewing("b.py"), viewing("c.py"), viewing("d.py"), LAST_WORDS]
    await served.play(*looking, then="loop")
    await begin(page, served, "look at everything")
    for turns in (1, 2, 3):
        await ended(page, "Stopped: steps used up", turns=turns)
        await expect(cards(page)).to_have_count(turns)
        await expect(
            cards(page).last.get_by_text("Used up its 4 steps — stopped the turn.", exact=True)
        ).to_be_visible()
        await expect(continue_buttons(page)).to_have_count(1)
        await cards(page).last.get_by_role("button", name="Continue").click()
    await ended(page, "Stopped: steps used up", turns=4)
    await expect(cards(page).last).to_contain_text("this was continued 3 times in a row")
    await expect(continue_buttons(page)).to_have_count(0)
    assert await grave_faults(page) == []


async def test_a_card_offers_nothing_once_a_message_follows(page: Page, served: Served) -> None:
    await served.play(*[viewing("a.py")] * 3, LAST_WORDS, saying("Fine."))
    await begin(page, served, "circle")
    await expect(continue_buttons(page)).to_have_count(1)
    await say(page, "leave it")
    await ended(page, turns=2)
    await expect(continue_buttons(page)).to_have_count(0)


@pytest.mark.parametrize(
    ("replies", "end", "words"),
    [
        pytest.param(
            [saying(""), saying("")],
            "Stopped: no reply",
            "The model gave no answer twice in a row — stopped the turn.",
            id="no reply",
        ),
        pytest.param(
            [{"status": 400, "body": "no such model"}],
            "Failed",
            "no such model",
            id="the model failed",
        ),
    ],
)
async def test_a_turn_that_the_model_left_is_shown_and_not_continued(
    page: Page, served: Served, replies: list[dict[str, object]], end: str, words: str
) -> None:
    await served.play(*replies)
    await begin(page, served, "say something")
    await ended(page, end)
    await expect(cards(page)).to_contain_text(words)
    await expect(continue_buttons(page)).to_have_count(0)
    assert await grave_faults(page) == []


async def test_an_external_agent_that_fails_is_shown(page: Page, served: Served) -> None:
    await begin(page, served, script({"say": "Let me see."}, {"error": "no credit left"}), agent="scripted")
    await ended(page, "Failed")
    await expect(cards(page)).to_contain_text("The agent could not finish.")
    await expect(cards(page)).to_contain_text("no credit left")
    await expect(continue_buttons(page)).to_have_count(0)


async def test_an_abort_is_shown_and_not_continued(page: Page, served: Served) -> None:
    await served.play(hanging("Well"))
    await begin(page, served, "stop me")
    await expect(page.get_by_text("Well", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Stop", exact=True).click()
    await ended(page, "Stopped by you")
    await expect(cards(page).get_by_text("Stopped by you.", exact=True)).to_be_visible()
    await expect(continue_buttons(page)).to_have_count(0)


async def test_compact_says_what_it_gained_and_shows_what_the_model_reads(fresh: Served, page: Page) -> None:
    length = {"place": ["context_length"], "value": 20_000}
    answer = await fresh.client.put(f"/api/projects/{fresh.project_id}/settings", json=length)
    assert answer.status_code == 200, answer.text
    long = [saying(" ".join(f"fact{number}" for number in range(start, start + 700))) for start in (0, 700, 1400)]
    long[-1]["usage"] = {"prompt_tokens": 14_500, "completion_tokens": 1_500}
    await fresh.play(*long, saying("## Goal\nAll facts\n## Progress\nAll was said."))
    await begin(page, fresh, "first facts")
    for turns, text in ((1, "more"), (2, "and more")):
        await ended(page, turns=turns)
        await say(page, text)
    await ended(page, turns=3)
    await expect(page.get_by_role("meter", name="Context used")).to_have_attribute("aria-valuenow", "80")
    await page.get_by_role("button", name="Compact").press("Enter")
    gained = re.compile(r"the model summed up what came before, about [1-9][\d,]+ of [\d,]+ tokens freed")
    await expect(cards(page)).to_contain_text(gained)
    await cards(page).get_by_text("What the model sees instead").click()
    await expect(cards(page).get_by_role("heading", name="Progress", exact=True)).to_be_visible()
    assert await grave_faults(page) == []
