"""Images beside a goal: for the model of a fix run, and for an external agent that takes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command
from tests.e2e.delegate_project import Delegating, goal, make_delegating, text_of
from tests.e2e.fix_project import FIXED, PLAN, RIGHT, VERIFY, WRONG, make_repository, say
from tests.e2e.test_images import SHOT, URL
from tests.scripted_server import running


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    file = tmp_path / "shot.png"
    file.write_bytes(SHOT)
    return file


def images_in(request: dict[str, Any]) -> list[str]:
    contents = [each["content"] for each in request["body"]["messages"] if isinstance(each["content"], list)]
    return [part["image_url"]["url"] for content in contents for part in content if part["type"] == "image_url"]


def script(replies: list[dict[str, Any]], *, images: bool) -> Script:
    style = {"kind": "llama.cpp", "images": images}
    return Script.model_validate({"replies": replies, "model": "m", "server_style": style})


@pytest.mark.parametrize("way", ["option", "mention"])
def test_planner_and_coder_of_a_fix_run_see_the_images_of_its_goal(
    mulligan: Command, elsewhere: Path, way: str
) -> None:
    repository = make_repository(mulligan)
    (repository.folder / "shot.png").write_bytes(SHOT)
    words = ["--image", str(elsewhere)] if way == "option" else []
    asked = "make the tests pass" if way == "option" else "reach what @shot.png shows"
    second = {"text": PLAN["text"].replace("take off", "remove")}
    with running(script([PLAN, WRONG, say("Done."), second, RIGHT, say("Done.")], images=True)) as server:
        done = repository.fix_at(server, "--yes", *words, goal=asked, verify=VERIFY)
        shown = [images_in(request) for request in server.requests()]
    assert (done.code, repository.code) == (0, FIXED)
    assert shown == [[URL]] * 6
    notes = [frame["text"] for frame in done.frames if frame["type"] == "run_note"]
    assert f"Read with the goal: {elsewhere if way == 'option' else '@shot.png'}." in notes


@pytest.mark.parametrize(
    ("options", "images", "words"),
    [
        ((), False, "m does not take images, so nothing was sent"),
        (("--agency", "guided"), True, "a fix run with a guided model takes text only: leave the images out"),
    ],
    ids=["a model that takes none", "guided"],
)
def test_a_fix_run_whose_model_would_not_see_the_image_is_not_begun(
    mulligan: Command, elsewhere: Path, options: tuple[str, ...], images: bool, words: str
) -> None:
    repository = make_repository(mulligan)
    with running(script([], images=images)) as server:
        done = repository.fix_at(server, "--image", str(elsewhere), *options, goal="make the tests pass", verify=VERIFY)
        assert server.requests() == []
    assert (done.code, mulligan("runs", "--json").stdout, mulligan("chats", "--json").stdout) == (2, "", "")
    assert words in done.stderr


def delegating_to(mulligan: Command, tmp_path: Path, *, images: bool) -> Delegating:
    delegating = make_delegating(mulligan, tmp_path)
    told = tmp_path / "script.json"
    told.write_text(json.dumps({**json.loads(told.read_text()), "images": images}))
    (delegating.folder / "shot.png").write_bytes(SHOT)
    return delegating


def test_an_external_agent_that_takes_images_is_sent_them(mulligan: Command, tmp_path: Path, elsewhere: Path) -> None:
    delegating = delegating_to(mulligan, tmp_path, images=True)
    done = delegating([{"say": "Seen."}], "--image", str(elsewhere))
    assert text_of(done) == f"[image/png, {len(SHOT)} bytes]Seen."
    (attached,) = done.frames[0]["attached"]
    assert (attached["name"], attached["image"]["width"]) == (str(elsewhere), 40)
    named = mulligan("delegate", "--json", "--agent", "scripted", f"as in @shot.png\n{goal([{'say': 'Seen.'}])}")
    assert text_of(named) == f"[image/png, {len(SHOT)} bytes]Seen."


def test_an_external_agent_that_takes_no_images_is_asked_nothing(
    mulligan: Command, tmp_path: Path, elsewhere: Path
) -> None:
    delegating = delegating_to(mulligan, tmp_path, images=False)
    done = delegating([{"say": "Seen."}], "--image", str(elsewhere))
    assert (done.code, done.stdout) == (2, "")
    assert "scripted does not take images, so nothing was sent: describe them in text" in done.stderr
    assert mulligan("chats", "--json").stdout == ""
    assert delegating.trees() == []


def test_an_image_of_the_project_is_only_named_to_an_agent_that_takes_none(mulligan: Command, tmp_path: Path) -> None:
    delegating_to(mulligan, tmp_path, images=False)
    done = mulligan("delegate", "--json", "--agent", "scripted", f"as in @shot.png\n{goal([{'say': 'Seen.'}])}")
    assert text_of(done) == "Seen."
    assert "scripted does not take images: @shot.png is only named to it" in done.stderr + done.stdout
