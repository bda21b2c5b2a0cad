"""Resolves the names in a user's message: files, folders and symbols of the project, for the model."""

import asyncio

from mulligan.app.images import as_attachment, keep_image, read_named
from mulligan.core.attachments import AttachedText, Mention, chars_of_each, find_mentions, last_that_fits
from mulligan.core.context_budget import ContextBudget, clip_result
from mulligan.core.images import is_image_name
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.secrets import Mask, masked_note
from mulligan.ports.code import OpenIndex
from mulligan.store.store import SqlStore
from mulligan.tools.list_dir import show_listing
from mulligan.tools.view_file import show_lines
from mulligan.types.errors import CallRejected
from mulligan.types.messages import AttachmentInfo
from mulligan.workspace.files.project_files import ProjectFiles


async def attachments_for(
    prompt: str, files: ProjectFiles, index: OpenIndex, mask: Mask, budget: ContextBudget | None, *, store: SqlStore
) -> tuple[AttachedText, ...]:
    """What the names in a message refer to. A name that matches nothing stays plain text."""
    mentions = find_mentions(prompt)
    look_up = _LookUp(files, index, mask, chars_of_each(budget, len(mentions)), store=store)
    found = [await look_up(each) for each in mentions]
    return tuple(each for each in found if each is not None)


class _LookUp:
    def __init__(self, files: ProjectFiles, index: OpenIndex, mask: Mask, char_budget: int, *, store: SqlStore) -> None:
        self._files = files
        self._index = index
        self._mask = mask
        self._char_budget = char_budget
        self._store = store

    async def __call__(self, mention: Mention) -> AttachedText | None:
        try:
            match await self._files.kind_of(mention.name):
                case "file" if is_image_name(mention.name):
                    data = await read_named(self._files, mention.name)
                    return as_attachment(await keep_image(self._store, mention.written, data))
                case "file":
                    return await self._lines(mention, mention.name, mention.first or 1, mention.last)
                case "folder":
                    return await self._folder(mention)
                case None:
                    return await self._symbol(mention) if mention.may_be_symbol else None
        except CallRejected as refused:
            return AttachedText(AttachmentInfo(name=mention.written, problem=str(refused)))

    async def _lines(
        self, mention: Mention, path: str, first: int, last: int | None, *, also: str = ""
    ) -> AttachedText | None:
        first = max(1, first)
        file = await self._files.read_text(path)
        masked = await asyncio.to_thread(self._mask, "\n".join(file.lines))
        lines = tuple(masked.text.split("\n")) if file.lines else ()
        end = min(last or len(lines), len(lines))
        end = last_that_fits(lines, first, end, self._char_budget) if first <= end else end
        shown = show_lines(type(file)(file.path, lines, file.encoding), first, end)
        heading, _, _ = shown.partition("\n")
        note = f"\n{masked_note(masked.count)}" if masked.count else ""
        about = AttachmentInfo(name=mention.written, about=heading + also, masked=masked.count)
        excerpt = Excerpt(file.path, first, end, "\n".join(lines[first - 1 : end])) if lines else None
        return AttachedText(about, f"{mention.written} in the message below is {shown}{note}{also}", excerpt)

    async def _folder(self, mention: Mention) -> AttachedText:
        shown = clip_result(show_listing(await self._files.list_dir(mention.name)), self._char_budget)
        about = AttachmentInfo(name=mention.written, about=shown.partition("\n")[0].rstrip(":"))
        return AttachedText(about, f"{mention.written} in the message below is {shown}")

    async def _symbol(self, mention: Mention) -> AttachedText | None:
        """The most used one, if several have the name."""
        try:
            found, _ = await self._index().promptly(lambda code: code.symbol(mention.name))
        except CallRejected:  # no symbol has this name
            return None
        symbol = found[0].symbol
        others = ", ".join(f"{each.path}:{each.line}" for each in found[0].others[:5])
        also = f"\n[others of this name: {others}]" if others else ""
        return await self._lines(mention, symbol.path, symbol.line, symbol.end_line, also=also)
