"""Which files a question is about."""

import re
from collections.abc import Mapping

import pytest

from mulligan.core.retrieval.files import TermHits, candidate_files, term_rarity
from mulligan.core.retrieval.kinds import asks_for_overview, is_worth_reading
from mulligan.core.retrieval.terms import Term, read_question

PROJECT: Mapping[str, str] = {
    "README.md": "A shop. Run it with `shop serve`.",
    "LICENSE": "MIT License",
    "CHANGELOG.md": "- the discount is rounded",
    "pyproject.toml": 'dependencies = ["flask"]',
    "shop/price.py": "def discount(total):\n    return total * RATE",
    "shop/basket.py": "from shop.price import discount\n\ntotal = discount(3)",
    "shop/mail.py": "def send(total): ...",
    "tests/test_price.py": "def test_discount():\n    assert discount(100) == 10\n    assert discount(0) == 0",
}


def search(term: Term, files: Mapping[str, str]) -> TermHits:
    pattern = re.compile(term.pattern, re.IGNORECASE)
    lines = {path: [line for line in text.split("\n") if pattern.search(line)] for path, text in files.items()}
    found = {path: matching for path, matching in lines.items() if matching}
    return TermHits(len(found), found)


def candidates(question: str, files: Mapping[str, str] = PROJECT) -> list[str]:
    asked = read_question(question)
    hits = {term: search(term, files) for term in asked.terms}
    return candidate_files(asked, list(files), hits, term_rarity(hits, len(files)))


@pytest.mark.parametrize(
    ("question", "best"),
    [
        pytest.param("how is the discount computed?", "shop/price.py", id="where it is defined, not where it is used"),
        pytest.param("what does the discount test check?", "tests/test_price.py", id="tests if they are asked for"),
        pytest.param("which licence?", "LICENSE", id="the licence"),
        pytest.param("which packages does it depend on?", "pyproject.toml", id="dependencies"),
        pytest.param("how do I run it?", "README.md", id="how to run"),
        pytest.param("what is in mail.py?", "shop/mail.py", id="a file that is named"),
        pytest.param("what is in shop/basket.py?", "shop/basket.py", id="a path that is named"),
        pytest.param("what does the basket do?", "shop/basket.py", id="a word of the path"),
    ],
)
def test_the_best_file_comes_first(question: str, best: str) -> None:
    assert candidates(question)[0] == best


def test_a_path_that_says_everything_the_question_says_comes_first() -> None:
    files = {
        "loop/turn.py": "def run(): ...",
        "core/repetition.py": "def detect_loop(turn):\n    # a loop within a turn\n    return loop(turn)",
        "loop/open_turn.py": "turn = open_turn(loop)",
    }
    assert candidates("where is the turn loop?", files)[0] == "loop/turn.py"


def test_tests_and_histories_come_after_sources() -> None:
    found = candidates("how is the discount computed?")
    assert found.index("shop/basket.py") < found.index("tests/test_price.py")
    assert found.index("shop/basket.py") < found.index("CHANGELOG.md")


def test_how_to_run_the_tests_is_not_in_the_tests() -> None:
    assert candidates("how do I run the tests?")[0] == "README.md"


def test_how_long_a_build_takes_is_not_how_to_build() -> None:
    assert candidates("how long does a build discount?")[0] == "shop/price.py"


def test_a_rare_term_tells_more_than_a_common_one() -> None:
    common = {f"common_{n}.py": "total = 1\ntotal = 2" for n in range(9)}
    assert candidates("how is total rounded?", {**common, "z.py": "rounded"})[0] == "z.py"


def test_without_evidence_there_are_no_candidates() -> None:
    assert candidates("where are the elephants?") == []


@pytest.mark.parametrize(
    ("question", "overview"),
    [
        pytest.param("what is in this project?", True, id="what is in it"),
        pytest.param("Give me an overview of the codebase", True, id="overview"),
        pytest.param("What is the purpose of this library?", True, id="purpose"),
        pytest.param("???", True, id="no words"),
        pytest.param("what is the highest fine in the library?", False, id="about something in it"),
        pytest.param("which packages does this project depend on?", False, id="dependencies"),
    ],
)
def test_questions_on_the_project_as_a_whole_are_recognised(question: str, overview: bool) -> None:
    assert asks_for_overview(read_question(question)) is overview


@pytest.mark.parametrize(
    ("path", "worth"),
    [
        ("src/a.py", True),
        ("docs/build.md", True),
        ("package.json", True),
        ("package-lock.json", False),
        ("web/dist/app.js", False),
        ("app.min.js", False),
        ("uv.lock", False),
        ("api/service_pb2.py", False),
        ("logo.svg", False),
    ],
)
def test_generated_and_locked_files_are_left_out(path: str, worth: bool) -> None:
    assert is_worth_reading(path) is worth
