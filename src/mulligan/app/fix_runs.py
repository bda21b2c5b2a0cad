"""Runs fix runs: makes the work tree, chooses the model and the coder's tools."""

import asyncio
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mulligan.app.fix_requests import FixRequest, StartedRun, resume_run, start_run
from mulligan.app.images import as_attachment
from mulligan.app.project_tools import Consent, ProjectTools
from mulligan.app.ready_models import ReadyModel
from mulligan.app.session import Session, ignore_notice
from mulligan.app.turns import change_emitter, run_suitable_turn, turn_plan, with_images
from mulligan.core.context_budget import chars_per_token
from mulligan.core.instructions import instruction_char_limit
from mulligan.fixing.context import RunContext
from mulligan.fixing.report import RunFolder
from mulligan.fixing.run import run_fix
from mulligan.ports.commands import Approve, Commands
from mulligan.ports.runs import RunEmit, RunRepository
from mulligan.ports.tools import Tool
from mulligan.types.fixing import RunState
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import AttachmentInfo, Chat
from mulligan.types.permissions import Permissions
from mulligan.types.run_frames import RunEnd, RunStarted
from mulligan.workspace.run_tree import RunTree

if TYPE_CHECKING:
    from mulligan.ports.models import Model
    from mulligan.types.agents import AgentSpec
    from mulligan.workspace.sandbox import Sandbox

GUIDED_TOKENS = 700
"""Most tokens of a brief for a very small model: more misleads it, less leaves out the faulty function."""
AGENT_TOKENS = 6000
AGENT_SHARE = 0.2
"""Of the model's context, at most."""


class RunKeeper(Protocol):
    """Keeps a run, in addition to this machine's store, where another machine can resume it."""

    async def restored(self, state: RunState, tree: RunTree) -> RunState:
        """A new work tree contains what the run has made so far, and the state names its checkpoints there."""
        ...

    async def saved(self, state: RunState, tree: RunTree) -> None:
        """Called with the state after each node. An exception ends the work on the run here."""
        ...

    def model(self, model: "Model") -> "Model":
        """Used instead of the model."""
        ...


class FixRuns:
    """Carries out the fix runs of a project."""

    def __init__(self, session: Session, emit: RunEmit, approve: Approve, keeper: RunKeeper | None = None) -> None:
        self._session = session
        self._emit = emit
        self._approve = approve
        self._keeper = keeper
        self._project = session.settings.project

    async def start(self, request: FixRequest, *, apply: bool) -> RunEnd:
        """Raises `NoRepository` or `ConfigurationError` before anything starts."""
        return await self.carry_out(await start_run(self._session, request), apply=apply)

    async def resume(self, run: str, *, apply: bool) -> RunEnd:
        """Resume an interrupted run. Raises `ConfigurationError` if it has ended or is running."""
        return await self.carry_out(await resume_run(self._session, run), apply=apply)

    async def carry_out(self, started: StartedRun, *, apply: bool) -> RunEnd:
        """Take a run to its end. If it is cancelled or there is no model, it stays as it is and can be resumed."""
        store, state = self._session.store, started.state
        cache = self._session.settings.home / "index" / f"run-{state.id}"
        loading: asyncio.Task[object] | None = None
        try:
            guided = state.agency == "guided"
            ready_model = await self._session.ready(started.agent, started.model, wait=not guided)
            if guided and ready_model.embedded:
                # In parallel with the baseline and the slips, which may be all that is needed.
                loading = asyncio.create_task(ready_model.embedded.start())
            tree = await self._tree(state)
            if self._keeper:
                state = await self._keeper.restored(state, tree)
                ready_model = replace(ready_model, model=self._keeper.model(ready_model.model))
            await self._session.tell_sandbox(self._confined(tree.folder))
            # The model may have changed since the run was started.
            state = state.model_copy(update={"worktree_id": tree.tree.id, "model": ready_model.model.name})
            await store.runs.save(state)
            context = self._context(state, tree, ready_model, started.agent, cache)
            self._emit(
                RunStarted(
                    run_id=state.id,
                    goal=state.goal,
                    profile=state.profile,
                    agency=state.agency,
                    model=state.model,
                    commands=state.commands,
                    folder=str(tree.folder),
                    resumed=started.resumed,
                )
            )
            if given := [each.name for each in (*state.goal_texts, *state.goal_images)]:
                context.note(f"Read with the goal: {', '.join(given)}.")
            return await run_fix(context, apply=apply)
        finally:
            await _stop(loading)
            await store.runs.release(state.id)
            with suppress(OSError):
                shutil.rmtree(cache, ignore_errors=True)

    async def _tree(self, state: RunState) -> RunTree:
        trees, store = self._session.worktrees(), self._session.store
        if state.worktree_id is None:
            return await RunTree.make(trees, store, state.id, self._confined)
        return await RunTree.reopen(trees, store, state.worktree_id, self._confined)

    def _confined(self, folder: Path) -> "Sandbox":
        return self._session.sandbox(folder, undoable=True)

    def _context(
        self, state: RunState, tree: RunTree, ready_model: ReadyModel, agent: "AgentSpec", cache: Path
    ) -> RunContext:
        from mulligan.codecontext.syntax_check import TreeSitterSyntax

        bench, runs = self._session.project_tools(tree.folder, cache=cache), self._session.store.runs

        return RunContext(
            state=state,
            model=with_images(self._session, ready_model),
            model_profile=lambda: ready_model.profile,
            coder_turn=_CoderTurns(
                state.id, self._session, bench, ready_model, agent, self._emit, self._approve, state.goal_images
            ),
            tree=tree,
            files=bench.files,
            permissions=Permissions(self._session.settings.permissions).about_files(),
            approve=self._approve,
            hooks=bench.hooks(),
            agent=agent.name,
            folder=RunFolder(self._project, state.id),
            runs=_KeptTwice(runs, tree, self._keeper) if self._keeper else runs,
            changes=self._session.store.changes,
            mask=self._session.mask,
            syntax=TreeSitterSyntax(),
            brief_tokens=_brief_tokens(state, ready_model),
            chars_per_token=chars_per_token(ready_model.profile),
            instructions=self._session.instructions(tree.folder),
            instruction_char_limit=instruction_char_limit(ready_model.profile.context_length),
            emit=self._emit,
            log=self._session.log,
            clock=time.time,
        )


@dataclass(frozen=True, slots=True)
class _KeptTwice:
    """In the store, and by the keeper. Its end is reported with the result."""

    runs: RunRepository
    tree: RunTree
    keeper: RunKeeper

    async def save(self, state: RunState) -> None:
        await self.runs.save(state)
        if state.ended_at is None:
            await self.keeper.saved(state, self.tree)

    async def release(self, run_id: str) -> None:
        await self.runs.release(run_id)


async def _stop(loading: asyncio.Task[object] | None) -> None:
    """Stop a model that nobody asked. A partial download is kept; errors were reported to the callers."""
    if loading:
        loading.cancel()
        await asyncio.wait([loading])
        with suppress(asyncio.CancelledError):
            loading.exception()


@dataclass(frozen=True, slots=True)
class _CoderTurns:
    """The coder's turns, in the run's work tree: its edits there are applied immediately."""

    run_id: str
    session: Session
    project_tools: ProjectTools
    model: ReadyModel
    agent: "AgentSpec"
    emit: RunEmit
    approve: Approve
    images: tuple[AttachmentInfo, ...]
    """That go with the goal: each attempt is shown them."""

    async def __call__(
        self, chat_id: str | None, prompt: str, *, steps: int, commands: Commands, limited: Callable[[Tool], Tool]
    ) -> TurnEnd:
        chat = await self._chat(chat_id, prompt)
        consent = Consent(apply_now=True, approve=self.approve)
        write_tools = self.project_tools.write_tools(
            self.agent, chat_id=chat.id, consent=consent, on_change=change_emitter(self.emit), commands=commands
        )
        plan = await turn_plan(self.session, chat, self.agent, self.model, self.project_tools)
        guarded = self.project_tools.guarded(write_tools.tools, consent, chat_id=chat.id, agent=self.agent.name)
        tools = tuple(map(limited, guarded))
        attached = tuple(map(as_attachment, self.images))
        limit = min(steps, plan.step_limit)
        plan = replace(plan, tools=tools, files=write_tools.files, step_limit=limit, attached=attached)
        if write_tools.diagnostics:
            await write_tools.diagnostics.begin()
        return await run_suitable_turn(
            self.session,
            plan,
            prompt,
            self.model,
            write_tools,
            files=write_tools.files,
            emit=self.emit,
            notify=ignore_notice,
        )

    async def _chat(self, chat_id: str | None, prompt: str) -> Chat:
        if chat_id:
            return await self.session.store.chats.find(chat_id)
        return await self.session.new_chat(prompt, self.agent, run_id=self.run_id)


def _brief_tokens(state: RunState, ready_model: ReadyModel) -> int:
    if state.agency == "guided":
        return GUIDED_TOKENS
    length = ready_model.profile.context_length
    return min(AGENT_TOKENS, int(length * AGENT_SHARE)) if length else AGENT_TOKENS
