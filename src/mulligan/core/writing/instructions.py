"""Documents next to the code that describe what is to be written."""

import re
from collections.abc import Collection, Mapping, Sequence

from mulligan.core.markdown_text import without_comments
from mulligan.syntax.blocks import split_blocks

MAX_CHARS = 4000
"""Characters of all documents together, some 1000 tokens."""
NAMES = ("INSTRUCTIONS.md", "instructions.md", ".docs/instructions.md", ".docs/instructions.append.md")
"""Documents that say what is to be written."""
READMES = ("README.md", "README.rst", "README.txt", "README")
"""Documents that say other things too: only the parts that name the code are used."""
HEAD = 0.6
"""The share of a cut document for its beginning. Its end describes exceptions."""


def instruction_paths(paths: Collection[str]) -> list[str]:
    """Where documents about these files may be: in their folders, and in those above."""
    folders = dict.fromkeys(folder for path in paths for folder in _around(path))
    return [f"{folder}{name}" for folder in folders for name in (*NAMES, *READMES)]


def instructions_about(names: Collection[str], documents: Mapping[str, Sequence[str]]) -> str:
    """The documents' text, nearest first, as much as fits."""
    texts: list[str] = []
    for path, lines in documents.items():
        if path.endswith(NAMES):
            texts.append("\n".join(lines))
        elif not texts:
            blocks = ["\n".join(lines[each.first - 1 : each.last]) for each in split_blocks(path, lines)]
            texts += [block for block in blocks if not _words(block).isdisjoint(names)]
    return _cut("\n\n".join(_plain(each) for each in dict.fromkeys(texts)))


def _around(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["".join(f"{part}/" for part in parts[:count]) for count in range(len(parts), -1, -1)]


def _words(block: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w+", block))


def _plain(text: str) -> str:
    """Without pictures, comments and link targets: they mean nothing to a model and take space."""
    text = without_comments(text)
    text = re.sub(r"!\[[^\[\]]*\]\([^()]*\)|^\[[^\[\]\n]+\]:.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\[\]]+)\](?:\([^()]*\)|\[[^\[\]]*\])", r"\1", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _cut(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    first = int(MAX_CHARS * HEAD)
    return f"{text[:first].rpartition(chr(10))[0]}\n…\n{text[-(MAX_CHARS - first) :].partition(chr(10))[2]}"
