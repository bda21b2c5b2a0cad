"""The Markdown that code hosts understand: tables, code, anchors."""

import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Made from the code by `make reference`. Changes to this page are lost. -->"


def document(title: str, blocks: Iterable[str]) -> str:
    return "\n\n".join((NOTE, f"# {title}", *(block for block in blocks if block))) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A column that is empty in every row is left out; so is a table without rows."""
    listed = [[_cell(each) for each in row] for row in rows]
    shown = [at for at in range(len(heads)) if any(row[at] for row in listed)]
    if not listed:
        return ""
    lines = [[heads[at] for at in shown], ["---"] * len(shown), *([row[at] for at in shown] for row in listed)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def code(text: str) -> str:
    """Inline. Text that has a backtick in it is put between two."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def code_block(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def folded(summary: str, block: str) -> str:
    """Shown when a reader asks for it."""
    return f"<details>\n<summary>{summary}</summary>\n\n{block}\n\n</details>"


def link(text: str, page: str, heading: str = "") -> str:
    """To a page, or to a heading of it. Without a page, to a heading of this one."""
    return f"[{text}]({page}{'#' + anchor(heading) if heading else ''})"


def anchor(heading: str) -> str:
    """What a code host makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def escaped(text: str) -> str:
    """Words that were not written for a page: a tag in them is to be seen, a star is a star. Code stays as it is."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if at % 2 else re.sub(r"(<(?!br>)|\*)", r"\\\1", piece) for at, piece in enumerate(pieces))


def one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", escaped(one_line(text)))
