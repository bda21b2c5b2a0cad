"""Turns begin here. What can be refused is refused before anything is begun: the answer to the request says why.

Native agents and external ones don't share a chat. To an external agent the chat's history is unknown, and to a native
one the external agent's calls and its work tree. Within its kind a chat goes from agent to agent as the person says.
"""

from collections.abc import Sequence
from functools import partial

from mulligan.app.delegated_turn import Outlets
from mulligan.app.images import attached_image
from mulligan.app.project_tools import Consent
from mulligan.app.typed_commands import run_typed
from mulligan.core.step_budget import MAX_CONTINUES, may_continue
from mulligan.server.frames.envelopes import ChatChanged
from mulligan.server.live_work import Work, WorkOutput
from mulligan.server.state import ServedProject, ServerState
from mulligan.server.views.bodies import Accepted, GivenImage, NewMessage, Resend
from mulligan.types.agents import AgentSpec, ExternalAgent
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Attached, Chat

SHORT_AS_IT_IS = "nothing would be gained: the chat is short as it is"


async def begin_chat(state: ServerState, project: ServedProject, message: NewMessage) -> Accepted:
    """A new chat, with the turn for its first message under way."""
    _refuse_blank(message.text)
    images = await images_of(project, message.images)
    agent = await answering(project, message.agent, message, images)
    if isinstance(agent, ExternalAgent):
        chat = await project.delegations.new_chat(message.text, agent)
    else:
        chat = await project.session.new_chat(message.text, agent)
    place = state.scope(project, chat_id=chat.id)
    state.hub.publish(ChatChanged(), place)
    state.work.begin(place, _turn(project, chat, agent, message, images))
    return Accepted(chat_id=chat.id)


async def begin_turn(state: ServerState, project: ServedProject, chat: Chat, message: NewMessage) -> Accepted:
    _refuse_blank(message.text)
    place, store = state.scope(project, chat_id=chat.id), project.session.store
    async with state.work.reserved(place) as begin:
        await store.messages.refuse_busy(chat.id)
        name = message.agent or chat.agent
        _refuse_other_kind(project, chat, name)
        images = await images_of(project, message.images)
        agent = await answering(project, name, message, images)
        if agent.name != chat.agent:
            await store.chats.set_agent(chat.id, agent.name)
            state.hub.publish(ChatChanged(), place)
        begin(_turn(project, chat, agent, message, images))
    return Accepted(chat_id=chat.id)


async def begin_continuation(state: ServerState, project: ServedProject, chat: Chat) -> Accepted:
    """Go on with what a guard stopped."""
    session = project.session
    async with state.work.reserved(state.scope(project, chat_id=chat.id)) as begin:
        await session.store.messages.refuse_busy(chat.id)
        refused = may_continue(await session.store.messages.newest_turns(chat.id, MAX_CONTINUES + 1))
        if refused:
            raise ConfigurationError(refused.reason)
        agent = session.agent(chat.agent)
        await session.check(agent)

        async def go_on(outlet: WorkOutput) -> None:
            await session.continue_turn(chat, agent, outlet.emit, Consent(approve=outlet.approve))

        begin(go_on)
    return Accepted(chat_id=chat.id)


async def begin_compaction(state: ServerState, project: ServedProject, chat: Chat) -> Accepted:
    """Make room in the model's context."""
    session = project.session
    async with state.work.reserved(state.scope(project, chat_id=chat.id)) as begin:
        await session.store.messages.refuse_busy(chat.id)
        if chat.agent in project.external:
            raise ConfigurationError(f"{chat.agent} sees to its own context: there is nothing to compact here")
        agent = session.agent(chat.agent)
        await session.check(agent)

        async def compact(outlet: WorkOutput) -> None:
            if await session.compact(chat, agent, outlet.emit) is None:
                outlet.tell(SHORT_AS_IT_IS)

        begin(compact)
    return Accepted(chat_id=chat.id)


async def answering(
    project: ServedProject, name: str | None, message: NewMessage | Resend, images: Sequence[Attached]
) -> AgentSpec | ExternalAgent:
    """Who answers. Raises `ConfigurationError` where a turn of theirs could not begin."""
    if name in project.external:
        if images:
            raise ConfigurationError(f"{name} is an external agent, and is sent no images: leave them out")
        return await project.delegations.check(name, message.model)
    session = project.session
    agent = session.agent(name)
    await session.check(agent, message.model)
    if images or "@" in message.text:
        await session.ready(agent, message.model, wait=False, prompt=message.text, images=images)
    return agent


async def images_of(project: ServedProject, given: Sequence[GivenImage]) -> tuple[Attached, ...]:
    """What is known of images that were kept. Raises `ConfigurationError` for one that is not there."""
    found: list[Attached] = []
    for each in given:
        about = await project.session.store.images.find(each.digest)
        if about is None:
            raise ConfigurationError(f"the image {each.name} is not kept any more: add it again")
        found.append(attached_image(each.name, about))
    return tuple(found)


def _refuse_blank(text: str) -> None:
    if not text.strip():
        raise ConfigurationError("the message is empty: say what you want")


def _refuse_other_kind(project: ServedProject, chat: Chat, name: str) -> None:
    kinds = {True: "external", False: "Mulligan's own"}
    before, wanted = (each in project.external for each in (chat.agent, name))
    if before != wanted:
        raise ConfigurationError(
            f"this chat is answered by {kinds[before]} agents and {name} is {kinds[wanted]}: begin another chat for it"
        )


def _turn(
    project: ServedProject,
    chat: Chat,
    agent: AgentSpec | ExternalAgent,
    message: NewMessage,
    images: Sequence[Attached],
) -> Work:
    async def delegate(outlet: WorkOutput) -> None:
        outlets = Outlets(emit=outlet.emit, tell=outlet.tell, approve=outlet.approve)
        await project.delegations.run(message.text, agent.name, chat.id, model=message.model, outlets=outlets)

    async def answer(outlet: WorkOutput, native: AgentSpec) -> None:
        consent = Consent(approve=outlet.approve)
        await project.session.answer(
            chat, message.text, native, outlet.emit, consent, model=message.model, images=images
        )

    if isinstance(agent, ExternalAgent):
        return delegate
    command = message.text.strip().removeprefix("!").strip() if message.text.lstrip().startswith("!") else ""
    return partial(_run_typed, project, chat, command) if command else lambda outlet: answer(outlet, agent)


async def _run_typed(project: ServedProject, chat: Chat, command: str, outlet: WorkOutput) -> None:
    """A command of the person's: the model is not asked, and reads what it said with the next message."""
    await run_typed(project.session, chat, command, outlet.emit, outlet.approve)
    outlet.emit(ChatChanged(trimmed=True))
