"""Diagrams in answers: drawn in an isolated frame, or shown as text."""

import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

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
ATTACKS = {
    "settings": """%%{init: {"securityLevel": "loose", "htmlLabels": true,
      "themeCSS": "@import url(EVIL/a); rect {fill: url(EVIL/b)}"}}%%
      flowchart LR
      A["<img src=EVIL/c onerror='parent.postMessage(1, 1)'>"] --> Z[last]""",
    "front matter": """---
config:
  securityLevel: loose
  themeCSS: "@import url(EVIL/d);"
  fontFamily: "x;} @import url(EVIL/e); a{"
  themeVariables:
    primaryColor: "red; background: url(EVIL/f)"
---
      flowchart LR
      A --> Z[last]""",
    "image": """flowchart LR
      A["<img src=EVIL/g onerror='top.document.title=1'>"] --> Z[last]""",
    "script": """flowchart LR
      A["<script>top.document.title = 2; fetch('EVIL/h')</script> words"] --> Z[last]""",
    "frame": """flowchart LR
      A["<iframe src=EVIL/i></iframe>"] --> Z[last]""",
    "links": """flowchart LR
      A --> Z[last]
      click A "javascript:top.document.title=3"
      click Z "EVIL/j" _self""",
}
"""Each is drawn without its harmful parts."""
REFUSED = """flowchart LR
      A@{ img: "EVIL/k", label: "picture", w: 60, h: 60 } --> Z[last]"""
"""Nothing is left of it without its picture, which is not fetched."""


class Listening(BaseHTTPRequestHandler):
    """A server that a hostile diagram tries to reach."""

    heard: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.heard.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def evil() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listening)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def fenced(source: str) -> str:
    return f"Here it is:\n\n```mermaid\n{source}```\n\nThat is all."


def drawing(page: Page, name: str) -> FrameLocator:
    return answers(page).frame_locator(f"iframe[title='{name}']")


async def test_a_diagram_is_drawn_in_the_theme_and_its_source_is_a_click_away(page: Page, served: Served) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
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
    await answers(page).locator("figure").get_by_role("button", name="Copy").click()
    await expect(answers(page).locator("figure").get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == DIAGRAM
    await answers(page).get_by_role("button", name="Show source").click()
    await expect(source).to_contain_text("B -->|no| A")
    await expect(frame).to_be_hidden()
    await answers(page).get_by_role("button", name="Show diagram").click()
    await expect(frame).to_be_visible()
    assert await grave_faults(page) == []


UNDRAWN = ("flowchart LR\n  A --> --> [\n", "mindmap\n  root\n    leaf\n", "no diagram\n")


async def test_a_diagram_that_can_not_be_drawn_is_shown_as_text(page: Page, served: Served) -> None:
    await served.play(saying("\n\n".join(map(fenced, UNDRAWN))))
    await begin(page, served, "draw it")
    await ended(page)
    notes = answers(page).get_by_text("mermaid diagram, as text: it could not be drawn")
    await expect(notes).to_have_count(len(UNDRAWN))
    await expect(answers(page).get_by_label("Code, mermaid")).to_have_text(list(UNDRAWN))
    await expect(answers(page).locator("iframe")).to_have_count(0)


async def test_nothing_is_loaded_for_a_diagram_that_is_still_written(page: Page, served: Served) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await served.play(hanging("Look:\n\n```mermaid\nflowchart LR\n  A --> B"))
    await begin(page, served, "write slowly")
    await expect(answers(page).get_by_text("mermaid diagram, drawn when complete")).to_be_visible()
    await expect(answers(page).get_by_label("Code, mermaid")).to_contain_text("A --> B")
    assert not [url for url in asked if "/assets/diagram-" in url]
    await page.get_by_role("button", name="Stop").click()
    await ended(page, "Stopped by you")
    await expect(answers(page).locator("iframe")).to_be_visible()
    assert [url for url in asked if "/assets/diagram-" in url]


async def test_hostile_diagrams_reach_neither_the_page_nor_the_network(
    browser: Browser, served: Served, evil: str
) -> None:
    async with new_profile(browser, complaints=True, viewport={"width": 1280, "height": 3000}) as context:
        page = await context.new_page()
        drawn = [fenced(titled(name, source)) for name, source in ATTACKS.items()]
        await served.play(saying("\n\n".join([*drawn, fenced(REFUSED + "\n")]).replace("EVIL", evil)))
        await begin(page, served, "be evil")
        await ended(page)
        for name in ATTACKS:
            picture = drawing(page, f"Flowchart: {name}").locator("svg#diagram")
            await expect(picture, name).to_contain_text("last")
            await expect(picture.locator("[href], script, iframe, img, [onerror]"), name).to_have_count(0)
            await expect(picture.locator("style"), name).not_to_contain_text(evil)
        await expect(answers(page).get_by_text("mermaid diagram, as text: it could not be drawn")).to_be_visible()
        await drawing(page, "Flowchart: links").get_by_text("last").click()
        inside = await (await answers(page).locator("iframe").first.element_handle()).content_frame()
        assert inside
        reached = await inside.evaluate(REACHING, evil)
        assert reached == {"origin": "null", "parent": False, "fetch": False, "image": False, "script": False}
        # The page does not let the frame navigate.
        await inside.evaluate("evil => { location.href = `${evil}/n`; }", evil)
        await expect(page).to_have_title("be evil · Mulligan")
        await page.reload()
        await expect(drawing(page, "Flowchart: links").locator("svg#diagram")).to_contain_text("last")
        assert Listening.heard == []
        await page.goto(evil)  # so one would have been heard
        assert Listening.heard[0] == "/"


def titled(name: str, source: str) -> str:
    return source.replace("flowchart LR\n", f"flowchart LR\n      accTitle: {name}\n") + "\n"


REACHING = """async (evil) => {
  const can = async (what) => { try { await what(); return true; } catch { return false; } };
  const loaded = (element) => new Promise((yes, no) => {
    element.onload = yes; element.onerror = no; document.body.append(element);
  });
  return {
    origin: self.origin,
    parent: await can(() => parent.document.title),
    fetch: await can(() => fetch(`${evil}/l`, {mode: 'no-cors'})),
    image: await can(() => loaded(Object.assign(new Image(), {src: `${evil}/m`}))),
    script: await can(() => {
      document.body.append(Object.assign(document.createElement('script'), {textContent: 'self.ran = true'}));
      if (!self.ran) throw new Error('no');
    }),
  };
}"""
"""What a script in the frame could do, if one ever ran there: the policy alone stops it."""
