"""A chat of very many messages in a browser: how soon it can be read, and how smoothly it scrolls.

    PYTHONPATH=src .venv/bin/python -m bench.long_chat_page [MESSAGES]

The machine's load is printed with the figures: they mean little on a busy one.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from playwright.async_api import Page, async_playwright

from bench.long_chat import write_chat
from tests.web.conftest import CHROMIUM
from tests.web.serving import FILES, served_project

OPENED = 5
"""Times that it is opened."""
SCROLLED = 4.0
"""Seconds of scrolling."""

SCROLL = """async (seconds) => {
  const scroller = document.querySelector(".conversation-scroller");
  const started = performance.now();
  let frames = 0;
  let slowest = 0;
  let last = started;
  let way = -1;
  while (performance.now() - started < seconds * 1000) {
    await new Promise((next) => requestAnimationFrame(next));
    const now = performance.now();
    slowest = Math.max(slowest, now - last);
    last = now;
    frames += 1;
    if (scroller.scrollTop < 40) way = 1;
    if (scroller.scrollTop > scroller.scrollHeight - scroller.clientHeight - 40) way = -1;
    scroller.scrollTop += way * 60;
  }
  return [frames / ((performance.now() - started) / 1000), slowest];
}"""

LOAD_ALL = """async () => {
  const scroller = document.querySelector(".conversation-scroller");
  while (document.querySelector(".conversation-earlier")) {
    scroller.scrollTop = 0;
    await new Promise((next) => setTimeout(next, 50));
  }
  scroller.scrollTop = scroller.scrollHeight / 2;
}"""


async def opened(page: Page, url: str, last: int) -> float:
    started = time.perf_counter()
    await page.goto(url)
    await page.get_by_text(f"function_{last}", exact=False).first.wait_for()
    return time.perf_counter() - started


async def main(messages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with served_project(Path(folder), FILES) as served, async_playwright() as playwright:
            chat = await write_chat(served.project, served.home, messages)
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            url = f"{served.url}/p/{served.project_id}/c/{chat}"
            times = [await opened(page, url, messages // 2 - 1) for _ in range(OPENED)]
            newest, slowest = await page.evaluate(SCROLL, SCROLLED)
            await page.evaluate(LOAD_ALL)
            count = await page.locator("[data-message]").count()
            everything, slowest_of_all = await page.evaluate(SCROLL, SCROLLED)
            await browser.close()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{messages} messages: opened in {', '.join(f'{each:.2f}' for each in times)} s")
    print(f"scrolling what is loaded first: {newest:.0f} frames a second, the slowest took {slowest:.0f} ms")
    print(f"scrolling all {count}: {everything:.0f} frames a second, the slowest took {slowest_of_all:.0f} ms")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
