import json
from pathlib import Path

import pytest

from mulligan.runtime.log import ROTATE_AT, JsonLog


def test_a_line_is_one_json_object_with_the_error_in_full(tmp_path: Path) -> None:
    log = JsonLog(tmp_path / "logs" / "m.log")
    with pytest.raises(ZeroDivisionError) as raised:
        _ = 1 / 0
    log("tool_crashed", tool="grep", error=raised.value)
    (line,) = log.file.read_text().splitlines()
    entry = json.loads(line)
    assert (entry["event"], entry["tool"]) == ("tool_crashed", "grep")
    assert "Traceback" in entry["error"]


def test_a_full_log_is_put_aside_and_a_new_one_begun(tmp_path: Path) -> None:
    log = JsonLog(tmp_path / "m.log")
    log.file.write_text("x" * (ROTATE_AT + 1))
    log("one")
    assert len(log.file.read_text().splitlines()) == 1
    assert log.file.with_suffix(".old.log").stat().st_size == ROTATE_AT + 1


def test_a_log_that_can_not_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    JsonLog(tmp_path / "file" / "m.log")("one")
    assert (tmp_path / "file").read_text() == ""
