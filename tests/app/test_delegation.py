"""Delegated turns put together from real parts, all but the agent itself: store, repository, work tree, checkpoints."""

import asyncio
import subprocess
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mulligan.app.configuration import load_configuration
from mulligan.app.delegated_turn import TurnCallbacks
from mulligan.app.delegation import Delegations
from mulligan.app.open_session import open_session
from mulligan.app.session import Session
from mulligan.ports.backends import Permit
from mulligan.types.agents import AgentDone, AgentEvent, AgentText, ExternalAgent, PermissionRequest
from mulligan.types.commands import Approval, PolicyVerdict
from mulligan.types.errors import BackendError, ChatBusy, ConfigurationError
from mulligan.types.frames import ChangeMade, CheckpointTaken, Frame, SentinelRaised, TurnEnd
from mulligan.types.messages import Text
from mulligan.types.sentinels import OutsideWrites
from mulligan.workspace.git import NoRepository
from tests.backends.fake_backend import Act, FakeBackend, agent_named, says_done

AGENTS = {name: agent_named(name, leaves_behind=(".goose.cache",)) for name in ("goose", "qwen")}


@dataclass
class Harness:
    """A user with a repository, and agents that do what a test says."""

    session: Session
    folder: Path
    frames: list[Frame] = field(default_factory=list[Frame])
    told: list[str] = field(default_factory=list[str])
    asked: list[tuple[str, PolicyVerdict]] = field(default_factory=list[tuple[str, PolicyVerdict]])
    says_yes: bool = False
    act: Act = says_done
    backends: list[FakeBackend] = field(default_factory=list[FakeBackend])

    def __post_init__(self) -> None:
        self.callbacks = TurnCallbacks(emit=self.frames.append, tell=self.told.append, approve=self.approve)
        self.delegations = Delegations(self.session, AGENTS, make=self.made)

    def made(self, _agent: ExternalAgent, _model: str | None) -> FakeBackend:
        self.backends.append(FakeBackend(self.does))
        return self.backends[-1]

    def does(self, folder: Path, prompt: str, permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        """What the test says by then."""
        return self.act(folder, prompt, permit)

    async def approve(self, command: str, verdict: PolicyVerdict) -> Approval:
        self.asked.append((command, verdict))
        return Approval(self.says_yes)

    async def delegate(self, chat: str | None = None, agent: str | None = "goose", goal: str = "do it") -> TurnEnd:
        return await self.delegations.run(goal, agent, chat, callbacks=self.callbacks)

    async def restore(self) -> None:
        """To before the last turn."""
        taken = [frame for frame in self.frames if isinstance(frame, CheckpointTaken)][-1]
        tree = self.backends[-1].folder
        checkpoints = await self.session.checkpoints(tree)
        await checkpoints.restore(await checkpoints.find(taken.checkpoint_id or ""), tell=self.told.append)

    async def pending(self, chat: str) -> list[tuple[str, str]]:
        changes = await self.session.store.changes.list(str(self.folder), statuses=("pending",), chat_id=chat)
        return [(change.kind, change.path) for change in changes]


def writes(path: str, text: str) -> Act:
    async def act(folder: Path, prompt: str, permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        (folder / path).write_text(text)
        async for event in says_done(folder, prompt, permit):
            yield event

    return act


def make_repository(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a.py").write_text("one\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        identity = ["-c", "user.name=p", "-c", "user.email=p@localhost"]
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True)
    return folder


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncGenerator[Harness, None]:
    folder = make_repository(tmp_path / "project")
    environ = {"MULLIGAN_HOME": str(tmp_path / "home"), "MULLIGAN_DISCOVERY": "no"}
    async with open_session(load_configuration(folder, {}, environ)) as session:
        harness = Harness(session, folder)
        yield harness
        await harness.delegations.aclose()


async def test_what_the_agent_makes_waits_as_pending_changes_of_its_chat(harness: Harness) -> None:
    harness.act = writes("a.py", "two\n")
    end = await harness.delegate()
    assert (end.stop_reason, end.pending, end.exit_code) == ("answered", 1, 6)
    assert await harness.pending(end.chat_id) == [("edit", "a.py")]
    assert (harness.folder / "a.py").read_text() == "one\n"
    assert [frame.path for frame in harness.frames if isinstance(frame, ChangeMade)] == ["a.py"]


async def test_the_checkpoint_belongs_to_the_session_its_tree_and_the_turn(harness: Harness) -> None:
    end = await harness.delegate()
    (session,) = await harness.session.store.sessions.list(chat_id=end.chat_id)
    (made,) = await harness.session.store.checkpoints.list(chat_id=end.chat_id)
    assert (made.kind, made.session_id, made.worktree_id, made.message_id) == (
        "turn",
        session.id,
        session.worktree_id,
        end.message_id,
    )
    assert session.backend_session == "session-1"


async def test_a_chat_goes_on_in_its_tree_and_its_session_with_a_warm_agent(harness: Harness) -> None:
    harness.act = writes("b.py", "b\n")
    first = await harness.delegate()
    second = await harness.delegate(first.chat_id)
    (backend,) = harness.backends
    assert backend.asked_for == [None, "session-1"]
    assert backend.swept == 4
    assert len(await harness.session.store.worktrees.list(str(harness.folder))) == 1
    assert second.pending == 1


async def test_another_process_loads_the_session(harness: Harness) -> None:
    first = await harness.delegate()
    await harness.delegations.aclose()
    harness.__post_init__()
    await harness.delegate(first.chat_id, agent=None)
    assert harness.backends[-1].asked_for == ["session-1"]
    assert len(harness.backends) == 2


async def test_another_agent_goes_on_in_the_same_tree(harness: Harness) -> None:
    harness.act = writes("b.py", "b\n")
    first = await harness.delegate()
    await harness.delegate(first.chat_id, agent="qwen")
    goose, qwen = harness.backends
    assert qwen.folder == goose.folder
    assert qwen.asked_for == [None]


async def test_a_restored_chat_starts_a_new_session_in_the_same_tree(harness: Harness) -> None:
    harness.act = writes("x.py", "x\n")
    first = await harness.delegate()
    await harness.restore()
    sessions = await harness.session.store.sessions.list(chat_id=first.chat_id)
    assert [session.status for session in sessions] == ["crashed"]
    assert await harness.pending(first.chat_id) == []
    harness.act = writes("y.py", "y\n")
    await harness.delegate(first.chat_id)
    crashed, fresh = harness.backends
    assert crashed.disposed == 1
    assert fresh.asked_for == [None]
    assert fresh.folder == crashed.folder
    assert not (fresh.folder / "x.py").exists()
    assert await harness.pending(first.chat_id) == [("create", "y.py")]


async def test_what_was_applied_before_a_restore_is_offered_to_be_taken_back(harness: Harness) -> None:
    harness.act = writes("x.py", "x\n")
    first = await harness.delegate()
    changes = await harness.session.store.changes.list(str(harness.folder))
    await harness.session.pending(harness.folder).apply(changes)
    await harness.restore()
    (applied,) = await harness.session.store.changes.list(str(harness.folder))
    assert applied.status == "applied"
    harness.act = says_done
    await harness.delegate(first.chat_id)
    assert await harness.pending(first.chat_id) == [("delete", "x.py")]


async def test_a_work_tree_that_is_gone_is_replaced_and_the_agent_starts_afresh(harness: Harness) -> None:
    first = await harness.delegate()
    (tree,) = await harness.session.store.worktrees.list(str(harness.folder))
    await harness.session.worktrees().remove(tree.id)
    await harness.delegate(first.chat_id)
    assert harness.backends[-1].asked_for == [None]
    assert harness.backends[-1].folder.is_dir()


async def test_a_crash_between_turns_is_told(harness: Harness) -> None:
    first = await harness.delegate()
    harness.backends[0].alive = False
    assert (await harness.delegate(first.chat_id)).stop_reason == "answered"
    assert any("had ended since its last turn" in words for words in harness.told)
    assert harness.backends[1].asked_for == ["session-1"]


async def test_an_agent_that_writes_into_the_checkout_is_told_of(harness: Harness) -> None:
    checkout = harness.folder

    async def act(folder: Path, prompt: str, permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        (checkout / "a.py").write_text("outside\n")
        async for event in says_done(folder, prompt, permit):
            yield event

    harness.act = act
    end = await harness.delegate()
    assert end.stop_reason == "answered"
    raised = [frame.message.metadata for frame in harness.frames if isinstance(frame, SentinelRaised)]
    assert raised == [OutsideWrites(agent="goose", checkout=str(checkout), paths=("a.py",))]


async def test_what_an_agent_keeps_for_itself_is_no_change_and_is_named(harness: Harness) -> None:
    harness.act = writes(".goose.cache", "x\n")
    end = await harness.delegate()
    *_, note = (await harness.session.store.messages.list(end.chat_id))[-1].parts
    assert isinstance(note, Text)
    assert "since goose keeps it for itself: .goose.cache." in note.text
    assert end.pending == 0


async def test_what_can_not_be_brought_back_is_named(harness: Harness) -> None:
    harness.act = writes(".env", "KEY=1\n")
    end = await harness.delegate()
    *_, note = (await harness.session.store.messages.list(end.chat_id))[-1].parts
    assert isinstance(note, Text)
    assert ".env (" in note.text
    assert end.pending == 0


async def test_an_agent_that_fails_still_brings_back_what_it_made(harness: Harness) -> None:
    async def act(folder: Path, _prompt: str, _permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        (folder / "a.py").write_text("half\n")
        yield AgentDone("failed", "goose ended (SIGKILL).")

    harness.act = act
    end = await harness.delegate()
    assert (end.stop_reason, end.pending, end.exit_code) == ("model_error", 1, 5)


async def test_an_abort_brings_back_what_was_made_and_the_chat_goes_on(harness: Harness) -> None:
    begun = asyncio.Event()

    async def act(folder: Path, _prompt: str, _permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        (folder / "a.py").write_text("half\n")
        yield AgentText("I am at it.")
        begun.set()
        await asyncio.Event().wait()

    harness.act = act
    task = asyncio.create_task(harness.delegate())
    await begun.wait()
    (chat,) = await harness.session.store.chats.list()
    with pytest.raises(ChatBusy, match="answered by goose"):
        await harness.delegate(chat.id)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await harness.pending(chat.id) == [("edit", "a.py")]
    harness.act = says_done
    assert (await harness.delegate(chat.id)).stop_reason == "answered"


def request(kind: str = "", *paths: str, command: str | None = None) -> PermissionRequest:
    return PermissionRequest(title="t", kind=kind, command=command, paths=paths)


@dataclass(frozen=True)
class Case:
    asked: PermissionRequest
    says_yes: bool
    granted: bool
    reaches_user: bool = False


CURL = request(command="curl example.com")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(Case(request("edit", "a.py"), says_yes=False, granted=True), id="an edit in its tree"),
        pytest.param(Case(request("edit", "../a.py"), says_yes=True, granted=False), id="an edit outside"),
        pytest.param(Case(request("edit", "link/a.py"), says_yes=True, granted=False), id="an edit through a link"),
        pytest.param(Case(request(command="pytest"), says_yes=False, granted=True), id="a harmless command"),
        pytest.param(Case(request(command="sudo ls"), says_yes=True, granted=False), id="denied whatever they say"),
        pytest.param(Case(CURL, says_yes=True, granted=True, reaches_user=True), id="the user says yes"),
        pytest.param(Case(CURL, says_yes=False, granted=False, reaches_user=True), id="the user says no"),
        pytest.param(Case(request("fetch"), says_yes=False, granted=False, reaches_user=True), id="anything else"),
    ],
)
async def test_permissions_go_to_the_policy_then_to_the_user(harness: Harness, tmp_path: Path, case: Case) -> None:
    answers: list[bool] = []
    harness.says_yes = case.says_yes

    async def act(folder: Path, prompt: str, permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        (folder / "link").symlink_to(tmp_path)
        answers.append(await permit(case.asked))
        async for event in says_done(folder, prompt, permit):
            yield event

    harness.act = act
    await harness.delegate()
    assert (answers, bool(harness.asked)) == ([case.granted], case.reaches_user)
    assert any(words.startswith("denied: ") for words in harness.told) is not case.granted


@pytest.mark.parametrize(
    ("agent", "chat", "model", "words"),
    [
        pytest.param("nobody", None, None, "no external agent nobody", id="an unknown agent"),
        pytest.param(None, None, None, "name the agent", id="no agent"),
        pytest.param("goose", "zzzz", None, "no chat", id="an unknown chat"),
        pytest.param("goose", None, "m", "can't be told a model", id="a model it can't take"),
    ],
)
async def test_what_can_not_be_done_is_said_before_anything_is_stored(
    harness: Harness, agent: str | None, chat: str | None, model: str | None, words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        await harness.delegations.run("x", agent, chat, model=model, callbacks=harness.callbacks)
    assert await harness.session.store.chats.list() == []


async def test_a_chat_of_another_project_is_refused(harness: Harness) -> None:
    other = await harness.session.store.chats.create(project="/elsewhere", agent="goose", title="t")
    with pytest.raises(ConfigurationError, match="is about /elsewhere"):
        await harness.delegate(other.id)


async def test_an_agent_that_is_not_installed_is_told_with_how_to_get_it(harness: Harness) -> None:
    missing = agent_named("goose", command=("no-such-goose",), install="brew install goose")
    harness.delegations = Delegations(harness.session, {"goose": missing})
    with pytest.raises(ConfigurationError, match=r"no no-such-goose on PATH\. To install it: brew install goose"):
        await harness.delegate()


async def test_an_agent_that_does_not_start_fails_the_turn_not_the_chat(harness: Harness) -> None:
    async def act(_folder: Path, _prompt: str, _permit: Permit) -> AsyncGenerator[AgentEvent, None]:
        raise BackendError("goose did not answer within 30 seconds when asked to say hello.")
        yield

    harness.act = act
    end = await harness.delegate()
    assert (end.stop_reason, end.exit_code) == ("model_error", 5)
    harness.act = says_done
    assert (await harness.delegate(end.chat_id)).stop_reason == "answered"


async def test_without_git_nothing_is_begun(tmp_path: Path) -> None:
    environ = {"MULLIGAN_HOME": str(tmp_path / "home")}
    (tmp_path / "project").mkdir()
    async with open_session(load_configuration(tmp_path / "project", {}, environ)) as session:
        with pytest.raises(NoRepository):
            await Harness(session, tmp_path).delegate()


async def test_an_agent_whose_folders_are_known_runs_in_a_sandbox(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes to its work tree and to what is its own, and to nothing else of the home or the checkout."""
    home = tmp_path / "user"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_rsa").write_text("a private key")
    monkeypatch.setenv("HOME", str(home))
    script = (
        "cat >/dev/null; echo made > made.txt; echo kept > ~/.own/session; cat ~/.ssh/id_rsa > stolen.txt; "
        f"echo planted > ~/planted; echo planted > {harness.folder}/planted; "
        f"echo planted > {harness.folder}/.git/hooks/post-commit; exit 0"
    )
    agent = ExternalAgent(name="shell", kind="one_shot", command=("sh", "-c", script), home_folders=(".own",))
    delegations = Delegations(harness.session, {"shell": agent})

    end = await delegations.run("do it", "shell", callbacks=harness.callbacks)
    await delegations.aclose()

    assert sorted(await harness.pending(end.chat_id)) == [("create", "made.txt"), ("create", "stolen.txt")]
    stolen = next(
        each for each in await harness.session.store.changes.list(str(harness.folder)) if each.path == "stolen.txt"
    )
    assert stolen.after is not None
    assert stolen.after.data == b""
    assert (home / ".own" / "session").read_text() == "kept\n"
    assert not (home / "planted").exists()
    assert not (harness.folder / "planted").exists()
    assert not (harness.folder / ".git" / "hooks" / "post-commit").exists()
