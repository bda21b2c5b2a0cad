"""The drift corpus: made from a seed, fair, and judged strictly."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.edits.baselines import exact
from bench.edits.corpus import Example, example
from bench.edits.drifts import Kind, kinds
from bench.edits.judging import judged, tried
from bench.edits.sources import sources

SHOULD_APPLY = [kind for kind in kinds() if kind.expects == "applied"]
MUST_REFUSE = [kind for kind in kinds() if kind.expects != "applied"]

EXAMPLE = Example(
    kind="none",
    source="python a.py",
    expects="applied",
    content="a = 1\nif a:\n    b = 2\nc = 3\n",
    old="if a:\n    b = 2",
    new="if a:\n    b = 4",
    expected="a = 1\nif a:\n    b = 4\nc = 3\n",
    above="a = 1\n",
    below="c = 3\n",
)


def named(kind: Kind) -> str:
    return kind.name


def test_there_are_as_many_ways_and_languages_as_the_corpus_promises() -> None:
    assert len(SHOULD_APPLY) >= 25
    assert len(MUST_REFUSE) >= 8
    assert len(sources()) >= 6
    assert len({kind.name for kind in kinds()}) == len(kinds())


@pytest.mark.parametrize("kind", kinds(), ids=named)
def test_the_same_seed_gives_the_same_example(kind: Kind) -> None:
    assert example(kind, 11, 0) == example(kind, 11, 0)
    assert example(kind, 11, 0) != example(kind, 12, 0)


def test_another_process_draws_the_same_corpus() -> None:
    program = (
        "import hashlib; from bench.edits.corpus import example; from bench.edits.drifts import kinds; "
        "print(hashlib.sha256(repr([example(kind, 3, 0) for kind in kinds()]).encode()).hexdigest())"
    )
    root = Path(__file__).parents[2]
    digests = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root,
            env={"PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("1", "2")
    }  # fmt: skip
    assert len(digests) == 1


@pytest.mark.parametrize("kind", SHOULD_APPLY, ids=named)
def test_what_is_expected_lies_in_the_span_alone(kind: Kind) -> None:
    for number in range(5):
        edit = example(kind, 1, number)
        assert edit.content.startswith(edit.above)
        assert edit.content.endswith(edit.below)
        assert edit.expected.startswith(edit.above)
        assert edit.expected.endswith(edit.below)
        assert edit.expected != edit.content


@pytest.mark.parametrize("kind", MUST_REFUSE, ids=named)
def test_nothing_is_expected_of_an_edit_that_must_be_refused(kind: Kind) -> None:
    edit = example(kind, 1, 0)
    assert edit.expected == edit.content
    assert judged(edit, None) == "right"
    assert judged(edit, edit.content + "more\n") == "wrong"


def test_an_edit_without_drift_is_applied_by_plain_replacing() -> None:
    outcomes = [tried(exact, example(kinds()[0], 1, number)) for number in range(20)]
    assert all(outcome.exact for outcome in outcomes)


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        pytest.param("a = 1\nif a:\n    b = 4\nc = 3\n", "right", id="to the byte"),
        pytest.param("a = 1\nif a:  \n\n    b =  4\nc = 3\n", "right", id="blank lines and spaces at line ends"),
        pytest.param(None, "refused", id="refused"),
        pytest.param("a = 1\nif a:\n  b = 4\nc = 3\n", "wrong", id="other indentation"),
        pytest.param("a = 1\nif a:\n\tb = 4\nc = 3\n", "wrong", id="tabs for spaces"),
        pytest.param("a = 1\nif a:\n    b = 2\nc = 3\n", "wrong", id="not changed"),
        pytest.param("a = 1\nif a:\n    b = 4c = 3\n", "wrong", id="stuck to the next line"),
        pytest.param("a = 1 \nif a:\n    b = 4\nc = 3\n", "wrong", id="a space outside the span"),
        pytest.param("a = 1\nif a:\n    b = 4\n    b = 4\nc = 3\n", "wrong", id="a line twice"),
    ],
)
def test_right_means_the_same_tokens_at_the_same_depth_and_nothing_else_touched(
    result: str | None, verdict: str
) -> None:
    assert judged(EXAMPLE, result) == verdict


def test_returning_the_file_as_it_is_counts_only_where_there_is_nothing_to_do() -> None:
    assert judged(replace(EXAMPLE, expects="unchanged"), EXAMPLE.content) == "right"
    assert judged(replace(EXAMPLE, expects="refused"), EXAMPLE.content) == "wrong"
