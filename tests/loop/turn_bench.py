"""A turn on real parts: a SQLite file, the read-only tools on a real folder, and a model that follows a script."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mulligan.core.step_budget import step_limit
from mulligan.loop.turn import TurnPlan, run_turn
from mulligan.models.scripted.model import Script, ScriptedModel, ScriptedReply
from mulligan.models.wire.retrying import RetryingModel
from mulligan.ports.models import Model
from mulligan.ports.tools import Tool
from mulligan.store.store import SqlStore, open_store
from mulligan.tools.registry import build_tools, select_tools
from mulligan.types.frames import Frame, SentinelRaised, TurnEnd
from mulligan.types.messages import Message, TurnMeta, UserMeta
from mulligan.types.sentinels import Sentinel
from mulligan.types.tool_calls import Outcome, Succeeded, ToolSpec
from mulligan.workspace.files.project_files import ProjectFiles

READ_ONLY = ("ask_user", "find_files", "grep", "list_dir", "view_file")


async def no_sleep(_seconds: float) -> None:
    """Backoff without waiting."""


@dataclass
class Bench:
    """One chat, and what came of the turns run in it."""

    store: SqlStore
    chat_id: str
    project: Path
    frames: list[Frame] = field(default_factory=list[Frame])
    log: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])

    def plan(self, model: Model, *, tools: Sequence[Tool] = (), steps: int | None = None) -> TurnPlan:
        native = select_tools(build_tools(ProjectFiles(self.project)), READ_ONLY)
        return TurnPlan(
            chat_id=self.chat_id,
            agent="default",
            system="Be good.",
            model=model,
            tools=tuple(sorted((*native, *tools), key=lambda tool: tool.spec.name)),
            step_limit=step_limit(steps),
        )

    async def run(
        self,
        model: ScriptedModel,
        prompt: str = "where?",
        *,
        tools: Sequence[Tool] = (),
        steps: int | None = None,
        continues: bool = False,
    ) -> TurnEnd:
        plan = self.plan(RetryingModel(model, sleep=no_sleep), tools=tools, steps=steps)
        return await self.start(plan, prompt, continues=continues)

    async def start(self, plan: TurnPlan, prompt: str = "where?", *, continues: bool = False) -> TurnEnd:
        return await run_turn(
            plan, prompt, store=self.store.messages, emit=self.frames.append, log=self.remember, continues=continues
        )

    def remember(self, event: str, **fields: Any) -> None:
        self.log.append((event, fields))

    def sentinels(self) -> list[Sentinel]:
        raised = [frame.message.metadata for frame in self.frames if isinstance(frame, SentinelRaised)]
        return [metadata for metadata in raised if not isinstance(metadata, UserMeta | TurnMeta)]

    async def messages(self) -> list[Message]:
        return await self.store.messages.list(self.chat_id)

    async def answer(self) -> Message:
        """The newest assistant message."""
        return [message for message in await self.messages() if message.role == "assistant"][-1]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench, None]:
    project = tmp_path / "project"
    project.mkdir()
    for name in "abcdefgh":
        (project / f"{name}.py").write_text(f"def {name}():\n    return '{name}'\n")
    store = await open_store(tmp_path / "mulligan.db")
    chat = await store.chats.create(project=str(project), agent="default", title="t")
    yield Bench(store, chat.id, project)
    await store.close()


def script(*replies: ScriptedReply | str, then: str = "fail") -> ScriptedModel:
    """A model that gives these replies; a string is plain text."""
    whole = tuple(ScriptedReply(text=reply) if isinstance(reply, str) else reply for reply in replies)
    return ScriptedModel(Script.model_validate({"replies": whole, "then": then}))


def calling(*calls: tuple[str, Mapping[str, Any] | str], **more: Any) -> ScriptedReply:
    """A reply that calls tools: `calling(("view_file", {"path": "a.py"}))`."""
    return ScriptedReply.model_validate(
        {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls], **more}
    )


def viewing(path: str) -> ScriptedReply:
    return calling(("view_file", {"path": path}))


class Counter:
    """A tool of the tests: it counts its calls, and can change the world or fail."""

    def __init__(self, *, name: str = "tick", answer: str = "ticked", progress: bool = False) -> None:
        self._name = name
        self._answer = answer
        self._progress = progress
        self.calls = 0

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self._name, "Count.", {"type": "object", "properties": {"n": {"type": "integer"}}})

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        del arguments
        self.calls += 1
        return Succeeded(
            self._answer.replace("$calls", str(self.calls)),
            state=f"{self._name} {self.calls}" if self._progress else None,
        )
