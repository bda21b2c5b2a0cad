"""The second corpus of drifted edits: made from a seed, with one truth a case."""

import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bench.edits.corpus import Example
from bench.edits.judging import judged
from bench.edits.second.cases import Family, case, cases, families
from bench.edits.second.texts import SAMPLES, texts

ROUNDS = 4
SHOULD_APPLY = [family for family in families() if family.expects == "applied"]
MUST_REFUSE = [family for family in families() if family.expects == "refused"]

STANDS_IN_THE_FILE = (
    "as it stands", "fences of the file's own", "first line at the margin", "part of a line", "stands twice",
    "in both siblings", "too short", "part of a line that stands twice",
)  # fmt: skip
"""Families whose old text is the file's own, letter for letter."""


def named(family: Family) -> str:
    return family.name


def drawn(family: Family) -> list[Example]:
    return [case(family, 5, number) for number in range(ROUNDS)]


def test_every_family_occurs_equally_often() -> None:
    names = Counter(family.name for family, _ in cases(3, 2 * len(families())))
    assert names == {family.name: 2 for family in families()}


def test_every_case_bears_its_familys_name_and_expectation() -> None:
    assert all((each.kind, each.expects) == (family.name, family.expects) for family, each in cases(4, len(families())))


@pytest.mark.parametrize("family", families(), ids=named)
def test_the_same_seed_gives_the_same_case_and_another_seed_another(family: Family) -> None:
    assert case(family, 11, 0) == case(family, 11, 0)
    assert case(family, 11, 0) != case(family, 12, 0)


def test_another_process_draws_the_same_corpus() -> None:
    program = (
        "import hashlib; from bench.edits.second.cases import cases; "
        "print(hashlib.sha256(repr([edit for _, edit in cases(3, 60)]).encode()).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
        env={"PYTHONHASHSEED": "7"},
    ).stdout.strip()  # fmt: skip
    here = repr([edit for _, edit in cases(3, 60)]).encode()
    assert other == hashlib.sha256(here).hexdigest()


@pytest.mark.parametrize("family", SHOULD_APPLY, ids=named)
def test_the_truth_changes_the_file_within_the_span_alone(family: Family) -> None:
    for each in drawn(family):
        assert each.expected != each.content
        assert judged(each, each.expected) == "right"
        for text in (each.content, each.expected):
            assert text.startswith(each.above)
            assert text[len(each.above) :].endswith(each.below)


@pytest.mark.parametrize("family", MUST_REFUSE, ids=named)
def test_what_must_be_refused_expects_the_file_as_it_is(family: Family) -> None:
    for each in drawn(family):
        assert each.expected == each.content
        assert judged(each, None) == "right"
        assert judged(each, each.content.replace(each.old, each.new) + "\n") == "wrong"


@pytest.mark.parametrize("family", families(), ids=named)
def test_the_old_text_stands_in_the_file_only_where_the_family_says_so(family: Family) -> None:
    drifted = [each.old.rstrip("\n") not in each.content for each in drawn(family)]
    assert not any(drifted) if family.name in STANDS_IN_THE_FILE else any(drifted)


@pytest.mark.parametrize("name", ["as it stands", "part of a line", "first line at the margin"])
def test_where_the_old_text_stands_once_replacing_it_is_the_truth(name: str) -> None:
    family = next(family for family in families() if family.name == name)
    for each in drawn(family):
        assert each.content.count(each.old) == 1
        assert each.content.replace(each.old, each.new) == each.expected


@pytest.mark.parametrize("name", ["stands twice", "in both siblings", "part of a line that stands twice"])
def test_what_stands_twice_does(name: str) -> None:
    family = next(family for family in families() if family.name == name)
    assert all(each.content.count(each.old) > 1 for each in drawn(family))


def test_every_sample_is_read() -> None:
    names = {text.name for of_language in texts().values() for text in of_language}
    assert {path.name for path in SAMPLES.iterdir()} <= names
