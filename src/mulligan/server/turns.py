"""Starts turns. Refuses what it can before anything starts: the response to the request says why.

Native and external agents don't share a chat. An external agent doesn't know the chat's history, and a native one
doesn't know the external agent's calls and work tree. Within its kind, the user can switch a chat between agents.
"""

from collections.abc import Sequence
from functools import partial

from mulligan.app.delegated_turn import TurnCallbacks
from mulligan.app.images import attached_image
from mulligan.app.project_tools import Consent
from mulligan.app.shell_escapes import run_shell_escape
from mulligan.core.step_budget import MAX_CONTINUES, why_not_continue
from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.live_work import Work, WorkOutput
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.bodies import Accepted
from mulligan.server.views.chat_bodies import GivenImage, NewMessage, Resend
from mulligan.types.agents import AgentSpec, ExternalAgent
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import AttachmentInfo, Chat

SHORT_AS_IT_IS = "nothing to gain: the chat is short already"


async def begin_chat(state: ServerState, project: ServedProject, message: NewMessage) -> Accepted:
    """A new chat, with the turn for its first message running."""
    _refuse_blank(message.text)
    images = await images_of(project, message.images)
    agent = await agent_for_turn(project, message.agent, message, images)
    if isinstance(agent, ExternalAgent):
        chat = await project.delegations.new_chat(message.text, agent)
    else:
        chat = await project.session.new_chat(message.text, agent)
    scope = state.scope(project, chat_id=chat.id)
    state.hub.publish(ChatChanged(), scope)
    state.work.begin(scope, _turn(project, chat, agent, message, images))
    return Accepted(chat_id=chat.id)


async def begin_turn(state: ServerState, project: ServedProject, chat: Chat, message: NewMessage) -> Accepted:
    _refuse_blank(message.text)
    scope, store = state.scope(project, chat_id=chat.id), project.session.store
    async with state.work.reserved(scope) as begin:
        await store.messages.refuse_busy(chat.id)
        name = message.agent or chat.agent
        _refuse_other_kind(project, chat, name)
        images = await images_of(project, message.images)
        agent = await agent_for_turn(project, name, message, images)
        if agent.name != chat.agent:
            await store.chats.set_agent(chat.id, agent.name)
            state.hub.publish(ChatChanged(), scope)
        begin(_turn(project, chat, agent, message, images))
    return Accepted(chat_id=chat.id)


async def begin_continuation(state: ServerState, project: ServedProject, chat: Chat) -> Accepted:
    """Continue what a guard stopped."""
    session = project.session
    async with state.work.reserved(state.scope(project, chat_id=chat.id)) as begin:
        await session.store.messages.refuse_busy(chat.id)
        refused = why_not_continue(await session.store.messages.newest_turns(chat.id, MAX_CONTINUES + 1))
        if refused:
            raise ConfigurationError(refused.reason)
        agent = session.agent(chat.agent)
        await session.check(agent)

        async def go_on(output: WorkOutput) -> None:
            await session.continue_turn(chat, agent, output.emit, Consent(approve=output.approve))

        begin(go_on)
    return Accepted(chat_id=chat.id)


async def begin_compaction(state: ServerState, project: ServedProject, chat: Chat) -> Accepted:
    """Compact the model's context."""
    session = project.session
    async with state.work.reserved(state.scope(project, chat_id=chat.id)) as begin:
        await session.store.messages.refuse_busy(chat.id)
        if chat.agent in project.external:
            raise ConfigurationError(f"{chat.agent} manages its own context: there is nothing to compact here")
        agent = session.agent(chat.agent)
        await session.check(agent)

        async def compact(output: WorkOutput) -> None:
            if await session.compact(chat, agent, output.emit) is None:
                output.tell(SHORT_AS_IT_IS)

        begin(compact)
    return Accepted(chat_id=chat.id)


async def agent_for_turn(
    project: ServedProject, name: str | None, message: NewMessage | Resend, images: Sequence[AttachmentInfo]
) -> AgentSpec | ExternalAgent:
    """The agent that answers. Raises `ConfigurationError` if its turn could not start."""
    if name in project.external:
        return await project.delegations.check(name, message.model, images)
    session = project.session
    agent = session.agent(name)
    await session.check(agent, message.model)
    if images or "@" in message.text:
        await session.ready(agent, message.model, wait=False, prompt=message.text, images=images)
    return agent


async def images_of(project: ServedProject, given: Sequence[GivenImage]) -> tuple[AttachmentInfo, ...]:
    """The stored images' metadata. Raises `ConfigurationError` for one that does not exist."""
    found: list[AttachmentInfo] = []
    for each in given:
        about = await project.session.store.images.find(each.digest)
        if about is None:
            raise ConfigurationError(f"the image {each.name} is no longer stored: add it again")
        found.append(attached_image(each.name, about))
    return tuple(found)


def _refuse_blank(text: str) -> None:
    if not text.strip():
        raise ConfigurationError("the message is empty: write something")


def _refuse_other_kind(project: ServedProject, chat: Chat, name: str) -> None:
    kinds = {True: "external", False: "Mulligan's own"}
    before, wanted = (each in project.external for each in (chat.agent, name))
    if before != wanted:
        raise ConfigurationError(
            f"this chat is answered by {kinds[before]} agents and {name} is {kinds[wanted]}: start another chat for it"
        )


def _turn(
    project: ServedProject,
    chat: Chat,
    agent: AgentSpec | ExternalAgent,
    message: NewMessage,
    images: Sequence[AttachmentInfo],
) -> Work:
    async def delegate(output: WorkOutput) -> None:
        callbacks = TurnCallbacks(emit=output.emit, tell=output.tell, approve=output.approve)
        await project.delegations.run(
            message.text, agent.name, chat.id, model=message.model, callbacks=callbacks, images=images
        )

    async def answer(output: WorkOutput, native: AgentSpec) -> None:
        consent = Consent(approve=output.approve)
        await project.session.answer(
            chat, message.text, native, output.emit, consent, model=message.model, images=images
        )

    if isinstance(agent, ExternalAgent):
        return delegate
    command = message.text.strip().removeprefix("!").strip() if message.text.lstrip().startswith("!") else ""
    return partial(_run_typed, project, chat, command) if command else lambda output: answer(output, agent)


async def _run_typed(project: ServedProject, chat: Chat, command: str, output: WorkOutput) -> None:
    """A user's command: no model is asked, and the model reads the output with the next message."""
    await run_shell_escape(project.session, chat, command, output.emit, output.approve)
    output.emit(ChatChanged(trimmed=True))
