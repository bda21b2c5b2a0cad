"""Documents can't drift from the code."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan.core.call_formats import FORMATS
from mulligan.core.thinking import MARKS
from tests.documents.blocks import blocks_of
from tests.documents.newcomer import SCRIPTS
from tests.test_import_direction import LEVELS, SOURCE

ROOT = Path(__file__).parent.parent
PAGES = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md"))
HAND_WRITTEN = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md"))


def test_the_index_names_the_commands_there_are() -> None:
    from mulligan.cli.app import app

    named = set(re.findall(r"\| `mulligan (\w+)` \|", read("docs/README.md")))
    commands = {command.callback.__name__ for command in app.registered_commands if command.callback}
    groups = {group.name for group in app.registered_groups}
    assert named == commands | groups


def test_the_index_leads_to_every_guide() -> None:
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", read("docs/README.md")))
    assert linked == {page.name for page in ROOT.glob("docs/*.md")} - {"README.md"}


def test_the_diagram_of_the_packages_is_what_imports_are_held_to() -> None:
    _, diagram = re.findall(r"^```mermaid\n(.*?)^```$", read("docs/architecture.md"), re.MULTILINE | re.DOTALL)
    drawn = [set(label.split(", ")) for label in re.findall(r'\["(.+?)"\]', diagram)]
    assert drawn == LEVELS[::-1]


def test_the_formats_that_are_read_are_listed() -> None:
    listed = read("docs/local-models.md")
    rows = {name for row in re.findall(r"^\| ([^|]+) \|", listed, re.MULTILINE) for name in row.split(", ")}
    assert {name for each in FORMATS[:-1] for name in each.family.split(", ")} - rows == set()
    assert [each.opening for each in MARKS[:-2] if f"`{each.opening}`" not in listed] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: page.name)
def test_links_to_a_heading_find_it(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8")):
        there = page.parent / target if target else page
        assert anchor in anchors(there), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: page.name)
def test_a_block_that_is_run_names_a_script_that_is_there(page: Path) -> None:
    for block in blocks_of(page):
        assert block.model is None or (SCRIPTS / f"{block.model}.json").exists(), f"{page.name}, line {block.line}"


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: page.name)
def test_commands_stand_in_blocks_that_are_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    fences = set(re.findall(r"^```(\w+)", text, re.MULTILINE))
    assert fences <= {"sh", "text", "toml", "json", "markdown", "mermaid", "lua", "elisp"}
    others = re.sub(r"^```sh\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^\s*(\$ )?(mulligan|make) (?!=)", others, re.MULTILINE)


def test_every_script_is_used() -> None:
    used = {block.model for page in HAND_WRITTEN for block in blocks_of(page)} - {None}
    assert used == {script.stem for script in SCRIPTS.glob("*.json")}


@pytest.mark.parametrize("page", HAND_WRITTEN, ids=lambda page: page.name)
def test_settings_that_are_shown_can_be_read(page: Path) -> None:
    """Every name in an example of a `mulligan.toml` is one that Mulligan takes."""
    from mulligan.app.configuration import setting_names

    for example in re.findall(r"^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        assert tomllib.loads(example).keys() <= {
            *setting_names(),
            "agents",
            "external",
            "mcp",
            "models",
            "permissions",
            "hooks",
            "formatters",
        }


def test_messages_that_the_troubleshooting_page_quotes_are_ones_that_mulligan_has() -> None:
    said = "\n".join(literals(SOURCE))
    quoted = re.findall(r"^\| `(.+?)` \|", read("docs/troubleshooting.md"), re.MULTILINE)
    assert len(quoted) > 20
    missing = [words for words in quoted if not all(part in said for part in re.split(r"\s*…\s*", words))]
    assert not missing


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """Of its headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def literals(source: Path) -> Iterator[str]:
    """Every piece of text in the code; pieces that stand side by side are joined, as Python does it."""
    for file in source.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
