"""Messages and parts: what is written comes back, in order, whatever it holds."""

from pathlib import Path

import pytest

from mulligan.store.database import Database
from mulligan.store.store import SqlStore, open_store
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.messages import (
    PART_KINDS,
    Chat,
    Metadata,
    Part,
    Reasoning,
    StepStart,
    Synthesis,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)
from mulligan.types.model_io import Usage
from mulligan.types.sentinels import (
    Aborted,
    AgentFailed,
    CapHit,
    Compacted,
    DoomLoop,
    EmptyReply,
    Interrupted,
    MistakeRecovery,
    ModelFailed,
    OutsideWrites,
    ReplyCut,
)
from tests.store.conftest import ManualClock

ALL_PARTS: list[Part] = [
    StepStart(step=1, wrap_up=True),
    Reasoning(text="hm …"),
    Text(text="naïve ✓ \0 \r\n", by_mulligan=True),
    ToolCallPart(call_id="c1", name="grep", arguments={"a": None, "b": [1, {"c": 2.5}]}, repairs=("trailing_comma",)),
    ToolResultPart(call_id="c1", name="grep", content="", failure="exec_error", duration_ms=7),
    Synthesis(tool="get_codebase_overview", files=("a.py", "b.py")),
]

STORED_PARTS = {
    "step_start": '{"kind":"step_start","step":2,"wrap_up":false}',
    "text": '{"kind":"text","text":"hello","by_mulligan":false}',
    "reasoning": '{"kind":"reasoning","text":"so"}',
    "tool_call": '{"kind":"tool_call","call_id":"c","name":"grep","arguments":{"pattern":"x"},"repairs":["fence"]}',
    "tool_result": '{"kind":"tool_result","call_id":"c","name":"grep","content":"y","duration_ms":3}',
    "synthesis": '{"kind":"synthesis","tool":"get_codebase_overview","files":["a.py"]}',
}
"""As they stand in people's databases: these texts may be added to, and never changed."""


async def add_stored(raw: Database, chat: Chat, *, metadata: str, kind: str = "text", body: str | None = None) -> None:
    await raw.execute(
        "INSERT INTO messages (id, chat_id, seq, role, status, metadata, beat_at, created_at)"
        " VALUES ('m000000000', :chat_id, 1, 'assistant', 'complete', :metadata, 0, 0)",
        chat_id=chat.id,
        metadata=metadata,
    )
    if body is not None:
        await raw.execute("INSERT INTO parts VALUES ('m000000000', 0, :kind, :body)", kind=kind, body=body)


async def test_a_message_comes_back_with_all_its_parts(store: SqlStore, chat: Chat, clock: ManualClock) -> None:
    added = await store.messages.add(chat.id, role="assistant", metadata=UserMeta(), parts=ALL_PARTS, step=3)
    assert await store.messages.list(chat.id) == [added]
    assert {part.kind for part in added.parts} == set(PART_KINDS)
    assert (added.status, added.step, added.seq, added.created_at) == ("complete", 3, 1, clock.now)


@pytest.mark.parametrize(
    "metadata",
    [
        UserMeta(continues=True),
        TurnMeta(
            agent="coder",
            model="qwen",
            stop_reason="doom_loop",
            explanation="in circles",
            steps=4,
            usage=Usage(prompt_tokens=5),
            repairs={"fence": 2},
            duration_ms=9,
        ),
        MistakeRecovery(failure_kinds=("exec_error",), count=3, escalated=True, can_continue=True),
        DoomLoop(tools=("grep",), cycle=1, count=3),
        CapHit(steps=20),
        EmptyReply(count=2),
        ReplyCut(repeated="and so on", count=9),
        ModelFailed(error="503"),
        AgentFailed(agent="goose", error="goose ended (SIGKILL)."),
        OutsideWrites(agent="goose", checkout="/p", paths=("a.py", "naïve ✓.py"), more=3),
        Aborted(),
        Interrupted(),
        Compacted(how="summary", tokens_before=9, tokens_after=4, through_seq=2, through_step=3, ledger_chars=400),
    ],
    ids=lambda metadata: metadata.kind,
)
async def test_metadata_of_every_kind_comes_back(store: SqlStore, chat: Chat, metadata: Metadata) -> None:
    await store.messages.add(chat.id, role="system", metadata=metadata)
    assert [message.metadata for message in await store.messages.list(chat.id)] == [metadata]


async def test_messages_are_in_the_order_they_were_added_whatever_the_clock_says(
    store: SqlStore, chat: Chat, clock: ManualClock
) -> None:
    for number in range(12):
        clock.now -= 1
        await store.messages.add(chat.id, role="user", metadata=UserMeta(), parts=[Text(text=str(number))])
    messages = await store.messages.list(chat.id)
    assert [message.parts[0] for message in messages] == [Text(text=str(number)) for number in range(12)]
    assert [message.seq for message in messages] == list(range(1, 13))


async def test_each_chat_counts_for_itself(store: SqlStore, chat: Chat) -> None:
    other = await store.chats.create(project="/p", agent="default", title="other")
    await store.messages.add(chat.id, role="user", metadata=UserMeta())
    assert (await store.messages.add(other.id, role="user", metadata=UserMeta())).seq == 1
    assert (await store.messages.add(chat.id, role="user", metadata=UserMeta())).seq == 2


async def test_a_chat_that_is_not_there_takes_no_message(store: SqlStore) -> None:
    with pytest.raises(ConfigurationError, match="no chat 'nonesuch'"):
        await store.messages.add("nonesuch", role="user", metadata=UserMeta())
    assert await store.messages.list("nonesuch") == []


async def test_arguments_nested_hundreds_deep_come_back(store: SqlStore, chat: Chat) -> None:
    nested: list[object] = []
    for _ in range(400):
        nested = [nested]
    part = ToolCallPart(call_id="c", name="grep", arguments={"a": nested})
    await store.messages.add(chat.id, role="assistant", metadata=UserMeta(), parts=[part])
    assert (await store.messages.list(chat.id))[0].parts == (part,)


async def test_half_a_surrogate_pair_does_not_stop_a_message(store: SqlStore, chat: Chat) -> None:
    broken = ToolCallPart(call_id="c", name="grep", arguments={"pattern": "a\ud83db\0"})
    await store.messages.add(chat.id, role="assistant", metadata=UserMeta(), parts=[broken])
    assert (await store.messages.list(chat.id))[0].parts == (
        ToolCallPart(call_id="c", name="grep", arguments={"pattern": "a\N{REPLACEMENT CHARACTER}b\0"}),
    )


@pytest.mark.parametrize("kind", PART_KINDS)
async def test_parts_that_were_stored_still_load(store: SqlStore, raw: Database, chat: Chat, kind: str) -> None:
    await add_stored(raw, chat, metadata='{"kind":"prompt"}', kind=kind, body=STORED_PARTS[kind])
    assert [part.kind for part in (await store.messages.list(chat.id))[0].parts] == [kind]


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        pytest.param(('{"kind":"prompt"}', '{"kind":"hologram"}'), "hologram", id="a part of an unknown kind"),
        pytest.param(('{"kind":"prompt"}', '{"kind":"text","text":"a","mood":1}'), "text.mood", id="an unknown field"),
        pytest.param(('{"kind":"prompt"}', '{"kind":"te'), "Unterminated", id="half a body"),
        pytest.param(('{"kind":"prophecy"}', None), "prophecy", id="metadata of an unknown kind"),
        pytest.param(('{"kind":"prompt","continues":"?"}', None), "continues", id="a value that does not fit"),
    ],
)
async def test_what_can_not_be_read_is_named(
    store: SqlStore, raw: Database, chat: Chat, stored: tuple[str, str | None], problem: str
) -> None:
    metadata, body = stored
    await add_stored(raw, chat, metadata=metadata, body=body)
    with pytest.raises(StoreError, match=f"message m000000000 can't be read.*Upgrading.*{problem}"):
        await store.messages.list(chat.id)


async def test_deleting_a_chat_deletes_its_messages_and_parts(store: SqlStore, raw: Database, chat: Chat) -> None:
    await store.messages.add(chat.id, role="assistant", metadata=UserMeta(), parts=ALL_PARTS)
    await raw.execute("DELETE FROM chats WHERE id = :id", id=chat.id)
    assert await raw.fetch_all("SELECT id FROM messages") == []
    assert await raw.fetch_all("SELECT place FROM parts") == []


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("INSERT INTO parts VALUES (:message_id, 0, 'hologram', '{}')", id="an unknown kind of part"),
        pytest.param("INSERT INTO parts VALUES (:message_id, -1, 'text', '{}')", id="a place before the first"),
        pytest.param("UPDATE messages SET status = 'lost' WHERE id = :message_id", id="an unknown status"),
        pytest.param("UPDATE messages SET role = 'tool' WHERE id = :message_id", id="an unknown role"),
        pytest.param(
            "UPDATE messages SET status = 'streaming' WHERE id = :message_id", id="streaming without an owner"
        ),
        pytest.param("UPDATE messages SET chat_id = 'x' WHERE id = :message_id", id="a chat that is not there"),
    ],
)
async def test_the_database_itself_refuses(store: SqlStore, raw: Database, chat: Chat, sql: str) -> None:
    message = await store.messages.add(chat.id, role="user", metadata=UserMeta())
    with pytest.raises(StoreError, match="refused a statement"):
        await raw.execute(sql, message_id=message.id)


async def test_what_was_written_is_there_when_the_store_is_opened_again(address: Path | str) -> None:
    first = await open_store(address)
    chat = await first.chats.create(project="/p", agent="default", title="t")
    added = await first.messages.add(chat.id, role="user", metadata=UserMeta(), parts=ALL_PARTS)
    await first.close()
    second = await open_store(address)
    assert await second.messages.list(chat.id) == [added]
    await second.close()


async def test_a_transaction_that_fails_leaves_nothing(store: SqlStore, raw: Database, chat: Chat) -> None:
    async def add_part_of_no_message() -> None:
        async with raw.transaction() as queries:
            await queries.execute("UPDATE chats SET next_seq = 99")
            await queries.execute("INSERT INTO parts VALUES ('nonesuch', 0, 'text', '{}')")

    with pytest.raises(StoreError, match="refused a statement"):
        await add_part_of_no_message()
    assert (await store.messages.add(chat.id, role="user", metadata=UserMeta())).seq == 1
