"""The reference is made from the code, so it can't be behind it."""

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mulligan.app.configuration import setting_names
from mulligan.drill.gallery import GALLERY
from mulligan.runtime.field_meanings import meanings
from mulligan.types.base import Record
from mulligan.types.run_frames import CheckEnded, CheckStarted
from mulligan.types.turns import STOPS
from reference.cli import commands, text_blocks
from reference.described import RUN_FRAMES, SENTINEL_NAMES, SERVER_FRAMES, TURN_FRAMES, record
from reference.markdown import anchor, table
from reference.pages import FOLDER, INDEX, PAGES
from reference.schemas import value_words
from reference.tools import tool_specs

ROOT = Path(__file__).parent.parent
NAMES = (INDEX, *PAGES)


def test_the_pages_say_what_the_code_says_on_any_machine(tmp_path: Path) -> None:
    """Made here with another width, colours, language, home and folder, and with settings of a user."""
    strange = {
        "COLUMNS": "40",
        "FORCE_COLOR": "1",
        "HOME": str(tmp_path),
        "LANG": "C",
        "MULLIGAN_AGENT": "coder",
        "MULLIGAN_HOME": str(tmp_path),
        "PYTHONHASHSEED": "1",
        "PYTHONPATH": str(ROOT),
        "TERMINAL_WIDTH": "40",
    }
    (tmp_path / "mulligan.toml").write_text('model = "mine"\n')
    command = [sys.executable, "-W", "error", "-m", "reference", str(tmp_path / "pages")]
    subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, **strange})
    made = {file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "pages").iterdir()}
    kept = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.iterdir()}
    behind = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
    assert not behind, f"docs/reference is behind the code ({', '.join(behind)}): run `make reference`"


def test_make_reference_writes_the_pages() -> None:
    would = subprocess.run(
        ["make", "-n", "--no-print-directory", "reference"], check=True, cwd=ROOT, capture_output=True, text=True
    )
    assert would.stdout.splitlines()[-1].endswith("python -m reference")


def test_a_page_of_what_is_gone_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reference import __main__ as command

    (tmp_path / "gone.md").write_text("# Gone\n")
    monkeypatch.setattr(command, "make_pages", lambda: {"here.md": "# Here\n"})
    monkeypatch.setattr(sys, "argv", ["reference", str(tmp_path)])
    command.main()
    assert [file.name for file in tmp_path.iterdir()] == ["here.md"]


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_headings_and_each_heading_is_the_only_one_of_its_name(name: str) -> None:
    anchors = _anchors(name)
    assert len(anchors) == len(set(anchors))
    for page, heading in re.findall(r"\]\(([\w-]+\.md)?#([^)]+)\)", _page(name)):
        assert heading in _anchors(page or name), f"{name} links to {page}#{heading}"


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(name: str) -> None:
    for block in re.findall(r"(?:^\|.*\n)+", _page(name), re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}
        assert len(cells) == 1, block
        assert max(cells) <= 6, "too wide to be read"


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_no_folder_of_the_machine_that_made_it(name: str) -> None:
    assert not [folder for folder in (ROOT, Path.home()) if f"{folder}/" in _page(name)]


def _default(name: str, field: str) -> str:
    kind: Any = record(name)
    return kind.field_defaults[field] if issubclass(kind, Record) else kind.model_fields[field].default


THINGS = {
    "cli.md": [each.path for each in commands()],
    "exit-codes.md": list(STOPS),
    "faults.md": [fault.name for fault in GALLERY],
    "frames.md": [_default(name, "type") for name in (*TURN_FRAMES, *RUN_FRAMES, *SERVER_FRAMES)],
    "sentinels.md": [_default(name, "kind") for name in SENTINEL_NAMES],
    "settings.md": [f"MULLIGAN_{name.upper()}" for name in setting_names()],
    "tools.md": [spec.name for spec in tool_specs()],
}


@pytest.mark.parametrize("page", THINGS)
def test_every_thing_that_there_is_has_its_place(page: str) -> None:
    assert [name for name in THINGS[page] if f"`{name}`" not in _page(page)] == []


def test_both_sentences_about_repeated_errors_are_there() -> None:
    page = _page("sentinels.md")
    assert "“Hit repeated different errors — recovery guidance injected, continuing.”" in page
    assert "“Repeated errors persisted — stopped the turn.”" in page


HEADINGS = {
    "code": ("`turn_start`", "turn_start"),
    "route": ("POST /api/chats/{chat_id}/continue", "post-apichatschat_idcontinue"),
    "sentence": ("What a project's file may not set", "what-a-projects-file-may-not-set"),
}


@pytest.mark.parametrize(("heading", "expected"), HEADINGS.values(), ids=HEADINGS)
def test_an_anchor_is_what_a_code_host_makes(heading: str, expected: str) -> None:
    assert anchor(heading) == expected


def test_a_tag_in_words_of_the_code_is_seen_and_not_obeyed() -> None:
    assert table(("a",), [("`<b>` and <b>, *.py<br>",)]).splitlines()[-1] == r"| `<b>` and \<b>, \*.py<br> |"


def test_a_table_keeps_bars_in_cells_and_leaves_out_an_empty_column() -> None:
    assert table(("a", "b", "c"), [("`x|y`", "", "two\nlines")]) == "| a | c |\n| --- | --- |\n| `x\\|y` | two lines |"


VALUES = {
    "bounds": ({"type": "integer", "minimum": 1, "maximum": 1000}, "integer (at least 1, at most 1,000)"),
    "text that may be missing": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string or `null`"),
    "one of several": ({"enum": ["a", "b"], "type": "string"}, "`a`, `b`"),
    "list": ({"type": "array", "items": {"type": "string"}, "maxItems": 20}, "list of strings, at most 20"),
    "pair": ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, "[string, integer]"),
    "by name": ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integers"),
    "another object": ({"$ref": "#/components/schemas/Usage"}, "Usage"),
}


@pytest.mark.parametrize(("schema", "expected"), VALUES.values(), ids=VALUES)
def test_a_schema_is_told_in_words(schema: dict[str, object], expected: str) -> None:
    assert value_words(schema) == expected


HELP_TEXTS = {
    "prose": ("One\nline.\n\nAnother.", ["One line.", "Another."]),
    "examples": (
        "\b\nExamples:\n  mulligan ask\n  mulligan fix",
        ["Examples:", "```sh\nmulligan ask\nmulligan fix\n```"],
    ),
    "see also": ("\b\nSee also: mulligan ask", ["See also: [`mulligan ask`](#mulligan-ask)"]),
    "exit codes": (
        "\b\nExit codes:\n  0  done\n  130  aborted",
        ["| exit code | meaning |\n| --- | --- |\n| 0 | done |\n| 130 | aborted |"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), HELP_TEXTS.values(), ids=HELP_TEXTS)
def test_a_help_text_becomes_blocks(text: str, expected: list[str]) -> None:
    assert text_blocks(text) == expected


def test_a_field_without_words_has_those_of_its_named_type() -> None:
    assert meanings(CheckStarted)["note"] == "For a candidate: the change that is tested."
    assert meanings(CheckEnded)["purpose"] == "Why a command was run. `coder`: the model asked for it."
    assert meanings(CheckEnded)["seconds"] == ""


def _page(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _anchors(name: str) -> list[str]:
    prose = re.sub(r"^```.*?^```", "", _page(name), flags=re.MULTILINE | re.DOTALL)
    return [anchor(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)]
