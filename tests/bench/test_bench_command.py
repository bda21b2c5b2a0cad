"""`python -m bench`: what is run, printed and kept, and the exit code."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.harness import environ_with, run_measured
from bench.results import Bench, BenchFailed, Version, Yielded
from bench.running import run
from bench.stored import from_json
from tests.bench.results_made_up import FAST, ROWS, SLOW, bench_of


def failing(_asked: Namespace) -> Iterator[Yielded]:
    yield FAST
    raise BenchFailed("nobody answers")


BROKEN = Bench("broken", "Broken", "It breaks.", failing)


@pytest.mark.parametrize(
    ("benches", "code"),
    [
        pytest.param([bench_of("a", FAST, ROWS), bench_of("b", FAST)], 0, id="all hold"),
        pytest.param([bench_of("a", SLOW), bench_of("b", FAST)], 1, id="a bound is missed"),
        pytest.param([BROKEN, bench_of("b", FAST)], 1, id="a bench fails"),
    ],
)
def test_the_exit_code_says_whether_all_holds_and_the_last_bench_is_run_in_any_case(
    benches: list[Bench], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(benches, (), order=(), into=None, as_json=False) == code
    assert "## The b\n" in capsys.readouterr().out


def test_progress_and_missed_bounds_go_to_stderr_and_json_alone_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    run([bench_of("a", FAST, SLOW, Version("model", "small"))], (), order=(), into=None, as_json=True)
    out, err = capsys.readouterr()
    (kept,) = json.loads(out)
    assert [figure["name"] for figure in kept["figures"]] == ["first request", "gap"]
    assert kept["versions"]["model"] == "small"
    assert kept["machine"]["cores"] >= 1
    assert err == "a: The a\nbound missed: a: gap\n"


def test_results_are_merged_into_a_file_where_a_bench_that_failed_leaves_its_earlier_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, order = tmp_path / "results.json", ("a", "broken", "b")
    run([bench_of("b", FAST), bench_of("broken", FAST)], (), order=order, into=file, as_json=False)
    run([bench_of("a", SLOW), BROKEN], (), order=order, into=file, as_json=False)
    kept = from_json(file.read_text())
    assert [(result.bench, result.figures[0].name) for result in kept] == [
        ("a", "gap"), ("broken", "first request"), ("b", "first request"),
    ]  # fmt: skip
    assert "broken failed: nobody answers" in capsys.readouterr().err


def test_options_after_a_name_are_those_of_that_bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    assert main(["edits", "--kind", "trailing spaces", "--count", "3", "--into", str(file)]) == 0
    (kept,) = from_json(file.read_text())
    assert kept.arguments == ("--kind", "trailing spaces", "--count", "3")
    assert capsys.readouterr().out.startswith("## Edits that drifted\n")
    assert main(["report", str(file)]) == 0
    assert "### Each kind of drift: 3 edits" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["nonsense"], "there is no bench nonsense", id="an unknown bench"),
        pytest.param(
            ["edits", "server", "--seed", "3"], "--seed is an option of a single bench", id="options of which?"
        ),
        pytest.param(["compaction", "--seed", "3"], "unrecognized arguments: --seed 3", id="an unknown option"),
    ],
)
def test_a_command_line_that_means_nothing_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_code:
        main(words)
    assert exit_code.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["--help"], "The code index", id="of all"),
        pytest.param(["edits", "--help"], "another seed is another corpus", id="of one"),
    ],
)
def test_help_is_of_the_bench_that_is_named(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 0
    assert said in capsys.readouterr().out


def test_a_commands_peak_memory_is_its_own_and_not_that_of_whoever_started_it(tmp_path: Path) -> None:
    held = b"x" * 150_000_000
    small = run_measured([sys.executable, "-I", "-S", "-c", "pass"], home=tmp_path)
    large = run_measured([sys.executable, "-I", "-S", "-c", "b'x' * 150_000_000"], home=tmp_path)
    assert small.peak_mb < len(held) / 2**20 / 2 < large.peak_mb
    assert (small.exit_code, small.frames, small.stderr) == (0, [], "")


def test_what_a_bench_sets_in_the_environment_is_gone_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCH_KEPT", "as it was")
    with environ_with(BENCH_KEPT="other", BENCH_NEW="1"):
        assert (os.environ["BENCH_KEPT"], os.environ["BENCH_NEW"]) == ("other", "1")
    assert os.environ["BENCH_KEPT"] == "as it was"
    assert "BENCH_NEW" not in os.environ
