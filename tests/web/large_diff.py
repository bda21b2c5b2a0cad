"""How long a diff of 5,000 lines takes to open, in a real browser on a real server.

PYTHONPATH=src .venv/bin/python -m tests.web.large_diff
"""

import asyncio
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Page, async_playwright

from mulligan.store.store import open_store
from mulligan.types.changes import FileState
from tests.server.server_process import Served
from tests.web.conftest import CHROMIUM
from tests.web.profile import new_profile
from tests.web.serving import FILES, served_project

LINES = 2500
"""On the old side and on the new one."""
TIMES = 7

OPEN = """async () => {
  const toggle = document.querySelector("[data-file='" + CSS.escape(":large.py") + "'] .change-toggle")
  const begun = performance.now()
  toggle.click()
  while (!document.querySelector("tr[aria-rowindex]")) await new Promise((next) => requestAnimationFrame(next))
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
  const took = performance.now() - begun
  toggle.click()
  return took
}"""
"""From the key press to the animation frame after the one with the first lines, including the request."""


async def stage(served: Served) -> None:
    before = "".join(f"def old_{number}(items):\n" for number in range(LINES)).encode()
    store = await open_store(served.home / "mulligan.db")
    await store.changes.add(
        project=str(served.project.resolve()),
        path="large.py",
        before=FileState(before),
        after=FileState(before.replace(b"old_", b"new_")),
    )
    for number in range(4):  # with more files than a few, none but the first is open by itself
        await store.changes.add(
            project=str(served.project.resolve()), path=f"{number}.py", before=None, after=FileState(b"x = 1\n")
        )
    await store.close()


async def measure(page: Page, served: Served, look: str) -> list[float]:
    await page.goto(f"{served.url}/p/{served.project_id}/changes")
    await page.get_by_role("button", name=look, exact=True).click()
    toggle = page.locator("[data-file=':large.py'] .change-toggle")
    await toggle.wait_for()
    if await toggle.get_attribute("aria-expanded") == "true":
        await page.locator("tr[aria-rowindex]").first.wait_for()
        await toggle.click()
    # The others are folded: only this diff is measured.
    return [float(await page.evaluate(OPEN)) for _ in range(TIMES)]


async def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="large-diff-"))
    try:
        async with async_playwright() as playwright, served_project(folder, FILES) as served:
            await stage(served)
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
            async with new_profile(browser) as context:
                page = await context.new_page()
                for look in ("Inline", "Side by side"):
                    took = await measure(page, served, look)
                    shown = ", ".join(f"{each:.0f}" for each in took)
                    sys.stdout.write(f"{look}: median {statistics.median(took):.0f} ms of {shown}\n")
            await browser.close()
            load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
            sys.stdout.write(f"load: {load} on {os.cpu_count()} cores\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main())
