"""Documents can't drift from the code."""

import re
from pathlib import Path

import pytest

from mulligan.configuration import setting_names
from mulligan.types.turns import EXIT_CODES, UNFINISHED

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_settings_page_lists_every_setting_with_its_variable() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", page, re.MULTILINE)
    assert rows == [(name, f"MULLIGAN_{name.upper()}") for name in setting_names()]


def test_the_readme_lists_every_exit_code_a_turn_can_have() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    assert codes == {1, 2, UNFINISHED, *EXIT_CODES.values()}


def test_the_readme_lists_the_commands_there_are() -> None:
    from mulligan.cli.app import app

    named = set(re.findall(r"^\| `mulligan (\w+)", README, re.MULTILINE))
    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    groups = {group.name for group in app.registered_groups}
    assert named == commands | groups


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: page.name
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"
