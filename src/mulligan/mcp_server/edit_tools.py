"""The edit tools for a client: made when it first edits, with a chat that its changes belong to."""

import asyncio
from collections.abc import Mapping
from typing import Any

from mulligan.app.project_tools import Consent, WriteTools
from mulligan.app.session import Session
from mulligan.core.provenance import CHANGING
from mulligan.ports.tools import Tool
from mulligan.tools.registry import select_tools
from mulligan.types.changes import PendingChange
from mulligan.types.errors import MulliganError
from mulligan.types.tool_calls import Outcome, ToolSpec

AGENT = "coder"


class ClientEdits:
    """What one client changes. Each change is stored, so that it can be reverted; before the first one, a checkpoint is
    taken if the project is a repository."""

    def __init__(self, session: Session, *, stage: bool) -> None:
        self.client = "an MCP client"
        self.chat_id = ""
        """The chat of its changes, from the first one on."""
        self._session = session
        self._stage = stage
        self._made: WriteTools | None = None
        self._making = asyncio.Lock()
        project = session.settings.project
        specs = session.project_tools(project).write_tools(
            session.agent(AGENT), chat_id="", consent=Consent(), on_change=_nobody_watches
        )
        self.tools = tuple(_Edit(self, tool.spec) for tool in select_tools(_by_name(specs), CHANGING))

    async def tool(self, name: str) -> Tool:
        async with self._making:
            if self._made is None:
                self._made = await self._make()
        return _by_name(self._made)[name]

    async def close(self) -> None:
        if self._made and self._made.diagnostics:
            await self._made.diagnostics.close()

    async def _make(self) -> WriteTools:
        session, agent = self._session, self._session.agent(AGENT)
        project = session.settings.project
        chat = await session.new_chat(f"edits of {self.client}", agent)
        self.chat_id = chat.id
        try:
            await (await session.checkpoints(project)).create(label=f"before edits of {self.client}")
        except MulliganError as error:  # no repository, or no space: as before a turn, the work continues
            session.log("checkpoint_failed", chat=chat.id, error=error)
        consent = Consent(apply_now=not self._stage, keep_asked=True)
        made = session.project_tools(project).write_tools(
            agent, chat_id=chat.id, consent=consent, on_change=_nobody_watches
        )
        if made.diagnostics:
            await made.diagnostics.begin()
        return made


class _Edit:
    def __init__(self, edits: ClientEdits, spec: ToolSpec) -> None:
        self._edits = edits
        self.spec = spec

    async def run(self, arguments: Mapping[str, Any]) -> Outcome:
        return await (await self._edits.tool(self.spec.name)).run(arguments)


def _by_name(made: WriteTools) -> dict[str, Tool]:
    return {tool.spec.name: tool for tool in made.tools}


def _nobody_watches(_change: PendingChange) -> None:
    """The client reads the result of its call."""
