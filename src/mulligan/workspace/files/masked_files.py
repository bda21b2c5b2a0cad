"""A project's files with their secrets masked, as models may see them."""

import asyncio
from dataclasses import dataclass, replace

from mulligan.core.secrets import Mask
from mulligan.ports.files import FileText, FoundFiles, GrepQuery, GrepResult, Listing, Workspace


@dataclass(frozen=True, slots=True)
class MaskedFiles:
    """A `Workspace` for what Mulligan itself gathers for a model. Edits use the unmasked files."""

    files: Workspace
    mask: Mask

    async def read_text(self, path: str) -> FileText:
        read = await self.files.read_text(path)
        text = (await asyncio.to_thread(self.mask, "\n".join(read.lines))).text
        return replace(read, lines=tuple(text.split("\n"))) if read.lines else read

    async def list_dir(self, path: str) -> Listing:
        return await self.files.list_dir(path)

    async def find_files(self, pattern: str, path: str, limit: int) -> FoundFiles:
        return await self.files.find_files(pattern, path, limit)

    async def grep(self, query: GrepQuery) -> GrepResult:
        found = await self.files.grep(query)
        return replace(found, matches=tuple(replace(each, text=self.mask(each.text).text) for each in found.matches))
