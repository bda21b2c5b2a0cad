import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from mulligan.codecontext.cache import cache_file
from mulligan.codecontext.index import ProjectIndex
from mulligan.types.errors import CallRejected
from tests.codecontext.conftest import Project
from tests.odd_files import make_huge

SHOP: dict[str, str | bytes] = {
    "pyproject.toml": "[project]\nname = 'shop'\n[project.scripts]\nshop = 'shop.cli:main'\n",
    "README.md": "# Shop\n",
    "shop/__init__.py": "",
    "shop/cli.py": "from shop.cart import Cart\ndef main():\n    return Cart().total()\n",
    "shop/cart.py": '''
        """What is bought."""
        from shop.prices import price_of, TAX_RATE

        class Cart:
            """Holds items."""

            def total(self):
                return price_of(1) * TAX_RATE

            def add_item(self, item):
                price_of(item)
        ''',
    "shop/prices.py": "TAX_RATE = 2\n\n\ndef price_of(item):\n    # price_of is cheap\n    return item\n",
    "tests/test_cart.py": "from shop.cart import Cart\n\ndef test_total():\n    assert Cart().total() == 2\n",
}


@pytest.fixture
def shop(project: Project) -> Project:
    project.write(SHOP)
    return project


async def test_an_overview_tells_what_a_project_is(shop: Project) -> None:
    found = await shop.index().overview()
    assert (found.files, found.lines) == (7, 29)
    assert [(each.language, each.files) for each in found.languages] == [("Python", 5), ("TOML", 1), ("Markdown", 1)]
    assert [(each.path, each.what) for each in found.entry_points] == [("shop/cli.py", "console script shop")]
    assert [each.path for each in found.important[:2]] == ["shop/prices.py", "shop/cart.py"]
    assert found.important[1].why == ("used by 2 files", "defines Cart, used in 2 files")
    assert found.symbols[0].name == "Cart"
    assert found.documents == ("README.md",)
    assert found.folders == (("shop", 4), ("tests", 1))
    assert found.skipped == ()


async def test_shares_of_importance_add_up_to_one_and_tests_count_less(shop: Project) -> None:
    found = await shop.index().overview()
    assert sum(each.score for each in found.important) == pytest.approx(1, abs=1e-4)
    assert found.important[-1].path == "tests/test_cart.py"


async def test_a_second_process_tells_the_same_from_the_cache(shop: Project) -> None:
    first, second = shop.index(), shop.index()
    overview, frameworks = await first.overview(), await first.frameworks()
    state = await second.refresh()
    assert (state.files, state.parsed) == (7, 0)
    assert await second.overview() == overview
    assert await second.frameworks() == frameworks


async def test_a_file_is_analysed(shop: Project) -> None:
    found = await shop.index().file("./shop/cart.py")
    assert (found.path, found.language, found.lines, found.doc) == ("shop/cart.py", "Python", 11, "What is bought.")
    assert [each.name for each in found.symbols] == ["Cart", "total", "add_item"]
    assert [link.path for link in found.dependencies.imports] == ["shop/prices.py"]
    assert (found.rank, found.skipped) == (2, None)


async def test_a_symbol_comes_with_its_source_its_uses_and_its_members(shop: Project) -> None:
    index = shop.index()
    (cart,) = await index.symbol("Cart")
    assert cart.source[0] == "class Cart:"
    assert [(each.path, each.line, each.text) for each in cart.references] == [
        ("shop/cli.py", 3, "return Cart().total()"),
        ("tests/test_cart.py", 4, "assert Cart().total() == 2"),
    ]
    assert [each.name for each in cart.members] == ["total", "add_item"]
    (price_of,) = await index.symbol("price_of")
    assert ([each.path for each in price_of.references], price_of.using_files) == (["shop/cart.py"], 1)


async def test_a_symbol_is_found_by_its_parent_and_by_its_file(shop: Project) -> None:
    shop.write({"shop/bag.py": "class Bag:\n    def total(self): ...\n"})
    index = shop.index()
    assert {info.symbol.path for info in await index.symbol("total")} == {"shop/cart.py", "shop/bag.py"}
    assert [info.symbol.path for info in await index.symbol("Bag.total")] == ["shop/bag.py"]
    assert [info.symbol.path for info in await index.symbol("total", path="shop/cart.py")] == ["shop/cart.py"]


async def test_a_long_symbol_is_cut(project: Project) -> None:
    project.write({"a.py": "def long():\n" + "    x = 1\n" * 200})
    (info,) = await project.index().symbol("long")
    assert (len(info.source), info.source[-1]) == (60, "    x = 1")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        pytest.param("price_of", "price_of", id="the same"),
        pytest.param("PRICE_OF", "price_of", id="another case"),
        pytest.param("pri", "price_of", id="the beginning"),
        pytest.param("item add", "add_item", id="words in any order"),
        pytest.param("rate", "TAX_RATE", id="a part"),
        pytest.param("prcof", "price_of", id="letters in order"),
        pytest.param("prcie_of", "price_of", id="mistyped"),
        pytest.param("Cart.total", "total", id="with its parent"),
    ],
)
async def test_symbols_are_found_by(query: str, first: str, shop: Project) -> None:
    assert (await shop.index().search_symbols(query))[0].name == first


async def test_a_search_can_be_for_one_kind(shop: Project) -> None:
    found = await shop.index().search_symbols("t", kind="constant")
    assert [each.name for each in found] == ["TAX_RATE"]


async def test_a_search_without_a_name_finds_nothing(shop: Project) -> None:
    assert await shop.index().search_symbols(" ") == ()


async def test_of_equal_names_the_most_used_comes_first(project: Project) -> None:
    project.write(
        {
            "a/job.py": "def run(): ...\n",
            "z/job.py": "def run(): ...\n",
            **{f"u{n}.py": "from z.job import run\nrun()\n" for n in range(3)},
        }
    )
    assert [each.path for each in await project.index().search_symbols("run")] == ["z/job.py", "a/job.py"]


async def test_neighbourhoods_follow_the_references(project: Project) -> None:
    for folder in ("bread", "wine"):
        project.write(
            {f"{folder}/a.py": f"from {folder}.b import {folder}_b\n", f"{folder}/b.py": f"def {folder}_b(): ...\n"}
        )
        project.write({f"{folder}/c.py": f"from {folder}.b import {folder}_b\n"})
    index = project.index()
    assert [each.name for each in await index.neighborhoods()] == ["bread", "wine"]
    around = await index.neighborhoods("wine/c.py")
    assert [set(each.files) for each in around] == [{"wine/a.py", "wine/b.py", "wine/c.py"}]
    assert (await index.neighborhoods("bread_b"))[0].name == "bread"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("shop/crat.py", "shop/crat.py is not among the files of the project. Did you mean shop/cart.py", id="mistyped"),
        pytest.param("cart.py", "Did you mean shop/cart.py", id="in another folder"),
        pytest.param("shop", "shop is a folder; name one of its files.", id="a folder"),
    ],
)  # fmt: skip
async def test_an_unknown_path_is_refused_with_the_nearest(path: str, words: str, shop: Project) -> None:
    with pytest.raises(CallRejected, match=words.replace("?", "\\?")) as refused:
        await shop.index().file(path)
    assert refused.value.kind == "exec_error"


async def test_an_unknown_symbol_is_refused_with_the_nearest(shop: Project) -> None:
    index = shop.index()
    with pytest.raises(CallRejected, match=r"There is no symbol prize_of in the project\. Did you mean price_of"):
        await index.symbol("prize_of")
    with pytest.raises(CallRejected, match=r"shop/cli.py has no symbol Cart; it is in shop/cart.py"):
        await index.symbol("Cart", path="shop/cli.py")


async def test_what_changed_is_told_since_the_last_look(shop: Project) -> None:
    index = shop.index()
    assert (await index.changes()).since is None
    shop.write({"shop/new.py": "x = 1\n", "shop/cli.py": "def main(): ...\n"})
    shop.delete("README.md")
    found = await index.changes()
    assert (found.added, found.modified, found.deleted) == (("shop/new.py",), ("shop/cli.py",), ("README.md",))
    again = await index.changes()
    assert (again.added, again.modified, again.deleted) == ((), (), ())
    assert again.since is not None


async def test_only_what_changed_is_parsed_again(shop: Project) -> None:
    index = shop.index()
    assert (await index.refresh()).parsed == 7
    (shop.root / "shop/cli.py").touch()
    assert (await index.refresh()).parsed == 0
    shop.write({"shop/cli.py": "def main(): ...\n"})
    assert (await index.refresh()).parsed == 1


async def test_a_change_that_keeps_size_and_time_is_noticed(project: Project) -> None:
    project.write({"a.py": "def one(): ...\n"})
    index = project.index()
    await index.refresh()
    before = (project.root / "a.py").stat()
    project.write({"a.py": "def two(): ...\n"})
    os.utime(project.root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [each.name for each in (await index.file("a.py")).symbols] == ["two"]


async def test_a_renamed_file_is_linked_anew(shop: Project) -> None:
    index = shop.index()
    await index.refresh()
    (shop.root / "shop/prices.py").rename(shop.root / "shop/costs.py")
    assert (await index.dependencies("shop/cart.py")).imports[0].path == "shop/costs.py"
    shop.write({"shop/cart.py": "class Cart: ...\n"})
    assert (await index.dependencies("shop/cart.py")).imports == ()


async def test_a_name_that_comes_to_be_defined_or_goes_is_linked_where_it_is_used(project: Project) -> None:
    project.write({"a.py": "x = 1\n", "b.py": "compute_tax_rate()\n", "c.py": "y = 1\n"})
    index = project.index()
    assert (await index.dependencies("b.py")).imports == ()
    project.write({"a.py": "def compute_tax_rate(): ...\n"})
    assert [link.path for link in (await index.dependencies("b.py")).imports] == ["a.py"]
    project.write({"c.py": "def compute_tax_rate(): ...\n"})
    assert (await index.dependencies("b.py")).imports == ()


async def test_secrets_are_not_read(project: Project) -> None:
    project.write({"a.py": "x = 1\n", ".env": "TOKEN=1\n", "secrets.json": "{}"})
    found = await project.index().overview()
    assert found.files == 1


async def test_links_and_pipes_are_no_files(project: Project, tmp_path: Path) -> None:
    project.write({"a.py": "x = 1\n"})
    (tmp_path / "outside.py").write_text("def outside(): ...\n")
    (project.root / "link.py").symlink_to(tmp_path / "outside.py")
    os.mkfifo(project.root / "pipe.py")
    assert (await project.index().refresh()).files == 1


async def test_an_empty_project_has_an_overview(project: Project) -> None:
    found = await project.index().overview()
    assert (found.files, found.important, found.neighborhoods) == (0, (), ())


def overwritten(_data: bytes) -> bytes:
    return b"no database at all" * 500


def emptied(_data: bytes) -> bytes:
    return b""


def torn(data: bytes) -> bytes:
    return data[:20_000] + b"\0" * 20_000


@pytest.mark.parametrize("damage", [overwritten, emptied, torn])
async def test_a_damaged_cache_is_made_anew(damage: Callable[[bytes], bytes], shop: Project) -> None:
    first = shop.index()
    expected = await first.overview()
    first.close()
    path = cache_file(shop.cache, shop.root)
    for leftover in ("-wal", "-shm"):
        path.with_name(path.name + leftover).unlink(missing_ok=True)
    path.write_bytes(damage(path.read_bytes()))
    again = shop.index()
    assert await again.overview() == expected
    assert (await again.symbol("Cart"))[0].symbol.path == "shop/cart.py"


async def test_a_cache_of_another_version_is_thrown_away(shop: Project) -> None:
    import sqlite3

    path = cache_file(shop.cache, shop.root)
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE files (something TEXT)")
        other.execute("PRAGMA user_version=3")
    other.close()
    assert (await shop.index().refresh()).parsed == 7


async def test_without_a_place_for_a_cache_the_index_works(shop: Project) -> None:
    shop.cache.write_text("a file where a folder should be")
    index = shop.index()
    assert (await index.refresh()).parsed == 7
    assert (await index.refresh()).parsed == 0


PROCESS = """
import asyncio, json, os, sys
from pathlib import Path
from mulligan.codecontext.index import ProjectIndex

async def main(root, cache, rounds):
    async def list_files():
        return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    index = ProjectIndex(root, cache, list_files)
    for number in range(rounds):
        (root / f"made_{os.getpid()}.py").write_text(f"def made_by_{os.getpid()}_{number}(): ...\\n")
        name = f"made_by_{os.getpid()}_{number}"
        assert [info.symbol.name for info in await index.symbol(name)] == [name]
    overview = await index.overview()
    index.close()

asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), 8))
"""


async def test_several_processes_share_a_cache(shop: Project) -> None:
    command = [sys.executable, "-c", PROCESS, str(shop.root), str(shop.cache)]
    started = [await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE) for _ in range(3)]
    ends = [await process.communicate() for process in started]
    assert [(process.returncode, end[1]) for process, end in zip(started, ends, strict=True)] == [(0, b"")] * 3
    fresh = shop.index(shop.root.parent / "another")
    assert json.dumps(str(await shop.index().overview())) == json.dumps(str(await fresh.overview()))


async def test_calls_at_once_are_answered_one_after_the_other(shop: Project) -> None:
    index = shop.index()
    found = await asyncio.gather(*(index.search_symbols("price") for _ in range(5)), index.overview())
    assert len({str(each) for each in found[:5]}) == 1


async def test_calls_made_together_share_one_look_at_the_files(shop: Project) -> None:
    looks: list[int] = []

    async def list_files() -> Sequence[str]:
        looks.append(1)
        return await shop.list_files()

    index = ProjectIndex(shop.root, shop.cache, list_files)
    overview, _, found = await asyncio.gather(index.overview(), index.frameworks(), index.search_symbols("Cart"))
    assert (overview.files, found[0].name, len(looks)) == (7, "Cart", 1)
    shop.delete("README.md")
    assert ((await index.overview()).files, len(looks)) == (6, 2)
    index.close()


async def test_a_call_made_while_another_looks_takes_a_look_of_its_own(shop: Project) -> None:
    listing, go_on = asyncio.Event(), asyncio.Event()

    async def list_files() -> Sequence[str]:
        found = await shop.list_files()
        listing.set()
        await go_on.wait()
        return found

    index = ProjectIndex(shop.root, shop.cache, list_files)
    first = asyncio.create_task(index.refresh())
    await listing.wait()
    shop.delete("README.md")
    second = asyncio.create_task(index.refresh())
    await asyncio.sleep(0)
    go_on.set()
    await first
    assert (await second).files == 6
    index.close()


async def test_a_cancelled_call_leaves_the_index_usable(shop: Project) -> None:
    index = shop.index()
    call = asyncio.create_task(index.refresh())
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await index.refresh()).files == 7


def test_the_index_is_a_code_index(tmp_path: Path) -> None:
    from mulligan.ports.code import CodeIndex

    async def nothing() -> list[str]:
        return []

    index: CodeIndex = ProjectIndex(tmp_path, tmp_path / "cache", nothing)
    assert index is not None


async def test_a_manifest_too_large_to_be_indexed_is_not_read_for_the_overview(project: Project) -> None:
    project.write({"app.py": "import os\n"})
    for name in ("package.json", "tsconfig.json", "go.mod", "README.md"):
        make_huge(project.root / name)

    overview = await project.index().overview()

    assert overview.files == 5
