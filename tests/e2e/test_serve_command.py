"""`mulligan serve` as a process: how it starts, what it says, and how it ends."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import connect

from mulligan.server.state import project_id
from tests.forked_command import run_forked
from tests.patience import PATIENCE
from tests.server.server_process import LOADED, environment, serving, serving_from_the_start


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def serve(project: Path, home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """One that is expected not to start."""
    return run_forked(("serve", *arguments), cwd=project, env=environment(home), loaded=LOADED)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
async def test_it_says_where_it_is_and_nothing_else_and_ends_by_a_signal(
    project: Path, home: Path, number: signal.Signals
) -> None:
    async with serving_from_the_start(project, home) as server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
            assert (await client.get("/api/frames")).json()[0]["type"] == "hello"
            assert (await client.get("/nowhere")).status_code == 200
        server.process.send_signal(number)
        assert await server.end() == (0, "", "")


async def test_open_sockets_do_not_hold_it_up(project: Path, home: Path) -> None:
    async with (
        serving(project, home) as server,
        connect(f"ws://127.0.0.1:{server.port}/api/socket", proxy=None, open_timeout=PATIENCE) as page,
    ):
        await page.recv()
        server.process.send_signal(signal.SIGINT)
        await page.wait_closed()
        assert (await server.end())[0] == 0


async def test_a_port_that_is_in_use_is_told(project: Path, home: Path) -> None:
    async with serving(project, home) as server:
        second = await asyncio.to_thread(serve, project, home, "--port", str(server.port))
    assert second.returncode == 2
    assert f"port {server.port}" in second.stderr
    assert "--port" in second.stderr
    assert second.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["-C", "nowhere"], "does not exist", id="no such folder"),
        pytest.param(["--host", "no.such.host.invalid"], "can't listen on no.such.host.invalid", id="no such host"),
        pytest.param(["--port", "70000"], "--port", id="no such port"),
    ],
)
def test_what_cannot_be_served_is_told(project: Path, home: Path, arguments: list[str], words: str) -> None:
    done = serve(project, home, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


async def test_several_projects_are_served_each_once(tmp_path: Path, home: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    arguments = [part for folder in (*folders, folders[0]) for part in ("-C", str(folder))]
    async with (
        serving(tmp_path, home, *arguments) as server,
        httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE) as client,
    ):
        told = (await client.get("/api/projects")).json()
    assert [each["id"] for each in told] == [project_id(folder) for folder in folders]


async def test_open_starts_the_browser_at_the_page(project: Path, home: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    os.mkfifo(seen)
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    async with serving(project, home, "--open", env={"BROWSER": f"{browser} %s"}) as server:
        assert (await asyncio.to_thread(seen.read_text)).strip() == server.url + "/"


async def test_a_new_token_is_shown_on_request(project: Path, home: Path) -> None:
    tokens: list[str] = []
    for more in ([], ["--new-token"]):
        async with serving(project, home, "--host", "0.0.0.0", *more) as server:  # noqa: S104 - what is tested
            tokens.append((await server.line()).rsplit(" ", 1)[1].strip())
            async with httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
                asked = [
                    (await client.get("/api/frames", headers={"Authorization": f"Bearer {token}"})).status_code
                    for token in tokens
                ]
    assert asked == [401, 200]
