"""Names in a message: a list below the composer completes them, and the message says what the model was given."""

import pytest
from playwright.async_api import Locator, Page, expect

from tests.server.server_process import Served
from tests.web.chatting import ended, message_field, open_new_chat, own_messages, own_texts, say
from tests.web.scripts import saying

pytestmark = pytest.mark.asyncio(loop_scope="session")


def offers(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Names that fit").get_by_role("option")


async def test_a_file_is_completed_by_keys_and_sent_with_the_message(fresh: Served, page: Page) -> None:
    (fresh.project / ".claude" / "commands").mkdir(parents=True)
    (fresh.project / ".claude" / "commands" / "explain.md").write_text("---\ndescription: Easy words\n---\nExplain $1!")
    await fresh.play(saying("It is a."), saying("So."))
    await open_new_chat(page, fresh)
    field = message_field(page)
    await field.press_sequentially("what is @b")
    await expect(offers(page)).to_contain_text(["@b", "@b.py"])
    await expect(offers(page).first).to_have_attribute("aria-selected", "true")
    await field.press("Escape")
    await expect(offers(page)).to_have_count(0)
    await field.press("Backspace")
    await field.press_sequentially("a.")
    await expect(offers(page)).to_contain_text(["@a.py"])
    await field.press("Enter")
    await expect(field).to_have_value("what is @a.py ")
    await field.press_sequentially("for?")
    await field.press("Enter")
    await ended(page)
    await expect(own_texts(page)).to_have_text("what is @a.py for?")
    await expect(own_messages(page)).to_contain_text("@a.py · a.py (lines 1-2 of 2)")
    asked = (await fresh.model.asked(1)).body["messages"][-1]["content"]
    assert "1: def a():" in asked
    await page.reload()
    await expect(own_texts(page)).to_have_text("what is @a.py for?")
    await expect(own_messages(page)).to_contain_text("@a.py · a.py (lines 1-2 of 2)")
    await field.press_sequentially("/ex")
    await expect(offers(page)).to_contain_text(["/explain"])
    await field.press("Tab")
    await field.press_sequentially("it")
    await field.press("Enter")
    await ended(page, turns=2)
    await expect(own_texts(page).last).to_have_text("Explain it!")


async def test_a_command_that_is_typed_is_run_and_shown_without_asking_the_model(fresh: Served, page: Page) -> None:
    await fresh.play(saying("Two."))
    await open_new_chat(page, fresh)
    await message_field(page).fill("!cat a.py | wc -l")
    await page.get_by_role("button", name="Send").click()
    await expect(own_messages(page)).to_contain_text("The user ran `cat a.py | wc -l`: exit code 0")
    await expect(page.get_by_role("button", name="Send")).to_be_visible()
    await say(page, "so?")
    await ended(page)
    asked = (await fresh.model.asked(1)).body["messages"][-1]["content"]
    assert asked.startswith("The user ran `cat a.py | wc -l`")
    assert asked.endswith("so?")
