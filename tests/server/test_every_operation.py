"""Whatever is sent to any operation, the answer is one that its description names, and never a 500."""

import asyncio
import subprocess
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from mulligan.app.configuration import load_configuration
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import serve_script
from mulligan.runtime.serving.listening import address, listen, serving
from mulligan.runtime.serving.token import Buckets
from mulligan.server.access.middleware import AccessPolicy, with_access_checks
from mulligan.server.app import make_app
from mulligan.server.state import open_server_state, project_id
from tests.examples import EXPLORING
from tests.store.postgres_server import PostgresServer, empty_database

EXAMPLES = 12 if EXPLORING else 6
"""For each operation."""
SECONDS = 60
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
THEMES = [
    "login", "projects", "models", "settings", "chats", "changes", "checkpoints", "runs", "fleet", "overview",
    "frames",
]  # fmt: skip

REPLIES: list[dict[str, Any]] = [
    {"tool_calls": [{"name": "edit_file", "arguments": {"path": "a.py", "old": "'a'", "new": "'b'"}}]},
    {"text": "Done."},
]


@dataclass(frozen=True)
class Api:
    url: str
    log: Path
    ids: dict[str, str]
    """Of things that are there, by the name of the path's parameter."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer) -> Generator[Api]:
    """A server on a thread of its own: limits of rate would hide what is to be found."""
    folder = tmp_path_factory.mktemp("every")
    project = folder / "project"
    project.mkdir()
    (project / "a.py").write_text("def a():\n    return 'a'\n")
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *command], cwd=project, check=True)
    started: list[str] = []
    ready, over = threading.Event(), threading.Event()
    serving = _serve(_server(project, folder / "home", postgres_server), started, ready, over)
    thread = threading.Thread(target=lambda: asyncio.run(serving))
    thread.start()
    assert ready.wait(SECONDS)
    try:
        yield Api(started[0], folder / "home" / "logs" / "mulligan.log", _things(started[0], project_id(project)))
    finally:
        over.set()
        thread.join(SECONDS)
    assert not thread.is_alive()


async def _serve(
    server: AbstractAsyncContextManager[str], started: list[str], ready: threading.Event, over: threading.Event
) -> None:
    async with server as url:
        started.append(url)
        ready.set()
        await asyncio.to_thread(over.wait)


@asynccontextmanager
async def _server(project: Path, home: Path, postgres: PostgresServer) -> AsyncGenerator[str]:
    script = Script.model_validate({"replies": REPLIES, "then": "loop"})
    alone = {"MULLIGAN_HOME": str(home), "MULLIGAN_DISCOVERY": "no", "MULLIGAN_DOWNLOADS": "no"}
    guard = AccessPolicy(changing=Buckets(size=1_000_000, a_second=1))
    async with serve_script(script) as model, empty_database(postgres) as fleet:
        flags = {"base_url": model.base_url, "model": "scripted"}
        async with open_server_state([load_configuration(project, flags, alone)], fleet=fleet) as state:
            listening = listen("127.0.0.1", 0)
            async with serving(with_access_checks(make_app(state), guard), listening):
                yield address(listening)


def _things(url: str, project: str) -> dict[str, str]:
    """A chat whose turn has changed a file, and what came of it."""
    with httpx2.Client(base_url=url, timeout=SECONDS) as client:
        here = f"/api/projects/{project}"
        chat = client.post(f"{here}/chats", json={"text": "do it", "agent": "coder"}).json()["chat_id"]
        while client.get(f"/api/chats/{chat}").json()["chat"]["busy"]:
            pass
        run = client.post(f"{here}/runs", json={"goal": "fix it", "verify": ["true"]}).json()["run_id"]
        (change,) = client.get(f"{here}/changes").json()
        job = client.post("/api/fleet/jobs", json={"repository": "/none", "goal": "fix it"}).json()["id"]
        checkpoint = client.get(f"{here}/checkpoints").json()[0]
    return {
        "project_id": project,
        "chat_id": chat,
        "run_id": run,
        "job_id": job,
        "change_id": change["id"],
        "checkpoint_id": checkpoint["id"],
        "session_id": checkpoint["session_id"],
    }


@pytest.fixture(scope="module")
def described(api: Api) -> Any:
    schema: Any = schemathesis.openapi.from_dict(make_app().openapi())
    schema.config.update(base_url=api.url)
    return schema


def test_every_operation_is_of_a_theme_that_is_tried(described: Any) -> None:
    themes = [tuple(each.ok().tags or ()) for each in described.get_all_operations()]
    assert () not in themes
    assert {theme for each in themes for theme in each} == set(THEMES)


@pytest.mark.parametrize("theme", THEMES)
def test_no_request_is_answered_with_a_500(described: Any, api: Api, theme: str) -> None:
    for each in described.include(tag=theme).get_all_operations():
        operation = each.ok()

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=SLOW, database=None)
        @given(case=_right_and_wrong(operation))
        def try_it(case: Any) -> None:
            _lead_to_something(case, api.ids)
            answer = case.call(timeout=SECONDS)
            assert answer.status_code != 500, f"{case.as_curl_command()}: {api.log.read_text().splitlines()[-1]}"
            case.validate_response(
                answer, checks=[status_code_conformance, content_type_conformance, response_schema_conformance]
            )

        try_it()


def _right_and_wrong(operation: Any) -> st.SearchStrategy[Any]:
    """Requests as they are described; and others, where a body can be wrong."""
    right: st.SearchStrategy[Any] = operation.as_strategy()
    if not len(operation.body):
        return right
    return right | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)


def _lead_to_something(case: Any, ids: dict[str, str]) -> None:
    """Made-up ids lead nowhere: two of three are replaced by those of things that are there. No made-up text is run
    as a command."""
    parameters: dict[str, Any] = case.path_parameters or {}
    for name in ids.keys() & parameters.keys():
        if len(str(parameters[name])) % 3:
            parameters[name] = ids[name]
    body: Any = case.body
    if hasattr(body, "get") and body.get("verify"):
        body["verify"] = ["true"]
