"""Builds turns: what one needs, the tools of an agent that writes, the checkpoint before it.

Whether the model drives or is guided is known by then (`core/protocols.choose_agency`); this module runs what fits it,
for a chat and for a fix run.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mulligan.app.instructions import given_instructions
from mulligan.app.project_checkpoints import checkpoint_before_turn
from mulligan.app.project_tools import Consent, ProjectTools, WriteTools, can_write
from mulligan.core.prompts import system_prompt
from mulligan.core.step_budget import step_limit
from mulligan.loop.plan import AtEnd, TurnPlan
from mulligan.loop.turn import run_turn
from mulligan.models.with_images import WithImages
from mulligan.ports.callbacks import Emit, Notify
from mulligan.ports.files import Workspace
from mulligan.types.agents import AgentSpec
from mulligan.types.changes import PendingChange
from mulligan.types.errors import ConfigurationError
from mulligan.types.frames import ChangeMade, CheckpointTaken, TurnEnd
from mulligan.types.frozen import replace
from mulligan.types.messages import AttachmentInfo, Chat, UserMeta
from mulligan.workspace.files.prompt_files import has_prompt_files

if TYPE_CHECKING:
    from mulligan.app.ready_models import ReadyModel
    from mulligan.app.session import Session
    from mulligan.core.attachments import AttachedText
    from mulligan.workspace.sandbox import Sandbox

HEAD_START = 0.02
"""Seconds for the first request to go out: what is imported for a checkpoint blocks the event loop for longer."""


async def run_chat_turn(
    session: "Session",
    chat: Chat,
    prompt: str,
    agent: AgentSpec,
    emit: Emit,
    *,
    consent: Consent,
    model: str | None,
    continues: bool,
    images: Sequence[AttachmentInfo] = (),
    given: "Sequence[AttachedText]" = (),
) -> TurnEnd:
    """A turn for the user's message. If a model is named, it answers this one, whatever agent and settings say."""
    label, follows = title_of(prompt), continues and await _followed_plan(session, chat)
    if prompt.startswith("/") and not continues:
        agent, prompt, follows = _typed(session, agent, prompt, Path(chat.project))
    ready_model = await session.ready(agent, model)
    tools = session.project_tools(Path(chat.project))
    plan, write_tools = await turn_plan(session, chat, agent, ready_model, tools), None
    if can_write(agent):
        write_tools = tools.write_tools(agent, chat_id=chat.id, consent=consent, on_change=change_emitter(emit))
        plan = _with_write_tools(session, plan, write_tools, emit, project=Path(chat.project), label=label)
    if follows and ready_model.agency != "agent":
        raise ConfigurationError("following a plan needs a model that drives tools: --agency agent lets this one try")
    plan = _with_skills_and_todos(session, plan, tools.project, ready_model, follows=follows)
    servers = session.tool_servers(Path(chat.project)) if ready_model.agency == "agent" and plan.tools else None
    if servers:
        from mulligan.app.tool_servers import learn_in_background, with_server_tools

        plan, emit = with_server_tools(session, plan, servers, consent), learn_in_background(servers, emit)
    guarded = tools.guarded(plan.tools, consent, chat_id=chat.id, agent=agent.name)
    plan = replace(plan, tools=guarded, at_end=_end_hook(tools, plan))
    if (images or "@" in prompt) and not continues:
        from mulligan.app.attachments import attachments_for  # most messages name nothing
        from mulligan.app.images import as_attachment, require_images

        await require_images(session, ready_model, images, prompt)
        files = write_tools.files if write_tools else tools.files
        named = await attachments_for(
            prompt, files, tools.index, session.mask, ready_model.budget(), store=session.store
        )
        given_images = {each.name for each in images}
        more = (each for each in named if each.about.name not in given_images)
        plan = replace(plan, attached=(*map(as_attachment, images), *more))
    if given:
        plan = replace(plan, attached=(*given, *plan.attached))
    return await run_suitable_turn(
        session,
        plan,
        prompt,
        ready_model,
        write_tools,
        files=tools.files,
        emit=emit,
        notify=session.announce_once,
        continues=continues,
    )


async def run_suitable_turn(
    session: "Session",
    plan: TurnPlan,
    prompt: str,
    model: "ReadyModel",
    write_tools: WriteTools | None,
    *,
    files: Workspace,
    emit: Emit,
    notify: "Notify",
    continues: bool = False,
) -> TurnEnd:
    """Let the model choose its tools, or guide it: then it only answers about `files`, or changes one line of them."""
    if model.agency == "agent":
        run = run_turn
    elif write_tools:
        from mulligan.loop.guided_code import run_guided_change

        notify(f"guided: Mulligan finds the files, {plan.model.name} makes one change (--agency agent changes that)")
        syntax = write_tools.syntax
        run = partial(run_guided_change, workspace=write_tools.files, syntax=syntax, profile=model.profile)
    else:
        from mulligan.loop.guided import run_guided_turn

        notify(f"guided: Mulligan finds the files, {plan.model.name} answers (--agency agent changes that)")
        run = partial(run_guided_turn, workspace=files, profile=model.profile)
    try:
        return await run(plan, prompt, store=session.store.messages, emit=emit, log=session.log, continues=continues)
    finally:
        if write_tools and write_tools.diagnostics:
            await write_tools.diagnostics.close()


async def turn_plan(
    session: "Session", chat: Chat, agent: AgentSpec, ready_model: "ReadyModel", tools: ProjectTools
) -> TurnPlan:
    """What a turn needs; an agent that writes gets its tools when its turn starts."""
    settings = session.settings
    instructions, text = await given_instructions(session, tools.project, ready_model)
    return TurnPlan(
        chat_id=chat.id,
        agent=agent.name,
        system=system_prompt(agent, Path(chat.project).name, text),
        instructions=instructions,
        model=with_images(session, ready_model),
        tools=() if can_write(agent) else tools.read_tools(agent),
        step_limit=step_limit(agent.steps, settings.steps),
        budget=ready_model.budget,
        files=tools.files,
        mask=session.mask,
        index=tools.index,
        reads_per_second=lambda: ready_model.profile.reads_per_second,
        temperature=ready_model.tuning.own_temperature,
        replay=ready_model.tuning.replay,
        max_tokens=settings.max_tokens,
    )


def with_images(session: "Session", ready_model: "ReadyModel") -> WithImages:
    """The model, which is sent images that are kept."""
    return WithImages(
        ready_model.model,
        load=session.store.images.data,
        takes=lambda: ready_model.takes_images is True,
        tell=session.announce_once,
        on_refused=ready_model.adaptive.images_were_refused,
    )


def _end_hook(tools: ProjectTools, plan: TurnPlan) -> AtEnd | None:
    """Runs the user's hooks when a turn is about to end."""
    hooks = tools.hooks()
    if hooks is None:
        return None

    async def at_end(reason: str, answer: str) -> str:
        about = {"chat_id": plan.chat_id, "agent": plan.agent, "reason": reason, "answer": answer}
        changed = list(plan.changed()) if plan.changed else []
        answered = await hooks.fire("turn_end", {**about, "changed": changed})
        for trouble in answered.troubles:
            tools.tell(trouble)
        return answered.veto

    return at_end


def _typed(session: "Session", agent: AgentSpec, prompt: str, project: Path) -> tuple[AgentSpec, str, bool]:
    """Which agent answers a slash command, what it is told, and whether it follows a plan."""
    from mulligan.app.custom_commands import expand_custom_command
    from mulligan.core.custom_commands import parse_slash_command
    from mulligan.core.plans import FOLLOW, FOLLOWER, PLANNER, plan_prompt

    name, goal = parse_slash_command(prompt) or ("", "")
    if name != "plan":
        return agent, expand_custom_command(session, project, prompt), False
    if goal:
        return session.agent(PLANNER), plan_prompt(goal), False
    if not can_write(agent):
        raise ConfigurationError(f"{agent.name} only reads, and can't follow a plan: let {FOLLOWER} do it")
    return agent, FOLLOW, True


async def _followed_plan(session: "Session", chat: Chat) -> bool:
    """Whether the turn that continues was following a plan."""
    from mulligan.core.plans import FOLLOW

    history = await session.store.messages.recent(chat.id)
    asked = [each for each in history if isinstance(each.metadata, UserMeta) and not each.metadata.continues]
    return bool(asked) and asked[-1].visible_text == FOLLOW


def _with_skills_and_todos(
    session: "Session", plan: TurnPlan, project: Path, ready_model: "ReadyModel", *, follows: bool
) -> TurnPlan:
    """Skills, if there are any, and the to-do list for an agent that follows a plan."""
    if session.settings.instructions and has_prompt_files("skills", project, session.settings.home):
        from mulligan.app.skills import with_skills

        plan = with_skills(session, plan, project, ready_model)
    if not follows:
        return plan
    from mulligan.tools.update_todos import UpdateTodos

    return replace(plan, tools=tuple(sorted((*plan.tools, UpdateTodos()), key=lambda tool: tool.spec.name)))


def change_emitter(emit: Emit) -> Callable[[PendingChange], None]:
    """Publishes each change as it is made."""

    def tell(change: PendingChange) -> None:
        from mulligan.workspace.changes.change_text import line_changes, shown_path

        added, removed = line_changes(change) or (0, 0)
        path, kind, status = shown_path(change), change.kind, change.status
        emit(ChangeMade(change_id=change.id, path=path, kind=kind, status=status, added=added, removed=removed))

    return tell


def title_of(prompt: str) -> str:
    """Its first line, not too long."""
    line = prompt.strip().split("\n", 1)[0]
    return line if len(line) <= 60 else line[:59] + "…"


def _with_write_tools(
    session: "Session", plan: TurnPlan, write_tools: WriteTools, emit: Emit, *, project: Path, label: str
) -> TurnPlan:
    async def prepare(message_id: str) -> None:
        write_tools.editing.message_id = message_id
        await asyncio.sleep(HEAD_START)
        taken = await checkpoint_before_turn(
            session,
            project,
            label=label,
            chat_id=plan.chat_id,
            message_id=message_id,
            session_id=await _agent_session(session, plan.chat_id, plan.agent),
        )
        emit(taken)
        await _rely_on(taken, write_tools.sandbox, project)
        await session.tell_sandbox(write_tools.sandbox)
        if write_tools.diagnostics:
            # After the checkpoint, so that whatever a checker leaves behind can be undone.
            await write_tools.diagnostics.begin()

    editing = write_tools.editing
    return replace(
        plan,
        tools=write_tools.tools,
        files=write_tools.files,
        prepare=prepare,
        pending=editing.pending_count,
        changed=editing.changed,
        broken=write_tools.diagnostics.left if write_tools.diagnostics else tuple,
    )


async def _rely_on(taken: CheckpointTaken, sandbox: "Sandbox", project: Path) -> None:
    """What a checkpoint can undo needs no approval. What it doesn't cover can't change without one."""
    from mulligan.workspace.sandbox.uncovered import find_uncovered

    if taken.checkpoint_id:
        uncovered = await find_uncovered(project, (each.partition(": ")[0] for each in taken.not_covered))
        if uncovered is not None:
            sandbox.undone_by_checkpoint(uncovered)


async def _agent_session(session: "Session", chat_id: str, agent: str) -> str:
    """A native agent's turns in a chat are a session too: a restore marks it as crashed."""
    own = [each for each in await session.store.sessions.list(chat_id=chat_id) if each.agent == agent]
    if own and own[-1].status == "open":
        return own[-1].id
    return (await session.store.sessions.open(chat_id=chat_id, agent=agent, worktree_id=None)).id
