"""Managing messages and chats on the page: copy, edit, fork, rename, pin, delete, search, queue."""

import re

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, chat_id, ended, message_field, open_new_chat, own_messages
from tests.web.profile import new_profile
from tests.web.scripts import calling, calls, editing, hanging, saying

pytestmark = pytest.mark.asyncio(loop_scope="session")

AMBER = "rgb(125, 82, 0)"


async def test_an_answer_is_copied_as_written(page: Page, context: BrowserContext, served: Served) -> None:
    await context.grant_permissions(["clipboard-read", "clipboard-write"], origin=served.url)
    await served.play(saying("It is **a**."))
    await begin(page, served, "What is a?")
    await ended(page)
    await answers(page).last.get_by_role("button", name="Copy").click()
    await expect(answers(page).last.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == "It is **a**."


async def test_a_message_is_edited_and_sent_again_in_its_chat(page: Page, served: Served) -> None:
    await served.play(saying("Wrong."), saying("Right."))
    await begin(page, served, "What is a?")
    await ended(page)
    await own_messages(page).last.get_by_role("button", name="Edit").press("Enter")
    dialog = page.get_by_role("dialog", name="Edit and send again")
    field = dialog.get_by_label("Your message")
    await expect(field).to_be_focused()
    assert await grave_faults(page) == []
    await field.fill("What is a, really?")
    await dialog.get_by_role("button", name="Send here").press("Enter")
    await expect(answers(page)).to_have_count(1)
    await expect(answers(page).last).to_contain_text("Right.")
    await expect(own_messages(page)).to_have_text([re.compile("What is a, really?")])


async def test_an_answer_is_tried_again_in_a_new_chat_and_forked(page: Page, served: Served) -> None:
    await served.play(saying("One."), saying("Two."))
    await begin(page, served, "Say a number")
    await ended(page)
    first = chat_id(page)
    await answers(page).last.get_by_role("button", name="Try again").click()
    await page.get_by_role("dialog", name="Try again").get_by_role("button", name="Send in a new chat").click()
    await expect(page).not_to_have_url(re.compile(first))
    await expect(answers(page).last).to_contain_text("Two.")
    await ended(page)
    second = chat_id(page)
    await answers(page).last.get_by_role("button", name="Fork from here").click()
    await expect(page).not_to_have_url(re.compile(second))
    await expect(answers(page).last).to_contain_text("Two.")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("(fork)")


async def test_a_chat_is_renamed_pinned_deleted_and_restored(page: Page, served: Served) -> None:
    await served.play(saying("One."))
    await begin(page, served, "A chat to care for")
    await ended(page)
    own = chat_id(page)
    more = page.get_by_role("button", name=re.compile("delete A chat to care for"))
    await more.press("Enter")
    dialog = page.get_by_role("dialog", name="Chat")
    await expect(dialog.get_by_label("Name")).to_be_focused()
    assert await grave_faults(page) == []
    await dialog.get_by_label("Name").fill("Cared for")
    await dialog.get_by_role("button", name="Rename").press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Cared for")
    more = page.get_by_role("button", name=re.compile("delete Cared for"))
    await more.press("Enter")
    async with page.expect_download() as download:
        await dialog.get_by_role("link", name="Export as Markdown").click()
    assert (await download.value).suggested_filename.endswith(".md")
    await dialog.get_by_role("button", name="Pin to the top").press("Enter")
    await expect(page.get_by_role("link", name=re.compile("^Pinned: Cared for"))).to_be_visible()
    await more.press("Enter")
    await dialog.get_by_role("button", name="Delete").press("Enter")
    await expect(page).not_to_have_url(re.compile(own))
    await expect(page.get_by_role("link", name=re.compile("Cared for"))).to_have_count(0)
    # After a reload, too.
    await page.reload()
    await page.get_by_text("Deleted chats").click()
    await page.get_by_role("button", name="Restore Cared for").press("Enter")
    await page.get_by_role("link", name=re.compile("Cared for")).click()
    await expect(answers(page).last).to_contain_text("One.")


async def test_a_deletion_is_undone_from_its_notice(page: Page, served: Served) -> None:
    await served.play(saying("One."))
    await begin(page, served, "Deleted by mistake")
    await ended(page)
    await page.get_by_role("button", name=re.compile("delete Deleted by mistake")).press("Enter")
    await page.get_by_role("dialog", name="Chat").get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Undo").press("Enter")
    await expect(page.get_by_role("link", name=re.compile("Deleted by mistake"))).to_be_visible()


async def test_a_search_leads_to_the_message(page: Page, served: Served) -> None:
    await served.play(saying("The zebra parser is in billing."))
    await begin(page, served, "Where is it?")
    await ended(page)
    await open_new_chat(page, served)
    await page.keyboard.press("Control+k")
    await page.get_by_label("Go to").fill("zebr pars")
    hit = page.get_by_role("option").filter(has_text="zebra parser")
    await expect(hit.locator("mark")).to_have_text(["zebr", "pars"])
    assert await grave_faults(page) == []
    await page.keyboard.press("Enter")
    await expect(answers(page).last).to_be_focused()


async def test_queued_messages_wait_for_the_turn_and_survive_a_reload(page: Page, served: Served) -> None:
    await served.play(hanging("Thinking"), saying("Two."), saying("Three."))
    await begin(page, served, "First")
    await expect(answers(page).last).to_contain_text("Thinking")
    for text in ("Second", "Third"):
        await message_field(page).fill(text)
        await expect(page.get_by_role("button", name="Send next")).to_be_enabled()
        await message_field(page).press("Enter")
        await expect(message_field(page)).to_have_value("")
    waiting = page.get_by_role("region", name="Queued messages")
    await expect(waiting.get_by_role("listitem")).to_have_count(2)
    await page.reload()
    await expect(waiting.get_by_role("listitem")).to_have_count(2)
    await waiting.get_by_role("button", name="Edit").first.press("Enter")
    await waiting.get_by_label("Queued message").fill("Second, better")
    await waiting.get_by_label("Queued message").press("Enter")
    await expect(waiting).to_contain_text("Second, better")
    assert await grave_faults(page) == []
    await page.get_by_role("button", name="Stop").click()
    # A stop holds them.
    await waiting.get_by_role("button", name="Send the first now").click()
    await expect(answers(page).last).to_contain_text("Three.")
    await expect(waiting).to_have_count(0)
    await expect(own_messages(page)).to_have_text(
        [re.compile("First"), re.compile("Second, better"), re.compile("Third")]
    )


async def test_a_command_that_deletes_does_not_look_like_a_question(page: Page, served: Served) -> None:
    await served.play(calling("run_command", command="rm -rf build && git tag made"), saying("Fine."), saying("Fine."))
    await begin(page, served, "Clean up", agent="coder")
    card = page.locator(".ask")
    await expect(card).to_contain_text("Run this command? It deletes or overwrites files.")
    await expect(card.get_by_role("button", name="Always allow this")).to_have_count(0)
    await expect(page).to_have_title(re.compile(r"^\(1\) asks you"))
    assert await grave_faults(page) == []
    await card.get_by_label(re.compile("Reason for the refusal")).fill("build is needed")
    await page.keyboard.press("Enter")
    await ended(page, turns=1)
    await page.locator(".call summary").first.click()
    await expect(page.locator(".call-result")).to_contain_text("The user said: build is needed")


async def test_a_permanent_approval_says_what_it_covers_and_the_command_what_it_did_not_see(
    fresh: Served, page: Page
) -> None:
    tag = ("run_command", {"command": "git tag made"})
    await fresh.play(editing("a.py", "return 'a'", "return 'A'"), calls(tag), calls(tag), saying("Tagged."))
    await begin(page, fresh, "Tag it", agent="coder")
    card = page.locator(".ask")
    await expect(card).to_contain_text("commands in this project that begin with git tag made run without asking")
    await card.get_by_role("button", name="Always allow this").click()
    await ended(page, turns=1)
    unseen = page.locator(".call-unseen").first
    await expect(unseen).to_contain_text("git tag made")
    await expect(unseen).to_contain_text("did not see your pending edit")
    await expect(unseen).to_have_css("border-left-color", AMBER)


HIDDEN = """
Object.defineProperty(document, "hidden", { get: () => true });
self.told = [];
self.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    self.told.push([title, options.body]);
    document.documentElement.dataset.told = self.told.length;
  }
};
"""
"""The page thinks that it is hidden, and notifications are recorded."""


async def test_a_hidden_page_notifies_of_questions_and_ends(whole_browser: Browser, served: Served) -> None:
    async with new_profile(whole_browser, permissions=["notifications"]) as context:
        page = await context.new_page()
        await page.add_init_script(HIDDEN)
        await served.play(calling("run_command", command="git tag told"), saying("Made."))
        await begin(page, served, "Tag it quietly", agent="coder")
        await expect(page.get_by_role("button", name="Notify me")).to_have_count(0)
        await page.get_by_role("button", name=re.compile("^Allow")).click()
        await ended(page)
        await expect(page.locator("html")).to_have_attribute("data-told", "2")
        told = await page.evaluate("told")
        assert [notice for notice, _ in told] == ["Needs your approval", "Answered"]
        # The first may come before the list of chats has the new one's title.
        assert told[1][1] == "Tag it quietly"


async def test_the_parts_of_the_context_add_up(page: Page, served: Served) -> None:
    await served.play(saying("One.", usage={"prompt_tokens": 900, "completion_tokens": 100}))
    await begin(page, served, "Hello")
    await ended(page)
    await page.get_by_role("button", name="What fills the context").press("Enter")
    shown = page.locator(".context-list")
    await expect(shown).to_contain_text("Total1,000")
    counts = [
        int(each.replace(",", ""))
        for each in await shown.locator("dd").evaluate_all("all => all.map(each => each.firstChild.textContent)")
    ]
    assert sum(counts[: counts.index(1000)]) == 1000
    assert await grave_faults(page) == []


async def test_long_code_grows_on_request_wide_tables_fade_and_formulas_stay_whole(page: Page, served: Served) -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(80))
    table = "| " + " | ".join(f"column{number}" for number in range(30)) + " |\n" + "|---" * 30 + "|\n"
    await served.play(saying(f"With \\(x_1 + y_1\\):\n\n```python\n{code}\n```\n\n{table}\n\n| a |\n|---|\n"))
    await begin(page, served, "Show it")
    await ended(page)
    await expect(page.locator(".markdown code").first).to_have_text("x_1 + y_1")
    block = page.locator(".code-block pre")
    before = (await block.bounding_box() or {})["height"]
    assert await block.evaluate("each => getComputedStyle(each).overflowY") == "hidden"
    await page.get_by_role("button", name="Show all 80 lines").press("Enter")
    assert (await block.bounding_box() or {})["height"] > before
    wide = page.get_by_role("region", name="Table, wider than the page")
    await expect(wide).to_have_attribute("data-more", "right")
    await wide.focus()
    await page.keyboard.press("ArrowRight")
    await expect(wide).to_have_attribute("data-more", "left right")
    await wide.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
    await expect(wide).to_have_attribute("data-more", "left")
    await expect(page.locator(".markdown-table").last).to_have_attribute("data-more", "")
