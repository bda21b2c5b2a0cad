"""The page's first minute: what goes over the wire, and how long it takes until a user can write.

`python -m bench page --runs 3` is a shorter run. It needs Chromium and a built page.
"""

import asyncio
import shutil
import statistics
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, async_playwright

from bench.harness import commit_all, project_of, serving, tell
from bench.results import Baseline, BenchFailed, Figure, Yielded, at_most
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import running
from mulligan.server.routes.page import BUILT

FILES = 20
MAX_KB = 220.0
MAX_SECONDS = 1.0
MAX_SECONDS_SLOW = 3.0
CPU_SLOWDOWN = 4
SLOW_4G: dict[str, Any] = {
    "offline": False,
    "latency": 562.5,
    "downloadThroughput": 180_000,
    "uploadThroughput": 84_375,
}
"""As Chromium's developer tools have it: milliseconds, and bytes a second."""
BARE = "<!doctype html><title>.</title><textarea id=field></textarea>"
ARGUMENTS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@dataclass(frozen=True, slots=True)
class Loaded:
    seconds: float
    """Until the field for a message could be typed into."""
    script_bytes: float
    """Of the program that the page begins with, as it came over the wire."""
    total_bytes: float
    """Of all that came until then."""


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=7)


def measure(asked: Namespace) -> Iterator[Yielded]:
    if not (BUILT / "index.html").exists() or not shutil.which("chromium"):
        raise BenchFailed("this bench needs a built page (`make web`) and Chromium (`make chromium`)")
    with project_of(FILES) as project, tempfile.TemporaryDirectory() as home:
        commit_all(project)
        quick, slow, bare = asyncio.run(_played(asked.runs, project.resolve(), Path(home)))
    script = quick[0].script_bytes / 1000
    yield Figure("the first program, over the wire", script, "kB", at_most(MAX_KB), note="compressed by brotli")
    packed = max((BUILT / "assets").glob("index-*.js.gz")).stat().st_size / 1000
    yield Figure("the first program, in gzip", packed, "kB", at_most(MAX_KB))
    yield Figure("all until one can write", quick[0].total_bytes / 1000, "kB")
    empty = Baseline("an empty page with a field", statistics.median(bare))
    yield Figure("until one can write, median", _median(quick), "s", at_most(MAX_SECONDS), empty)
    note = f"Chromium's slow 4G, and a processor {CPU_SLOWDOWN} times slower"
    yield Figure("the same on a slow line, median", _median(slow), "s", at_most(MAX_SECONDS_SLOW), note=note)


async def _played(runs: int, project: Path, home: Path) -> tuple[list[Loaded], list[Loaded], list[float]]:
    with (
        running(Script(replies=())) as model,
        serving(project, home=home, base_url=model.base_url, model="scripted") as server,
    ):
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
            await _load(browser, server.url, slow=False)  # what the server loads at its first request is no page's
            tell(f"the page is opened {runs} times, then over a slow line")
            quick = [await _load(browser, server.url, slow=False) for _ in range(runs)]
            bare = [await _bare(browser) for _ in range(runs)]
            slow = [await _load(browser, server.url, slow=True) for _ in range(runs)]
            await browser.close()
    return quick, slow, bare


async def _load(browser: Browser, url: str, *, slow: bool) -> Loaded:
    """A browser that was never here opens the page."""
    context = await browser.new_context()
    page = await context.new_page()
    devtools = await context.new_cdp_session(page)
    if slow:
        commands: list[tuple[str, dict[str, Any]]] = [
            ("Network.enable", {}),
            ("Network.emulateNetworkConditions", SLOW_4G),
            ("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN}),
        ]
        for name, values in commands:
            await devtools.send(name, values)  # pyright: ignore[reportUnknownMemberType]  # it names no types
    await page.add_init_script(NOTICE)
    await page.goto(url, wait_until="commit")
    await page.wait_for_selector(".composer textarea")
    await page.evaluate(WRITABLE)
    told = await page.evaluate(TOLD)
    await context.close()
    return Loaded(told["writable"] / 1000, told["script"], told["total"])


async def _bare(browser: Browser) -> float:
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script(NOTICE.replace(".composer textarea", "#field"))
    await page.goto(f"data:text/html,{BARE}")
    seconds = (await page.evaluate(WRITABLE)) / 1000
    await context.close()
    return seconds


NOTICE = """
const look = () => {
  const field = document.querySelector(".composer textarea");
  if (field && !field.disabled) window.writable = performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""The page says itself when it can be written into: what a test asks for takes time of its own."""

WRITABLE = """() => new Promise((tell) => {
  const look = () => (window.writable === undefined ? requestAnimationFrame(look) : tell(window.writable));
  look();
})"""

TOLD = """() => {
  const came = performance.getEntriesByType("resource").filter((each) => each.startTime < window.writable);
  const first = came.find((each) => /index-[^/]*[.]js$/.test(each.name));
  const page = performance.getEntriesByType("navigation")[0].encodedBodySize;
  const sum = came.reduce((total, each) => total + each.encodedBodySize, page);
  return { writable: window.writable, script: first.encodedBodySize, total: sum };
}"""


def _median(loaded: list[Loaded]) -> float:
    return statistics.median(each.seconds for each in loaded)
