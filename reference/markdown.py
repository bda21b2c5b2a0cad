"""The Markdown that code hosts understand: tables, code, anchors."""

import re
from collections.abc import Iterable, Sequence

NOTE = "<!-- Generated from the code by `make reference`. Don't edit: changes to this page are lost. -->"


def document(title: str, blocks: Iterable[str]) -> str:
    return "\n\n".join((NOTE, f"# {title}", *(block for block in blocks if block))) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Leaves out columns that are empty in every row, and tables without rows."""
    listed = [[_cell(each) for each in row] for row in rows]
    shown = [at for at in range(len(heads)) if any(row[at] for row in listed)]
    if not listed:
        return ""
    lines = [[heads[at] for at in shown], ["---"] * len(shown), *([row[at] for at in shown] for row in listed)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def code(text: str) -> str:
    """Inline code. Text with a backtick gets double backticks."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def code_block(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def folded(summary: str, block: str) -> str:
    """Folded text that a reader can open."""
    return f"<details>\n<summary>{summary}</summary>\n\n{block}\n\n</details>"


def link(text: str, page: str, heading: str = "") -> str:
    """A link to a page or one of its headings. Without a page, to a heading of this one."""
    return f"[{text}]({page}{'#' + anchor(heading) if heading else ''})"


def anchor(heading: str) -> str:
    """The anchor that a code host gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def escaped(text: str) -> str:
    """Escape text that was not written as Markdown: tags and asterisks are shown literally. Code stays as it is."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if at % 2 else re.sub(r"(<(?!br>)|\*)", r"\\\1", piece) for at, piece in enumerate(pieces))


def one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", escaped(one_line(text)))
