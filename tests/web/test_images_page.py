"""Images in the composer: pasted, dropped, stored with the chat, sent again, and refused before they are sent."""

import base64
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.sample_images import png
from tests.server.server_process import Served
from tests.web.chatting import begin, ended, message_field, open_new_chat, own_messages, own_texts, say
from tests.web.profile import new_profile
from tests.web.scripts import calling, saying

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHOT = png(40, 30)
SEES: dict[str, Any] = {"kind": "llama.cpp", "images": True}

HAND_OVER = """([data, type, name]) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], name, { type: "image/png" }));
    const field = document.querySelector(".composer textarea");
    const given = type === "paste" ? { clipboardData: transfer } : { dataTransfer: transfer };
    const made = type === "paste" ? new ClipboardEvent(type, { ...given, bubbles: true, cancelable: true })
                                  : new DragEvent(type, { ...given, bubbles: true, cancelable: true });
    field.dispatchEvent(made);
}"""


async def give(page: Page, data: bytes = SHOT, *, by: str = "paste", name: str = "shot.png") -> None:
    """Like a browser when the user pastes or drops a file."""
    await page.evaluate(HAND_OVER, [base64.b64encode(data).decode(), by, name])


def images(place: Page | Locator) -> Locator:
    return place.get_by_role("list", name="Images").get_by_role("img")


def composer(page: Page) -> Locator:
    return page.get_by_role("form", name="Message")


async def sent_images(served: Served, request: int) -> list[str]:
    """The addresses of all images in a request."""
    messages = (await served.model.asked(request)).body["messages"]
    parts = [part for each in messages if isinstance(each["content"], list) for part in each["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


async def test_an_image_is_pasted_sent_kept_and_sent_again(fresh: Served, page: Page) -> None:
    await fresh.play(saying("Red."), saying("Still red."), server_style=SEES)
    await open_new_chat(page, fresh)
    await give(page)
    await expect(images(composer(page))).to_have_attribute("alt", f"shot.png, image, 40 x 30, PNG, {len(SHOT)} B")
    await page.get_by_role("button", name="Remove shot.png").click()
    await expect(images(composer(page))).to_have_count(0)
    await give(page, by="drop")
    await expect(images(composer(page))).to_have_count(1)
    await page.reload()
    await expect(images(composer(page))).to_have_count(1)
    await say(page, "what is this?")
    await ended(page)
    await expect(images(composer(page))).to_have_count(0)
    whole = f"data:image/png;base64,{base64.b64encode(SHOT).decode()}"
    assert await sent_images(fresh, 1) == [whole]

    await page.reload()
    shown = images(own_messages(page))
    await expect(shown).to_have_count(1)
    assert await shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 40

    await own_messages(page).hover()
    await own_messages(page).get_by_role("button", name="Edit").click()
    await page.get_by_role("dialog").get_by_label("Your message").fill("and this?")
    await page.get_by_role("button", name="Send in a new chat").click()
    await expect(own_texts(page)).to_have_text("and this?")
    await ended(page)
    assert await sent_images(fresh, 2) == [whole]
    await expect(images(own_messages(page))).to_have_count(1)


async def test_an_image_that_the_model_can_not_see_is_refused_and_returned(fresh: Served, browser: Browser) -> None:
    await fresh.play(saying("?"), server_style={**SEES, "images": False})
    async with new_profile(browser, complaints=True) as context:
        page = await context.new_page()
        await open_new_chat(page, fresh)
        await give(page, b"no image at all")
        await expect(page.get_by_role("alert")).to_contain_text("is no image that models take")
        await give(page)
        await say(page, "what is this?")
        await expect(page.get_by_role("alert")).to_contain_text("does not take images, so nothing was sent")
        await expect(message_field(page)).to_have_value("what is this?")
        await expect(images(composer(page))).to_have_count(1)
    assert fresh.model.requests == []


async def test_a_large_image_is_made_smaller(fresh: Served, page: Page) -> None:
    await fresh.play(saying("Red."), server_style=SEES)
    await open_new_chat(page, fresh)
    await give(page, png(4000, 100))
    await expect(images(composer(page))).to_have_count(1)
    assert await images(composer(page)).evaluate("image => image.decode().then(() => image.naturalWidth)") == 2000


async def test_a_list_of_steps_may_have_the_same_words_twice(fresh: Served, page: Page) -> None:
    steps = ["[>] edit", "[ ] run the tests", "[ ] run the tests"]
    await fresh.play(saying("1. run the tests"), calling("update_todos", items=steps), saying("Done."))
    await begin(page, fresh, "/plan make it better")
    await ended(page)
    await say(page, "/plan", agent="coder")
    await ended(page, turns=2)
    items = page.get_by_role("list", name="To do").get_by_role("listitem")
    await expect(items).to_have_count(3)
    await expect(items).to_contain_text(["edit", "run the tests", "run the tests"])
