"""`mulligan drill`, as a user runs it."""

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from mulligan.drill.gallery import GALLERY
from tests.e2e.command import MULLIGAN, Command
from tests.patience import PATIENCE

PRETENDING_GIT = """#!/bin/sh
case "$(env)" in
  *=core.hooksPath*) exec 3> {fifo}; echo begun >&3; exec sleep 600 ;;  # as Mulligan calls it
  *) exec {git} "$@" ;;
esac
"""


def test_a_fault_is_played_shown_and_leaves_nothing_behind(mulligan: Command, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    done = mulligan("drill", "--only", "same-call", env={"TMPDIR": str(folder)})
    assert done.code == 0, done.stdout + done.stderr
    first, blank, summary = done.stdout.splitlines()
    assert first.startswith("holds   same-call  the same call for ever → ")
    assert blank == ""
    assert summary.startswith("1 of 1 fault held · 4 requests · ")
    assert list(folder.iterdir()) == []
    assert not mulligan.home.exists()


def test_faults_are_listed_without_being_played(mulligan: Command) -> None:
    done = mulligan("drill", "--list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["name", *(fault.name for fault in GALLERY)]


def test_a_list_for_programs_is_one_object_a_line(mulligan: Command) -> None:
    done = mulligan("drill", "--list", "--json", "--only", "same-call")
    assert done.frames == [{"name": "same-call", "group": "loops", "title": "the same call for ever"}]


def test_an_unknown_fault_is_refused_with_the_nearest_name(mulligan: Command) -> None:
    done = mulligan("drill", "--only", "same-cal")
    assert (done.code, done.stdout) == (2, "")
    assert "similar: same-call" in done.stderr


def test_without_git_it_says_so_before_it_starts(mulligan: Command, tmp_path: Path) -> None:
    done = mulligan("drill", env={"PATH": str(tmp_path)})
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("mulligan: the drill needs git")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_stopped_it_leaves_with_130_and_no_process_or_folder_is_left(
    number: signal.Signals, mulligan: Command, tmp_path: Path
) -> None:
    """A command of the drill is stopped while a process of its own, in a group of its own, would go on."""
    folder, programs, fifo = tmp_path / "temporary", tmp_path / "programs", tmp_path / "begun"
    folder.mkdir()
    programs.mkdir()
    os.mkfifo(fifo)
    git = programs / "git"
    git.write_text(PRETENDING_GIT.format(fifo=fifo, git=shutil.which("git")), encoding="utf-8")
    git.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    drill = subprocess.Popen(
        [MULLIGAN, "drill", "--only", "failing-edits"],
        env=mulligan.environ({"TMPDIR": str(folder), "PATH": path}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with fifo.open("rb", buffering=0) as held:
        assert held.readline() == b"begun\n"
        drill.send_signal(number)
        out, err = drill.communicate(timeout=PATIENCE)
        # It can be read once nobody holds the other end any more.
        gone, _, _ = select.select([held], [], [], PATIENCE)
        assert gone
    assert (drill.returncode, out, err) == (130, "", "Stopped after 0 of 1 fault.\n")
    assert list(folder.iterdir()) == []
