"""Restores for a page: whose checkpoint it is, what the restore would do, and progress reports."""

from heapq import merge
from pathlib import Path

from mulligan.runtime.uninterrupted import finish_despite_cancel
from mulligan.server.change_notices import publish_settled
from mulligan.server.frames.envelopes import ChatChanged, RestoreStep
from mulligan.server.frames.hub import FrameScope
from mulligan.server.state import NotFound, ServedProject, ServerState
from mulligan.server.views.checkpoints import RestorePreview, restore_preview
from mulligan.types.changes import ChangeStatus, PendingChange
from mulligan.types.checkpoints import AgentSession, Checkpoint, RestoreResult
from mulligan.types.errors import ConfigurationError
from mulligan.workspace.checkpoints import diff_text
from mulligan.workspace.checkpoints.service import result_words
from mulligan.workspace.git import GitMissing, NoRepository


async def checkpoints_of(project: ServedProject) -> list[Checkpoint]:
    """Checkpoints of the project and of its work trees, in the order they were made.

    Not those of a run's work tree: only the run itself returns to them. Nor those of chats of another project in the
    same repository.
    """
    store = project.session.store
    try:
        here = (await project.session.checkpoints(project.path)).root
    except (NoRepository, GitMissing):
        return []
    roots = [str(here), *(tree.path for tree in await store.worktrees.list(str(here)))]
    found = merge(*[await store.checkpoints.list(root=root) for root in roots], key=lambda each: each.created_at)
    chats = {chat.id for chat in await store.chats.list(project=str(project.path))}
    return [each for each in found if each.chat_id in chats or (each.chat_id is None and each.worktree_id is None)]


async def find_in_session(state: ServerState, session_id: str, checkpoint_id: str) -> tuple[ServedProject, Checkpoint]:
    """A checkpoint of this session, which belongs to a chat of a served project. Raises `NotFound`."""
    session = await _session(state, session_id)
    project, chat = await state.chat(session.chat_id)
    for each in await project.session.store.checkpoints.list(chat_id=chat.id):
        if each.id == checkpoint_id and each.session_id == session.id:
            return project, each
    raise NotFound(f"there is no checkpoint {checkpoint_id} of session {session_id} here")


async def find_in_project(state: ServerState, project_id: str, checkpoint_id: str) -> tuple[ServedProject, Checkpoint]:
    """A checkpoint of this project that belongs to no session. Raises `NotFound`."""
    project = state.project(project_id)
    for each in await checkpoints_of(project):
        if each.id == checkpoint_id and each.session_id is None:
            return project, each
    raise NotFound(f"there is no checkpoint {checkpoint_id} here that belongs to no session")


async def preview(project: ServedProject, checkpoint: Checkpoint) -> RestorePreview:
    checkpoints, store = await project.session.checkpoints(Path(checkpoint.root)), project.session.store
    plan = await checkpoints.preview(checkpoint)
    taken = await store.restores.reach(checkpoint)
    waiting = [each for each in await _changes(project, checkpoint) if each.status == "pending"]
    return restore_preview(
        checkpoint,
        plan,
        diff=await diff_text(checkpoints.root, plan.now, plan.target) if plan.writes or plan.deletes else "",
        messages=len(taken),
        rejects=sorted({each.path for each in waiting if each.message_id in taken}),
    )


async def restore(state: ServerState, project: ServedProject, checkpoint: Checkpoint) -> RestoreResult:
    """Restore files and chat together. Raises `ChatBusy` while something is running in the chat.

    It finishes even if the client disconnects.
    """
    scope = state.scope(project, chat_id=checkpoint.chat_id)
    async with state.work.reserved(scope):
        return await finish_despite_cancel(_restore(state, project, checkpoint, scope))


async def _restore(
    state: ServerState, project: ServedProject, checkpoint: Checkpoint, scope: FrameScope
) -> RestoreResult:
    def tell(words: str) -> None:
        state.hub.publish(RestoreStep(checkpoint_id=checkpoint.id, text=words), scope)

    if checkpoint.chat_id is not None:
        # A live agent, or what it left running, would write into the files that are restored.
        await project.delegations.drop_agent(checkpoint.chat_id)
        if checkpoint.worktree_id is not None:
            tell("no agent of this chat is running any more")
    before: dict[str, ChangeStatus] = {each.id: each.status for each in await _changes(project, checkpoint)}
    result = await (await project.session.checkpoints(Path(checkpoint.root))).restore(checkpoint, tell=tell)
    tell(result_words(result))
    publish_settled(state, project, before, await _changes(project, checkpoint))
    state.hub.publish(ChatChanged(trimmed=checkpoint.chat_id is not None), scope)
    return result


async def _changes(project: ServedProject, checkpoint: Checkpoint) -> list[PendingChange]:
    if checkpoint.chat_id is None:
        return []
    return await project.session.store.changes.list(str(project.path), chat_id=checkpoint.chat_id)


async def _session(state: ServerState, session_id: str) -> AgentSession:
    first = next(iter(state.projects.values()))
    try:
        found = await first.session.store.sessions.find(session_id)
    except ConfigurationError:
        found = None
    if found is None or found.id != session_id:
        raise NotFound(f"there is no session {session_id} here")
    return found
