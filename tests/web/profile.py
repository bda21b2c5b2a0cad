"""Fresh browser profiles, on screens of several sizes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, WebError

PATIENCE = 120_000
"""Milliseconds for what should take a moment. Only a test that fails waits for them."""
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@asynccontextmanager
async def new_profile(browser: Browser, *, complaints: bool = False, **look: Any) -> AsyncGenerator[BrowserContext]:
    """Unless complaints are expected, the console must be empty: no error, no warning, no failed request."""
    usual: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "locale": "en-GB", "reduced_motion": "reduce"}
    context = await browser.new_context(**{**usual, **look})
    context.set_default_timeout(PATIENCE)
    heard: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            heard.append(f"{message.type}: {message.text}")

    def on_error(error: WebError) -> None:
        heard.append(f"thrown: {error.error}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    try:
        yield context
    finally:
        await context.close()
    if heard and not complaints:
        raise AssertionError("the page complained: " + "; ".join(heard))
