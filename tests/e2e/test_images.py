"""Images on their way from a user to a model: what is on the wire, what is kept, and what is refused."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from mulligan.models.scripted.server import RunningServer
from tests.e2e.command import Command, Finished
from tests.sample_images import GIF, png
from tests.scripted_server import running

SHOT = png(40, 30)
URL = f"data:image/png;base64,{base64.b64encode(SHOT).decode()}"


def sees(*, kind: str = "llama.cpp", images: bool | None = True, **style: Any) -> Script:
    served = {"kind": kind, "images": images, **style}
    replies = [{"text": "A red one."}]
    return Script.model_validate({"replies": replies, "then": "loop", "model": "m", "server_style": served})


def last_message(server: RunningServer) -> dict[str, Any]:
    return server.requests()[-1]["body"]["messages"][-1]


def run(mulligan: Command, *words: str, code: int = 0) -> Finished:
    done = mulligan(*words)
    assert done.code == code, done.stderr
    return done


pytestmark = pytest.mark.usefixtures("shot")


@pytest.fixture
def shot(mulligan: Command) -> Path:
    file = mulligan.project / "shot.png"
    file.write_bytes(SHOT)
    return file


def test_an_image_of_the_project_is_named_like_a_file(mulligan: Command) -> None:
    with running(sees()) as server:
        done = mulligan.ask(server.base_url, prompt=["What is wrong in @shot.png?"])
        sent = last_message(server)["content"]

    words = "@shot.png is an image that comes with this message (image, 40 x 30, PNG, "
    assert sent[0] == {"type": "image_url", "image_url": {"url": URL}}
    assert sent[1]["text"].startswith(words)
    assert sent[1]["text"].endswith("\n\nWhat is wrong in @shot.png?")
    (attached,) = done.frames[0]["attached"]
    assert (attached["name"], attached["image"]["width"], attached["image"]["size"]) == ("@shot.png", 40, len(SHOT))


@pytest.mark.parametrize("way", ["option", "mention"])
def test_an_image_from_anywhere_is_sent_where_the_user_names_it(mulligan: Command, way: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "my shot.png"
    elsewhere.write_bytes(SHOT)
    words = ["--image", str(elsewhere)] if way == "option" else []
    prompt = "what is this?" if way == "option" else f'what is @"{elsewhere}"?'
    with running(sees()) as server:
        mulligan.ask(server.base_url, *words, prompt=[prompt])
        (image, text) = last_message(server)["content"]

    assert image["image_url"]["url"] == URL
    assert text["text"].endswith(prompt)


def test_ollamas_own_api_has_images_beside_the_text(mulligan: Command) -> None:
    mulligan.home.mkdir()
    (mulligan.home / "mulligan.toml").write_text('[models."m"]\nkeep_alive = "2h"\n')
    with running(sees(kind="ollama")) as server:
        mulligan.ask(server.base_url, prompt=["see @shot.png"])
        sent = last_message(server)

    assert sent["images"] == [base64.b64encode(SHOT).decode()]
    assert sent["content"].endswith("see @shot.png")


@pytest.mark.parametrize(
    ("style", "words"),
    [
        pytest.param({"kind": "llama.cpp", "images": False}, "does not take images", id="llama.cpp without mmproj"),
        pytest.param({"kind": "ollama", "images": None}, "does not take images", id="Ollama without vision"),
        pytest.param({"kind": "lmstudio", "images": False}, "does not take images", id="LM Studio's llm"),
        pytest.param({"kind": "openai", "images": None}, "not known whether m takes images", id="nobody knows"),
    ],
)
def test_nothing_is_sent_to_a_model_that_takes_no_images(mulligan: Command, style: dict[str, Any], words: str) -> None:
    with running(sees(**style)) as server:
        done = run(mulligan, "ask", "--base-url", server.base_url, "what is @shot.png?", code=2)
        assert server.requests() == []

    assert words in done.stderr
    assert 'images = true in [models."' in done.stderr
    assert mulligan("chats", "--json").stdout == ""


@pytest.mark.parametrize("kind", ["ollama", "lmstudio", "openai"])
def test_servers_and_settings_that_say_yes_get_the_image(mulligan: Command, kind: str) -> None:
    if kind == "openai":
        (mulligan.project / "mulligan.toml").write_text('[models."m"]\nimages = true\n')
    with running(sees(kind=kind)) as server:
        mulligan.ask(server.base_url, prompt=["what is @shot.png?"])
        assert last_message(server)["content"][0]["type"] == "image_url"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"no image", "is no image that models take", id="not one"),
        pytest.param(png(9000, 2), "9000 x 2 pixels", id="too wide"),
        pytest.param(png() + b"\0" * 5_000_000, "larger than 5 MB", id="too large"),
    ],
)
def test_what_is_no_image_stops_the_message(mulligan: Command, shot: Path, data: bytes, words: str) -> None:
    shot.write_bytes(data)
    with running(sees()) as server:
        named = run(mulligan, "ask", "--base-url", server.base_url, "what is @shot.png?", code=2)
        given = run(mulligan, "ask", "--base-url", server.base_url, "--image", str(shot), "what is this?", code=2)
        assert server.requests() == []
    assert words in named.stderr
    assert words in given.stderr


def test_the_type_is_told_by_the_content_not_by_the_name(mulligan: Command, shot: Path) -> None:
    shot.write_bytes(GIF)
    with running(sees()) as server:
        mulligan.ask(server.base_url, prompt=["see @shot.png"])
        assert last_message(server)["content"][0]["image_url"]["url"].startswith("data:image/gif;base64,")


def test_a_chat_keeps_its_images(mulligan: Command, shot: Path) -> None:
    with running(sees()) as server:
        first = mulligan.ask(server.base_url, prompt=["see @shot.png"])
        chat = first.frames[0]["chat_id"]
        shot.unlink()
        mulligan.ask(server.base_url, "--chat", chat, prompt=["and now?"])
        asked = server.requests()[-1]["body"]["messages"][1]["content"]

    assert asked[0]["image_url"]["url"] == URL
    digest = first.frames[0]["attached"][0]["image"]["digest"]
    kept = json.loads(mulligan("chats", "export", chat, "--format", "json").stdout)
    assert base64.b64decode(kept["images"][digest]) == SHOT
    shown = mulligan("chats", "export", chat).stdout
    assert f"![@shot.png][{digest[:12]}]" in shown
    assert f"[{digest[:12]}]: {URL}" in shown


def test_another_model_that_takes_none_is_told_of_earlier_images_in_words(mulligan: Command) -> None:
    with running(sees()) as server:
        chat = mulligan.ask(server.base_url, prompt=["see @shot.png"]).frames[0]["chat_id"]
    with running(sees(images=False)) as server:
        done = run(mulligan, "ask", "--base-url", server.base_url, "--model", "blind", "--chat", chat, "and now?")
        asked = server.requests()[-1]["body"]["messages"][1]["content"]

    assert isinstance(asked, str)
    assert "[There was an image here (image, 40 x 30, PNG" in asked
    assert "accepts no images: those of earlier messages are only named to it" in done.stderr


def test_a_server_that_refuses_images_is_remembered(mulligan: Command) -> None:
    said = {"error": {"message": "image input is not supported - hint: provide the mmproj", "type": "server_error"}}
    refusing = {"replies": [{"status": 500, "body": said}], "then": "loop", "server_style": {"kind": "openai"}}
    with running(Script.model_validate({**refusing, "model": "llava"})) as server:
        done = run(mulligan, "ask", "--base-url", server.base_url, "what is @shot.png?", code=5)
        tried = len(server.requests())
        again = run(mulligan, "ask", "--base-url", server.base_url, "what is @shot.png?", code=2)
        assert len(server.requests()) == tried

    assert "So llava accepts no images here" in done.stderr
    assert "llava does not take images, so nothing was sent" in again.stderr


def test_a_guided_model_is_shown_the_image_with_its_question(mulligan: Command) -> None:
    with running(sees()) as server:
        mulligan.ask(server.base_url, "--agency", "guided", prompt=["what is wrong in @shot.png?"])
        image, text = last_message(server)["content"]

    assert image["image_url"]["url"] == URL
    assert "\n\nQuestion: what is wrong in @shot.png?" in text["text"]


def test_images_are_counted_in_the_context(mulligan: Command) -> None:
    with running(sees()) as server:
        done = mulligan.ask(server.base_url, prompt=["see @shot.png"])
    (used,) = (each for each in done.frames if each["type"] == "context")
    assert used["parts"]["images"] > 0
    assert sum(used["parts"].values()) == used["tokens"]


def test_too_many_images_are_refused(mulligan: Command, shot: Path) -> None:
    names: list[str] = []
    for number in range(9):
        file = shot.with_name(f"{number}.png")
        file.write_bytes(SHOT)
        names += ["--image", str(file)]
    with running(sees()) as server:
        done = run(mulligan, "ask", "--base-url", server.base_url, *names, "see", code=2)
    assert "the message has 9 images, but at most 8 are allowed" in done.stderr
