"""Whatever a command prints, it is read: nothing raises, and everything is bounded."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.core.failures import classify_failure, locations_in, read_report, summarize_failure
from tests.core.failures.recorded import recorded
from tests.examples import examples

COMMANDS = st.sampled_from(["pytest", "npm test", "make", "ruff check", "python a.py", "./x", "go test", "cargo test"])
EXIT_CODES = st.none() | st.integers(-64, 256)
PIECES = sorted({line for case in recorded() for line in case.text.split("\n")})
TEXTS = st.text() | st.lists(st.sampled_from(PIECES) | st.text(max_size=30), max_size=40).map("\n".join)


@given(command=COMMANDS | st.text(), exit_code=EXIT_CODES, stdout=TEXTS, stderr=TEXTS)
@settings(max_examples=examples(300), deadline=None)
def test_any_output_is_read(command: str, exit_code: int | None, stdout: str, stderr: str) -> None:
    kind = classify_failure(command, exit_code, stdout + stderr)
    summary = summarize_failure(command, exit_code, stdout, stderr)
    report = read_report(command, exit_code, stdout, stderr)

    assert kind in ("test_failure", "lint_failure", "runtime_error", "tooling_error", "unknown")
    assert "\n" not in summary
    assert len(summary) <= 160
    assert (summary != "") == (exit_code != 0)
    assert all(test.id and test.name and "\n" not in test.id + test.message for test in report.failing)
    assert all(len(test.detail) <= 1_500 for test in report.failing)


@given(text=TEXTS)
@settings(max_examples=examples(200), deadline=None)
def test_places_in_any_text_are_files_with_lines_and_stand_once(text: str) -> None:
    places = locations_in(text)

    assert len(set(places)) == len(places)
    assert all(place.path and place.line >= 0 for place in places)


def test_a_megabyte_of_every_recorded_line_is_read() -> None:
    lines = [line for line in PIECES if line.strip()]
    text = "\n".join(lines * (1_000_000 // sum(map(len, lines)) + 1))

    assert classify_failure("make test", 2, text) == "test_failure"
    assert summarize_failure("make test", 2, text, "") != ""
    assert read_report("make test", 2, text, "").failing
    assert locations_in(text)
