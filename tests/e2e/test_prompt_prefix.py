"""What is sent again is, byte for byte, what was sent: a server's prompt cache helps across turns and restores."""

import json
import subprocess
from itertools import pairwise
from typing import Any

import pytest

from mulligan.models.scripted.model import Script
from tests.e2e.command import Command, Finished
from tests.scripted_server import running

GIT = ["git", "-c", "user.name=p", "-c", "user.email=p@localhost"]


def calling(name: str, **arguments: str) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


FIRST = [
    calling("view_file", path="a.py"),
    {"text": "Let me now change the file."},
    calling("edit_file", path="a.py", old="return 'a'", new="return 'z'"),
    calling("view_file", path="missing.py"),
    {"text": "Done."},
]
SECOND = [calling("view_file", path="b.py"), {"text": "Done as well."}]
THIRD = [calling("view_file", path="b.py"), {"text": "So it is."}]


@pytest.fixture
def repository(mulligan: Command) -> None:
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*GIT, *arguments], cwd=mulligan.project, check=True)


def prompt(body: dict[str, Any]) -> str:
    """What a template makes a prompt of, up to where the last message may go on."""
    return json.dumps(body["tools"]) + json.dumps(body["messages"]).removesuffix('"}]')


def without_note(text: str) -> str:
    return text.partition("\\n\\nYour last reply announced")[0]


@pytest.mark.usefixtures("repository")
def test_a_chat_begins_with_the_same_bytes_across_turns_notes_and_a_restore(mulligan: Command) -> None:
    with running(Script.model_validate({"replies": [*FIRST, *SECOND, *THIRD]})) as server:

        def say(question: str, *more: str) -> Finished:
            done = mulligan("code", question, "--yes", "--json", "--base-url", server.base_url, "--model", "m", *more)
            assert done.code == 0, done.stderr
            return done

        chat = say("look at it").end["chat_id"]
        second = say("and the other?", "--chat", chat)
        (taken,) = [frame for frame in second.frames if frame["type"] == "checkpoint"]
        assert mulligan("restore", taken["checkpoint_id"], "--yes").code == 0
        say("is that all?", "--chat", chat)
        prompts = [prompt(seen["body"]) for seen in server.requests()]

    first, second_turn, third = prompts[:5], prompts[5:7], prompts[7:]
    assert without_note(first[2]) != first[2]
    for earlier, later in pairwise([*first, *second_turn]):
        assert later.startswith(without_note(earlier))
    assert third[0].startswith(second_turn[0])  # the question stays, what was answered is gone
    assert third[1].startswith(third[0])
