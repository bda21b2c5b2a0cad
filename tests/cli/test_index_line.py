import pytest

from mulligan.cli.views.index_line import IndexLine
from mulligan.types.codecontext import IndexProgress


def test_without_a_terminal_every_tenth_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = IndexLine()
    for read in range(0, 2_001, 50):
        line.show(IndexProgress(read, 2_000))
    line.show(IndexProgress())
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[:2] == [
        "Reading the project: 200 of 2,000 files",
        "Reading the project: 400 of 2,000 files",
    ]
    assert len(told.err.splitlines()) == 10


def test_in_a_terminal_it_is_one_line_that_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    line = IndexLine()
    line.show(IndexProgress(5, 2_000))
    line.show(IndexProgress(7, 2_000))
    line.show(IndexProgress())
    assert capsys.readouterr().err == (
        "\rReading the project: 5 of 2,000 files\x1b[K\rReading the project: 7 of 2,000 files\x1b[K\r\x1b[K"
    )
