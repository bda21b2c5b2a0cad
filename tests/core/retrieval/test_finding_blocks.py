"""Cutting a file into blocks, and seeing what they define."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.syntax.blocks import MAX_BLOCK_LINES, CodeBlock, defined_names, split_blocks

PYTHON = [
    "import os", "",
    "LIMIT = 3", '"""How many."""', "", "",
    "@cached", "def first():", "", "    return 1", "", "",
    "class Second:", "    def third(self):", "        return 3", "",
]  # fmt: skip


def test_functions_classes_and_constants_are_blocks_of_their_own() -> None:
    assert split_blocks("a.py", PYTHON) == [CodeBlock(1, 1), CodeBlock(3, 4), CodeBlock(7, 10), CodeBlock(13, 15)]


def test_a_closing_brace_after_a_blank_line_begins_no_block() -> None:
    lines = ["function a() {", "  one();", "", "}", "", "const b = 2;"]
    assert split_blocks("a.js", lines) == [CodeBlock(1, 4), CodeBlock(6, 6)]


def test_a_document_is_cut_at_its_headings() -> None:
    lines = ["# Title", "", "Words.", "", "More.", "## Run", "", "make"]
    assert split_blocks("README.md", lines) == [CodeBlock(1, 5), CodeBlock(6, 8)]


def test_a_long_class_is_cut_at_its_methods_which_know_their_class() -> None:
    method = ["    def method(self):", *["        work()"] * 20, ""]
    blocks = split_blocks("a.py", ["class Long:", *method, *method, *method])
    assert [block.head for block in blocks] == [None, 1, 1]
    assert all(block.last - block.first < MAX_BLOCK_LINES for block in blocks)


@given(st.lists(st.sampled_from(["", "x = 1", "    y()", "        z()", "}", "# h", "def f():"]), max_size=200))
def test_blocks_hold_every_line_once(lines: list[str]) -> None:
    for path in ("a.py", "a.md"):
        held = [number for block in split_blocks(path, lines) for number in range(block.first, block.last + 1)]
        assert held == sorted(set(held))
        assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(held)
        assert all(block.last - block.first < MAX_BLOCK_LINES for block in split_blocks(path, lines))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def read_reply(reply):", "read_reply"),
        ("    async def run(self) -> None:", "run"),
        ("class House:", "House"),
        ("MISTAKE_THRESHOLD = 3", "MISTAKE_THRESHOLD"),
        ("LIMIT: int = 3", "LIMIT"),
        ("export async function settle(balances) {", "settle"),
        ("export interface Transfer {", "Transfer"),
        ("const TOO_SMALL = 50;", "TOO_SMALL"),
        ("func (w *Worker) Run() error {", "Run"),
        ("pub(crate) fn parse(input: &str) -> Tree {", "parse"),
        ("public static int countWords(String text) {", "countWords"),
        ("#define BUFFER_SIZE 512", "BUFFER_SIZE"),
    ],
)
def test_definitions_of_the_common_languages_are_seen(line: str, name: str) -> None:
    assert list(defined_names([line])) == [name]


@pytest.mark.parametrize(
    "line", ["return value", "  } else if (ready) {", "while (true) {", "x = 1", "# class of its own"]
)
def test_other_lines_define_nothing(line: str) -> None:
    assert list(defined_names([line])) == []


def test_a_long_line_of_words_is_seen_through_at_once() -> None:
    assert list(defined_names(["word " * 20_000 + "{"])) == []
