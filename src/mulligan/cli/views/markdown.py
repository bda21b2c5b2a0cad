"""Markdown on a terminal. Importing this loads rich, so don't import it before the first request."""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.syntax import Syntax

from mulligan.cli.text.safe_text import safe_text
from mulligan.cli.views.markdown_blocks import parse


class MarkdownText(Markdown):
    """A model's text, rendered.

    Links show their address, since a hostile text could hide one behind a word.
    """

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = parse(safe_text(text))


class _PlainHeading(Heading):
    """Left-aligned like everything else."""

    LEVEL_ALIGN: ClassVar = {}


class _BareCode(CodeBlock):
    """Code in the terminal's own colors, without a background, so that it reads and copies like code."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(
            code, self.lexer_name, theme="ansi_dark", word_wrap=True, background_color="default", padding=(0, 0, 0, 2)
        )


_ELEMENTS: dict[str, type[MarkdownElement]] = {
    **Markdown.elements,
    "heading_open": _PlainHeading,
    "fence": _BareCode,
    "code_block": _BareCode,
}
MarkdownText.elements = _ELEMENTS
