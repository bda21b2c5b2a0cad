"""A prompt of the protocol as a message for the model. Imports the SDK."""

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from mulligan.core.fix_runs.prompt_parts import both_ends
from mulligan.core.markdown_text import fenced
from mulligan.core.secrets import Mask
from mulligan.ports.files import Workspace
from mulligan.types.errors import CallRejected, ConfigurationError

Block = TextContentBlock | ImageContentBlock | AudioContentBlock | ResourceContentBlock | EmbeddedResourceContentBlock

MOST_CHARS = 12_000
"""Of one of them. The model can read the rest with its tools."""
MOST_IN_ALL = 36_000
"""A small model's context holds no more beside its own work."""

_LINES = re.compile(r"L(\d+)(?:[:-]L?(\d+))?")
"""How editors add the lines of a selection to an address: `#L10:20`, `#L10-L20`."""


@dataclass(frozen=True, slots=True)
class FileAddress:
    """Where a `file:` address leads."""

    path: str
    lines: tuple[int, int] | None = None
    """From 1, the last one included."""


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    """The path from the project; for what lies elsewhere, its address."""
    text: str | None = None
    """None: it is only named."""
    why: str = ""
    """Why there is no text."""


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    words: str
    """What the person typed. Mentions stand in it by their names, without the `@` that would have them looked up."""
    attachments: tuple[Attachment, ...]

    @property
    def text(self) -> str:
        return with_attachments(self.words, self.attachments)


async def read_prompt(blocks: Sequence[Block], project: Path, files: Workspace, mask: Mask) -> ReadPrompt:
    """Text that came with the prompt is taken as it is, secrets masked; a file that is only named is read, as the
    editor has it. Raises `ConfigurationError` for what no model of ours is shown."""
    words: list[str] = []
    attachments: list[Attachment] = []
    for block in blocks:
        match block:
            case TextContentBlock(text=text):
                words.append(text)
            case ResourceContentBlock(uri=uri):
                found = await _linked(uri, project, files)
                words.append(found.name)
                attachments.append(found)
            case EmbeddedResourceContentBlock(resource=TextResourceContents(uri=uri, text=text)):
                name = _name(uri, project)
                words.append(name)
                attachments.append(Attachment(name, mask(text).text))
            case _:
                kind = "a binary file" if block.type == "resource" else f"an {block.type}"
                raise ConfigurationError(f"the prompt holds {kind}, and Mulligan reads text only: send it without")
    read = ReadPrompt("".join(words).strip(), tuple(attachments))
    if not read.words:
        raise ConfigurationError("the prompt is empty: say what you want")
    return read


def with_attachments(words: str, attachments: Sequence[Attachment]) -> str:
    """The message as the model reads it: the person's words, then what they gave, each once."""
    pieces, room = [words.strip()], MOST_IN_ALL
    for each in dict.fromkeys(attachments):
        if each.text is None:
            pieces.append(f"Mentioned: {each.name}" + (f" ({each.why})" if each.why else ""))
        elif not room:
            pieces.append(f"Mentioned: {each.name} (not shown here: look at it with your tools)")
        else:
            shown = both_ends(each.text, min(MOST_CHARS, room))
            room = max(0, room - len(shown))
            pieces.append(f"{each.name}:\n{fenced(shown.rstrip())}")
    return "\n\n".join(piece for piece in pieces if piece)


def file_address(uri: str) -> FileAddress | None:
    """None for what is no file of this machine."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    found = _LINES.fullmatch(parts.fragment)
    lines = (int(found[1]), int(found[2] or found[1])) if found else None
    return FileAddress(unquote(parts.path), lines)


async def _linked(uri: str, project: Path, files: Workspace) -> Attachment:
    """A file of the project with its text; anything else is only named."""
    address, name = file_address(uri), _name(uri, project)
    path = _inside(address, project)
    if address is None or path is None:
        return Attachment(name, why="outside the project: Mulligan has not read it")
    if await asyncio.to_thread((project / path).is_dir):
        return Attachment(name, why="a folder")
    try:
        lines = (await files.read_text(path)).lines
    except CallRejected as rejected:
        return Attachment(name, why=str(rejected))
    first, last = address.lines or (1, len(lines))
    return Attachment(name, "\n".join(lines[first - 1 : last]))


def _name(uri: str, project: Path) -> str:
    address = file_address(uri)
    path = _inside(address, project)
    if address is None or path is None:
        return uri
    if address.lines is None:
        return path
    first, last = address.lines
    return f"{path}:{first}" if first == last else f"{path}:{first}-{last}"


def _inside(address: FileAddress | None, project: Path) -> str | None:
    """The path from the project, where it leads into it."""
    if address is None:
        return None
    for root in (project, Path(os.path.realpath(project))):
        if Path(address.path).is_relative_to(root):
            return Path(address.path).relative_to(root).as_posix()
    return None
