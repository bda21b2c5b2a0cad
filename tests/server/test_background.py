"""What the server does beside answering."""

import time
from pathlib import Path

import pytest

from mulligan.server.background import LOOKED_AT, NAMED, sweep, what_changed
from mulligan.server.frames.envelopes import Envelope
from mulligan.server.state import ServerState
from mulligan.store.process_owner import STALE_AFTER
from mulligan.store.store import open_store
from mulligan.types.messages import TurnMeta, UserMeta


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        pytest.param(["a.py", "sub/b.py"], ("a.py", "sub/b.py"), id="files of the project"),
        pytest.param([".git/index", ".git/refs/heads/main"], None, id="git's own"),
        pytest.param([".mulligan/issues.md"], None, id="our own"),
        pytest.param(["build/out.o", "build/deep/er.o"], None, id="in a folder that is ignored"),
        pytest.param(["sub/noise.log", "a.py"], ("a.py",), id="a file that is ignored"),
        pytest.param(["sub/.git/index"], None, id="a repository within"),
        pytest.param(["../elsewhere.py"], None, id="outside"),
        pytest.param(["b\udcff.py"], ("b\ufffd.py",), id="a name that is no UTF-8"),
        pytest.param([""], None, id="the project's folder itself"),
        pytest.param([], None, id="nothing"),
    ],
)
def test_only_the_projects_own_files_are_told(tmp_path: Path, changed: list[str], told: tuple[str, ...] | None) -> None:
    root = tmp_path / "project"
    (root / "build" / "deep").mkdir(parents=True)
    (root / "sub").mkdir()
    (root / ".git").mkdir()
    (root / ".gitignore").write_text("build/\n*.log\n")
    paths = [str((root / each).resolve()) if ".." in each else f"{root}/{each}".rstrip("/") for each in changed]
    frame = what_changed(root, paths)
    assert (frame.paths if frame else None) == told


def test_of_many_files_some_are_named(tmp_path: Path) -> None:
    frame = what_changed(tmp_path, [str(tmp_path / f"{number:05}.py") for number in range(LOOKED_AT + 10)])
    assert frame is not None
    assert len(frame.paths) == NAMED
    assert len(frame.paths) + frame.more == LOOKED_AT + 10


async def test_a_turn_that_nobody_will_finish_is_closed_and_the_pages_are_told(state: ServerState) -> None:
    (project,) = state.projects.values()
    store = project.session.store
    here = await store.chats.create(project=str(project.path), agent="default", title="left")
    elsewhere = await store.chats.create(project="/another/project", agent="default", title="left too")
    settings = project.session.settings
    address = settings.database_url.get_secret_value() if settings.database_url else settings.home / "mulligan.db"
    long_ago = await open_store(address, clock=lambda: time.time() - STALE_AFTER - 1)
    for chat in (here, elsewhere):
        await long_ago.messages.open_turn(chat.id, "why?", UserMeta(), TurnMeta(agent="default", model="m"))
    await long_ago.close()

    page = state.hub.subscribe(since=None, epoch=None)
    await sweep(state)

    assert [message.status for message in await store.messages.list(here.id)] == ["complete", "failed", "complete"]
    told = [Envelope.model_validate_json(each.json) for each in page.take(10) or ()]
    assert [(each.frame.type, each.project_id, each.chat_id) for each in told] == [
        ("chat_changed", project.id, here.id)
    ]
