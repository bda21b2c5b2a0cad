"""All pages of the reference, and the page that lists them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reference import agents, api, cli, exit_codes, faults, frames, sandbox, sentinels, settings, tools
from reference.markdown import bullets, document, link

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
INDEX = "README.md"


@dataclass(frozen=True, slots=True)
class Page:
    title: str
    about: str
    """One line about its content."""
    make: Callable[[], list[str]]
    """The blocks below the title."""


PAGES = {
    "cli.md": Page("Command line", "every command with its arguments, options and examples", cli.blocks),
    "exit-codes.md": Page("Exit codes", "the exit codes of `mulligan`, and when they occur", exit_codes.blocks),
    "settings.md": Page("Settings", "every setting: file, variable, flag, default", settings.blocks),
    "agents.md": Page("Agents", "built-in agents, and the external ones that Mulligan knows", agents.blocks),
    "tools.md": Page("Tools", "what a model can call, and which agents have it", tools.blocks),
    "frames.md": Page("JSON frames", "what `--json` prints and the WebSocket sends", frames.blocks),
    "sentinels.md": Page("Sentinels", "what Mulligan tells people when it steps in or stops a turn", sentinels.blocks),
    "sandbox.md": Page("Promises of the sandbox", "what commands can't do, for each kind of sandbox", sandbox.blocks),
    "api.md": Page("HTTP API", "every route of `mulligan serve`", api.blocks),
    "faults.md": Page("Faults of the drill", "everything that `mulligan drill` runs", faults.blocks),
}


def make_pages() -> dict[str, str]:
    """The whole reference, by file name."""
    made = {name: document(page.title, page.make()) for name, page in PAGES.items()}
    return {INDEX: document("Reference", _index()), **made}


def _index() -> list[str]:
    return [
        (
            "`make reference` generates these pages from the code, and a test fails if they are out of date. "
            "Change the code, not the pages. The guides are [one folder up](..)."
        ),
        bullets(f"{link(page.title, name)}: {page.about}" for name, page in PAGES.items()),
    ]
