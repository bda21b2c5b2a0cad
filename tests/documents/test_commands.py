"""The commands in the pages do what the pages say, typed one after the other by somebody new."""

from pathlib import Path

import pytest

from tests.documents.blocks import blocks_of
from tests.documents.installing import ROOT
from tests.documents.newcomer import Newcomer

README = ROOT / "README.md"
GUIDES = sorted(page for page in ROOT.glob("docs/*.md") if any(block.not_run is None for block in blocks_of(page)))


def test_the_readme_leads_from_a_clone_to_a_verified_fix_and_back_to_it(newcomer: Newcomer) -> None:
    newcomer.open_shell(newcomer.clone)
    follow(newcomer, README)
    project = newcomer.home / "library"
    assert newcomer.shell.folder == project
    fixed = (project / "fines.py").read_text()
    assert "fine(due, today)" in fixed, "the fix is kept"
    assert "PER_DAY = 0.25" in fixed, "what came after it is taken back"
    assert "verified" in newcomer.shell.run("mulligan runs")


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_the_commands_of_a_guide_end_as_it_says(newcomer: Newcomer, page: Path) -> None:
    newcomer.open_project(page.stem)
    follow(newcomer, page)


def follow(newcomer: Newcomer, page: Path) -> None:
    for block in blocks_of(page):
        if block.not_run is None:
            newcomer.follow(block)
