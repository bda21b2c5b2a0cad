"""Makes text from models and files safe for a terminal."""

import io
from typing import TextIO, cast

from mulligan.core.safe_text import one_line, safe_text

__all__ = ["lenient_stream", "one_line", "safe_text"]


def lenient_stream(stream: TextIO) -> TextIO:
    """The stream, printing `?` for characters that its encoding lacks instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    return cast("TextIO", stream)
