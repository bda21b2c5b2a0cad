"""What is gathered for a question, with what a real index knows of a real project."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mulligan.codecontext.excerpt_search import USERS_EXCERPT_TOKENS, Gathered, gather
from mulligan.codecontext.index import ProjectIndex
from mulligan.workspace.files.project_files import ProjectFiles

FILES = {
    "shelf/models.py": "class Table:\n    pass\n\n\nclass Book(Table):\n    pass\n",
    "shelf/fines.py": "def fine_for(days):\n    return days * 15\n",
    "shelf/loans.py": (
        "from shelf.fines import fine_for\nfrom shelf.models import Table\n\n\n"
        "class Loan(Table):\n    def close(self, days):\n        return fine_for(days)\n\n\n"
        "def lend(book):\n    return Loan()\n"
    ),
    "shelf/desk.py": "from shelf.loans import lend\n\n\ndef hand_out(book):\n    lend(book)\n",
    "tests/test_fines.py": "from shelf.fines import fine_for\n\n\ndef test_it():\n    assert fine_for(0) == 0\n",
    "cli.py": "from shelf.desk import hand_out\n\nhand_out('Ulysses')\n",
}


class Shelf:
    """The project, and its index."""

    def __init__(self, root: Path, cache: Path) -> None:
        for path, text in FILES.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        self.files = ProjectFiles(root)
        self.index = ProjectIndex(root, cache, self._paths)

    async def gather(self, question: str) -> Gathered:
        return await gather(self.files, question, index=lambda: self.index, budget=2000, chars_per_token=4)

    async def _paths(self) -> tuple[str, ...]:
        return (await self.files.find_files("*", ".", 100)).paths


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    shelf = Shelf(tmp_path / "project", tmp_path / "index")
    yield shelf
    shelf.index.close()


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        pytest.param(
            "who calls fine_for?",
            "function fine_for of shelf/fines.py is called by:\n"
            "- `Loan.close` in shelf/loans.py: return fine_for(days)\n"
            "Tests of fine_for: tests/test_fines.py",
            id="callers",
        ),
        pytest.param(
            "where is lend used?",
            "function lend of shelf/loans.py is called by:\n- `hand_out` in shelf/desk.py: lend(book)",
            id="a plain word",
        ),
        pytest.param(
            "which classes inherit from Table?",
            "class Table of shelf/models.py is inherited by:\n- `Loan` in shelf/loans.py\n- `Book` in shelf/models.py",
            id="classes that inherit, those of the same file too",
        ),
        pytest.param(
            "which files import shelf/desk.py?", "shelf/desk.py is used by 1 file: cli.py", id="users of a file"
        ),
        pytest.param(
            "which files import the shelf package?",
            "package shelf is used by 2 files: cli.py, tests/test_fines.py",
            id="users of a folder",
        ),
        pytest.param(
            "which files does desk.py import?", "shelf/desk.py uses 1 file: shelf/loans.py", id="what is used"
        ),
        pytest.param(
            "what is fine_for?", "function fine_for is defined in shelf/fines.py: def fine_for(days)", id="a definition"
        ),
        pytest.param("how are days counted?", "", id="no name"),
    ],
)
async def test_a_question_is_told_what_the_index_knows(shelf: Shelf, question: str, facts: str) -> None:
    assert (await shelf.gather(question)).facts == facts


async def test_where_users_were_found_few_excerpts_stand_beside_them(shelf: Shelf, tmp_path: Path) -> None:
    body = "\n".join(f"    total += days * {number}  # fine_for" for number in range(200))
    (tmp_path / "project/shelf/fines.py").write_text(f"def fine_for(days):\n    total = 0\n{body}\n    return total\n")
    asked_for_users = await shelf.gather("who calls fine_for?")
    asked_for_itself = await shelf.gather("how does fine_for work?")
    assert _tokens(asked_for_users) <= USERS_EXCERPT_TOKENS < _tokens(asked_for_itself)


async def test_without_an_index_there_are_no_facts(shelf: Shelf) -> None:
    gathered = await gather(shelf.files, "who calls fine_for?", budget=2000, chars_per_token=4)
    assert gathered.facts == ""
    assert gathered.excerpts


def _tokens(gathered: Gathered) -> float:
    return sum(len(each.text) for each in gathered.excerpts) / 4
