import json
import re
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


NATIVE = ["architect", "coder", "debugger", "default", "reviewer"]


def put_on_path(folder: Path, name: str, environment: dict[str, str]) -> Path:
    folder.mkdir()
    file = folder / name
    file.write_text("#!/bin/sh\necho robo 1.2.3\n", encoding="utf-8")
    file.chmod(0o755)
    environment["PATH"] = f"{folder}:/usr/bin:/bin"
    return file


def test_agents_are_listed_with_where_they_come_from(run: Start, project: Path) -> None:
    folder = project / ".mulligan" / "agents"
    folder.mkdir(parents=True)
    (folder / "poet.md").write_text(OWN, encoding="utf-8")
    native, _, _ = run("agents").stdout.partition("\n\n")
    lines = {line.split()[0]: line for line in native.splitlines()}
    assert list(lines) == ["name", "architect", "coder", "debugger", "default", "poet", "reviewer"]
    assert " 20 " in lines["architect"]
    assert lines["architect"].endswith("built in")
    assert lines["poet"].split("  ")[-1].strip() == str(folder / "poet.md")
    assert "verse-1b" in lines["poet"]


def test_external_agents_are_listed_with_path_and_version_or_how_to_get_them(
    run: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    goose = put_on_path(tmp_path / "bin", "goose", environment)
    _, _, external = run("agents").stdout.partition("\n\n")
    lines = {line.split()[0]: re.split(r"  +", line) for line in external.splitlines()}
    assert lines["goose"][2:] == ["acp", "1.2.3", str(goose), "built in"]
    assert lines["qwen"][2:] == ["acp", "no; to install it: npm install -g @qwen-code/qwen-code", "built in"]


def test_agents_as_json_are_one_a_line(run: Start, environment: dict[str, str], tmp_path: Path) -> None:
    goose = put_on_path(tmp_path / "bin", "goose", environment)
    agents = {agent["name"]: agent for agent in map(json.loads, run("agents", "--json").stdout.splitlines())}
    assert [name for name, agent in agents.items() if agent["kind"] == "native"] == NATIVE
    assert agents["architect"]["steps"] == 20
    assert (agents["goose"]["path"], agents["goose"]["version"]) == (str(goose), "1.2.3")
    assert (agents["qwen"]["path"], agents["qwen"]["version"]) == (None, None)


def test_an_external_agent_of_the_users_file_is_listed_without_its_environment(
    run: Start, environment: dict[str, str]
) -> None:
    home = Path(environment["MULLIGAN_HOME"])
    home.mkdir()
    table = '[external.mine]\nkind = "acp"\ncommand = ["no-such-agent"]\nenv.KEY = "sesame"\n'
    (home / "mulligan.toml").write_text(table, encoding="utf-8")
    assert "no; there is no no-such-agent on PATH" in run("agents").stdout
    listed = run("agents", "--json").stdout
    assert '"mine"' in listed
    assert "sesame" not in listed


def test_a_wrong_external_agent_is_a_usage_error(run: Start, environment: dict[str, str]) -> None:
    home = Path(environment["MULLIGAN_HOME"])
    home.mkdir()
    (home / "mulligan.toml").write_text('[external.mine]\nkind = "acp"\n', encoding="utf-8")
    done = run("agents")
    assert (done.returncode, done.stdout) == (2, "")
    assert "mine" in done.stderr
    assert "command: Field required" in done.stderr


def test_agents_fit_a_narrow_terminal(in_terminal: Start) -> None:
    terminal = in_terminal("agents", columns=40)
    terminal.sees("architect")
    terminal.sees("description: ")
    terminal.sees("found: ")
    assert terminal.leaves() == 0
