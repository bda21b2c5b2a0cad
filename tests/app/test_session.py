"""What a project may decide about who answers, and what a turn that writes leaves for a restore."""

import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from mulligan.app.agents.definitions import known_agents
from mulligan.app.configuration import Configuration, load_configuration
from mulligan.app.open_session import open_session
from mulligan.app.project_tools import Consent
from mulligan.app.session import Session
from mulligan.app.turns import change_emitter
from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import serve_script
from mulligan.types.errors import ConfigurationError
from mulligan.types.frames import ChangeMade, CheckpointTaken, Frame, ToolReturned
from mulligan.types.messages import Chat
from tests.scripted_server import running

WRITER = '+++\ntools = ["edit_file"]\n+++\nYou write.\n'


def configured(tmp_path: Path, toml: str = "") -> Configuration:
    (tmp_path / "mulligan.toml").write_text(toml)
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    return load_configuration(tmp_path, {}, environ)


async def test_a_project_may_not_make_an_agent_that_writes_the_default(tmp_path: Path) -> None:
    async with open_session(configured(tmp_path, 'agent = "coder"\n')) as session:
        with pytest.raises(ConfigurationError, match="--agent coder"):
            session.agent()
        assert session.agent("coder").name == "coder"


async def test_a_user_may(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mulligan.toml").write_text('agent = "coder"\n')
    async with open_session(configured(tmp_path)) as session:
        assert session.agent().name == "coder"


def test_a_project_may_not_give_hands_to_an_agent_that_only_reads(tmp_path: Path) -> None:
    folder = tmp_path / ".mulligan" / "agents"
    folder.mkdir(parents=True)
    (folder / "default.md").write_text(WRITER)
    with pytest.raises(ConfigurationError, match="another name"):
        known_agents(configured(tmp_path))


def test_a_project_may_bring_its_own_agent_that_writes(tmp_path: Path) -> None:
    folder = tmp_path / ".mulligan" / "agents"
    folder.mkdir(parents=True)
    (folder / "painter.md").write_text(WRITER)
    assert "painter" in known_agents(configured(tmp_path))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@pytest.fixture
async def session(repository: Path, tmp_path: Path) -> AsyncGenerator[Session, None]:
    """With a model that says it is done."""
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    with running(Script.model_validate({"replies": [{"text": "Done."}], "then": "loop"})) as server:
        flags = {"model": "m", "base_url": server.base_url}
        async with open_session(load_configuration(repository, flags, environ)) as opened:
            yield opened


async def take_turn(session: Session, agent: str, chat: Chat | None = None) -> Chat:
    spec, frames = session.agent(agent), list[Frame]()
    chat = chat or await session.new_chat("do it", spec)
    await session.answer(chat, "do it", spec, frames.append)
    return chat


async def test_turns_of_a_native_agent_that_writes_are_one_session_of_their_chat(session: Session) -> None:
    chat = await take_turn(session, "coder")
    await take_turn(session, "coder", chat)
    (own,) = await session.store.sessions.list(chat_id=chat.id)
    assert (own.agent, own.status, own.worktree_id) == ("coder", "open", None)
    assert {each.session_id for each in await session.store.checkpoints.list(chat_id=chat.id)} == {own.id}


async def test_each_chat_has_its_own_session(session: Session) -> None:
    one, other = await take_turn(session, "coder"), await take_turn(session, "coder")
    (first,) = await session.store.sessions.list(chat_id=one.id)
    (second,) = await session.store.sessions.list(chat_id=other.id)
    assert first.id != second.id


async def test_an_agent_that_only_reads_has_no_session(session: Session) -> None:
    chat = await take_turn(session, "default")
    assert await session.store.sessions.list(chat_id=chat.id) == []


async def test_after_a_restore_a_native_agent_goes_on_in_a_new_session(session: Session) -> None:
    chat = await take_turn(session, "coder")
    (taken,) = await session.store.checkpoints.list(chat_id=chat.id)
    restored = await (await session.checkpoints(Path(taken.root))).restore(taken, tell=lambda _words: None)
    assert restored.backend_reset
    await take_turn(session, "coder", chat)
    assert [each.status for each in await session.store.sessions.list(chat_id=chat.id)] == ["crashed", "open"]


async def test_the_checkpoint_of_a_turn_holds_nothing_of_what_the_turn_did(repository: Path, tmp_path: Path) -> None:
    """It is taken while the model reads; this one calls a tool at once."""
    call = {"name": "create_file", "arguments": {"path": "new.py", "content": "x = 1\n"}}
    script = Script.model_validate({"replies": [{"tool_calls": [call]}, {"text": "Done."}]})
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    frames: list[Frame] = []
    with running(script) as server:
        flags = {"model": "m", "base_url": server.base_url}
        async with open_session(load_configuration(repository, flags, environ)) as session:
            coder = session.agent("coder")
            chat = await session.new_chat("make new.py", coder)
            await session.answer(chat, "make new.py", coder, frames.append, Consent(apply_now=True))
            assert (repository / "new.py").exists()
            kinds = [type(frame) for frame in frames]
            assert kinds.index(CheckpointTaken) < kinds.index(ToolReturned)
            (taken,) = await session.store.checkpoints.list(chat_id=chat.id)
            await (await session.checkpoints(repository)).restore(taken, tell=lambda _words: None)
            assert not (repository / "new.py").exists()


async def test_a_path_that_is_no_text_can_be_told(session: Session) -> None:
    project, frames = str(session.settings.project), list[Frame]()
    change_emitter(frames.append)(
        await session.store.changes.add(project=project, path="a\udcff", before=None, after=None)
    )
    assert isinstance(frames[0], ChangeMade)
    assert frames[0].model_dump_json()


async def test_what_is_set_for_a_model_reaches_its_server(repository: Path, tmp_path: Path) -> None:
    (repository / "a.py").write_text("x = 1\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "mulligan.toml").write_text(
        '[models."qwen3:8b"]\ntop_k = 5\nthinking = "off"\nreplay = "last"\n'
    )
    call = {"name": "view_file", "arguments": {"path": "a.py"}}
    replies = [{"reasoning": "I look.", "tool_calls": [call]}, {"text": "Done."}]
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    async with serve_script(Script.model_validate({"replies": replies})) as server:
        flags = {"model": "qwen3:8b", "base_url": server.base_url}
        async with open_session(load_configuration(repository, flags, environ)) as opened:
            await take_turn(opened, "default")
    first, second = (seen.body for seen in server.requests)
    assert (first["temperature"], first["top_k"], first["top_p"]) == (0.7, 5, 0.8)
    assert all(body["chat_template_kwargs"] == {"enable_thinking": False} for body in (first, second))
    assert [message.get("reasoning_content") for message in second["messages"]] == [None, None, "I look.", None]
