"""The first minute of a user without a model, or with several: choosing one, also by keyboard."""

import json
import threading
from collections.abc import AsyncGenerator, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, Route, expect

from mulligan.server.state import project_id
from tests.forked_command import SOURCE
from tests.patience import PATIENCE
from tests.server.server_process import Process, serving, serving_from_the_start
from tests.web.axe import grave_faults
from tests.web.chatting import message_field
from tests.web.conftest import fixture
from tests.web.serving import FILES, make_project

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKING = {"MULLIGAN_DOWNLOADS": "ask"}


class TwoModels(BaseHTTPRequestHandler):
    """A model server that lists two models."""

    def do_GET(self) -> None:
        body = json.dumps({"data": [{"id": "small"}, {"id": "large"}]}).encode()
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its name in the base class
        """Nobody reads it."""


@pytest.fixture
def two_models() -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), TwoModels)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@fixture
async def bare(tmp_path: Path) -> AsyncGenerator[Process]:
    """A server without a configured model."""
    project = make_project(tmp_path / "project", FILES)
    async with serving(project, tmp_path / "home", env=ASKING) as process:
        yield process


async def test_with_no_model_the_page_says_so_and_sends_nothing(bare: Process, page: Page, tmp_path: Path) -> None:
    await page.goto(bare.url)
    await page.set_viewport_size({"width": 1024, "height": 560})
    await page.reload()
    await expect(page.get_by_role("heading", name="Set up a model")).to_be_in_viewport()
    await expect(page.get_by_role("heading", name="What shall we try")).to_be_in_viewport(ratio=1)
    await expect(page.get_by_text("so the embedded model")).to_have_count(0)
    await expect(page.get_by_text("No model can answer yet.")).to_be_visible()
    await expect(page.get_by_text("Answers come from")).to_have_count(0)
    await expect(page.get_by_text(str(tmp_path / "home" / "models"))).to_be_visible()
    await message_field(page).fill("hello")
    await expect(page.get_by_role("button", name="Send")).to_be_disabled()
    await expect(page.get_by_text("Choose a model first. Your draft is saved.")).to_be_visible()
    assert await grave_faults(page) == []
    assert not (tmp_path / "home" / "models").exists()
    await page.route("**/choices*", without_engine)
    await page.reload()
    await expect(page.get_by_text("Its engine, xllamacpp, is not installed")).to_be_visible()
    await expect(page.get_by_text("pip install xllamacpp")).to_be_visible()
    await expect(page.get_by_role("button", name="Download Qwen2.5-Coder 1.5B")).to_be_disabled()


async def without_engine(route: Route) -> None:
    """The server's answer if the engine is not installed."""
    answer = await route.fetch()
    told = await answer.json()
    told["models"]["engine"] = {"version": None, "install": "pip install xllamacpp"}
    await route.fulfill(response=answer, json=told)


async def test_a_server_is_tested_and_used_by_keyboard(
    bare: Process, page: Page, two_models: str, tmp_path: Path
) -> None:
    await page.goto(bare.url)
    await page.get_by_label("Address").focus()
    await page.keyboard.type("127.0.0.1:9")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Is the model server running?")).to_be_visible()
    await page.get_by_label("Address").press("Control+a")
    await page.keyboard.type(two_models)
    await page.keyboard.press("Tab")
    await page.keyboard.type("hunter2")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("A model server answers, and it has 2 models.")).to_be_visible()
    await page.get_by_label("Its models").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Use this server")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_text(f"Answers come from large at http://{two_models}/v1.")).to_be_visible()
    await expect(page.get_by_role("heading", name="Set up a model")).to_have_count(0)
    written = (tmp_path / "home" / "mulligan.toml").read_text()
    assert written == f'model = "large"\nbase_url = "http://{two_models}/v1"\napi_key = "hunter2"\n'
    assert not (tmp_path / "project" / "mulligan.toml").exists()
    await page.goto(f"{page.url}/settings")
    await expect(page.get_by_label("Key", exact=True)).to_have_attribute("placeholder", "set, not shown")
    await expect(page.get_by_text("hunter2")).to_have_count(0)


async def test_one_of_several_models_is_chosen_and_saved(tmp_path: Path, page: Page, two_models: str) -> None:
    project = make_project(tmp_path / "project", FILES)
    env = {**ASKING, "MULLIGAN_BASE_URL": f"http://{two_models}/v1"}
    async with serving(project, tmp_path / "home", env=env) as process:
        await page.goto(process.url)
        await expect(page.get_by_role("heading", name="Which model should answer?")).to_be_visible()
        await page.get_by_label("Models found").select_option(label="large (at " + two_models + ")")
        await page.get_by_role("button", name="Use this model").click()
        await expect(page.get_by_text("Answers come from large at")).to_be_visible()
        await page.reload()
        await expect(page.get_by_text("Answers come from large at")).to_be_visible()
        await expect(page.get_by_role("heading", name="Which model should answer?")).to_have_count(0)
        await page.goto("about:blank")


async def test_a_download_needs_a_click_shows_its_progress_and_can_be_stopped(tmp_path: Path, page: Page) -> None:
    """The mirror falls silent in the middle; what came is kept, and the next try says how much is left."""
    project = make_project(tmp_path / "project", FILES)
    info = tmp_path / "site" / "xllamacpp-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: xllamacpp\nVersion: 1.0\n")
    mirror = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    threading.Thread(target=mirror.serve_forever, daemon=True).start()
    env = {
        **ASKING,
        "HF_ENDPOINT": f"http://127.0.0.1:{mirror.server_port}",
        "PYTHONPATH": f"{tmp_path / 'site'}:{SOURCE}",
    }
    try:
        async with serving_from_the_start(project, tmp_path / "home", env=env) as process:
            await page.goto(f"{process.url}/p/{project_id(project)}")
            await page.get_by_role("button", name="Download Qwen2.5-Coder 1.5B, 1.1 GB").click()
            await expect(page.get_by_text("Downloading Qwen2.5-Coder 1.5B: 33")).to_be_visible()
            assert await grave_faults(page) == []
            await page.get_by_role("button", name="Cancel").click()
            await expect(page.get_by_text("Stopped. The part already downloaded is kept.")).to_be_visible()
            await expect(page.get_by_role("button", name="Resume downloading Qwen2.5-Coder 1.5B")).to_be_visible()
            await page.goto("about:blank")
    finally:
        Silent.over.set()
        mirror.shutdown()
        mirror.server_close()


class Silent(BaseHTTPRequestHandler):
    """Gives 33 of 1,117 MB."""

    over = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "1117320768")
        self.end_headers()
        for _ in range(33):
            self.wfile.write(bytes(1_024_000))
        self.over.wait(PATIENCE)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its name in the base class
        """Nobody reads it."""
