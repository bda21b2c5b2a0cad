"""`mulligan review` on a real repository: findings where the diff has them, and an exit code for a pipeline."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mulligan.models.scripted.script import Script
from tests.e2e.command import Command, Finished
from tests.e2e.test_commit_command import git
from tests.scripted_server import running

Review = Callable[..., Finished]
FINDING = {"text": "a.py:2: error: returns two letters, and callers expect one"}


@pytest.fixture
def project(mulligan: Command) -> Path:
    git(mulligan.project, "init", "-q", "-b", "main")
    git(mulligan.project, "add", "-A")
    git(mulligan.project, "commit", "-qm", "Begin")
    (mulligan.project / "a.py").write_text("def a():\n    return 'aa'\n")
    return mulligan.project


@pytest.fixture
def review(mulligan: Command, project: Path, tmp_path: Path) -> Review:
    def run(replies: list[dict[str, Any]], *more: str) -> Finished:
        with running(Script.model_validate({"replies": replies}), log=tmp_path / "requests.jsonl") as server:
            return replace(mulligan, project=project)("review", "--base-url", server.base_url, "--model", "m", *more)

    return run


def test_findings_are_lines_that_editors_know(review: Review) -> None:
    done = review([FINDING])
    assert (done.code, done.stdout) == (0, "a.py:2: error: returns two letters, and callers expect one\n")
    assert "1 finding in 1 file" in done.stderr


def test_a_pipeline_fails_on_what_it_names(review: Review) -> None:
    assert review([FINDING], "--fail-on", "error").code == 4
    assert review([{"text": "a.py:2: note: odd"}], "--fail-on", "error").code == 0
    assert review([{"text": "none"}], "--fail-on", "note").code == 0


def test_what_is_not_in_the_diff_is_moved_or_dropped_and_said(review: Review) -> None:
    said = "a.py:77: warning: `return 'aa'` is not one letter\na.py:88: error: bad\nz.py:1: error: bad"
    done = review([{"text": said}], "--json")
    finding, end = done.frames
    assert (finding["type"], finding["line"], finding["given_line"]) == ("finding", 2, 77)
    assert [each["why"] for each in end["dropped"]] == [
        "line 88 of a.py is not in the diff",
        "it names no file of the diff",
    ]
    told = review([{"text": said}])
    assert "(the model said line 77)" in told.stdout
    assert "dropped: z.py:1: error: bad" in told.stderr


def test_ranges_are_those_of_git(review: Review, project: Path) -> None:
    git(project, "commit", "-qam", "Twice")
    assert review([FINDING], "HEAD~1").stdout.startswith("a.py:2:")
    assert review([FINDING], "HEAD~1..HEAD").stdout.startswith("a.py:2:")
    assert "nothing to review" in review([], "HEAD~1..HEAD", "b.py").stderr
    assert "nothing to review" in review([]).stderr
    wrong = review([], "no-such-branch")
    assert (wrong.code, "is not a git range" in wrong.stderr) == (2, True)
    assert review([], "--", "--output=x").code == 2


def test_paths_are_those_from_where_one_is(review: Review, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "s.py").write_text("x = 1\n")
    git(project, "add", "-A")
    asked = ("--staged", "-C", str(project / "sub"))
    assert review([{"text": "sub/s.py:1: note: odd"}], *asked, "HEAD", "s.py").stdout == "sub/s.py:1: note: odd\n"


def test_staged_and_untracked_files(review: Review, project: Path) -> None:
    (project / "new.py").write_text("x = 1\n")
    assert "1 untracked file is not part of it" in review([FINDING]).stderr
    git(project, "add", "new.py")
    assert review([{"text": "new.py:1: note: odd"}], "--staged").stdout == "new.py:1: note: odd\n"


def test_an_answer_that_can_not_be_read_is_asked_for_once_more(review: Review, tmp_path: Path) -> None:
    assert review([{"text": "It seems fine to me, mostly."}, FINDING]).code == 0
    assert "That can't be read" in (tmp_path / "requests.jsonl").read_text()
    done = review([{"text": "Hm."}, {"text": "Hm again."}], "--json")
    assert (done.code, done.end["not_reviewed"]) == (4, ["a.py"])
    told = review([{"text": "Hm."}, {"text": "Hm again."}]).stderr
    assert told.endswith("\nnothing was reviewed\n")


def test_a_guided_model_is_asked_about_one_file_at_a_time(review: Review, project: Path) -> None:
    (project / "b.py").write_text("def b():\n    return 'bb'\n")
    replies = [{"text": "2: error: two letters"}, {"text": "2: warning: two letters again"}]
    done = review(replies, "--agency", "guided")
    assert done.stdout == "a.py:2: error: two letters\nb.py:2: warning: two letters again\n"


def test_secrets_are_masked(review: Review, project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text('API_KEY = "sk-proj-abcdefghij0123456789abcd"\n')
    (project / ".env").write_text("DB=hunter2hunter2\n")
    git(project, "add", "-f", ".env")
    done = review([{"text": "none"}])
    requests = (tmp_path / "requests.jsonl").read_text()
    assert "sk-proj-abc" not in requests
    assert "hunter2" not in requests
    assert "not reviewed: added .env" in done.stderr
