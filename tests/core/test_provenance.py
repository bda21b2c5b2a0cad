"""The ledger: what was read and changed, never lost and never made up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan.core.provenance import Ledger, ledger_of, show_ledger, split_ledger, write_ledger
from mulligan.types.messages import Part, Synthesis, ToolCallPart, ToolResultPart
from mulligan.types.tool_calls import FailureKind


def call(
    name: str, arguments: dict[str, Any], content: str = "ok", failure: FailureKind | None = None, call_id: str = "1"
) -> tuple[Part, Part]:
    return (
        ToolCallPart(call_id=call_id, name=name, arguments=arguments),
        ToolResultPart(call_id=call_id, name=name, content=content, failure=failure),
    )


def returned(
    name: str, *, read: tuple[str, ...] = (), changed: tuple[str, ...] = (), failure: FailureKind | None = None
) -> Part:
    return ToolResultPart(call_id="1", name=name, content="ok", failure=failure, read=read, changed=changed)


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        pytest.param(call("view_file", {"path": "src/a.py"}), {"src/a.py"}, id="a file that was viewed"),
        pytest.param(call("grep", {"pattern": "x", "path": "src"}), {"src"}, id="a folder that was searched"),
        pytest.param(
            call("find_files", {"pattern": "*.py", "path": "lib/"}), {"lib"}, id="a folder that was looked in"
        ),
        pytest.param(call("list_dir", {"path": "./docs"}), {"docs"}, id="a folder that was listed"),
        pytest.param(call("grep", {"pattern": "x"}), set[str](), id="a search without a path"),
        pytest.param(call("list_dir", {"path": "."}), set[str](), id="the project itself"),
        pytest.param(call("view_file", {"path": "no.py"}, failure="exec_error"), set[str](), id="a call that failed"),
        pytest.param(call("view_file", {"path": "a.py"})[:1], set[str](), id="a call without a result"),
        pytest.param(call("run_command", {"path": "a.py"}), set[str](), id="a tool that does not read"),
        pytest.param(call("view_file", {"path": ["a.py"]}), set[str](), id="a path that is no text"),
        pytest.param(
            call("view_file", {"path": "./app.py:12"}, "app.py (lines 1-9 of 9)\n1: x"), {"app.py"}, id="a line number"
        ),
        pytest.param(
            call("view_file", {"path": "/work/p/app.py"}, "app.py is empty (0 lines)."), {"app.py"}, id="an empty file"
        ),
        pytest.param(
            call("view_file", {"path": "a.md"}, "its first line (lines 1-2 of 3)"), {"a.md"}, id="a misleading line"
        ),
        pytest.param(call("view_file", {"path": "a\nb.py"}), {"a\N{REPLACEMENT CHARACTER}b.py"}, id="a line break"),
        pytest.param(
            (*call("view_file", {"path": "a.py"}), *call("view_file", {"path": "b.py"}, failure="exec_error")),
            {"a.py"},
            id="an id that was used again",
        ),
        pytest.param(
            (*call("grep", {"pattern": "x", "path": "src"})[:1], returned("grep", read=("src/a.py", "src/b.py"))),
            {"src", "src/a.py", "src/b.py"},
            id="files of which a search showed lines",
        ),
        pytest.param((returned("get_file_analysis", read=("a.py",)),), {"a.py"}, id="a file that was analysed"),
        pytest.param((Synthesis(tool="t", files=("a.py", "./b.py")),), {"a.py", "b.py"}, id="files of a synthesis"),
    ],
)
def test_what_counts_as_read(parts: tuple[Part, ...], read: set[str]) -> None:
    assert ledger_of(parts) == Ledger(read=frozenset(read))


@pytest.mark.parametrize("tool", ["edit_file", "create_file", "delete_file"])
def test_what_counts_as_modified(tool: str) -> None:
    parts = (*call(tool, {"path": "a.py"}), *call(tool, {"path": "b.py"}, failure="exec_error"))
    assert ledger_of(parts) == Ledger(modified=frozenset({"a.py"}))


@pytest.mark.parametrize("failure", [None, "exec_error"])
def test_what_a_command_changed_counts_as_modified_though_it_failed(failure: FailureKind | None) -> None:
    parts = [returned("run_command", changed=("a.py", "b\nc"), failure=failure)]
    assert ledger_of(parts) == Ledger(modified=frozenset({"a.py", "b\N{REPLACEMENT CHARACTER}c"}))


def test_the_lists_are_sorted_and_modified_files_are_listed_only_if_there_are_any() -> None:
    assert write_ledger(Ledger(frozenset({"b.py", "a.py"}))) == "## Files Read\n- a.py\n- b.py"
    both = Ledger(frozenset({"a.py"}), frozenset({"c.py"}))
    assert write_ledger(both) == "## Files Read\n- a.py\n\n## Files Modified\n- c.py"


PATHS = st.frozensets(st.text(min_size=1, max_size=30), max_size=20)


@given(PATHS, PATHS, st.text() | st.just("## Files Read\n- made/up.py\n"))
def test_what_is_written_is_read_back_whatever_stands_before_it(
    read: frozenset[str], modified: frozenset[str], body: str
) -> None:
    calls = [part for path in read for part in call("view_file", {"path": path})]
    calls += [part for path in modified for part in call("edit_file", {"path": path})]
    calls += [returned("grep", read=(*read, *modified)), returned("run_command", changed=(*modified,))]
    ledger = ledger_of(calls)
    assert split_ledger(f"{body}\n\n{write_ledger(ledger)}")[1] == ledger


def test_a_list_that_fits_is_shown_whole() -> None:
    ledger = Ledger(frozenset({"a.py", "b.py"}))
    assert show_ledger(ledger, 100) == write_ledger(ledger)


def test_a_list_that_is_too_long_is_shown_as_folders_with_counts() -> None:
    paths = {f"src/core/module_{n}.py" for n in range(30)} | {f"src/loop/module_{n}.py" for n in range(9)} | {"a.py"}
    assert show_ledger(Ledger(frozenset(paths)), 200).split("\n") == [
        "## Files Read",
        "- ./ (1 file)",
        "- src/core/ (30 files)",
        "- src/loop/ (9 files)",
    ]
    assert show_ledger(Ledger(frozenset(paths)), 50).split("\n") == [
        "## Files Read",
        "- ./ (1 file)",
        "- src/ (39 files)",
    ]
    assert show_ledger(Ledger(frozenset(paths)), 10).split("\n") == ["## Files Read", "- 40 files"]


@given(st.frozensets(st.text("ab/", min_size=1, max_size=12), min_size=1), st.integers(60, 400))
def test_a_folded_list_counts_every_file(paths: frozenset[str], room: int) -> None:
    ledger = ledger_of(part for path in paths for part in call("view_file", {"path": path}))
    shown = show_ledger(ledger, room)
    assert len(shown) <= room
    if "file" in shown.removeprefix("## Files Read"):
        counts = [int(line.rpartition("(")[2].removeprefix("- ").split()[0]) for line in shown.split("\n")[1:]]
        assert sum(counts) == len(ledger.read)
