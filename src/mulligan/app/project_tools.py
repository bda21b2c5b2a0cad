"""The tools of a project: read-only ones, made once, and those that change it, made for one turn."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.project_manifests import read_manifests
from mulligan.core.provenance import WRITING
from mulligan.ports.callbacks import Log
from mulligan.ports.changes import ChangeRepository
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.commands import Approve, Commands
from mulligan.ports.editor import EditorFiles
from mulligan.ports.files import Workspace
from mulligan.ports.tools import Tool
from mulligan.tools.registry import build_code_tools, build_tools, refuse_unknown, select_tools
from mulligan.types.agents import AgentSpec
from mulligan.types.changes import PendingChange
from mulligan.types.commands import DENIED, Approval, PolicyVerdict
from mulligan.types.frozen import frozen
from mulligan.types.permissions import NO_PERMISSIONS, Permissions
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.files.targets import StagedFiles, meant_paths
from mulligan.workspace.files.unsaved import UnsavedFiles
from mulligan.workspace.run_environment import run_environment

if TYPE_CHECKING:
    from mulligan.codecontext.index import ProjectIndex
    from mulligan.core.diagnostics import Checker
    from mulligan.core.permissions import ReadingRules
    from mulligan.loop.edit_diagnostics import EditDiagnostics
    from mulligan.tools.run_command import RunCommand
    from mulligan.types.codecontext import IndexProgress
    from mulligan.types.hooks import Formatter, Hook
    from mulligan.workspace.changes.staging import StagedEditing
    from mulligan.workspace.command_tree import CommandTrees
    from mulligan.workspace.sandbox import Sandbox
    from mulligan.workspace.user_hooks import UserFormatters, UserHooks

MAX_FILES = 1_000_000
"""Most files of a project to index."""
MANY_FILES = 2_000
"""New files from which we tell the user: reading them takes some seconds."""


async def deny_unasked(_command: str, _verdict: PolicyVerdict) -> Approval:
    """Without a user, nothing that needs approval is done."""
    return DENIED


async def approve_all(_command: str, verdict: PolicyVerdict) -> Approval:
    """The user approved in advance everything that is not denied and stays in the sandbox."""
    return Approval(granted="network" not in verdict.opens)


@frozen
class Consent:
    """What the user agreed to in advance, and how to ask about the rest."""

    apply_now: bool = False
    """Changes are applied immediately."""
    keep_asked: bool = False
    """Changes that a rule says to ask about stay pending even then: nobody can be asked."""
    approve: Approve = deny_unasked


@frozen
class WriteTools:
    """What a writing agent uses during one turn."""

    tools: tuple[Tool, ...]
    files: ProjectFiles
    """Includes its own staged changes."""
    editing: "StagedEditing"
    syntax: SyntaxCheck
    sandbox: "Sandbox"
    diagnostics: "EditDiagnostics | None"
    """Diagnostics of its edits. They start with the turn and are closed after it."""


class ProjectTools:
    """One project's tools."""

    def __init__(
        self,
        project: Path,
        changes: ChangeRepository,
        permissions: Callable[[], Permissions],
        *,
        cache: Path,
        sandbox: "Callable[[Path], Sandbox]",
        command_trees: "Callable[[], CommandTrees]",
        log: Log,
        diagnostics_timeout: float | None,
        editor: EditorFiles | None = None,
        about_files: Permissions = NO_PERMISSIONS,
        hooks: "Sequence[Hook]" = (),
        formatters: "Sequence[Formatter]" = (),
        tell: Callable[[str], None] = lambda _words: None,
    ) -> None:
        """`cache` is the folder of the code index. `sandbox` makes the sandbox of a folder, `command_trees` the work
        trees where commands see pending changes. Without a timeout, edits are not checked. `about_files` are the fixed
        permissions about files. Errors of the user's hooks are reported."""
        self.project = project
        self._changes = changes
        self._permissions = permissions
        self._about_files = about_files
        self._sandbox = sandbox
        self._command_trees = command_trees
        self._log = log
        self._diagnostics_timeout = diagnostics_timeout
        self._hooks = hooks
        self._formatters = formatters
        self.tell = tell
        self._reading_rules = self._rules_of_reading()
        self.unsaved = UnsavedFiles(project.resolve(), editor)
        self.files = ProjectFiles(
            project, staged=self._unsaved_images, unsaved=self.unsaved, reading=self._reading_rules
        )
        self._cache = cache
        self._index: ProjectIndex | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.on_index_progress: Callable[[IndexProgress], None] | None = None
        """Called with the index's progress, by the thread that reads."""
        self._trees: CommandTrees | None = None
        self.code_tools = build_code_tools(self.index, self.files)
        self._reading = build_tools(self.files) | self.code_tools

    def index(self) -> "ProjectIndex":
        """The index of the project's code, made on first use: importing it takes a tenth of a second."""
        if self._index is None:
            from mulligan.codecontext.index import ProjectIndex

            self._loop = asyncio.get_running_loop()
            self._index = ProjectIndex(self.project, self._cache, self._listed, on_progress=self._told_index)
        return self._index

    @property
    def opened_index(self) -> "ProjectIndex | None":
        """The index, if anything has needed it."""
        return self._index

    def _told_index(self, progress: "IndexProgress") -> None:
        if self.on_index_progress:
            self.on_index_progress(progress)
        elif progress.of >= MANY_FILES and self._loop:
            self._loop.call_soon_threadsafe(self.tell, f"Reading {progress.of:,} files that are new to the code index.")

    def command_trees(self) -> "CommandTrees":
        """Kept, because updating a known work tree is cheap."""
        self._trees = self._trees or self._command_trees()
        return self._trees

    def close(self) -> None:
        if self._index:
            self._index.close()

    def check(self, agent: AgentSpec) -> None:
        """Raises `ConfigurationError` for an unknown tool."""
        refuse_unknown(agent.tools, self.names)

    @property
    def names(self) -> frozenset[str]:
        """The names of all tools."""
        return frozenset(self._reading.keys() | WRITING)

    def read_tools(self, agent: AgentSpec) -> tuple[Tool, ...]:
        """The tools of a read-only agent."""
        return select_tools(self._reading, agent.tools)

    def write_tools(
        self,
        agent: AgentSpec,
        *,
        chat_id: str,
        consent: Consent,
        on_change: Callable[[PendingChange], None],
        commands: Commands | None = None,
    ) -> WriteTools:
        """The tools of an agent that writes: what it stages is its own, and its reads see it.

        `commands` runs its commands, if not in the project's usual way.
        """
        from mulligan.codecontext.syntax_check import TreeSitterSyntax
        from mulligan.tools.writing_tools import build_writing_tools
        from mulligan.workspace.command_tree import PendingAwareCommands

        sandbox = self._sandbox(self.project)
        editing = self._editing(sandbox, chat_id, consent, on_change)
        files = ProjectFiles(self.project, staged=editing.staged, unsaved=self.unsaved, reading=self._reading_rules)
        syntax = TreeSitterSyntax()
        trees = None if consent.apply_now else self.command_trees()
        diagnostics = self._diagnostics(editing, files, sandbox, trees, chat_id=chat_id)
        changing = build_writing_tools(
            editing,
            syntax,
            PendingAwareCommands(
                self.project,
                commands or self._commands(sandbox),
                editing,
                trees,
                chat_id=chat_id,
                before_tree=diagnostics.baseline_taken if diagnostics else None,
            ),
            consent.approve,
            self._permissions,
            project=str(self.project),
            diagnostics=diagnostics,
        )
        tools = select_tools(build_tools(files) | self.code_tools | changing, agent.tools)
        return WriteTools(tools, files, editing, syntax, sandbox, diagnostics)

    def command_tool(
        self, *, chat_id: str, consent: Consent, on_change: Callable[[PendingChange], None]
    ) -> "RunCommand":
        """Only the commands of a chat, for a user who types one."""
        from mulligan.tools.run_command import RunCommand
        from mulligan.workspace.command_tree import PendingAwareCommands

        sandbox = self._sandbox(self.project)
        commands = PendingAwareCommands(
            self.project,
            self._commands(sandbox),
            self._editing(sandbox, chat_id, consent, on_change),
            self.command_trees(),
            chat_id=chat_id,
        )
        return RunCommand(commands, consent.approve, self._permissions, project=str(self.project))

    def _editing(
        self, sandbox: "Sandbox", chat_id: str, consent: Consent, on_change: Callable[[PendingChange], None]
    ) -> "StagedEditing":
        from mulligan.workspace.changes.staging import StagedEditing

        return StagedEditing(
            self.project,
            self._changes,
            project=str(self.project),
            chat_id=chat_id,
            message_id=None,
            apply_now=consent.apply_now,
            keep_asked=consent.keep_asked,
            on_change=on_change,
            unsaved=self.unsaved,
            permit=self._permit if self._about_files.rules else None,
            formatted=self._formatting(sandbox),
        )

    def guarded(self, tools: tuple[Tool, ...], consent: Consent, *, chat_id: str, agent: str) -> tuple[Tool, ...]:
        """Wrapped in the user's permissions and hooks, if any concern a tool."""
        if not self._about_files.rules and not self._hooks:
            return tools
        from mulligan.core.permissions import concerns
        from mulligan.tools.guarded_tool import GuardedTool, ToolGuard

        guard = ToolGuard(
            partial(meant_paths, self.project.resolve()),
            self._about_files,
            consent.approve,
            self.tell,
            self._reading_rules,
            self.hooks(),
            {"chat_id": chat_id, "agent": agent},
        )
        return tuple(
            GuardedTool(tool, guard) if self._hooks or concerns(self._about_files, tool.spec.name) else tool
            for tool in tools
        )

    def hooks(self) -> "UserHooks | None":
        """The user's commands at events; None if there are none."""
        if not self._hooks:
            return None
        from mulligan.workspace.user_hooks import UserHooks

        return UserHooks(self._hooks, self.project, self._log)

    def _permit(self, tool: str, path: str) -> PolicyVerdict:
        from mulligan.core.permissions import ToolUse, judge_use

        return judge_use(ToolUse(tool, paths=(path,)), self._about_files)

    def _rules_of_reading(self) -> "ReadingRules | None":
        if not self._about_files.rules:
            return None
        from mulligan.core.permissions import reading_rules

        return reading_rules(self._about_files)

    def _formatting(self, sandbox: "Sandbox") -> "UserFormatters | None":
        if not self._formatters:
            return None
        from mulligan.workspace.user_hooks import UserFormatters

        return UserFormatters(self._formatters, self.project, sandbox)

    def _commands(self, sandbox: "Sandbox") -> Commands:
        """Commands with the project's own programs on the PATH, as in a fix run."""
        from mulligan.workspace.commands import ProjectCommands

        return ProjectCommands(self.project, sandbox, environ=run_environment(os.environ, self.project))

    def _diagnostics(
        self,
        editing: "StagedEditing",
        files: Workspace,
        sandbox: "Sandbox",
        trees: "CommandTrees | None",
        *,
        chat_id: str,
    ) -> "EditDiagnostics | None":
        if self._diagnostics_timeout is None:
            return None
        from mulligan.loop.edit_diagnostics import EditDiagnostics
        from mulligan.workspace.checker_locations import CheckInFiles, CheckInTree

        place = (
            CheckInTree(trees, editing, sandbox, chat_id=chat_id)
            if trees
            else CheckInFiles(self.project, editing, sandbox)
        )
        diagnostics = EditDiagnostics(
            place,
            partial(_checkers, files),
            editing.pending_count,
            self._permissions(),
            self._log,
            project=str(self.project),
            seconds=self._diagnostics_timeout,
        )
        editing.before_applying = diagnostics.before_applying
        return diagnostics

    async def _unsaved_images(self) -> StagedFiles:
        return self.unsaved.images

    async def _listed(self) -> Sequence[str]:
        return (await self.files.find_files("*", ".", MAX_FILES)).paths


async def _checkers(files: Workspace) -> "tuple[Checker, ...]":
    texts, paths = await read_manifests(files)
    return await asyncio.to_thread(_find_checkers, texts, paths)


def _find_checkers(texts: Mapping[str, str], paths: Sequence[str]) -> "tuple[Checker, ...]":
    from mulligan.core.diagnostics import find_checkers

    return find_checkers(texts, paths)


def can_write(agent: AgentSpec) -> bool:
    return not WRITING.isdisjoint(agent.tools)
