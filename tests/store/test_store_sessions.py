"""Sessions of agents that write directly, and their work trees."""

from collections.abc import Sequence

import pytest

from mulligan.store.database import Database
from mulligan.store.store import SqlStore
from mulligan.types.checkpoints import AgentSession, WorkTree
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.messages import Chat
from tests.store.conftest import ManualClock

PROJECT = "/projects/engine"


async def add_with_ids(raw: Database, chat: Chat, ids: Sequence[str]) -> None:
    for seq, session_id in enumerate(ids, start=1):
        await raw.execute(
            "INSERT INTO sessions (id, chat_id, seq, agent, status, created_at, updated_at)"
            " VALUES (:id, :chat_id, :seq, 'coder', 'open', 0, 0)",
            id=session_id,
            chat_id=chat.id,
            seq=seq,
        )


async def test_a_session_is_found_as_it_was_opened(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    tree = await store.worktrees.add(project=PROJECT, path="/trees/one", base_commit="ba5e")
    opened = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=tree.id)
    assert await store.sessions.find(opened.id[:9]) == opened
    assert opened == AgentSession(
        id=opened.id,
        chat_id=chat.id,
        agent="coder",
        worktree_id=tree.id,
        status="open",
        created_at=clock.now,
        updated_at=clock.now,
    )


async def test_a_session_of_an_unknown_chat_is_refused(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no chat 'nonesuch'"):
        await store.sessions.open(chat_id="nonesuch", agent="coder", worktree_id=None)


async def test_a_session_of_an_unknown_work_tree_is_refused(store: SqlStore, chat: Chat) -> None:
    with pytest.raises(StoreError):
        await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id="nonesuch")


async def test_sessions_of_a_chat_are_listed_in_the_order_they_were_opened(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    other = await store.chats.create(project=PROJECT, agent="coder", title="other")
    opened: list[AgentSession] = []
    for _ in range(4):
        clock.now -= 1
        opened.append(await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None))
        await store.sessions.open(chat_id=other.id, agent="coder", worktree_id=None)
    assert await store.sessions.list(chat_id=chat.id) == opened


async def test_a_session_changes_its_status(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    opened = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    clock.now += 5
    await store.sessions.set_status(opened.id, "closed")
    (kept,) = await store.sessions.list(chat_id=chat.id)
    assert (kept.status, kept.created_at, kept.updated_at) == ("closed", clock.now - 5, clock.now)


async def test_the_status_of_an_unknown_session_can_not_be_set(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no session 'nonesuch'"):
        await store.sessions.set_status("nonesuch", "closed")


async def test_what_an_agent_calls_its_session_is_kept(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    opened = await store.sessions.open(chat_id=chat.id, agent="goose", worktree_id=None)
    clock.now += 5
    await store.sessions.set_backend_session(opened.id, "20261116_1\0")
    (kept,) = await store.sessions.list(chat_id=chat.id)
    assert (kept.backend_session, kept.updated_at) == ("20261116_1\N{REPLACEMENT CHARACTER}", clock.now)


async def test_an_unknown_session_is_given_no_name(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no session 'nonesuch'"):
        await store.sessions.set_backend_session("nonesuch", "1")


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        pytest.param("zz", "no session 'zz'", id="no such session"),
        pytest.param("ab", r"several sessions \(ab10000000, ab20000000, ab30000000, …\): type more", id="several"),
        pytest.param("  ", "no session was named", id="nothing typed"),
        pytest.param("%", "no session '%'", id="a wildcard of LIKE"),
        pytest.param("a\0", "no session", id="a NUL"),
    ],
)
async def test_what_names_no_single_session_is_explained(
    store: SqlStore, raw: Database, chat: Chat, typed: str, words: str
) -> None:
    await add_with_ids(raw, chat, [f"ab{number}0000000" for number in range(1, 5)])
    with pytest.raises(ConfigurationError, match=words):
        await store.sessions.find(typed)


async def test_sessions_go_with_their_chat(store: SqlStore, raw: Database, chat: Chat) -> None:
    opened = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=None)
    made = await store.checkpoints.add("a", root=PROJECT, commit="c", label="", kind="manual", session_id=opened.id)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    assert await store.sessions.list(chat_id=chat.id) == []
    (kept,) = await store.checkpoints.list(root=PROJECT)
    assert (kept.id, kept.session_id) == (made.id, None)


@pytest.mark.parametrize("path", ["/trees/one", "/trees/\udcff", "/trees/100%"], ids=ascii)
async def test_a_work_tree_is_listed_as_it_was_added(store: SqlStore, path: str, clock: ManualClock) -> None:
    added = await store.worktrees.add(project=f"{path}/project", path=path, base_commit="ba5e")
    await store.worktrees.add(project="/elsewhere", path=path, base_commit="ba5e")
    assert await store.worktrees.list(f"{path}/project") == [added]
    assert added == WorkTree(
        id=added.id, project=f"{path}/project", path=path, base_commit="ba5e", created_at=clock.now
    )


async def test_what_belonged_to_a_dropped_work_tree_stays_without_it(store: SqlStore, chat: Chat) -> None:
    tree, other = [await store.worktrees.add(project=PROJECT, path=path, base_commit="b") for path in ("/x", "/y")]
    session = await store.sessions.open(chat_id=chat.id, agent="coder", worktree_id=tree.id)
    await store.checkpoints.add("a", root="/x", commit="c", label="", kind="turn", worktree_id=tree.id)
    await store.worktrees.delete(tree.id)
    assert await store.worktrees.list(PROJECT) == [other]
    assert (await store.sessions.find(session.id)).worktree_id is None
    assert (await store.checkpoints.find("/x", "a")).worktree_id is None
