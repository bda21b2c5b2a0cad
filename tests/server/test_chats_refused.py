"""What can be refused is refused before anything is begun, in words for a user."""

import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.server.state import ServedProject, ServerState
from mulligan.types.messages import Chat

TEXT = {"text": "hello"}


def own(state: ServerState) -> ServedProject:
    return next(iter(state.projects.values()))


async def chat_with(state: ServerState, agent: str) -> Chat:
    return await own(state).session.store.chats.create(project=str(own(state).path), agent=agent, title="t")


@pytest.fixture
async def chat(state: ServerState) -> Chat:
    return await chat_with(state, "default")


@pytest.fixture
def external(tmp_path: Path) -> None:
    """Two external agents: one whose program is here, and one that is not."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "mulligan.toml").write_text(
        '[external.present]\nkind = "acp"\ncommand = ["true"]\n'
        '[external.absent]\nkind = "acp"\ncommand = ["no-such-program"]\ninstall = "get no-such-program"\n'
    )


async def nothing_was_begun(state: ServerState, chats: int) -> bool:
    """No message, no further chat, no frame, no work."""
    store = own(state).session.store
    listed = await store.chats.list(project=str(own(state).path))
    messages = [message for each in listed for message in await store.messages.list(each.id)]
    busy = any(state.work.busy(each.id) for each in listed)
    return (len(listed), messages, busy, state.hub.seq) == (chats, [], False, 0)


REFUSED = [
    pytest.param({"text": ""}, (422, "at least 1 character"), id="no text"),
    pytest.param({"text": " \n "}, (400, "the message is empty"), id="a blank text"),
    pytest.param({"text": "x" * 400_001}, (422, "at most 400000"), id="too much text"),
    pytest.param({}, (422, "text"), id="no text field"),
    pytest.param({**TEXT, "agent": "nobody"}, (400, "there is no agent nobody"), id="an unknown agent"),
    pytest.param({**TEXT, "model": "embedded"}, (400, "is not here"), id="a model that may not be downloaded"),
    pytest.param({**TEXT, "model": "embedded:none"}, (400, "no embedded model"), id="an unknown embedded model"),
    pytest.param({**TEXT, "model": "a\0b"}, (422, "model"), id="a model that nothing can be called"),
    pytest.param({**TEXT, "agent": "absent"}, (400, "To install it: get no-such-program"), id="a missing agent"),
]


@pytest.mark.usefixtures("external")
@pytest.mark.parametrize(("body", "refusal"), REFUSED)
async def test_a_new_chat_is_refused(
    near: httpx2.AsyncClient, state: ServerState, body: dict[str, Any], refusal: tuple[int, str]
) -> None:
    answer = await near.post(f"/api/projects/{own(state).id}/chats", json=body)
    assert (answer.status_code, refusal[1] in answer.json()["error"]) == (refusal[0], True), answer.text
    assert await nothing_was_begun(state, 0)


@pytest.mark.usefixtures("external")
@pytest.mark.parametrize(("body", "refusal"), REFUSED[:-1])
async def test_a_message_is_refused(
    near: httpx2.AsyncClient, state: ServerState, chat: Chat, body: dict[str, Any], refusal: tuple[int, str]
) -> None:
    answer = await near.post(f"/api/chats/{chat.id}/messages", json=body)
    assert (answer.status_code, refusal[1] in answer.json()["error"]) == (refusal[0], True), answer.text
    assert await nothing_was_begun(state, 1)


@pytest.mark.usefixtures("external")
@pytest.mark.parametrize(
    ("before", "wanted", "words"),
    [
        pytest.param("default", "present", "Mulligan's own agents and present is external", id="an external one"),
        pytest.param("present", "coder", "external agents and coder is Mulligan's own", id="one of Mulligan's own"),
    ],
)
async def test_agents_of_the_other_kind_do_not_take_a_chat_over(
    near: httpx2.AsyncClient, state: ServerState, before: str, wanted: str, words: str
) -> None:
    chat = await chat_with(state, before)
    answer = await near.post(f"/api/chats/{chat.id}/messages", json={**TEXT, "agent": wanted})
    assert (answer.status_code, words in answer.json()["error"]) == (400, True)
    assert await nothing_was_begun(state, 1)
    assert (await own(state).session.store.chats.find(chat.id)).agent == before


@pytest.mark.usefixtures("external")
async def test_an_external_agent_needs_a_repository(
    project: Path, near: httpx2.AsyncClient, state: ServerState
) -> None:
    shutil.rmtree(project / ".git")
    answer = await near.post(f"/api/projects/{own(state).id}/chats", json={**TEXT, "agent": "present"})
    assert (answer.status_code, "git" in answer.json()["error"]) == (400, True)


@pytest.mark.usefixtures("external")
async def test_a_chat_of_an_external_agent_is_not_compacted_nor_continued(
    near: httpx2.AsyncClient, state: ServerState
) -> None:
    chat = await chat_with(state, "present")
    compacted = await near.post(f"/api/chats/{chat.id}/compact")
    assert (compacted.status_code, "manages its own context" in compacted.json()["error"]) == (400, True)
    continued = await near.post(f"/api/chats/{chat.id}/continue")
    assert (continued.status_code, "no turn yet" in continued.json()["error"]) == (400, True)


async def test_an_agent_that_is_gone_is_named_and_another_may_go_on(
    near: httpx2.AsyncClient, state: ServerState
) -> None:
    chat = await chat_with(state, "retired")
    answer = await near.post(f"/api/chats/{chat.id}/messages", json=TEXT)
    assert (answer.status_code, "there is no agent retired" in answer.json()["error"]) == (400, True)
    assert (await near.get(f"/api/chats/{chat.id}")).status_code == 200
    assert (await near.post(f"/api/chats/{chat.id}/messages", json={**TEXT, "agent": "default"})).status_code == 202


@pytest.mark.parametrize(
    ("method", "route"),
    [
        ("GET", ""),
        ("POST", "/messages"),
        ("POST", "/continue"),
        ("POST", "/abort"),
        ("POST", "/compact"),
    ],
)
async def test_a_chat_that_is_not_here_is_not_found(
    near: httpx2.AsyncClient, state: ServerState, chat: Chat, method: str, route: str
) -> None:
    other = await own(state).session.store.chats.create(project="/elsewhere", agent="default", title="t")
    for chat_id in ("nonesuch", chat.id[:4], chat.id.upper() + "x", other.id, "%00"):
        answer = await near.request(method, f"/api/chats/{chat_id}{route}", json=TEXT if method == "POST" else None)
        assert (answer.status_code, "there is no chat" in answer.json()["error"]) == (404, True), chat_id


@pytest.mark.parametrize("route", ["chats", "choices"])
async def test_a_project_that_is_not_served_is_not_found(near: httpx2.AsyncClient, route: str) -> None:
    answer = await near.get(f"/api/projects/nonesuch/{route}")
    assert (answer.status_code, "there is no project nonesuch" in answer.json()["error"]) == (404, True)


@pytest.mark.parametrize(
    "asked", [{"before": -1}, {"after": 2**60}, {"limit": 0}, {"limit": 1001}, {"before": "x"}], ids=str
)
async def test_a_page_that_there_can_not_be_is_refused(
    near: httpx2.AsyncClient, chat: Chat, asked: dict[str, Any]
) -> None:
    assert (await near.get(f"/api/chats/{chat.id}", params=asked)).status_code == 422


async def test_an_empty_chat_has_nothing_to_show(near: httpx2.AsyncClient, chat: Chat) -> None:
    seen = (await near.get(f"/api/chats/{chat.id}")).json()
    assert (seen["messages"], seen["earlier"], seen["context"], seen["pending"]) == ([], False, None, 0)
    assert (seen["can_continue"], "no turn yet" in seen["continue_refused"]) == (False, True)


async def test_a_question_that_was_never_asked_takes_no_answer(near: httpx2.AsyncClient) -> None:
    assert (await near.post("/api/asks/nonesuch", json={"granted": True})).status_code == 404
    assert (await near.get("/api/asks")).json() == []
