"""Screenshots of every page and state, for people to look at: on three screens, light and dark.

    PYTHONPATH=src .venv/bin/python -m tests.web.screenshots FOLDER [WORD …]

With words, only pictures that have one of them in their name.
"""

import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright, expect

from mulligan.server.state import project_id
from tests.e2e.fix_project import CODE, PLAN, RIGHT, TESTS, VERIFY, WRONG, three_attempts
from tests.server.server_process import Served, serving
from tests.web.chatting import answers, begin, cards, ended, say
from tests.web.conftest import CHROMIUM
from tests.web.large_diff import stage
from tests.web.profile import PATIENCE, PHONE, new_profile
from tests.web.scripts import LAST_WORDS, Reply, calling, calls, editing, hanging, saying, script, viewing
from tests.web.serving import FILES, make_project, served_project
from tests.web.test_conversation_page import MARKDOWN
from tests.web.test_sentinel_cards import MISTAKES

SCREENS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "middle": {"viewport": {"width": 1024, "height": 768}},
    "phone": PHONE,
}
SENTINEL_STYLES: dict[str, dict[str, Any]] = {
    **{name: {**screen, "color_scheme": "light"} for name, screen in SCREENS.items()},
    **{f"{name}-dark": {**screen, "color_scheme": "dark"} for name, screen in SCREENS.items()},
}
RICH = f"""{MARKDOWN}
| file | {" | ".join(f"what it says in part {number}" for number in range(9))} |
{"|---" * 10}|

```mermaid
flowchart LR
  A[Question] --> B{{Enough?}}
  B -->|yes| C[Answer]
  B -->|no| A
```
"""
PROJECT = FILES | {
    "totals.py": CODE,
    "test_totals.py": TESTS,
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.money import cents\n\n\nclass Cart:\n    def total(self):\n        return cents(1)\n",
    "shop/money.py": "def cents(amount):\n    return amount * 100\n",
    "README.md": "# A little of everything\n",
    "mulligan.toml": "steps = 4\n",
}

Act = Callable[[Page], Awaitable[None]]


@dataclass(frozen=True)
class Shot:
    name: str
    url: str
    act: Act | None = None
    """Done before the picture is taken."""


class Story:
    """Chats and runs that are started once and photographed often."""

    def __init__(self, page: Page, served: Served) -> None:
        self.page, self.served = page, served
        self.shots: list[Shot] = []

    async def all(self) -> list[Shot]:
        self.see("nothing yet", "")
        self.see("nowhere", "/../none")
        await self.conversations()
        await self.sentinels()
        await self.changes()
        await self.delegated()
        await self.runs()
        self.places()
        return self.shots

    async def conversations(self) -> None:
        await self.chat("answer", saying(RICH), words="what does it do?", act=see_diagram)
        looking = [viewing("a.py", "b.py"), calls(("grep", '{"pattern": "return",}'))]
        thinking: Reply = {"reasoning": "Let me see which letters there are.", "text": "Two letters."}
        await self.chat("tools", *looking, viewing("nowhere.py"), thinking, act=unfold)
        asked = calling("ask_user", question="Which **letter** is it?", options=["the first", "the last"])
        await self.chat("question", asked, end="Paused to ask you")
        overview = [calling("get_codebase_overview"), saying("Functions in `a.py`, a shop in `shop/cart.py`.")]
        await self.chat("synthesis", *overview, words="what's in this codebase?", end="Answered from the files")
        await self.chat("streaming", hanging(MARKDOWN[:170]), end=None)
        await expect(answers(self.page)).to_contain_text("says b")
        await self.chat("waiting", hanging(" "), end=None)
        await self.chat("approval", calling("run_command", command="curl -s localhost:9"), agent="coder", end=None)
        await expect(self.page.get_by_role("button", name=re.compile("^Allow"))).to_be_visible()
        removal = calling("run_command", command="rm -rf build && git tag made")
        await self.chat("removal", removal, agent="coder", end=None)
        await expect(self.page.get_by_role("button", name=re.compile("^Run it anyway"))).to_be_visible()

    async def sentinels(self) -> None:
        await self.chat("nudge", MISTAKES[0], viewing("a.py"), saying("It is a."))
        await self.chat("escalated", *MISTAKES, LAST_WORDS, end="Stopped")
        await self.chat("loop", *[viewing("a.py")] * 3, LAST_WORDS, end="Stopped")
        many = [viewing(f"{name}.py") for name in "abcd"]
        await self.chat("cap", *many, LAST_WORDS, end="Stopped")
        await self.chat("empty reply", saying(""), saying(""), end="Stopped")
        await self.chat("model failed", {"status": 400, "body": "no such model"}, end="Failed")
        await self.chat("aborted", hanging("Well, once upon a time"), end=None)
        await expect(answers(self.page)).to_contain_text("Well")
        await self.page.get_by_role("button", name="Stop").click()
        await ended(self.page, "Stopped by you")
        long = [saying(" ".join(f"fact{number}" for number in range(start, start + 700))) for start in (0, 700, 1400)]
        await self.chat("compacted", *long, saying("## Goal\nFacts\n## Progress\nAll was said."))
        for turns in (2, 3):
            await say(self.page, "more")
            await ended(self.page, turns=turns)
        await self.served.client.post(f"/api/chats/{self.page.url.rpartition('/')[2]}/compact")
        await expect(cards(self.page)).to_contain_text("summed up")

    async def changes(self) -> None:
        edits = [editing("a.py", "return 'a'", "return 'A'"), calling("create_file", path="new.py", text="x = 1\n" * 9)]
        await self.chat("changes beside", *edits, saying("Done."), agent="coder", act=open_panel)
        await self.chat("more changes", editing("b.py", "return 'b'", "return 'B'"), saying("Done."), agent="coder")
        await self.page.goto(self.address("/changes"))
        await self.page.get_by_role("button", name="Apply b.py").click()
        await expect(self.page.get_by_role("button", name="Apply b.py")).to_have_count(0)
        await stage(self.served)
        self.see("changes", "/changes")
        self.see("changes side by side", "/changes", side_by_side)
        self.see("changes history", "/changes", history)

    async def delegated(self) -> None:
        steps = [{"think": "hm"}, {"call": "1", "title": "Edit c.py"}, {"write": "c.py", "text": "C\n"}]
        update = {"update": "1", "status": "completed", "text": "edited"}
        await begin(self.page, self.served, script(*steps, update, {"say": "Done."}), agent="scripted")
        await ended(self.page)
        here = self.page.url.removeprefix(self.address(""))
        self.see("delegated", here)
        self.see("restore preview", here, look_at_restore)
        await self.chat("restored", editing("c.py", "return 'c'", "return 'C'"), saying("Done."), agent="coder")
        await look_at_restore(self.page)
        await self.page.get_by_role("button", name="Restore", exact=True).click()
        await expect(self.page.get_by_role("complementary", name="Restore", exact=True)).to_be_visible()

    async def runs(self) -> None:
        await self.run("run verified", PLAN, RIGHT, saying("Done."))
        await self.run("run failed", *three_attempts(WRONG))
        await self.run("run under way", PLAN, calling("run_command", command="curl -s localhost:9"), wait="Allow")
        self.see("runs", "/runs", unfold_form)

    def places(self) -> None:
        self.see("map", "/map")
        self.see("map of a file", "/map", walk_to_file)
        self.see("checkpoints", "/checkpoints")
        self.see("settings", "/settings")
        self.see("palette", "", lambda page: page.keyboard.press("Control+k"))
        self.see("search", "", search)
        self.see("shortcuts", "/changes", lambda page: page.keyboard.press("?"))
        self.see("drawer", "", open_drawer)
        self.see("login", "/../../login")
        self.see("lost", "", lose)

    async def chat(
        self, name: str, *replies: Reply, words: str = "", agent: str | None = None, end: str | None = "Answered",
        act: Act | None = None,
    ) -> None:  # fmt: skip
        await self.served.play(*replies)
        await begin(self.page, self.served, words or name, agent=agent)
        if end:
            await ended(self.page, end)
        self.see(name, self.page.url.removeprefix(self.address("")), act)

    async def run(self, name: str, *replies: Reply, wait: str = "", **played: Any) -> None:
        await self.served.play(*replies, **played)
        await self.page.goto(self.address("/runs"))
        await self.page.get_by_label("What should work afterwards?").fill("make the tests pass")
        await self.page.get_by_text("Profile, commands, model").click()
        await self.page.get_by_label("Other commands, one per line").fill(VERIFY)
        await self.page.get_by_role("button", name="Start the run").click()
        awaited = (
            self.page.get_by_role("button", name=re.compile(f"^{wait}")) if wait else self.page.get_by_label("Verdict")
        )
        await expect(awaited).to_be_visible()
        self.see(name, self.page.url.removeprefix(self.address("")))

    def see(self, name: str, path: str, act: Act | None = None) -> None:
        self.shots.append(Shot(name.replace(" ", "-"), self.address(path), act))

    def address(self, path: str) -> str:
        return f"{self.served.url}/p/{self.served.project_id}{path}"


async def unfold(page: Page) -> None:
    for fold in (page.locator("details.fold").first, page.locator("details.fold details").first):
        await fold.locator("summary").first.click()
    await page.locator("details.reasoning summary").click()


async def open_panel(page: Page) -> None:
    await page.get_by_role("button", name="pending change").click()
    await expect(page.locator("table.diff").first).to_be_visible()


async def side_by_side(page: Page) -> None:
    if await page.get_by_role("button", name="Side by side").count():
        await page.get_by_role("button", name="Side by side").click()


async def history(page: Page) -> None:
    await page.get_by_role("button", name="History").click()
    await page.locator(".change-toggle").first.click()


async def look_at_restore(page: Page) -> None:
    await page.get_by_role("button", name="Undo this turn…").click()
    await expect(page.get_by_role("dialog").get_by_role("button", name="Restore", exact=True)).to_be_enabled()


async def see_diagram(page: Page) -> None:
    await page.get_by_role("button", name="Show source").scroll_into_view_if_needed()
    await expect(page.locator("iframe")).to_be_visible()


async def search(page: Page) -> None:
    await page.keyboard.press("Control+k")
    await page.keyboard.type("letter")
    await expect(page.get_by_role("dialog").get_by_role("option").first).to_be_visible()


async def unfold_form(page: Page) -> None:
    await page.get_by_text("Profile, commands, model").click()


async def walk_to_file(page: Page) -> None:
    await page.get_by_role("link", name="cart.py").first.click()
    await expect(page.get_by_role("region", name="Source")).to_be_visible()


async def open_drawer(page: Page) -> None:
    menu = page.get_by_role("button", name="Projects and chats")
    if await menu.is_visible():
        await menu.click()


async def lose(page: Page) -> None:
    """The socket is refused from now on."""
    await page.route_web_socket("**/api/socket*", lambda socket: socket.close())
    await page.reload()
    await expect(page.get_by_text("No connection to the server.")).to_be_visible()


async def take(browser: Browser, folder: Path, shots: list[Shot], look: str) -> None:
    async with new_profile(browser, complaints=True, **SENTINEL_STYLES[look]) as context:
        for shot in shots:
            page = await context.new_page()
            await page.goto(shot.url)
            await page.wait_for_load_state("networkidle")
            if shot.act:
                await shot.act(page)
                await page.wait_for_load_state("networkidle")
            await page.screenshot(path=folder / f"{shot.name}.{look}.png")
            await page.close()


async def first_visits(browser: Browser, place: Path, folder: Path, words: list[str]) -> None:
    """Of a user without a model."""
    if words and not any(word in "setup" for word in words):
        return
    project = make_project(place / "bare" / "project", FILES)
    async with serving(project, place / "bare" / "home", env={"MULLIGAN_DOWNLOADS": "ask"}) as process:
        for look in SENTINEL_STYLES:
            await take(browser, folder, [Shot("setup", f"{process.url}/p/{project_id(project)}")], look)


async def main(folder: Path, words: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as place:
        async with served_project(Path(place), PROJECT) as served, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
            await first_visits(browser, Path(place), folder, words)
            async with new_profile(browser, complaints=True) as context:
                shots = await Story(await context.new_page(), served).all()
            wanted = [shot for shot in shots if not words or any(word in shot.name for word in words)]
            for look in SENTINEL_STYLES:
                await take(browser, folder, wanted, look)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
