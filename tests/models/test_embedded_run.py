"""What is read out of the files of an embedded server."""

from pathlib import Path

import pytest

from mulligan.models.embedded.run_files import (
    STARTING,
    ServerFiles,
    find_running,
    is_alive,
    last_error_line,
    lock_holder,
    log_of,
)

LOADING = """0.00.001.000 I srv start: binding port
0.00.005.327 E gguf_init_from_reader: invalid magic characters: 'hell', expected 'GGUF'
0.00.005.414 E llama_model_load: error loading model
0.00.005.742 E srv init: exiting due to model loading error
mulligan: llama.cpp could not load it
"""
SERVING = "mulligan: ready on port 4711, 8192 tokens of context\n"


@pytest.mark.parametrize(
    ("log", "line"),
    [
        pytest.param("", "", id="nothing was written"),
        pytest.param("one\ntwo\n", "two", id="no trouble: the last line"),
        pytest.param(
            LOADING,
            "gguf_init_from_reader: invalid magic characters: 'hell', expected 'GGUF'",
            id="a failed load: the first trouble",
        ),
        pytest.param("mulligan: not enough memory: close something\n", "not enough memory: close something", id="ours"),
        pytest.param(
            "Traceback (most recent call last):\n  File x\nOSError: no room\n", "OSError: no room", id="traceback"
        ),
        pytest.param(
            f"0.1 E harmless\n{SERVING}0.2 I slot: processing\n", "slot: processing", id="killed: not what was before"
        ),
        pytest.param(
            f"{SERVING}0.2 E first\nGGML_ASSERT(n > 0) failed\n[New LWP 1]\n",
            "GGML_ASSERT(n > 0) failed",
            id="a crash: the last trouble",
        ),
        pytest.param(SERVING, "", id="nothing since it was ready"),
    ],
)
def test_the_line_that_says_what_went_wrong(log: str, line: str) -> None:
    assert last_error_line(log) == line


@pytest.fixture
def places(tmp_path: Path) -> ServerFiles:
    made = ServerFiles(tmp_path, "tiny")
    made.make_folders()
    return made


def test_only_the_end_of_a_long_log_is_read(places: ServerFiles) -> None:
    places.log.write_text("x" * 1_000_000 + "the end", encoding="utf-8")
    assert len(log_of(places, None)) < 100_000
    assert log_of(places, None).endswith("the end")


@pytest.mark.parametrize(
    ("pid", "text"),
    [
        pytest.param(None, "third\n", id="the last that was started"),
        pytest.param(12, "second\n", id="the one that is asked for"),
        pytest.param(99, "third\n", id="one that wrote nothing: the last"),
    ],
)
def test_a_log_tells_one_life_of_a_server(places: ServerFiles, pid: int | None, text: str) -> None:
    lives = ((1, "first"), (12, "second"), (123, "third"))
    places.log.write_text("".join(f"{STARTING} {number}\n{line}\n" for number, line in lives), encoding="utf-8")
    assert log_of(places, pid) == text


@pytest.mark.parametrize(
    "written",
    [
        pytest.param('{"id": "a", "port": 1}', id="of another version"),
        pytest.param('{"id": ', id="damaged"),
        pytest.param("[]", id="no object"),
    ],
)
def test_a_run_file_that_nobody_holds_is_not_believed(places: ServerFiles, written: str) -> None:
    places.run.write_text(written, encoding="utf-8")
    assert find_running(places) is None


def test_a_lock_file_that_nobody_holds_means_that_nobody_runs(places: ServerFiles) -> None:
    places.lock.write_text("1", encoding="ascii")
    assert not is_alive(places)
    assert lock_holder(places) is None
