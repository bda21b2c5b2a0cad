"""opencode's server when all goes well: sessions by folder, what a turn tells, and who is asked."""

import asyncio
import json
from pathlib import Path

import pytest

from mulligan.backends.opencode import OpencodeBackend
from mulligan.backends.pool import BackendPool
from mulligan.types.agents import (
    AgentDone,
    AgentEvent,
    AgentPlan,
    AgentReasoning,
    AgentText,
    AgentToolCall,
    AgentToolUpdate,
    ExternalAgent,
    PermissionRequest,
)
from mulligan.types.errors import BackendError, ConfigurationError
from tests.backends.conftest import ignore, whole_turn
from tests.backends.fake_backend import agent_named
from tests.backends.opencode.conftest import Ask, Backend, no, requests, starts, yes
from tests.patience import PATIENCE

DONE = AgentDone("finished")
OPENCODE = agent_named("opencode", kind="opencode_server")


def text_of(events: list[AgentEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, AgentText))


async def test_text_comes_in_pieces_and_only_once(backend: Backend, ask: Ask) -> None:
    events = await ask(backend(), {"say": "Hello, this is a text."})
    assert events == [AgentText("Hello, t"), AgentText("his is a"), AgentText(" text."), DONE]


async def test_reasoning_and_tools_are_told(backend: Backend, ask: Ask) -> None:
    events = await ask(
        backend(),
        {"think": "Hm."},
        {"tool": "read", "input": {"filePath": "a.py"}, "output": "1: x"},
        {"tool": "bash", "error": "no such file"},
    )
    kinds = [AgentReasoning, AgentToolCall, AgentToolUpdate, AgentToolCall, AgentToolUpdate, AgentDone]
    assert [type(event) for event in events] == kinds
    read, read_end, bash, bash_end = events[1:5]
    assert isinstance(read, AgentToolCall)
    assert isinstance(bash, AgentToolCall)
    assert (read.title, read.arguments) == ("read", {"filePath": "a.py"})
    assert read_end == AgentToolUpdate(read.call_id, "completed", "1: x")
    assert bash_end == AgentToolUpdate(bash.call_id, "failed", "no such file")
    assert read.call_id != bash.call_id


async def test_a_plan_is_told(backend: Backend, ask: Ask, folder: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    properties = {"sessionID": session, "todos": [{"content": "read"}, {"content": "write"}]}
    events = await ask(agent, {"event": {"type": "todo.updated", "properties": properties}}, session=session)
    assert events == [AgentPlan(("read", "write")), DONE]


async def test_texts_of_two_parts_are_paragraphs(backend: Backend, ask: Ask) -> None:
    assert text_of(await ask(backend(), {"say": "One."}, {"say": "Two."})) == "One.\n\nTwo."


async def test_the_agent_works_in_the_folder_of_its_session(backend: Backend, ask: Ask, folder: Path) -> None:
    await ask(backend(), {"write": "a.txt"})
    assert (folder / "a.txt").read_text() == "written\n"


async def test_one_server_serves_many_folders_at_the_same_time(backend: Backend, tmp_path: Path, home: Path) -> None:
    agent = backend()
    folders = [tmp_path / f"tree {number}" for number in range(3)]
    for place in folders:
        place.mkdir()

    async def work(place: Path) -> list[AgentEvent]:
        session = await agent.ensure_session(place, None)
        acts = [{"say": place.name}, {"write": "a.txt"}]
        return [event async for event in agent.prompt(session, json.dumps(acts), no)]

    told = await asyncio.gather(*(work(place) for place in folders))
    assert [text_of(events) for events in told] == [place.name for place in folders]
    assert all((place / "a.txt").exists() for place in folders)
    assert starts(home) == 1


async def test_a_session_goes_on_and_a_later_process_finds_it(
    backend: Backend, ask: Ask, folder: Path, home: Path
) -> None:
    first = backend()
    session = await first.ensure_session(folder, None)
    await ask(first, {"say": "One."}, session=session)
    assert await first.ensure_session(folder, session) == session
    await first.dispose()
    later = backend()
    assert await later.ensure_session(folder, session) == session
    assert text_of(await ask(later, {"say": "Two."}, session=session)) == "Two."
    assert len(requests(home, "/session")) == 1


async def test_a_session_that_is_gone_is_replaced(backend: Backend, ask: Ask, folder: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, "ses_nobody_knows")
    assert session != "ses_nobody_knows"
    assert await ask(agent, session=session) == [DONE]


async def test_a_session_of_another_folder_is_not_used(backend: Backend, folder: Path, tmp_path: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    assert await agent.ensure_session(tmp_path, session) != session


async def test_nobody_is_asked_to_choose_among_answers(backend: Backend, folder: Path, home: Path) -> None:
    await backend().ensure_session(folder, None)
    rules = requests(home, "/session")[0]["body"]["permission"]
    assert {(rule["permission"], rule["action"]) for rule in rules} >= {("question", "deny")}


async def test_the_chosen_model_goes_with_the_prompt(backend: Backend, ask: Ask, home: Path) -> None:
    await ask(backend(model="local/qwen/coder"))
    model = requests(home, "/prompt_async")[0]["body"]["model"]
    assert model == {"providerID": "local", "modelID": "qwen/coder"}


async def test_a_model_without_a_provider_is_refused(backend: Backend, folder: Path) -> None:
    with pytest.raises(ConfigurationError, match="provider/model"):
        await backend(model="qwen").ensure_session(folder, None)


BASH = {"permission": "bash", "patterns": ["rm x"], "metadata": {"command": "rm x"}}


async def test_a_permission_is_asked_and_granted_once(backend: Backend, ask: Ask, home: Path) -> None:
    seen: list[PermissionRequest] = []

    async def permit(request: PermissionRequest, /) -> bool:
        seen.append(request)
        return True

    events = await ask(backend(), {"say": "May I?"}, {"ask": BASH}, permit=permit)
    assert text_of(events) == "May I?\n\nonce."
    assert seen == [PermissionRequest("bash: rm x", "execute", "rm x", ())]
    assert requests(home, "/reply")[0]["body"] == {"reply": "once"}


async def test_a_denial_is_told_to_the_agent_which_goes_on(backend: Backend, ask: Ask, home: Path) -> None:
    events = await ask(backend(), {"ask": BASH}, {"say": "Then not."}, permit=no)
    assert text_of(events) == "reject.\n\nThen not."
    assert "refused this" in requests(home, "/reply")[0]["body"]["message"]


async def test_whoever_fails_to_answer_has_denied(backend: Backend, ask: Ask) -> None:
    async def permit(request: PermissionRequest, /) -> bool:
        raise RuntimeError(request.title)

    assert text_of(await ask(backend(), {"ask": BASH}, permit=permit)) == "reject."


async def test_whoever_is_asked_has_seen_what_led_to_it(backend: Backend, folder: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    seen = ""
    seen_when_asked: list[str] = []

    async def permit(request: PermissionRequest, /) -> bool:  # noqa: ARG001  the port names it
        seen_when_asked.append(seen)
        return True

    async for event in agent.prompt(session, json.dumps([{"say": "May I?"}, {"ask": BASH}]), permit):
        seen += event.text if isinstance(event, AgentText) else ""
    assert seen_when_asked == ["May I?"]


async def test_a_helper_s_permission_is_answered_too(backend: Backend, ask: Ask, home: Path) -> None:
    await ask(backend(), {"child": {"ask": BASH}}, permit=yes)
    assert [request["body"]["reply"] for request in requests(home, "/reply")] == ["once"]


async def test_the_permission_of_another_session_is_not_ours_to_answer(backend: Backend, ask: Ask, home: Path) -> None:
    other = {"type": "permission.asked", "properties": {"id": "per_x", "sessionID": "ses_other", **BASH}}
    assert await ask(backend(), {"event": other}, permit=yes) == [DONE]
    assert requests(home, "/reply") == []


async def test_the_model_s_failures_are_told(backend: Backend, ask: Ask) -> None:
    events = await ask(backend(), {"retry": "overloaded"}, {"fail": "401 Unauthorized"})
    assert isinstance(events[0], AgentReasoning)
    assert "overloaded" in events[0].text
    assert events[-1] == AgentDone("failed", "401 Unauthorized")


async def test_only_we_can_talk_to_the_server(backend: Backend, folder: Path, home: Path) -> None:
    import httpx2

    await backend().ensure_session(folder, None)
    url = f"http://127.0.0.1:{(home / 'port').read_text()}/session/status"
    async with httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as intruder:
        assert (await intruder.get(url)).status_code == 401


async def test_a_folder_that_is_not_there_is_refused(backend: Backend, folder: Path) -> None:
    with pytest.raises(BackendError, match="is not a folder"):
        await backend().ensure_session(folder / "nowhere", None)


async def test_a_session_that_was_never_opened_is_refused(backend: Backend) -> None:
    with pytest.raises(BackendError, match="no session"):
        await anext(backend().prompt("ses_1", "[]", no))


async def test_one_prompt_at_a_time_in_a_session(backend: Backend, folder: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    first = agent.prompt(session, json.dumps([{"say": "begun"}, {"hang": True}]), no)
    await anext(first)
    with pytest.raises(BackendError, match="busy"):
        await anext(agent.prompt(session, "[]", no))
    await first.aclose()


async def test_a_closed_session_can_be_opened_again(backend: Backend, folder: Path) -> None:
    agent = backend()
    session = await agent.ensure_session(folder, None)
    await agent.close_session(session)
    assert await agent.ensure_session(folder, session) == session


async def test_its_health_is_that_of_the_server(backend: Backend, folder: Path) -> None:
    agent = backend()
    assert not (await agent.health()).alive
    await agent.ensure_session(folder, None)
    assert (await agent.health()).alive
    await agent.dispose()
    assert not (await agent.health()).alive


async def test_chats_with_different_models_are_each_answered_by_their_own(
    backend: Backend, folder: Path, home: Path
) -> None:
    def make(agent: ExternalAgent, model: str | None) -> OpencodeBackend:
        assert agent == OPENCODE
        return backend(model=model)

    async def ask(pool: BackendPool, chat: str, model: str | None) -> None:
        async with pool.lease(chat, OPENCODE, model) as lease:
            session = await lease.backend.ensure_session(folder, None)
            assert await whole_turn(lease.backend.prompt(session, json.dumps([{"say": chat}]), no)) == [
                AgentText(chat),
                DONE,
            ]

    pool = BackendPool(make, log=ignore)
    await ask(pool, "one", "local/small")
    await ask(pool, "two", "local/large")
    await ask(pool, "one", None)
    await ask(pool, "two", "local/small")
    models = [request["body"].get("model", {}).get("modelID") for request in requests(home, "/prompt_async")]
    assert models == ["small", "large", None, "small"]
    assert starts(home) == 3
