"""Sessions that real clients had with `mulligan acp`, line by line, under `recorded/`: what each sent is sent again,
and Mulligan has to say what it said then. `tests/real_agents/test_real_acp_client.py` is where they come from."""

import asyncio
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from mulligan import __version__
from mulligan.models.scripted.script import Script
from tests.acp.conftest import EDIT, Harness, call
from tests.acp.editor import piped
from tests.patience import PATIENCE
from tests.scripted_server import running

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.jsonl"))
LEFT_OUT = ("config_option_update", "available_commands_update")
"""The first comes when the model server has listed its models, wherever that is; the second grows with Mulligan."""

Line = dict[str, Any]


@pytest.mark.parametrize("recording", [pytest.param(file, id=file.stem) for file in RECORDED])
async def test_a_recorded_session_goes_as_it_did(recording: Path, harness: Harness) -> None:
    lines: list[Line] = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    look = {"reasoning": "I look.", **call("view_file", path="a.py")}
    script = Script.model_validate({"replies": [look, EDIT, {"text": "Done: it returns 2."}]})
    with running(script) as server:
        options = ("--base-url", server.base_url, "--model", "m")
        async with piped(*options, project=harness.folder, home=harness.home, files=harness.root / "streams") as pipes:
            async with asyncio.timeout(PATIENCE):
                said = await _played(lines, pipes.reader, pipes.into, harness.folder)

    assert said == [line["message"] for line in lines if line["from"] == "agent" and not _is_left_out(line["message"])]


async def _played(lines: list[Line], reader: asyncio.StreamReader, into: int, project: Path) -> list[Line]:
    """What Mulligan says when the client's lines are sent, each once all that stands before it was said."""
    said: list[Line] = []
    names = {"{project}": str(project)}
    for line in lines:
        if line["from"] == "client":
            os.write(into, (_with(names, json.dumps(line["message"])) + "\n").encode())
            _write_for_client(line["message"], said, project)
        elif not _is_left_out(line["message"]):
            message = json.loads(await reader.readline())
            while _is_left_out(message):
                message = json.loads(await reader.readline())
            names.setdefault("{session}", message.get("result", {}).get("sessionId") or "")
            names = {mark: value for mark, value in names.items() if value}
            said.append(json.loads(_without(names, json.dumps(message))))
    return said


def _write_for_client(answer: Line, said: list[Line], project: Path) -> None:
    """The recorded client wrote the file before it answered."""
    asked = said[-1] if said else {}
    if asked.get("method") == "fs/write_text_file" and answer.get("id") == asked["id"]:
        (project / "a.py").write_text(asked["params"]["content"])


def _with(names: dict[str, str], text: str) -> str:
    for mark, value in names.items():
        text = text.replace(mark, value)
    return text


def _without(names: dict[str, str], text: str) -> str:
    for mark, value in names.items():
        text = text.replace(value, mark)
    text = text.replace(
        f'"title": "Mulligan", "version": "{__version__}"', '"title": "Mulligan", "version": "{version}"'
    )
    return re.sub(r"review-\w+", "review-{change}", text)


def _is_left_out(message: Line) -> bool:
    return message.get("params", {}).get("update", {}).get("sessionUpdate") in LEFT_OUT
