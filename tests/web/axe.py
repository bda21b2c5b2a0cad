"""Runs axe, the accessibility checker, on an open page."""

from pathlib import Path
from typing import Any

from playwright.async_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = {"serious", "critical"}
LOOK = """async () => {
  // Our frames have no origin, so axe can't reach into them: the browser would only complain that it tries.
  const { violations } = await axe.run(document, { resultTypes: ["violations"], iframes: false });
  return violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, at: nodes.map((each) => each.html) }));
}"""


async def grave_faults(page: Page) -> list[dict[str, Any]]:
    """Serious accessibility faults of the page in its current state."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = await page.evaluate(LOOK)
    return [fault for fault in found if fault["impact"] in GRAVE]
