import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Start = Callable[..., Any]

OWN = """+++
description = "Writes poems."
tools = ["grep"]
steps = 3
model = "verse-1b"
+++
You write poems.
"""


def test_agents_are_listed_with_where_they_come_from(run: Start, project: Path) -> None:
    folder = project / ".mulligan" / "agents"
    folder.mkdir(parents=True)
    (folder / "poet.md").write_text(OWN, encoding="utf-8")
    done = run("agents")
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert list(lines) == ["name", "architect", "coder", "debugger", "default", "poet", "reviewer"]
    assert " 20 " in lines["architect"]
    assert lines["architect"].endswith("built in")
    assert lines["poet"].split("  ")[-1].strip() == str(folder / "poet.md")
    assert "verse-1b" in lines["poet"]


def test_agents_as_json_are_one_a_line(run: Start) -> None:
    agents = [json.loads(line) for line in run("agents", "--json").stdout.splitlines()]
    assert [agent["name"] for agent in agents] == ["architect", "coder", "debugger", "default", "reviewer"]
    assert agents[0]["steps"] == 20


def test_agents_fit_a_narrow_terminal(in_terminal: Start) -> None:
    terminal = in_terminal("agents", columns=40)
    terminal.sees("architect")
    terminal.sees("description: ")
    assert terminal.leaves() == 0
