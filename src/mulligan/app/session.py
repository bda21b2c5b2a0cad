"""One project's settings, agents, store and model; runs its turns."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.agents.definitions import known_agents
from mulligan.app.command_trees import command_trees
from mulligan.app.configuration import FILE_NAME, Configuration, own_keys
from mulligan.app.model_selection import ModelSelector
from mulligan.app.project_tools import Consent, ProjectTools, can_write
from mulligan.app.ready_models import Downloads, ReadyModel
from mulligan.app.turns import run_chat_turn, title_of, turn_plan
from mulligan.core.prompts import CONTINUE_PROMPT
from mulligan.core.secrets import Mask
from mulligan.core.step_budget import why_not_continue
from mulligan.ports.callbacks import Emit, Log, Notify
from mulligan.ports.editor import EditorFiles, EditorTerminal
from mulligan.store.store import SqlStore
from mulligan.types.agents import AgentSpec
from mulligan.types.errors import ConfigurationError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import AttachmentInfo, Chat, Message
from mulligan.types.permissions import Permissions
from mulligan.types.sandbox import ExtraAccess, Limits
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.core.attachments import AttachedText
    from mulligan.mcp_client.servers import ConnectedServers
    from mulligan.workspace.changes.pending import PendingChanges
    from mulligan.workspace.checkpoints.service import Checkpoints
    from mulligan.workspace.files.instruction_files import InstructionFiles
    from mulligan.workspace.sandbox import Sandbox
    from mulligan.workspace.worktrees import WorkTrees


def ignore_notice(_text: str) -> None: ...


class Session:
    def __init__(
        self,
        configuration: Configuration,
        store: SqlStore,
        log: Log,
        *,
        tell: Notify = ignore_notice,
        downloads: Downloads | None = None,
    ) -> None:
        self.store = store
        self.log = log
        self.editor: EditorFiles | None = None
        """The user's editor, if they use Mulligan from one. Set it before the first turn."""
        self.terminal: EditorTerminal | None = None
        """A terminal of their editor, if it offers one."""
        self.limits: Limits | None = None
        """Limits of every command; by default, what the machine can take."""
        self.sandbox_required = False
        """Refuse to run commands that are not confined."""
        self._tell = tell
        self._downloads = downloads or Downloads()
        self._announced: set[str] = set()
        self._project_tools: dict[Path, ProjectTools] = {}
        """Made once per project: the tools' schemas take some milliseconds."""
        self._servers: ConnectedServers | None = None
        self.trusted_servers: set[str] = set()
        """By fingerprint: MCP servers of the project that the user trusts for this session."""
        self._outdated: list[ModelSelector | ProjectTools | ConnectedServers] = []
        """Made from earlier settings. Turns that started with them may still be running."""
        self._configure(configuration)

    def _configure(self, configuration: Configuration) -> None:
        self.agents = known_agents(configuration)
        self.configuration = configuration
        self.settings: Settings = configuration.settings
        self._agent_from_project = configuration.agent_from_project
        self.mask = Mask(os.environ, own_keys(self.settings))
        self.chosen_model = configuration.chosen_model
        """The user's own choice for this run; None leaves it to agent and settings."""
        self.models = ModelSelector(self.settings, tell=self._tell, downloads=self._downloads)

    def reconfigure(self, configuration: Configuration) -> None:
        """Use other settings from the next turn on. Raises `ConfigurationError`, and then everything stays as it is."""
        before = (self.models, *self._project_tools.values(), *([self._servers] if self._servers else ()))
        self._configure(configuration)
        self._outdated += before
        self._project_tools.clear()
        self._servers = None

    def agent(self, name: str | None = None) -> AgentSpec:
        """The agent of that name, or the configured one."""
        wanted = name or self.settings.agent
        if wanted not in self.agents:
            raise ConfigurationError(f"there is no agent {wanted}; there are: {', '.join(self.agents)}")
        agent = self.agents[wanted]
        if not name and self._agent_from_project and can_write(agent):
            raise ConfigurationError(
                f"the project's {FILE_NAME} makes {wanted} the agent, which changes files: a project may not choose "
                f"that for you. Use --agent {wanted} if you want it"
            )
        return agent

    def model_name(self, agent: AgentSpec) -> str | None:
        """Which model answers; None means that we choose one."""
        return self.chosen_model or agent.model or self.settings.model

    async def ready(
        self,
        agent: AgentSpec,
        model: str | None = None,
        *,
        wait: bool = True,
        prompt: str = "",
        images: Sequence[AttachmentInfo] = (),
    ) -> ReadyModel:
        """The model that answers for this agent. Raises before anything is stored if the agent can't answer. Without
        waiting, a missing model is downloaded when it is asked.

        Also raises for a message with images, given or named in the prompt, if the model accepts none.
        """
        self.project_tools(self.settings.project).check(agent)
        ready_model = await self.models.ready(model or self.model_name(agent), wait=wait)
        if images or "@" in prompt:
            from mulligan.app.images import require_images

            await require_images(self, ready_model, images, prompt)
        return ready_model

    async def check(self, agent: AgentSpec, model: str | None = None, *, downloads: bool = True) -> None:
        """Raises `ConfigurationError` if a turn of this agent could not start. Downloads and starts nothing. Whether a
        missing model may be downloaded can be left to the first question."""
        self.project_tools(self.settings.project).check(agent)
        name = model or self.model_name(agent)
        await (self.models.check(name) if downloads else self.models.choose(name))

    async def new_chat(
        self, prompt: str, agent: AgentSpec, *, run_id: str | None = None, chat_id: str | None = None
    ) -> Chat:
        """A chat for the user, or for the coder of a fix run."""
        project, title = str(self.settings.project), title_of(prompt)
        return await self.store.chats.create(
            project=project, agent=agent.name, title=title, run_id=run_id, chat_id=chat_id
        )

    async def answer(
        self,
        chat: Chat,
        prompt: str,
        agent: AgentSpec,
        emit: Emit,
        consent: Consent | None = None,
        *,
        model: str | None = None,
        images: Sequence[AttachmentInfo] = (),
        given: "Sequence[AttachedText]" = (),
    ) -> TurnEnd:
        """Run a turn for the user's message. Cancel it to abort. Without consent, changes stay pending.

        If a model is named, it answers this one message, whatever agent and settings say. `given` are texts that came
        with the message.
        """
        consent = consent or Consent()
        return await run_chat_turn(
            self, chat, prompt, agent, emit, consent=consent, model=model, continues=False, images=images, given=given
        )

    async def continue_turn(
        self, chat: Chat, agent: AgentSpec, emit: Emit, consent: Consent | None = None, *, model: str | None = None
    ) -> TurnEnd:
        """Continue a turn that a guard stopped, with a fresh budget."""
        refused = why_not_continue(await self.store.messages.recent(chat.id))
        if refused:
            raise ConfigurationError(refused.reason)
        return await run_chat_turn(
            self, chat, CONTINUE_PROMPT, agent, emit, consent=consent or Consent(), model=model, continues=True
        )

    async def compact(self, chat: Chat, agent: AgentSpec, emit: Emit) -> Message | None:
        """Summarize the chat so far. None if there is nothing to gain."""
        from mulligan.loop.compact import compact_chat

        ready_model = await self.ready(agent)
        plan = await turn_plan(self, chat, agent, ready_model, self.project_tools(Path(chat.project)))
        return await compact_chat(plan, store=self.store.messages, emit=emit, log=self.log)

    def pending(self, project: Path) -> "PendingChanges":
        """Pending changes of the project's files."""
        from mulligan.workspace.changes.pending import PendingChanges

        unsaved = self.project_tools(project).unsaved if self.editor else None
        return PendingChanges(project, self.store.changes, project=str(project), unsaved=unsaved)

    async def close(self) -> None:
        servers = [self._servers] if self._servers else []
        for each in (*servers, *self._outdated, *self._project_tools.values(), self.models):
            if isinstance(each, ProjectTools):
                each.close()
            else:
                await each.close()

    async def checkpoints(self, folder: Path) -> "Checkpoints":
        """The checkpoints of the work tree that contains a folder. Raises `NoRepository` or `GitMissing`."""
        from mulligan.store.ids import new_id
        from mulligan.workspace.checkpoints.service import open_checkpoints

        return await open_checkpoints(folder, self.store, new_id=new_id)

    def worktrees(self) -> "WorkTrees":
        """The work trees where agents of this project work directly."""
        from mulligan.workspace.worktrees import WorkTrees

        return WorkTrees(self.settings.project, self.store.worktrees, home=self.settings.home)

    async def tell_sandbox(self, sandbox: "Sandbox") -> None:
        """Warn if commands are not confined, or less than they could be."""
        status = await sandbox.status()
        if status.mechanism == "none":
            self.announce_once(
                f"no sandbox: commands run with your rights, and each needs your approval ({status.missing})"
            )

    def sandbox(
        self, folder: Path, *, undoable: bool = False, writable: bool = True, read: tuple[Path, ...] = ()
    ) -> "Sandbox":
        """The sandbox where commands in a folder of this project run. They can also read the folders in `read`."""
        from mulligan.workspace.sandbox import Sandbox
        from mulligan.workspace.sandbox.grants import read_grants

        settings = self.settings
        opened = ExtraAccess(
            network=settings.network, write=settings.sandbox_write, read=(*settings.sandbox_read, *read)
        )
        return Sandbox(
            settings.sandbox,
            folder,
            home=settings.home,
            opened=opened,
            granted=partial(read_grants, settings.home, settings.project),
            mode=settings.approvals,
            undoable=undoable,
            writable=writable,
            passed=settings.pass_environment,
            limits=self.limits,
            terminal=self.terminal,
            required=self.sandbox_required,
        )

    def instructions(self, project: Path) -> "InstructionFiles | None":
        """The instructions in files of a project, and the user's own. None: the user wants none to be sent."""
        from mulligan.workspace.files.instruction_files import InstructionFiles

        return InstructionFiles(project, self.settings.home, self.mask) if self.settings.instructions else None

    def project_tools(self, project: Path, *, cache: Path | None = None) -> ProjectTools:
        """The tools of a project, and its code index, kept in the cache folder."""
        if project not in self._project_tools:
            folder = cache or self.settings.home / "index"
            self._project_tools[project] = ProjectTools(
                project,
                self.store.changes,
                self.permissions,
                cache=folder,
                sandbox=self.sandbox,
                command_trees=partial(command_trees, self, project),
                log=self.log,
                diagnostics_timeout=self.settings.diagnostics_timeout if self.settings.diagnostics else None,
                editor=self.editor if project == self.settings.project else None,
                about_files=Permissions(self.settings.permissions).about_files(),
                hooks=self.settings.hooks,
                formatters=self.settings.formatters,
                tell=self.announce_once,
            )
        return self._project_tools[project]

    def tool_servers(self, project: Path) -> "ConnectedServers | None":
        """The MCP servers whose tools an agent may use; None, and nothing imported, if none is declared. Looked up for
        every turn, since the user may trust one during a chat."""
        if project != self.settings.project or not self.configuration.declares_mcp:
            return None
        from mulligan.app.tool_servers import usable_servers

        before = self._servers
        self._servers = usable_servers(self, before, self.project_tools(project).names)
        if before and before is not self._servers:
            self._outdated.append(before)
        return self._servers

    def permissions(self) -> Permissions:
        """What the user allows and denies: in settings, and permanently when asked."""
        from mulligan.app.permission_table import permission_table

        return permission_table(self.configuration)

    def announce_once(self, words: str) -> None:
        """Tell the user, once per session."""
        if words not in self._announced:
            self._announced.add(words)
            self._tell(words)
