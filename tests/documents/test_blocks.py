from pathlib import Path

import pytest

from tests.documents.blocks import Block, Command, blocks_of

LS = (Command("ls", 0),)
CASES: dict[str, tuple[str, list[Block]]] = {
    "a command a line": (
        "```sh\ngit diff\nls\n```\n",
        [Block(1, (Command("git diff", 0), *LS), not_run=None, model=None)],
    ),
    "an exit code that the reader is told": (
        "```sh\nls x  # exit code 2: no x\n```\n",
        [Block(1, (Command("ls x  # exit code 2: no x", 2),), not_run=None, model=None)],
    ),
    "a command over two lines": (
        "```sh\nls \\\n-l\n```\n",
        [Block(1, (Command("ls  -l", 0),), not_run=None, model=None)],
    ),
    "comments and empty lines are no commands": (
        "```sh\n# look\n\nls\n```\n",
        [Block(1, LS, not_run=None, model=None)],
    ),
    "left out for a reason": (
        "Text.\n\n<!-- not run: needs goose -->\n```sh\nls\n```\n",
        [Block(3, LS, not_run="needs goose", model=None)],
    ),
    "with a script for the model": (
        "<!-- model: answers -->\n```sh\nls\n```\n",
        [Block(1, LS, not_run=None, model="answers")],
    ),
    "other languages are not run": ("```toml\nsteps = 3\n```\n", []),
}


@pytest.mark.parametrize(("text", "blocks"), CASES.values(), ids=CASES.keys())
def test_what_a_page_asks_to_be_typed(tmp_path: Path, text: str, blocks: list[Block]) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    assert blocks_of(page) == blocks


@pytest.mark.parametrize("mark", ["<!-- notrun: no goose -->", "<!-- not run -->", "<!-- not run: -->"])
def test_a_comment_that_leaves_a_block_out_without_a_reason_is_an_error(tmp_path: Path, mark: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{mark}\n```sh\nls\n```\n")
    with pytest.raises(ValueError, match="line 1"):
        blocks_of(page)
