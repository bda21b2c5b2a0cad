"""The changes that an agent makes in one chat: staged, and applied at once if the user agreed to that."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from mulligan.core.project_state import ProjectState, content_id
from mulligan.core.secrets import refuse_masks
from mulligan.ports.changes import ChangeRepository, Staged
from mulligan.types.changes import ChangeKind, ChangeStatus, FileState, PendingChange
from mulligan.types.commands import PolicyVerdict
from mulligan.types.edits import TextEdit
from mulligan.types.errors import CallRejected
from mulligan.types.frozen import frozen
from mulligan.workspace.changes.pending import PendingChanges
from mulligan.workspace.checkpoints.model import Blob
from mulligan.workspace.files.confined_folders import refuse_closed
from mulligan.workspace.files.file_bytes import Decoded, decode, encode
from mulligan.workspace.files.missing_paths import nothing_there
from mulligan.workspace.files.paths import Located, Missing, printable
from mulligan.workspace.files.ripgrep import Ripgrep
from mulligan.workspace.files.staged_view import StagedView
from mulligan.workspace.files.targets import (
    StagedFiles,
    file_on_the_way,
    find_target,
    holds_staged,
    is_there,
    link_itself,
    new_path,
)
from mulligan.workspace.files.text_files import MAX_FILE_BYTES, binary_words
from mulligan.workspace.files.unsaved import UnsavedFiles

Permit = Callable[[str, str], PolicyVerdict]
"""The verdict on a tool and a path relative to the project."""
Formatted = Callable[[str, str], Awaitable[tuple[str, tuple[str, ...]]]]
"""From a file's path and text: the text after the user's formatter, and notes about it."""


@frozen
class TakenOver:
    """The result of staging a command's changes."""

    paths: tuple[str, ...]
    """Files that now have a pending change, or whose pending change was dropped."""
    refused: tuple[str, ...]
    """The other files, each with the reason."""
    state: str


class StagedEditing:
    """`Editing` for one chat. Edits start from what the chat sees: the files on disk plus its own pending changes."""

    message_id: str | None
    """The turn that stages. It may be set once its row exists."""
    before_applying: Callable[[], Awaitable[None]] | None = None
    """Awaited before a change is applied at once. Later calls of the same step wait for it too."""

    def __init__(
        self,
        root: Path,
        store: ChangeRepository,
        *,
        project: str,
        chat_id: str,
        message_id: str | None,
        apply_now: bool,
        on_change: Callable[[PendingChange], None],
        keep_asked: bool = False,
        unsaved: UnsavedFiles | None = None,
        permit: Permit | None = None,
        formatted: Formatted | None = None,
    ) -> None:
        """With `keep_asked`, a change that a rule asks about stays pending even if others are applied at once. `permit`
        says whether the user lets a tool change a file. Text is staged as `formatted` returns it."""
        self._permit = permit
        self._formatted = formatted
        self.message_id = message_id
        self._root = root.resolve()
        self._store = store
        self._project = project
        self._chat_id = chat_id
        self._apply_now = apply_now
        self._keep_asked = keep_asked
        self._on_change = on_change
        self._unsaved = unsaved or UnsavedFiles(self._root)
        self._view = StagedView(self._unsaved, store, project=project, chat_id=chat_id)
        self._changes = PendingChanges(self._root, store, project=project, unsaved=self._unsaved)
        self._ripgrep = Ripgrep(self._root)
        self._state = ProjectState()
        # Calls of one step run in parallel: each must see what the one before it staged.
        self._one_at_a_time = asyncio.Lock()

    async def edit(self, path: str, edits: Sequence[TextEdit]) -> Staged:
        from mulligan.core.edits import applied_earlier_refusal, apply_edits

        async with self._one_at_a_time:
            staged = await self._view.images()
            found = await asyncio.to_thread(find_target, self._root, path, staged)
            if isinstance(found, Missing):
                if not edits or edits[0].old:
                    raise await nothing_there(self._root, found, staged, self._ripgrep)
                return await self._make(path, (await asyncio.to_thread(apply_edits, "", edits)).text, staged)
            _refuse_secret(found)
            before = await self._image(found)
            decoded = _text_of(before, found.shown)
            for edit in edits:
                refuse_masks(f"{edit.old}\n{edit.new}", decoded.text)
            if all(edit.old not in decoded.text for edit in edits) and await self._already_applied(
                found.relative, edits
            ):
                raise applied_earlier_refusal()
            made = await asyncio.to_thread(apply_edits, decoded.text, edits)
            self._refuse_denied(found.relative, "edit")
            text, notes = await self._in_form(found.relative, made.text)
            if text == decoded.text:
                raise CallRejected("exec_error", f"Nothing changed: {' '.join(notes)} It is as it was before the edit.")
            after = FileState(encode(text, decoded), before.mode)
            return replace(await self._stage(found.relative, before, after), notes=(*made.notes, *notes))

    async def create(self, path: str, text: str) -> Staged:
        async with self._one_at_a_time:
            return await self._make(path, text, await self._view.images())

    async def delete(self, path: str) -> Staged:
        async with self._one_at_a_time:
            staged = await self._view.images()
            found = await asyncio.to_thread(find_target, self._root, path, staged)
            if isinstance(found, Missing):
                raise await nothing_there(self._root, found, staged, self._ripgrep)
            _refuse_secret(found)
            # Delete the link itself, not its target.
            target = await asyncio.to_thread(link_itself, self._root, found)
            named = replace(found, relative=target)
            unstaged = await self._unstage(target, await self._image(named))
            return unstaged or await self._stage(target, await self._image(named), None)

    async def overlay(self) -> tuple[int, StagedFiles]:
        """How many changes are pending, and the files that they change. Waits for earlier calls of the same step."""
        async with self._one_at_a_time:
            await self._unsaved.look_again()
            changes = await self._view.pending()
            return len(changes), await self._view.images_of(changes)

    async def take_over(self, made: Mapping[str, FileState | None]) -> TakenOver:
        """Stage the files that a command changed in the chat's work tree, since they may not reach the disk yet."""
        paths: list[str] = []
        refused: list[str] = []
        async with self._one_at_a_time:
            for path, after in made.items():
                try:
                    refuse_closed(path)
                    before = await self._view.image(path)
                    if before == after:
                        continue
                    unstaged = await self._unstage(path, before) if before and not after else None
                    if not unstaged:
                        await self._stage(path, before, after)
                except CallRejected as rejected:
                    refused.append(f"{printable(path)}: {rejected}")
                else:
                    paths.append(path)
            return TakenOver(tuple(paths), tuple(refused), self._state.digest)

    def note_moves(self, moves: Mapping[str, tuple[Blob | None, Blob | None]]) -> str:
        """Note that a command changed these files on disk. Returns the state of the project afterwards."""
        for path, (before, after) in moves.items():
            self._state = self._state.after(path, _id_of(before), _id_of(after))
        return self._state.digest

    async def pending_count(self) -> int:
        """Waits for earlier calls of the same step, and includes their changes."""
        async with self._one_at_a_time:
            return len(await self._view.pending())

    def changed(self) -> tuple[str, ...]:
        """The files that this turn has changed so far."""
        return tuple(map(printable, self._state.changed))

    async def staged(self) -> StagedFiles:
        """The files that the chat's own reads see instead of those on disk."""
        return await self._view.images()

    async def _make(self, path: str, text: str, staged: StagedFiles) -> Staged:
        target = await asyncio.to_thread(new_path, self._root, path)
        refuse_closed(target)
        refuse_masks(text)
        if await asyncio.to_thread(is_there, self._root, target, staged):
            is_folder = holds_staged(target, staged) or await asyncio.to_thread((self._root / target).is_dir)
            words = "is a folder. Use another name" if is_folder else "exists already. Use edit_file to change it"
            raise CallRejected("exec_error", f"{printable(target)} {words}.")
        if blocking := await asyncio.to_thread(file_on_the_way, self._root, target, staged):
            words = f"{printable(target)} can't be made: {printable(blocking)} is a file, not a folder."
            raise CallRejected("exec_error", words)
        self._refuse_denied(target, "create")
        text, notes = await self._in_form(target, text)
        return replace(await self._stage(target, None, FileState(encode(text, None))), notes=notes)

    async def _image(self, found: Located) -> FileState:
        """The file as the chat sees it. Raises `CallRejected` if it can't be changed."""
        image = await self._view.image(found.relative)
        if image is None:
            words = f"{found.shown} is a symbolic link to something that does not exist."
            raise CallRejected("exec_error", words)
        if len(image.data) > MAX_FILE_BYTES:
            size, limit = len(image.data) / 1e6, MAX_FILE_BYTES / 1e6
            words = f"{found.shown} is too large to be changed by tools ({size:.1f} MB, the limit is {limit:.0f} MB)."
            raise CallRejected("exec_error", words)
        return image

    async def _already_applied(self, path: str, edits: Sequence[TextEdit]) -> bool:
        """Whether a change in this chat made exactly these edits already, however short they are."""
        from mulligan.core.edits import were_applied

        statuses: Sequence[ChangeStatus] = ("pending", "applied")
        changes = await self._store.list(self._project, statuses=statuses, chat_id=self._chat_id)
        for change in reversed([change for change in changes if change.path == path]):
            before, after = _text(change.before), _text(change.after)
            if before and after and await asyncio.to_thread(were_applied, before, after, edits):
                return True
        return False

    async def _stage(self, path: str, before: FileState | None, after: FileState | None) -> Staged:
        kind: ChangeKind = "create" if before is None else "delete" if after is None else "edit"
        verdict = self._refuse_denied(path, kind)
        by_rule = verdict.decision if verdict and verdict.by_rules else None
        at_once = self._apply_now and not self._keep_asked
        applies = at_once or by_rule == "allow" or (self._apply_now and by_rule is None)
        # A change that builds on a pending one has to wait with it.
        if applies and not at_once and any(change.path == path for change in await self._view.pending()):
            applies = False
        change = await self._store.add(
            project=self._project,
            path=path,
            before=before,
            after=after,
            chat_id=self._chat_id,
            message_id=self.message_id,
        )
        if applies:
            if self.before_applying:
                await self.before_applying()
            change = await self._apply(change)
        self._on_change(change)
        return self._staged(change, before, after)

    def _staged(self, change: PendingChange, before: FileState | None, after: FileState | None) -> Staged:
        self._state = self._state.after(change.path, _content(before), _content(after))
        return Staged(change, _text(before), _text(after), self._state.digest)

    def _refuse_denied(self, path: str, kind: ChangeKind) -> PolicyVerdict | None:
        verdict = self._permit(f"{kind}_file", path) if self._permit else None
        if verdict and verdict.decision == "deny":
            raise CallRejected("permission_denied", f"{printable(path)} was not changed. {verdict.reason}")
        return verdict

    async def _in_form(self, path: str, text: str) -> tuple[str, tuple[str, ...]]:
        return await self._formatted(path, text) if self._formatted else (text, ())

    async def _apply(self, change: PendingChange) -> PendingChange:
        (outcome,) = await self._changes.apply([change])
        if not outcome.success:
            await self._changes.reject([change])
            raise CallRejected("exec_error", outcome.message)
        return outcome.change

    async def _unstage(self, path: str, before: FileState) -> Staged | None:
        """Delete a file that exists only in this chat's pending changes by rejecting these.

        None if the file is on disk, or was put there meanwhile: then the deletion is a change of its own.
        """
        waiting = [change for change in await self._view.pending() if change.path == path]
        made = next((place for place in reversed(range(len(waiting))) if waiting[place].kind == "create"), len(waiting))
        chain = waiting[made:]
        joined = all(one.after == other.before for one, other in pairwise(chain))
        if not chain or not joined or chain[-1].after != before:
            return None
        rejected = await self._changes.reject(chain[::-1])
        for outcome in rejected:
            self._on_change(outcome.change)
        if not all(outcome.success for outcome in rejected) or await self._view.image(path):
            return None
        return self._staged(replace(rejected[-1].change, before=before, after=None), before, None)


def _refuse_secret(found: Located) -> None:
    if found.secret:
        words = f"{printable(found.asked)} may hold secrets (keys, passwords, tokens) and is not open to tools."
        raise CallRejected("permission_denied", words)


def _text_of(image: FileState, shown: str) -> Decoded:
    decoded = decode(image)
    if decoded is None:
        kind = "a symbolic link" if image.mode == "120000" else binary_words(image.data)
        raise CallRejected("exec_error", f"{shown} is {kind}, and can't be edited as text.")
    return decoded


def _content(image: FileState | None) -> str | None:
    return None if image is None else content_id(image.mode, image.data)


def _id_of(blob: Blob | None) -> str | None:
    return None if blob is None else f"{blob.mode} {blob.oid}"


def _text(image: FileState | None) -> str | None:
    decoded = decode(image) if image else None
    return decoded.text if decoded else None
