"""Markdown on a terminal. Importing this loads rich: nothing on the way to the first request may."""

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.syntax import Syntax

from mulligan.cli.text.safe_text import safe_text
from mulligan.cli.views.markdown_blocks import parse


class MarkdownText(Markdown):
    """Text of a model, rendered.

    A link shows its address: what a terminal hides behind a word, a hostile text can choose.
    """

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = parse(safe_text(text))


class _PlainHeading(Heading):
    """On the left like everything else."""

    LEVEL_ALIGN: ClassVar = {}


class _BareCode(CodeBlock):
    """Code in the terminal's own colours, without a background, so that it is read and copied like code."""

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
