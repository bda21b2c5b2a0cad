import pytest

from mulligan.workspace.files.missing_paths import nearest_paths

PATHS = ["README.md", "src/app/turn.py", "src/app/models.py", "src/web/models.py", "tests/test_turn.py"]


@pytest.mark.parametrize(
    ("wanted", "siblings", "near"),
    [
        pytest.param("src/app/model.py", ["src/app/models.py"], ["src/app/models.py"], id="a typo in the same folder"),
        pytest.param("turn.py", [], ["src/app/turn.py"], id="the right name in another folder"),
        pytest.param("readme.MD", [], ["README.md"], id="another case"),
        pytest.param("lib/models.py", [], ["src/app/models.py", "src/web/models.py"], id="several of that name"),
        pytest.param("lib/modles.py", [], ["src/app/models.py"], id="a typo in another folder"),
        pytest.param("web", [], ["src/web"], id="a folder"),
        pytest.param("nothing-like-it", ["src"], [], id="nothing alike"),
    ],
)
def test_the_nearest_existing_paths_are_named(wanted: str, siblings: list[str], near: list[str]) -> None:
    assert nearest_paths(wanted, siblings, PATHS) == near


def test_at_most_three_are_named() -> None:
    assert len(nearest_paths("a.py", [], [f"{folder}/a.py" for folder in "bcdefg"])) == 3
