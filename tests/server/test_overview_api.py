"""The map of a project over the API."""

from pathlib import Path
from typing import Any

import httpx2
import pytest

from mulligan.server.state import ServerState


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A shop in three files."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'shop'\n[project.scripts]\nshop = 'till:main'\n")
    (folder / "README.md").write_text("# Shop\n")
    (folder / "prices.py").write_text('"""What things cost."""\n\n\ndef price(name):\n    return len(name)\n')
    (folder / "till.py").write_text("import os\nfrom prices import price\n\n\ndef main():\n    return price('a')\n")
    return folder


@pytest.fixture
def address(state: ServerState) -> str:
    (project_id,) = state.projects
    return f"/api/projects/{project_id}/overview"


async def got(near: httpx2.AsyncClient, where: str, **query: Any) -> Any:
    answer = await near.get(where, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.both_databases
async def test_the_map_tells_what_a_project_is_made_of(near: httpx2.AsyncClient, address: str) -> None:
    found = await got(near, address)
    assert found["files"] == 4
    assert found["languages"][0][:2] == ["Python", 2]
    assert found["entry_points"] == [["till.py", "console script shop"]]
    assert [each["path"] for each in found["important"]] == ["prices.py", "till.py"]
    assert "price" in [each["name"] for each in found["symbols"]]
    assert found["documents"] == ["README.md"]
    assert found["frameworks"] == ["pyproject.toml: Python · shop · commands: shop"]


async def test_a_file_is_shown_with_what_it_uses_and_what_uses_it(near: httpx2.AsyncClient, address: str) -> None:
    prices, till = [await got(near, f"{address}/file", path=path) for path in ("prices.py", "till.py")]
    assert (prices["doc"], [each["name"] for each in prices["symbols"]]) == ("What things cost.", ["price"])
    assert prices["imported_by"] == [{"path": "till.py", "names": ["price"]}]
    assert till["imports"] == [{"path": "prices.py", "names": ["price"]}]
    assert till["external"] == ["os"]


async def test_what_belongs_to_a_name_is_found(near: httpx2.AsyncClient, address: str) -> None:
    (group, *_) = await got(near, f"{address}/around", name="price")
    assert set(group["files"]) == {"prices.py", "till.py"}


async def test_symbols_are_found_by_a_part_of_their_name(near: httpx2.AsyncClient, address: str) -> None:
    (found, *_) = await got(near, f"{address}/symbols", query="pric", limit=5)
    assert (found["name"], found["kind"], found["path"], found["line"]) == ("price", "function", "prices.py", 4)


async def test_a_file_that_was_written_since_is_seen(project: Path, near: httpx2.AsyncClient, address: str) -> None:
    await got(near, address)
    (project / "stock.py").write_text("def count():\n    return 1\n")
    assert (await got(near, f"{address}/file", path="stock.py"))["lines"] == 2


@pytest.mark.parametrize(
    ("path", "query"),
    [
        pytest.param("file", {"path": "price.py"}, id="a file"),
        pytest.param("file", {"path": "../../etc/passwd"}, id="a file outside"),
        pytest.param("around", {"name": "prize"}, id="a name"),
    ],
)
async def test_what_is_not_known_is_not_found_and_what_is_near_is_named(
    near: httpx2.AsyncClient, address: str, path: str, query: dict[str, str]
) -> None:
    answer = await near.get(f"{address}/{path}", params=query)
    assert answer.status_code == 404
    assert next(iter(query.values())) in answer.json()["error"]


async def test_a_project_that_is_not_served_has_no_map(near: httpx2.AsyncClient) -> None:
    assert (await near.get("/api/projects/none/overview")).status_code == 404


async def test_the_source_of_a_file_is_shown_unless_it_may_hold_secrets(
    near: httpx2.AsyncClient, address: str, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    found = await got(near, f"{address}/source", path="till.py")
    assert (found["path"], found["lines"][0], found["left_out"]) == ("till.py", "import os", 0)
    for path in (".env", "../elsewhere.py", "nowhere.py"):
        assert (await near.get(f"{address}/source", params={"path": path})).status_code == 404


async def test_how_far_the_index_has_come_is_told_without_waiting_for_it(
    near: httpx2.AsyncClient, address: str
) -> None:
    await got(near, address)
    assert await got(near, f"{address}/progress") == {"read": 0, "of": 0}


async def test_names_that_are_begun_in_a_message_are_completed(
    near: httpx2.AsyncClient, address: str, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub" / "price list.txt").write_text("1\n")
    where = address.removesuffix("/overview") + "/completions"
    offers = await got(near, where, begun="@pri")
    assert [(each["text"], each["kind"]) for each in offers] == [
        ("@prices.py", "file"),
        ('@"sub/price list.txt"', "file"),
        ("@price", "symbol"),
    ]
    assert (await got(near, where, begun="@su"))[0] == {"text": "@sub/", "about": "", "kind": "folder"}
    assert await got(near, where, begun="@nothing-like-it") == []


async def test_own_commands_are_completed_by_their_beginning(
    near: httpx2.AsyncClient, address: str, project: Path
) -> None:
    (project / ".opencode" / "command" / "git").mkdir(parents=True)
    (project / ".opencode" / "command" / "git" / "tidy.md").write_text("# Tidy up\nTidy the branch.\n")
    where = address.removesuffix("/overview") + "/completions"
    assert await got(near, where, begun="/gi") == [{"text": "/git:tidy", "about": "Tidy up", "kind": "command"}]
    assert await got(near, where, begun="/no") == []
