"""Turns a prompt of the protocol into a message for the model. Imports the SDK."""

import base64
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp.schema import (
    AudioContentBlock,
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from mulligan.core.attachments import AttachedText as Given
from mulligan.core.attachments import mention_of
from mulligan.core.fix_runs.prompt_parts import both_ends
from mulligan.core.markdown_text import fenced
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.secrets import Mask
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import AttachmentInfo

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock

MAX_CHARS = 12_000
"""Most characters of one attachment. The model can read the rest with its tools."""
MAX_TOTAL_CHARS = 36_000
"""A small model's context has no space for more."""

_LINES = re.compile(r"L(\d+)(?:[:-]L?(\d+))?")
"""How editors add the lines of a selection to an address: `#L10:20`, `#L10-L20`."""


@dataclass(frozen=True, slots=True)
class FileAddress:
    """The target of a `file:` address."""

    path: str
    lines: tuple[int, int] | None = None
    """First and last line, counted from 1, including the last one."""


@dataclass(frozen=True, slots=True)
class PromptResource:
    name: str
    """The path within the project; for other locations, the address."""
    text: str | None = None
    """None: it is only named."""
    why: str = ""
    """Why there is no text."""


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    words: str
    """What the user typed; files of the project appear as `@path:lines`."""
    attachments: tuple[PromptResource, ...]
    images: tuple[tuple[str, bytes], ...] = ()
    """Each with its name."""

    @property
    def text(self) -> str:
        """The text with everything that was attached."""
        return with_attachments(self.words, self.attachments)

    @property
    def given(self) -> tuple[Given, ...]:
        """What was attached, for a message that keeps it apart from the user's words."""
        return tuple(
            Given(
                AttachmentInfo(name=each.name, about=each.why),
                text,
                Excerpt(each.name, 1, each.text.count("\n") + 1, each.text) if each.text else None,
            )
            for each, text in _shown(self.attachments)
        )


def read_prompt(blocks: Sequence[Block], project: Path, mask: Mask) -> ReadPrompt:
    """A named project file becomes a mention, which is read when the turn starts. Text that came with the prompt is
    used as it is, with secrets masked. Raises `ConfigurationError` for content that our models can't get."""
    words: list[str] = []
    attachments: list[PromptResource] = []
    images: list[tuple[str, bytes]] = []
    for block in blocks:
        match block:
            case TextContentBlock(text=text):
                words.append(text)
            case ResourceContentBlock(uri=uri):
                address = _place(uri, project)
                if address:
                    words.append(f"{mention_of(address.path)}{_lines(address)}")
                else:
                    words.append(uri)
                    attachments.append(PromptResource(uri, why="outside the project: Mulligan has not read it"))
            case EmbeddedResourceContentBlock(resource=TextResourceContents(uri=uri, text=text)):
                address = _place(uri, project)
                # Not a mention: the text that the editor sent is the one that is meant.
                name = f"{address.path}{_lines(address)}" if address else uri
                words.append(name)
                attachments.append(PromptResource(name, mask(text).text))
            case ImageContentBlock(data=data, uri=uri):
                images.append((_image_name(uri, len(images)), _decoded(data)))
            case EmbeddedResourceContentBlock(
                resource=BlobResourceContents(uri=uri, blob=blob, mime_type=str(kind))
            ) if kind.startswith("image/"):
                images.append((_image_name(uri, len(images)), _decoded(blob)))
            case _:
                kind = "a binary file" if block.type == "resource" else f"an {block.type}"
                raise ConfigurationError(
                    f"the prompt contains {kind}, but Mulligan only reads text and images: send it without"
                )
    read = ReadPrompt("".join(words).strip(), tuple(attachments), tuple(images))
    if not read.words:
        raise ConfigurationError("the prompt is empty: write something")
    return read


def _image_name(uri: str | None, before: int) -> str:
    """Its name in the message. If the editor sends an address, only its end: nothing is downloaded from there."""
    return unquote(urlsplit(uri).path).rpartition("/")[2] if uri else f"image {before + 1}"


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError as error:
        raise ConfigurationError("the prompt contains an image that is not valid base64: send it again") from error


def with_attachments(words: str, attachments: Sequence[PromptResource]) -> str:
    """One text: the user's words, then what they attached."""
    pieces = (words.strip(), *(text for _, text in _shown(attachments)))
    return "\n\n".join(piece for piece in pieces if piece)


def _shown(attachments: Sequence[PromptResource]) -> Iterator[tuple[PromptResource, str]]:
    """Each once, with its text as the model reads it."""
    chars_left = MAX_TOTAL_CHARS
    for each in dict.fromkeys(attachments):
        if each.text is None:
            yield each, f"Mentioned: {each.name}" + (f" ({each.why})" if each.why else "")
        elif not chars_left:
            yield each, f"Mentioned: {each.name} (not shown here: look at it with your tools)"
        else:
            shown = both_ends(each.text, min(MAX_CHARS, chars_left))
            chars_left = max(0, chars_left - len(shown))
            yield each, f"{each.name}:\n{fenced(shown.rstrip())}"


def file_address(uri: str) -> FileAddress | None:
    """None for what is not a file on this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    found = _LINES.fullmatch(parts.fragment)
    lines = (int(found[1]), int(found[2] or found[1])) if found else None
    return FileAddress(unquote(parts.path), lines)


def _place(uri: str, project: Path) -> FileAddress | None:
    """The path in the project that an address leads to; None for other locations."""
    address = file_address(uri)
    for root in (project, Path(os.path.realpath(project))) if address else ():
        if address and Path(address.path).is_relative_to(root):
            return FileAddress(Path(address.path).relative_to(root).as_posix(), address.lines)
    return None


def _lines(address: FileAddress) -> str:
    if address.lines is None:
        return ""
    first, last = address.lines
    return f":{first}" if first == last else f":{first}-{last}"
