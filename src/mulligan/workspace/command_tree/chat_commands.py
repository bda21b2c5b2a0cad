"""Runs the commands of one chat with its pending changes applied, and reports what they changed."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from mulligan.ports.commands import Commands
from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.types.changes import FileState
from mulligan.types.commands import ABOUT_THE_PROJECT, MAY_WRITE, ChatCommandResult, CommandKind, CommandResult
from mulligan.types.errors import MulliganError
from mulligan.types.sandbox import NO_EXTRA_ACCESS, Confinement, ExtraAccess
from mulligan.workspace.changes.staging import StagedEditing
from mulligan.workspace.command_tree.command_tree import CommandTree, CommandTrees
from mulligan.workspace.files.paths import printable
from mulligan.workspace.files.targets import StagedFiles
from mulligan.workspace.git import GitMissing, NoRepository
from mulligan.workspace.work_tree_watch import WorkTreeSnapshot, WorkTreeWatch

BYPRODUCTS = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".coverage")
"""Files that tools create and that git may not ignore: not part of the work."""

NO_GIT = "there is no git repository, so it ran on the files as they are"


class PendingAwareCommands:
    """`ChatCommands` of one turn. Without git, commands run on the files as they are, and the result says so."""

    def __init__(
        self,
        project: Path,
        commands: Commands,
        editing: StagedEditing,
        trees: CommandTrees | None,
        *,
        chat_id: str,
        before_tree: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`commands` runs commands in the project itself; without `trees`, it runs all of them. `before_tree` ends
        other work in the chat's work tree."""
        self._project = project.resolve()
        self._commands = commands
        self._editing = editing
        self._trees = trees
        self._chat_id = chat_id
        self._before_tree = before_tree
        self._watch: WorkTreeWatch | None = None
        self._no_git = False

    async def run(
        self, command: str, *, time_limit: float, access: ExtraAccess = NO_EXTRA_ACCESS, kinds: frozenset[CommandKind]
    ) -> ChatCommandResult:
        # Counted first: this waits for edits that come before the command in the same reply.
        pending = await self._editing.pending_count()
        why = "they were made before edits were applied at once"
        if pending and self._trees and not kinds.isdisjoint(ABOUT_THE_PROJECT):
            why = "it is about the repository or what is installed, so it ran on the files as they are"
        elif pending and self._trees:
            if self._before_tree:
                await self._before_tree()
            tree = await self._tree(self._trees)
            if isinstance(tree, CommandTree):
                async with tree.alone:
                    # Read only now: a command that just ended may have changed something.
                    pending, images = await self._editing.overlay()
                    why = await _problem(tree, images)
                    if not why:
                        return await self._in_tree(tree, command, pending, time_limit=time_limit, access=access)
            else:
                why = tree
        return await self._in_project(
            command, pending, why, time_limit=time_limit, access=access, watched=not kinds.isdisjoint(MAY_WRITE)
        )

    async def confinement(self) -> Confinement:
        return await self._commands.confinement()

    async def _tree(self, trees: CommandTrees) -> CommandTree | str:
        """The chat's work tree, or why there is none."""
        try:
            return await trees.of(self._chat_id)
        except (NoRepository, GitMissing):
            return NO_GIT
        except MulliganError as error:
            return str(error)

    async def _in_tree(
        self, tree: CommandTree, command: str, pending: int, *, time_limit: float, access: ExtraAccess
    ) -> ChatCommandResult:
        result = await tree.run(command, time_limit=time_limit, access=access)
        return await finish_despite_cancel(self._taken_over(tree, result, pending))

    async def _taken_over(self, tree: CommandTree, result: CommandResult, pending: int) -> ChatCommandResult:
        try:
            made = await tree.changed()
        except MulliganError as error:
            return ChatCommandResult(result, seen=pending, changed=None, left_out=(f"what it changed: {error}",))
        inside: dict[str, FileState | None] = {}
        left_out = [f"{printable(each.path)}: {each.reason}" for each in tree.apart]
        for path, image in made.items():
            if not path.startswith(tree.inner):
                left_out.append(f"{printable(path)}: outside the project")
            elif isinstance(image, str):
                left_out.append(f"{printable(path)}: {image}")
            elif not _is_leaving(path):
                inside[path.removeprefix(tree.inner)] = image
        taken = await self._editing.take_over(inside)
        return ChatCommandResult(
            result,
            seen=pending,
            changed=tuple(map(printable, taken.paths)),
            left_out=(*left_out, *taken.refused),
            state=taken.state if taken.paths else None,
        )

    async def _in_project(
        self, command: str, pending: int, why: str, *, time_limit: float, access: ExtraAccess, watched: bool
    ) -> ChatCommandResult:
        before = await self._look() if watched else None
        result = await self._commands.run(command, time_limit=time_limit, access=access)
        if not watched:
            return ChatCommandResult(result, unseen=pending, why_unseen=why)
        after = await self._look() if before else None
        if self._watch is None or before is None or after is None:
            return ChatCommandResult(result, unseen=pending, why_unseen=why, changed=None)
        moves = await self._watch.moves(before, after)
        inner = self._project.relative_to(self._watch.git.work_tree).as_posix()
        prefix = "" if inner == "." else f"{inner}/"
        changed = tuple(printable(move.path.removeprefix(prefix)) for move in moves if move.path.startswith(prefix))
        state = self._editing.note_moves({move.path.removeprefix(prefix): (move.before, move.after) for move in moves})
        return ChatCommandResult(
            result, unseen=pending, why_unseen=why, changed=changed, state=state if moves else None
        )

    async def _look(self) -> WorkTreeSnapshot | None:
        """None if git can't tell."""
        if self._no_git:
            return None
        try:
            self._watch = self._watch or await WorkTreeWatch.open(self._project)
            return await self._watch.snapshot()
        except MulliganError:
            self._no_git = self._watch is None
            return None


async def _problem(tree: CommandTree, images: StagedFiles) -> str:
    """Why pending changes can't be applied in the work tree; empty if they are."""
    try:
        await tree.bring_up_to_date(images)
    except MulliganError as error:
        return str(error)
    return ""


def _is_leaving(path: str) -> bool:
    return any(part in BYPRODUCTS for part in path.split("/"))
