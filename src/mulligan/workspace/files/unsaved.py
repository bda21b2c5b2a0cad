"""Files as the user sees them: those on disk, replaced by unsaved text of their editor.

An editor can't be asked which files it has open, only for the text of one. So a file is known to be unsaved once it
was read; searches see its text from then on.
"""

import asyncio
from contextlib import suppress
from pathlib import Path

from mulligan.ports.editor import EditorFiles
from mulligan.types.changes import FileState
from mulligan.types.errors import CallRejected
from mulligan.workspace.files.confined_folders import present_file
from mulligan.workspace.files.file_bytes import Decoded, decode, encode
from mulligan.workspace.files.text_files import MAX_FILE_BYTES


class UnsavedFiles:
    """The files of one project. Without an editor, those on disk."""

    def __init__(self, root: Path, editor: EditorFiles | None = None) -> None:
        self._root = root
        self._editor = editor
        self.images: dict[str, FileState] = {}
        """Files known to differ from the disk."""

    async def present(self, path: str) -> FileState | None:
        """The current file at a path, without following links. Raises `CallRejected`, for closed paths too."""
        on_disk = await asyncio.to_thread(present_file, self._root, path)
        self.images.pop(path, None)
        text = await self._text(path, on_disk)
        if on_disk is None or text is None:
            return on_disk
        image = await asyncio.to_thread(_unsaved_image, text, on_disk)
        if image:
            self.images[path] = image
        return image or on_disk

    async def look(self, path: str) -> bool:
        """Ask the editor whether its text differs from the disk. Returns whether there is an editor."""
        asks = self._editor is not None and self._editor.reads
        if asks:
            with suppress(CallRejected):  # reading the file reports it
                await self.present(path)
        return asks

    async def look_again(self) -> None:
        """Ask again about files that were unsaved: they may have been saved or changed on disk meanwhile."""
        for path in tuple(self.images):
            await self.look(path)

    def known(self, path: str) -> FileState | None:
        """The file as known so far. Raises `CallRejected`."""
        return self.images.get(path) or present_file(self._root, path)

    async def to_be_written(self, path: str) -> FileState | None:
        """What a change must fit: the editor's text if the editor writes, otherwise the disk."""
        if self._editor and self._editor.writes:
            present = await self.present(path)
            if present and self.writes(path, present):
                return present
        return await asyncio.to_thread(present_file, self._root, path)

    def writes(self, path: str, image: FileState) -> bool:
        """Whether the editor can write it: plain text, in an existing folder. Only we can create executable files."""
        if not self._editor or not self._editor.writes:
            return False
        file = self._root / path
        decoded = decode(image)
        plain = decoded is not None and decoded.encoding == "utf-8" and not decoded.bom
        return plain and (file.is_file() or (image.mode == "100644" and file.parent.is_dir()))

    async def write(self, path: str, image: FileState) -> str | None:
        """Write through the editor, if `writes` allows it. Returns why it failed; None if it did not."""
        failure = await self._editor.write(path, image.data.decode()) if self._editor else "there is no editor"
        await self.look(path)
        return failure

    async def _text(self, path: str, on_disk: FileState | None) -> str | None:
        if not self._editor or not self._editor.reads or on_disk is None or len(on_disk.data) > MAX_FILE_BYTES:
            return None
        return await self._editor.read(path)


def _unsaved_image(text: str, on_disk: FileState) -> FileState | None:
    """The editor's text as it would be saved; None if that equals the disk.

    Editors differ in how they tell a text: line endings may all be `\\n`, and the last one may be missing.
    """
    saved = decode(on_disk)
    if saved is None or "\0" in text:
        return None
    if "\r\n" in saved.text and "\r" not in text:
        text = text.replace("\n", "\r\n")
    ending = "\r\n" if saved.text.endswith("\r\n") else "\n"
    if saved.text.endswith("\n") and text and not text.endswith("\n"):
        text += ending
    return None if text == saved.text else FileState(_encoded(text, saved), on_disk.mode)


def _encoded(text: str, saved: Decoded) -> bytes:
    try:
        return encode(text, saved)
    except CallRejected:  # a character that the file's encoding lacks: the editor would have to change the encoding
        return text.encode(errors="replace")
