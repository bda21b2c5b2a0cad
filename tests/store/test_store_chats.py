"""Chats: making, finding and listing them."""

import pytest

from mulligan.store.database import Database
from mulligan.store.ids import ALPHABET, as_typed, new_id
from mulligan.store.store import SqlStore
from mulligan.types.errors import ConfigurationError
from mulligan.types.messages import Chat, Text, UserMeta
from tests.store.conftest import ManualClock


async def add_chat(raw: Database, chat_id: str) -> None:
    await raw.execute(
        "INSERT INTO chats (id, project, title, agent, next_seq, created_at, updated_at)"
        " VALUES (:id, '/p', 't', 'default', 1, 0, 0)",
        id=chat_id,
    )


async def test_a_chat_is_found_as_it_was_made(store: SqlStore, clock: ManualClock) -> None:
    made = await store.chats.create(project="/projects/engine", agent="coder", title="Заметки ✎")
    assert await store.chats.find(made.id) == made
    assert (made.project, made.agent, made.title) == ("/projects/engine", "coder", "Заметки ✎")
    assert made.created_at == made.updated_at == clock.now


async def test_the_beginning_of_an_id_is_enough(store: SqlStore, raw: Database) -> None:
    await add_chat(raw, "abcdefghjk")
    await add_chat(raw, "abd0000000")
    assert (await store.chats.find("abc")).id == "abcdefghjk"


@pytest.mark.parametrize(
    "typed",
    [
        pytest.param("A0B1", id="upper case"),
        pytest.param("aobl", id="o for zero, l for one"),
        pytest.param("aObI", id="O for zero, I for one"),
        pytest.param("  a0b1\n", id="white space around it"),
    ],
)
async def test_an_id_is_found_as_people_type_it(store: SqlStore, raw: Database, typed: str) -> None:
    await add_chat(raw, "a0b1cdefgh")
    assert (await store.chats.find(typed)).id == "a0b1cdefgh"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        pytest.param("zz", r"no chat 'zz'.*mulligan chats", id="no such chat"),
        pytest.param("ab", r"several chats \(ab10000000, ab20000000, ab30000000, …\): type more", id="several"),
        pytest.param("  ", "no chat was named", id="nothing typed"),
        pytest.param("%", "no chat '%'", id="a wildcard of LIKE"),
        pytest.param("_b", "no chat '_b'", id="the other wildcard"),
        pytest.param("a\0", "no chat", id="a NUL"),
        pytest.param("a\ud800", "no chat", id="half a character"),
        pytest.param("ab1000000000", "no chat", id="longer than any id"),
    ],
)
async def test_what_names_no_single_chat_is_explained(store: SqlStore, raw: Database, typed: str, words: str) -> None:
    for number in range(1, 5):
        await add_chat(raw, f"ab{number}0000000")
    with pytest.raises(ConfigurationError, match=words):
        await store.chats.find(typed)


async def test_chats_are_listed_by_last_use(store: SqlStore, clock: ManualClock) -> None:
    chats: list[Chat] = []
    for title in ("first", "second", "third"):
        clock.now += 1
        chats.append(await store.chats.create(project="/p", agent="default", title=title))
    clock.now += 1
    await store.messages.add(chats[0].id, role="user", metadata=UserMeta(), parts=[Text(text="again")])
    listed = await store.chats.list()
    assert [chat.title for chat in listed] == ["first", "third", "second"]
    assert listed[0].updated_at == clock.now
    assert listed[0].created_at == chats[0].created_at


async def test_chats_of_one_project_can_be_listed_alone(store: SqlStore) -> None:
    await store.chats.create(project="/one", agent="default", title="a")
    await store.chats.create(project="/two", agent="default", title="b")
    assert [chat.title for chat in await store.chats.list(project="/two")] == ["b"]


async def test_a_chat_can_change_its_agent(store: SqlStore, chat: Chat) -> None:
    await store.chats.set_agent(chat.id, "architect")
    assert (await store.chats.find(chat.id)).agent == "architect"


async def test_the_agent_of_an_unknown_chat_can_not_be_set(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no chat 'nonesuch'"):
        await store.chats.set_agent("nonesuch", "architect")


async def test_names_that_are_no_text_are_kept_as_far_as_they_are(store: SqlStore) -> None:
    """A folder's name may be any bytes, and a title is whatever somebody pasted."""
    made = await store.chats.create(project="/p/\udcff", agent="default", title="a\0b")
    assert made.title == "a\N{REPLACEMENT CHARACTER}b"
    assert await store.chats.list(project="/p/\udcff") == [made]


def test_ids_are_ten_characters_that_nobody_mixes_up() -> None:
    made = [new_id() for _ in range(1000)]
    assert len(set(made)) == 1000
    assert {len(one) for one in made} == {10}
    assert set("".join(made)) == set(ALPHABET)
    assert all(as_typed(one) == one for one in made)
