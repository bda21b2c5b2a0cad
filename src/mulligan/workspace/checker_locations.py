"""Where a project's checkers see the edits of a turn: in the chat's work tree, or in the project's files."""

import asyncio
import os
from pathlib import Path

from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.types.commands import CommandResult
from mulligan.types.errors import CallRejected, MulliganError
from mulligan.types.sandbox import NO_EXTRA_ACCESS, Confinement
from mulligan.workspace.changes.staging import StagedEditing
from mulligan.workspace.command_tree import CommandTree, CommandTrees
from mulligan.workspace.commands import ProjectCommands
from mulligan.workspace.files.targets import StagedFiles
from mulligan.workspace.run_environment import run_environment
from mulligan.workspace.sandbox import Sandbox

MAX_OUTPUT_BYTES = 2_000_000
"""Bytes of each stream. Shortened output can't be compared: an old problem might seem new."""


class CheckInTree:
    """`CheckerLocation` for pending edits: the work tree of the chat's commands. The user's files stay untouched."""

    def __init__(self, trees: CommandTrees, editing: StagedEditing, sandbox: Sandbox, *, chat_id: str) -> None:
        """`sandbox` is the project's. It represents that of the work tree, which is created when it is needed."""
        self._trees = trees
        self._editing = editing
        self._sandbox = sandbox
        self._chat_id = chat_id
        self._at_start: StagedFiles = {}
        self._tree: CommandTree | None = None

    async def hold(self) -> None:
        _, self._at_start = await self._editing.overlay()

    async def run(self, command: str, *, time_limit: float, as_held: bool) -> CommandResult | None:
        try:
            # A command of the model may be running there.
            async with asyncio.timeout(time_limit):
                tree = await self._opened()
                await tree.alone.acquire()
        except (MulliganError, TimeoutError):
            return None
        try:
            images = self._at_start if as_held else (await self._editing.overlay())[1]
            await tree.bring_up_to_date(images)
            ran = await tree.run(command, time_limit=time_limit, access=NO_EXTRA_ACCESS, shown_bytes=MAX_OUTPUT_BYTES)
            await finish_despite_cancel(tree.changed())  # so that it is undone before the next command
            return _whole(ran)
        except MulliganError:
            return None
        finally:
            tree.alone.release()

    async def confinement(self) -> Confinement:
        return await self._sandbox.confinement()

    async def close(self) -> None:
        """A work tree without pending changes is removed afterwards."""
        if self._tree:
            self._tree.in_use = False
            await self._trees.sweep()

    async def _opened(self) -> CommandTree:
        self._tree = await self._trees.of(self._chat_id)
        self._tree.in_use = True
        return self._tree


class CheckInFiles:
    """`CheckerLocation` if edits are applied immediately: the project's folder."""

    def __init__(self, project: Path, editing: StagedEditing, sandbox: Sandbox) -> None:
        self._project = project
        self._editing = editing
        self._sandbox = sandbox

    async def hold(self) -> None:
        pass

    async def run(self, command: str, *, time_limit: float, as_held: bool) -> CommandResult | None:
        environ = await asyncio.to_thread(run_environment, os.environ, self._project)
        commands = ProjectCommands(self._project, self._sandbox, environ=environ, shown_bytes=MAX_OUTPUT_BYTES)
        try:
            ran = await commands.run(command, time_limit=time_limit)
        except CallRejected:
            return None
        # It is unknown whether the command saw what changed meanwhile.
        return None if as_held and self._editing.changed() else _whole(ran)

    async def confinement(self) -> Confinement:
        return await self._sandbox.confinement()

    async def close(self) -> None:
        pass


def _whole(ran: CommandResult) -> CommandResult | None:
    longest = max(len(text.encode(errors="replace")) for text in (ran.stdout, ran.stderr))
    return ran if longest < MAX_OUTPUT_BYTES * 0.9 else None
