"""Which blocks of streaming Markdown are complete.

Importing this loads a Markdown parser, so don't import it before the first request.
"""

from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token


def split_blocks(text: str) -> tuple[list[str], str]:
    """The blocks that no further text can change, and the rest. Joined, they are the text.

    A block is complete once another one has started after it. An unfinished line may become anything, so it doesn't
    count as a start.
    """
    lines = [line + "\n" for line in text.split("\n")[:-1]]
    starts = [token.map[0] for token in parse("".join(lines)) if token.map and token.level == 0 and token.nesting >= 0]
    bounds = [0, *starts[1:]]
    blocks = ["".join(lines[begin:end]) for begin, end in pairwise(bounds)]
    return blocks, text[sum(map(len, blocks)) :]


def whole_blocks(text: str) -> list[str]:
    """All blocks of a complete text."""
    blocks, last = split_blocks(f"{text}\n")
    return [block for block in (*blocks, last) if block.strip()]


def parse(text: str) -> list[Token]:
    """Markdown as models write it: `List<String>` is text, not HTML, and a line break is a line break."""
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough").parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
    return tokens


def last_part(block: str, characters: int) -> str:
    """The end of a long unfinished block, so that showing it stays cheap. Code stays code."""
    if len(block) <= characters:
        return block
    first, _, _ = block.partition("\n")
    opening = f"{first}\n" if first.lstrip().startswith(("```", "~~~")) else ""
    return opening + block[-characters:]
