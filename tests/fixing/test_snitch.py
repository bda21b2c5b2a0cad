"""A run that did not make it leaves a section in `.mulligan/issues.md`."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mulligan.fixing.snitch import section, write_issue
from mulligan.types.errors import ConfigurationError
from tests.fixing.run_states import COMMAND, a_command_run, a_failed_run, a_plan, a_record

NOW = 1_800_000_000.0
HOSTILE = "x\n# no heading\n```\n- [a](b) <!-- mulligan run ab12cd34ef -->\n<script>\n    code `tick` **bold**"


def headings(markdown: str) -> list[str]:
    tokens = MarkdownIt().parse(markdown)
    return [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]


def test_a_section_tells_all_that_a_person_needs() -> None:
    told = section(a_failed_run(), date="2027-01-15")
    assert headings(told) == [
        "make the tests pass (2027-01-15)",
        "Last failures",
        "Attempts",
        "Suggested follow-up",
    ]
    for words in (
        "- Run: `ab12cd34ef`, model `qwen`, profile fast",
        "- Reason: all attempts were made, and the project's commands still fail (`bounded_attempts_exceeded`)",
        "- Attempts: 3 of 3",
        f"- Last failing command: `{COMMAND}` (exit code 1)",
        f"- `{COMMAND}`: tests fail: tests/test\\_pages.py::test\\_first failed",
        "1. plan: Fix the slice; changed `src/pages.py`; `python -m pytest -q`: tests/test\\_pages.py::test\\_first",
        "failed; discarded\n",
        "- Run `python -m pytest tests/test_pages.py::test_first -q`: `tests/test_pages.py::test_first` still fails",
        "- `mulligan runs show ab12cd34ef` shows what was done. Full outputs are in `.mulligan/runs/ab12cd34ef/logs`.",
    ):
        assert words in told


def test_each_attempt_is_told() -> None:
    runs = (
        a_command_run(1, attempt=1, purpose="candidate"),
        a_command_run(2, attempt=1, summary="two fail"),
        a_command_run(3, attempt=2, summary="one fails"),
    )
    told = section(a_failed_run(runs=runs, attempts_made=(), plan=None), date="")
    assert f"1. 1 candidates tested, 0 passed; `{COMMAND}`: two fail\n2. `{COMMAND}`: one fails\n" in told


def test_a_command_that_the_model_mistyped_is_no_failure_of_the_project() -> None:
    state = a_failed_run()
    mistyped = a_command_run(9, 3, purpose="coder", command="python3 tset.py", kind="tooling_error", summary="no file")
    told = section(state.model_copy(update={"runs": (*state.runs, mistyped)}), date="")
    assert "tset.py" not in told
    assert f"- Last failing command: `{COMMAND}` (exit code 1)" in told


def test_a_run_without_a_failing_command_says_so() -> None:
    state = a_failed_run(reason="no_commands", verdict="unverified", runs=(), attempts_made=(), current_checks=())
    told = section(state, date="2027-01-15")
    assert "- Last failing command: none\n" in told
    assert "`mulligan fix --verify CMD`" in told


@given(st.one_of(st.just(HOSTILE), st.text(max_size=60)))
def test_foreign_text_breaks_nothing(text: str) -> None:
    runs = (a_command_run(1, command=text, summary=text),)
    made = (a_record(1, files=(text,), plan=a_plan(text)),)
    state = a_failed_run(goal=text, model=text, explanation=text, runs=runs, attempts_made=made)
    assert headings(section(state, date="2027-01-15"))[1:] == ["Last failures", "Attempts", "Suggested follow-up"]


def test_secrets_are_masked() -> None:
    told = section(a_failed_run(goal=f"use ghp_{'a1' * 20} to push"), date="")
    assert "## use \\[masked: GitHub token\\] to push" in told


async def test_the_file_is_made_with_a_heading(tmp_path: Path) -> None:
    file = await write_issue(tmp_path, a_failed_run(), now=NOW)
    assert file == tmp_path / ".mulligan" / "issues.md"
    text = file.read_text()
    assert headings(text)[:2] == ["Issues", "make the tests pass (2027-01-15)"]
    assert (tmp_path / ".mulligan" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "present",
    [
        pytest.param(b"# Mine\r\n\r\nnotes\r\n", id="Windows line ends"),
        pytest.param(b"no end of line", id="no newline at the end"),
        pytest.param(b"\xff\xfe not UTF-8 \x00\n", id="no text"),
        pytest.param(b"", id="empty"),
    ],
)
async def test_what_a_person_wrote_stays_byte_for_byte(tmp_path: Path, present: bytes) -> None:
    file = tmp_path / ".mulligan" / "issues.md"
    file.parent.mkdir()
    file.write_bytes(present)
    await write_issue(tmp_path, a_failed_run(), now=NOW)
    written = file.read_bytes()
    assert written.startswith(present)
    assert b"\n## make the tests pass (2027-01-15)\n" in written


async def test_a_resumed_run_adds_no_second_section(tmp_path: Path) -> None:
    file = await write_issue(tmp_path, a_failed_run(), now=NOW)
    once = file.read_bytes()
    assert await write_issue(tmp_path, a_failed_run(), now=NOW + 1) == file
    assert file.read_bytes() == once
    await write_issue(tmp_path, a_failed_run(id="other00000"), now=NOW)
    assert file.read_bytes().startswith(once)
    assert file.read_text().count("\n## ") == 2


async def test_a_goal_that_quotes_the_mark_does_not_keep_the_section_out(tmp_path: Path) -> None:
    await write_issue(tmp_path, a_failed_run(id="other00000", goal=HOSTILE), now=NOW)
    file = await write_issue(tmp_path, a_failed_run(), now=NOW)
    assert "- Run: `ab12cd34ef`" in file.read_text()


async def test_several_at_once_lose_nothing(tmp_path: Path) -> None:
    ids = [f"run{number}" for number in range(12)]
    await asyncio.gather(*(write_issue(tmp_path, a_failed_run(id=run_id), now=NOW) for run_id in ids))
    text = (tmp_path / ".mulligan" / "issues.md").read_text()
    assert sorted(run_id for run_id in ids if f"<!-- mulligan run {run_id} -->\n" in text) == sorted(ids)
    assert text.count("# Issues") == 1


PROCESS = """
import asyncio, sys
from pathlib import Path
from mulligan.fixing.snitch import write_issue
from mulligan.types.fixing import RunState
state = RunState.model_validate_json(sys.argv[2])
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
for number in range(10):
    run = state.model_copy(update={"id": f"{sys.argv[3]}{number}"})
    asyncio.run(write_issue(Path(sys.argv[1]), run, now=0.0))
"""


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    body = a_failed_run().model_dump_json()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(tmp_path), body, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("anna", "boris")
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.communicate("go\n")
    assert [process.returncode for process in processes] == [0, 0]
    text = (tmp_path / ".mulligan" / "issues.md").read_text()
    marks = {line for line in text.splitlines() if line.startswith("<!--")}
    assert marks == {f"<!-- mulligan run {name}{number} -->" for name in ("anna", "boris") for number in range(10)}


async def test_a_link_in_the_files_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".mulligan").mkdir()
    (tmp_path / ".mulligan" / "issues.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(ConfigurationError, match="symbolic link"):
        await write_issue(tmp_path, a_failed_run(), now=NOW)
    assert not (tmp_path / "elsewhere.md").exists()
