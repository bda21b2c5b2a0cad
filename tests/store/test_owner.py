"""Whether the process that owns a message is still there."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mulligan.store import process_owner as owner_module
from mulligan.store.process_owner import GONE, SILENT, STALE_AFTER, Owner, is_running, this_process, why_given_up

ME = this_process()
OTHER_START = replace(ME, started="another boot/1")


def test_this_process_runs() -> None:
    assert ME.pid == os.getpid()
    assert is_running(ME)


def test_an_owner_comes_back_from_its_json() -> None:
    assert Owner.from_json(ME.to_json()) == ME


def test_fields_of_a_newer_program_are_passed_over() -> None:
    assert Owner.from_json('{"host": "h", "pid": 7, "started": null, "mood": 1}') == Owner("h", 7, None)


@pytest.mark.parametrize("without_proc", [False, True], ids=["with /proc", "without /proc"])
def test_a_process_that_ended_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_proc: bool) -> None:
    if without_proc:
        monkeypatch.setattr(owner_module, "PROC", tmp_path)
    assert is_running(this_process())
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    assert not is_running(Owner(host=ME.host, pid=child.pid, started=None))
    assert not is_running(Owner(host=ME.host, pid=child.pid, started=ME.started))


@pytest.mark.parametrize(
    ("owner", "silence", "verdict"),
    [
        pytest.param(ME, 0.0, None, id="alive and writing"),
        pytest.param(ME, STALE_AFTER - 0.1, None, id="alive and quiet"),
        pytest.param(ME, STALE_AFTER, SILENT, id="alive and silent for too long"),
        pytest.param(OTHER_START, 0.0, GONE, id="its pid was given to another process"),
        pytest.param(OTHER_START, STALE_AFTER, GONE, id="gone and silent"),
        pytest.param(replace(OTHER_START, host="elsewhere"), 0.0, None, id="on another host"),
        pytest.param(replace(ME, host="elsewhere"), STALE_AFTER, SILENT, id="on another host and silent"),
        pytest.param(ME, -60.0, None, id="its clock is ahead of ours"),
        pytest.param(replace(ME, started=None), 0.0, None, id="its start was not known"),
    ],
)
def test_an_owner_is_given_up_when(owner: Owner, silence: float, verdict: str | None) -> None:
    assert why_given_up(owner, silence=silence, host=ME.host) == verdict
