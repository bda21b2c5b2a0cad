"""Fix runs put together: the work tree made, the model and the coder's tools chosen."""

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.fix_requests import BegunRun, Wish, begin_run, take_up_run
from mulligan.app.model_selection import Answering
from mulligan.app.project_tools import Consent, Workbench
from mulligan.app.session import House, telling
from mulligan.core.fix_runs.profiles import PROFILES
from mulligan.fixing.context import RunRoom
from mulligan.fixing.report import RunFolder
from mulligan.fixing.run import run_fix
from mulligan.loop.one_reply import one_reply
from mulligan.loop.turn import run_turn
from mulligan.ports.commands import Approve, Commands
from mulligan.ports.runs import RunEmit
from mulligan.ports.tools import Tool
from mulligan.types.fixing import RunState
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import Chat
from mulligan.types.model_io import ModelRequest, Usage
from mulligan.types.run_frames import RunEnd, RunStarted
from mulligan.workspace.run_tree import RunTree

if TYPE_CHECKING:
    from mulligan.types.agents import AgentSpec
    from mulligan.workspace.sandbox import Sandbox

GUIDED_TOKENS = 700
"""Of a brief for a very small model: more leads it astray, less leaves out the function that is wrong."""
AGENT_TOKENS = 6000
AGENT_SHARE = 0.2
"""Of the model's context, at most."""
CHARS_PER_TOKEN = 3.5


class FixRuns:
    """Carries out the fix runs of a project."""

    def __init__(self, house: House, emit: RunEmit, approve: Approve) -> None:
        self._house = house
        self._emit = emit
        self._approve = approve
        self._project = house.settings.project

    async def start(self, wish: Wish, *, apply: bool) -> RunEnd:
        """Raises `NoRepository` or `ConfigurationError` before anything is begun."""
        return await self.carry_out(await begin_run(self._house, wish), apply=apply)

    async def resume(self, run: str, *, apply: bool) -> RunEnd:
        """Go on with a run that was interrupted. Raises `ConfigurationError` if it has ended or is being worked on."""
        return await self.carry_out(await take_up_run(self._house, run), apply=apply)

    async def carry_out(self, begun: BegunRun, *, apply: bool) -> RunEnd:
        """Take a run to its end. Cancelled, or without a model, it stays as it is and can be resumed."""
        store, state = self._house.store, begun.state
        cache = self._house.settings.home / "index" / f"run-{state.id}"
        try:
            answering = await self._house.ready(begun.agent, begun.model)
            tree = await self._tree(state)
            await self._house.tell_sandbox(self._confined(tree.folder))
            # Another model may answer by now than the one that it was begun with.
            state = state.model_copy(update={"worktree_id": tree.tree.id, "model": answering.model.name})
            await store.save_run(state)
            room = self._room(state, tree, answering, begun.agent, cache)
            self._emit(
                RunStarted(
                    run_id=state.id,
                    goal=state.goal,
                    profile=state.profile,
                    agency=state.agency,
                    model=state.model,
                    commands=state.commands,
                    folder=str(tree.folder),
                    resumed=begun.resumed,
                )
            )
            return await run_fix(room, state, apply=apply)
        finally:
            await store.release_run(state.id)
            with suppress(OSError):
                shutil.rmtree(cache, ignore_errors=True)

    async def _tree(self, state: RunState) -> RunTree:
        trees, store = self._house.worktrees(), self._house.store
        if state.worktree_id is None:
            return await RunTree.make(trees, store, state.id, self._confined)
        return await RunTree.reopen(trees, store, state.worktree_id, self._confined)

    def _confined(self, folder: Path) -> "Sandbox":
        return self._house.sandbox(folder, undoable=True)

    def _room(self, state: RunState, tree: RunTree, answering: Answering, agent: "AgentSpec", cache: Path) -> RunRoom:
        from mulligan.codecontext.syntax_check import TreeSitterSyntax

        bench = self._house.workbench(tree.folder, cache=cache)

        async def ask(request: ModelRequest) -> tuple[str, Usage]:
            return await one_reply(answering.model, request)

        return RunRoom(
            store=self._house.store,
            changes=self._house.store,
            tree=tree,
            folder=RunFolder(self._project, state.id),
            profile=PROFILES[state.profile],
            ask=ask,
            mask=self._house.mask,
            coder_turn=_CoderTurns(state.id, self._house, bench, answering, agent, self._emit, self._approve),
            index=bench.index,
            syntax=TreeSitterSyntax(),
            brief_tokens=_brief_tokens(state, answering),
            chars_per_token=answering.profile.chars_per_token or CHARS_PER_TOKEN,
            emit=self._emit,
            log=self._house.log,
            clock=time.time,
        )


@dataclass(frozen=True, slots=True)
class _CoderTurns:
    """The coder's turns, in the run's work tree: what it edits there is applied at once."""

    run_id: str
    house: House
    bench: Workbench
    answering: Answering
    agent: "AgentSpec"
    emit: RunEmit
    approve: Approve

    async def __call__(
        self, chat_id: str | None, prompt: str, *, steps: int, commands: Commands, limited: Callable[[Tool], Tool]
    ) -> TurnEnd:
        chat = await self._chat(chat_id, prompt)
        consent = Consent(apply_now=True, approve=self.approve)
        hands = self.bench.writing(
            self.agent, chat_id=chat.id, consent=consent, on_change=telling(self.emit), commands=commands
        )
        plan = self.house.plan(chat, self.agent, self.answering, self.bench)
        tools = tuple(limited(tool) for tool in hands.tools)
        plan = replace(plan, tools=tools, files=hands.files, step_limit=min(steps, plan.step_limit))
        store, log = self.house.store, self.house.log
        if self.answering.agency == "agent":
            return await run_turn(plan, prompt, store=store, emit=self.emit, log=log)
        from mulligan.loop.guided_code import run_guided_change

        return await run_guided_change(
            plan,
            prompt,
            workspace=hands.files,
            syntax=hands.syntax,
            profile=self.answering.profile,
            store=store,
            emit=self.emit,
            log=log,
        )

    async def _chat(self, chat_id: str | None, prompt: str) -> Chat:
        if chat_id:
            return await self.house.store.find_chat(chat_id)
        return await self.house.new_chat(prompt, self.agent, run_id=self.run_id)


def _brief_tokens(state: RunState, answering: Answering) -> int:
    if state.agency == "guided":
        return GUIDED_TOKENS
    length = answering.profile.context_length
    return min(AGENT_TOKENS, int(length * AGENT_SHARE)) if length else AGENT_TOKENS
