"""The questions of `bench synthesis`: written so that they measure something."""

from collections import Counter
from pathlib import Path

from bench.synthesis import SOURCES, flow_questions, package_folder

HERE = Path(__file__).resolve().parents[2]


def test_half_of_the_questions_are_held_out_and_no_project_is_in_both_halves() -> None:
    questions = flow_questions()
    assert Counter(each.set for each in questions) == {"tuned": 10, "held out": 10}
    assert set(Counter(each.project for each in questions).values()) == {5}
    assert len({(each.project, each.set) for each in questions}) == 4


def test_every_file_that_answers_a_question_exists() -> None:
    for question in flow_questions():
        folder = HERE if question.project == "mulligan" else package_folder(question.project).parent
        missing = [path for path in question.files if not (folder / path).is_file()]
        assert not missing, question.ask
        assert 2 <= len(question.files) <= 5
        assert all(path.startswith(f"{SOURCES[question.project]}/") for path in question.files)
