"""The picture of the page in the documents.

    PYTHONPATH=src .venv/bin/python -m tests.documents.page_picture

A scripted model goes wrong three times, is set right, and fixes the bug of `examples/library`.
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright, expect

from tests.documents.installing import ROOT
from tests.web.chatting import begin, ended
from tests.web.conftest import CHROMIUM
from tests.web.profile import PATIENCE, new_profile
from tests.web.scripts import calls, editing, saying
from tests.web.serving import served_project

PICTURE = ROOT / "docs" / "pictures" / "page.png"
LIBRARY = ROOT / "examples" / "library"
SIZE = {"width": 1200, "height": 860}

REPLIES = (
    calls(("view_file", '{"path": "fines.py",}')),
    calls(
        ("view_file", {"path": "library/fine.py"}),
        ("open_file", {"path": "fines.py"}),
        ("grep", {"pattern": "fine", "path": "src"}),
    ),
    editing("fines.py", 'this costs {fine( today, due):.2f}."', 'this costs {fine(due, today):.2f}."'),
    saying("`reminder` gave `fine` the two dates in the wrong order, so every reminder told a cost of 0.00."),
)


async def main(picture: Path) -> None:
    files = {str(file.relative_to(LIBRARY)): file.read_text() for file in LIBRARY.rglob("*.*") if file.suffix != ".pyc"}
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as place:
        async with served_project(Path(place), files) as served, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
            async with new_profile(browser, viewport=SIZE) as context:
                page = await context.new_page()
                await served.play(*REPLIES)
                await begin(page, served, "The reminder tells a wrong cost. Fix it.", agent="coder")
                await ended(page)
                await page.locator("details.fold summary").first.click()
                await page.get_by_role("button", name="1 pending change").click()
                await expect(page.locator("table.diff")).to_be_visible()
                await page.wait_for_load_state("networkidle")
                await page.screenshot(path=picture)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if sys.argv[1:] else PICTURE))
