"""The tools of a project: those that read, made once, and those that change it, made for one turn."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.project_manifests import read_manifests
from mulligan.core.provenance import WRITING
from mulligan.ports.changes import ChangeRepository
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.commands import Approve, Commands
from mulligan.ports.files import Workspace
from mulligan.ports.outlets import Log
from mulligan.ports.tools import Tool
from mulligan.tools.registry import build_code_tools, build_tools, refuse_unknown, select_tools
from mulligan.types.agents import AgentSpec
from mulligan.types.changes import PendingChange
from mulligan.types.commands import DENIED, Approval, CommandRules, Verdict
from mulligan.workspace.files.project_files import ProjectFiles
from mulligan.workspace.run_environment import run_environment

if TYPE_CHECKING:
    from mulligan.codecontext.index import ProjectIndex
    from mulligan.core.diagnostics import Checker
    from mulligan.loop.edit_diagnostics import EditDiagnostics
    from mulligan.tools.run_command import RunCommand
    from mulligan.workspace.changes.staging import StagedEditing
    from mulligan.workspace.command_tree import CommandTrees
    from mulligan.workspace.sandbox import Sandbox

MOST_FILES = 1_000_000
"""Of a project that are indexed."""


async def deny_unasked(_command: str, _verdict: Verdict) -> Approval:
    """Without a person at hand, what needs their yes is not done."""
    return DENIED


async def approve_all(_command: str, verdict: Verdict) -> Approval:
    """The person said yes in advance, to all that is not denied and keeps to the sandbox."""
    return Approval(granted="network" not in verdict.opens)


@dataclass(frozen=True, slots=True)
class Consent:
    """What the person agreed to in advance, and how they are asked about the rest."""

    apply_now: bool = False
    """Changes are applied as they come."""
    approve: Approve = deny_unasked


@dataclass(frozen=True, slots=True)
class WriteTools:
    """What an agent that writes works with during one turn."""

    tools: tuple[Tool, ...]
    files: ProjectFiles
    """Its own staged changes included."""
    editing: "StagedEditing"
    syntax: SyntaxCheck
    sandbox: "Sandbox"
    diagnostics: "EditDiagnostics | None"
    """Of its edits. They are begun with the turn and closed after it."""


class ProjectTools:
    """One project's tools."""

    def __init__(
        self,
        project: Path,
        changes: ChangeRepository,
        rules: Callable[[], CommandRules],
        *,
        cache: Path,
        sandbox: "Callable[[Path], Sandbox]",
        command_trees: "Callable[[], CommandTrees]",
        log: Log,
        diagnostics_timeout: float | None,
    ) -> None:
        """`cache` is the folder where the code index is kept. `sandbox` makes the one of a folder, `command_trees` the
        work trees in which commands see pending changes. Without a timeout, edits are not checked."""
        self.project = project
        self._changes = changes
        self._rules = rules
        self._sandbox = sandbox
        self._command_trees = command_trees
        self._log = log
        self._diagnostics_timeout = diagnostics_timeout
        self.files = ProjectFiles(project)
        self._cache = cache
        self._index: ProjectIndex | None = None
        self._trees: CommandTrees | None = None
        self._code = build_code_tools(self.index)
        self._reading = build_tools(self.files) | self._code

    def index(self) -> "ProjectIndex":
        """The project's code as an index, made when it is first needed: loading it takes a tenth of a second."""
        if self._index is None:
            from mulligan.codecontext.index import ProjectIndex

            self._index = ProjectIndex(self.project, self._cache, self._listed)
        return self._index

    def command_trees(self) -> "CommandTrees":
        """Kept: a work tree that is known needs little to be brought up to date."""
        self._trees = self._trees or self._command_trees()
        return self._trees

    def close(self) -> None:
        if self._index:
            self._index.close()

    def check(self, agent: AgentSpec) -> None:
        """Raises `ConfigurationError` for a tool that there isn't."""
        refuse_unknown(agent.tools, self._reading.keys() | WRITING)

    def read_tools(self, agent: AgentSpec) -> tuple[Tool, ...]:
        """The tools of an agent that changes nothing."""
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

        `commands` is the door that its commands go through, where it is not the project's usual one.
        """
        from mulligan.codecontext.syntax_check import TreeSitterSyntax
        from mulligan.tools.writing_tools import build_writing_tools
        from mulligan.workspace.command_tree import PendingAwareCommands

        editing = self._editing(chat_id, consent, on_change)
        files = ProjectFiles(self.project, staged=editing.staged)
        syntax = TreeSitterSyntax()
        sandbox = self._sandbox(self.project)
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
            self._rules,
            project=str(self.project),
            diagnostics=diagnostics,
        )
        tools = select_tools(build_tools(files) | self._code | changing, agent.tools)
        return WriteTools(tools, files, editing, syntax, sandbox, diagnostics)

    def command_tool(
        self, *, chat_id: str, consent: Consent, on_change: Callable[[PendingChange], None]
    ) -> "RunCommand":
        """The commands of a chat alone, for a person who types one."""
        from mulligan.tools.run_command import RunCommand
        from mulligan.workspace.command_tree import PendingAwareCommands

        commands = PendingAwareCommands(
            self.project,
            self._commands(self._sandbox(self.project)),
            self._editing(chat_id, consent, on_change),
            self.command_trees(),
            chat_id=chat_id,
        )
        return RunCommand(commands, consent.approve, self._rules, project=str(self.project))

    def _editing(self, chat_id: str, consent: Consent, on_change: Callable[[PendingChange], None]) -> "StagedEditing":
        from mulligan.workspace.changes.staging import StagedEditing

        return StagedEditing(
            self.project,
            self._changes,
            project=str(self.project),
            chat_id=chat_id,
            message_id=None,
            apply_now=consent.apply_now,
            on_change=on_change,
        )

    def _commands(self, sandbox: "Sandbox") -> Commands:
        """With the project's own tools, as in a fix run."""
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
        from mulligan.workspace.check_places import CheckInFiles, CheckInTree

        place = (
            CheckInTree(trees, editing, sandbox, chat_id=chat_id)
            if trees
            else CheckInFiles(self.project, editing, sandbox)
        )
        diagnostics = EditDiagnostics(
            place,
            partial(_checkers, files),
            editing.pending_count,
            self._rules(),
            self._log,
            project=str(self.project),
            seconds=self._diagnostics_timeout,
        )
        editing.before_applying = diagnostics.before_applying
        return diagnostics

    async def _listed(self) -> Sequence[str]:
        return (await self.files.find_files("*", ".", MOST_FILES)).paths


async def _checkers(files: Workspace) -> "tuple[Checker, ...]":
    texts, paths = await read_manifests(files)
    return await asyncio.to_thread(_find_checkers, texts, paths)


def _find_checkers(texts: Mapping[str, str], paths: Sequence[str]) -> "tuple[Checker, ...]":
    from mulligan.core.diagnostics import find_checkers

    return find_checkers(texts, paths)


def can_write(agent: AgentSpec) -> bool:
    return not WRITING.isdisjoint(agent.tools)
