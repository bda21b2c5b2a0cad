"""What a start loads: nothing for `--version` and `--help`, and one command where one is named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mulligan import __version__
from mulligan.cli.app import app
from mulligan.cli.early_answers import HELP_FILE, answer_early
from mulligan.cli.entry import COMMANDS, make_app
from mulligan.tools.arguments import SCHEMAS
from reference.cli import whole_help
from reference.tools import written_schemas

APPLICATION = {"typer", "pydantic", "httpx2", "asyncio", "mulligan.cli.app"}
MODULES = """
import json, sys
from mulligan.__main__ import main
sys.argv = json.loads(sys.argv[1])
main()
print(json.dumps(sorted(sys.modules)))
"""


def test_the_text_of_the_help_is_what_typer_makes_of_the_commands() -> None:
    assert Path(HELP_FILE).read_text(encoding="utf-8") == whole_help(), (
        "it is behind the commands: run `make reference`"
    )


def test_the_schemas_that_a_start_reads_are_those_of_the_tools() -> None:
    assert SCHEMAS.read_text(encoding="utf-8") == written_schemas(), "they are behind the tools: run `make reference`"


HERE = "/usr/bin/mulligan"


@pytest.mark.parametrize(
    ("typed", "columns", "early"),
    [
        pytest.param([HERE, "--version"], "80", True, id="the version"),
        pytest.param([HERE, "--help"], "80", True, id="help"),
        pytest.param([HERE, "-h"], "200", True, id="help in a wide terminal"),
        pytest.param([HERE, "--help"], "79", False, id="lines would be too long"),
        pytest.param(["/src/mulligan/__main__.py", "--help"], "80", False, id="under another name"),
        pytest.param([HERE, "ask", "--help"], "80", False, id="help of a command"),
        pytest.param([HERE, "--version", "ask"], "80", False, id="more words"),
        pytest.param([HERE], "80", False, id="nothing"),
    ],
)
def test_what_is_answered_early(
    typed: list[str], columns: str, early: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert answer_early(typed[0], typed[1:]) is early
    assert bool(capsys.readouterr().out) is early


@pytest.mark.parametrize("words", [["--version"], ["--help"]], ids=" ".join)
def test_nothing_of_the_application_is_loaded_for_it(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MODULES, json.dumps(["mulligan", *words])],
        check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    *said, modules = done.stdout.splitlines()
    assert APPLICATION & set(json.loads(modules)) == set()
    assert said == (["mulligan " + __version__] if words == ["--version"] else whole_help().splitlines())


def test_a_narrow_terminal_gets_help_that_fits_from_the_application() -> None:
    script = Path(sys.executable).with_name("mulligan")
    done = subprocess.run(
        [script, "--help"], check=True, capture_output=True, text=True, env={**os.environ, "COLUMNS": "60"}
    )
    assert "hardened for weak and local\n  models.\n" in done.stdout


def test_a_command_that_is_named_is_the_only_one_that_is_loaded() -> None:
    code = "from mulligan.cli.entry import make_app; import sys; make_app(['ask']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {name for name in done.stdout.split() if name.startswith("mulligan.cli.commands.")}
    assert loaded == {"mulligan.cli.commands.ask"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_the_same_with_and_without_the_others(name: str) -> None:
    alone, among_all = (
        CliRunner().invoke(each, [name, "--help"], prog_name="mulligan") for each in (make_app([name]), app)
    )
    assert alone.output == among_all.output
    assert alone.exit_code == 0
