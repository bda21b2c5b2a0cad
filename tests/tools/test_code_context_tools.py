"""The eight tools over the code index: what a model reads, and how much of it."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from mulligan.core.next_move import SYNTHESIS_TOOLS
from mulligan.tools.code_context.layout import Section, lay_out
from mulligan.tools.registry import build_code_tools
from mulligan.types.codecontext import EntryPoint, FileChanges, Framework, IndexProgress, Neighborhood
from mulligan.types.errors import CallRejected
from mulligan.types.tool_calls import Succeeded
from mulligan.workspace.files.project_files import ProjectFiles
from tests.tools.hand_made_index import HandMadeIndex, analysis, info, overview, symbol

NAMES = [
    "get_codebase_overview",
    "get_dependencies",
    "get_file_analysis",
    "get_framework_analysis",
    "get_semantic_neighborhoods",
    "get_symbol_info",
    "search_symbols",
    "watch_changes",
]
SHOP = Framework(
    manifest="pyproject.toml",
    language="Python",
    name="shop",
    frameworks=("fastapi", "pytest"),
    dependencies=("fastapi", "httpx"),
    scripts=(("shop", "shop.main:run"),),
    entry_points=(EntryPoint("src/shop/main.py", "console script shop"),),
)


async def run(index: HandMadeIndex, name: str, /, **arguments: Any) -> Succeeded:
    outcome = await build_code_tools(lambda: index)[name].run(arguments)
    assert isinstance(outcome, Succeeded)
    return outcome


def test_there_are_eight_and_three_of_them_are_synthesized() -> None:
    assert sorted(build_code_tools(HandMadeIndex)) == NAMES
    assert set(NAMES) > SYNTHESIS_TOOLS
    assert len(SYNTHESIS_TOOLS) == 3


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_codebase_overview", {}),
        ("get_dependencies", {"path": "src/shop/cart.py"}),
        ("get_file_analysis", {"path": "src/shop/cart.py"}),
        ("get_framework_analysis", {}),
        ("get_semantic_neighborhoods", {}),
        ("get_symbol_info", {"name": "Cart"}),
        ("search_symbols", {"query": "Cart"}),
    ],
)
async def test_an_answer_from_a_part_of_the_project_says_so(name: str, arguments: dict[str, str]) -> None:
    index = HandMadeIndex(
        files={"src/shop/cart.py": analysis("src/shop/cart.py")},
        symbols=(info("Cart"),),
        so_far=IndexProgress(1_200, 3_000),
    )
    told = (await run(index, name, **arguments)).content
    assert "from 1,200 of 3,000 files" in told
    assert "The other 1,800 are still being read" in told


async def test_symbols_that_are_not_in_the_index_yet_are_found_as_text(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("x = Cart()\n\n\nclass CartOfOld:\n    pass\n")
    (tmp_path / "new.go").write_text("func (c *Shop) NewCart() {}\n")
    files = ProjectFiles(tmp_path)
    index = HandMadeIndex(symbols=(info("Cart"),), so_far=IndexProgress(1, 3))
    told = await build_code_tools(lambda: index, files)["search_symbols"].run({"query": "Cart"})
    assert isinstance(told, Succeeded)
    assert "new.py:4 class CartOfOld:" in told.content
    assert "new.go:1 func (c *Shop) NewCart() {}" in told.content
    assert "new.py:1" not in told.content
    whole = await build_code_tools(lambda: replace(index, so_far=None), files)["search_symbols"].run({"query": "Cart"})
    assert isinstance(whole, Succeeded)
    assert "new.py" not in whole.content


def test_all_eight_schemas_cost_little() -> None:
    specs = [tool.spec for tool in build_code_tools(HandMadeIndex).values()]
    told = [[spec.name, spec.description, spec.parameters] for spec in specs]
    assert len(json.dumps(told)) < 1_800
    assert all(spec.description.endswith(".") for spec in specs)


async def test_the_overview_reads_as_a_map() -> None:
    found = await run(HandMadeIndex(), "get_codebase_overview")
    assert found.content == snapshot("""\
5 files, 12,345 lines: Python 3 files, 12,000 lines; Markdown 2 files, 345 lines.
Not read, or only in part: 2 generated.

Entry points:
src/shop/__main__.py: console script shop

Main files:
src/shop/file_0.py: used by 3 files
src/shop/file_1.py: used by 3 files
src/shop/file_2.py: used by 3 files

Most used symbols:
src/shop/file_0.py:3 class Class0 — About Class0.
src/shop/file_1.py:3 class Class1 — About Class1.
src/shop/file_2.py:3 class Class2 — About Class2.

Files that belong together:
shop (Class0): src/shop/file_0.py, src/shop/file_1.py, src/shop/file_2.py

Documents:
docs/guide.md
README.md

Folders:
src/ 3 files
src/shop/ 3 files\
""")


async def test_an_overview_refers_to_the_readme_the_start_and_the_files_by_importance() -> None:
    found = await run(HandMadeIndex(), "get_codebase_overview")
    assert found.refers_to == (
        "README.md",
        "src/shop/__main__.py",
        "src/shop/file_0.py",
        "src/shop/file_1.py",
        "src/shop/file_2.py",
        "docs/guide.md",
    )


async def test_two_readmes_do_not_shut_out_the_document_on_the_structure() -> None:
    documents = ("README.md", "docs/README.md", "docs/architecture.md")
    found = await run(HandMadeIndex(map=replace(overview(), documents=documents)), "get_codebase_overview")
    assert found.refers_to[:3] == ("README.md", "docs/architecture.md", "src/shop/__main__.py")


async def test_a_large_overview_is_cut_to_its_budget_and_says_what_it_left_out() -> None:
    found = await run(HandMadeIndex(map=overview(500)), "get_codebase_overview")
    assert len(found.content) <= 1_200 * 4
    assert "more; get_file_analysis tells of any file]" in found.content
    assert "more; search_symbols finds others]" in found.content
    assert "Documents:\ndocs/guide.md\nREADME.md" in found.content
    assert len(found.refers_to) == 503


async def test_an_empty_project_has_an_overview_too() -> None:
    found = await run(HandMadeIndex(map=overview(0)), "get_codebase_overview")
    assert found.content.startswith("2 files, 12,345 lines")


async def test_frameworks_are_told_by_manifest() -> None:
    found = await run(HandMadeIndex(manifests=(SHOP,)), "get_framework_analysis")
    assert found.content == snapshot("""\
1 manifest.

pyproject.toml (Python shop):
frameworks: fastapi, pytest
entry point src/shop/main.py: console script shop
script shop: shop.main:run
depends on 2: fastapi, httpx\
""")
    assert found.refers_to == ("pyproject.toml", "src/shop/main.py")
    assert found.asked_for == ("pyproject.toml",)


async def test_a_project_without_a_manifest_is_no_failure() -> None:
    found = await run(HandMadeIndex(), "get_framework_analysis")
    assert found.content.startswith("No manifest")
    assert found.refers_to == ()


async def test_neighborhoods_are_told_with_the_first_file_of_each_first_to_read() -> None:
    groups = (Neighborhood("cart", ("a.py", "b.py"), ("Cart",)), Neighborhood("pay", ("c.py", "d.py", "e.py"), ()))
    found = await run(HandMadeIndex(groups=groups), "get_semantic_neighborhoods")
    assert found.content == snapshot("""\
2 groups of files, the largest first.

cart (2 files, with Cart):
a.py
b.py

pay (3 files):
c.py
d.py
e.py\
""")
    assert found.refers_to == ("a.py", "c.py", "b.py", "d.py", "e.py")


async def test_around_a_path_its_own_neighborhood_is_first_to_read() -> None:
    groups = (Neighborhood("cart", ("a.py", "b.py"), ()), Neighborhood("pay", ("c.py", "d.py"), ()))
    index = HandMadeIndex(groups=groups, files={"d.py": analysis("d.py")})
    found = await run(index, "get_semantic_neighborhoods", around="d.py")
    assert found.content.startswith("2 groups of files, the one of d.py first")
    assert found.refers_to == ("d.py", "c.py", "a.py", "b.py")
    assert found.asked_for == ("d.py",)


async def test_around_a_symbol_the_file_that_defines_it_is_first_to_read() -> None:
    index = HandMadeIndex(groups=(Neighborhood("pay", ("c.py", "d.py"), ()),), symbols=(info("Fee", "d.py"),))
    found = await run(index, "get_semantic_neighborhoods", around="Fee")
    assert (found.refers_to, found.asked_for) == (("d.py", "c.py"), ("d.py",))


async def test_a_file_that_stands_alone_is_read_all_the_same() -> None:
    index = HandMadeIndex(files={"d.py": analysis("d.py")})
    found = await run(index, "get_semantic_neighborhoods", around="d.py")
    assert found.content == "d.py stands alone: it uses no file of the project, and none uses it."
    assert found.refers_to == ("d.py",)


async def test_more_neighborhoods_than_fit_are_counted() -> None:
    groups = tuple(Neighborhood(f"part {n}", tuple(f"src/part_{n}/{f}.py" for f in range(30)), ()) for n in range(90))
    found = await run(HandMadeIndex(groups=groups), "get_semantic_neighborhoods")
    assert len(found.content) <= 1_500 * 4
    assert found.content.endswith("more left out; name a path or a symbol in `around` to see others]")


async def test_symbols_are_found_with_their_place() -> None:
    index = HandMadeIndex(symbols=(info("Cart"), info("CartLine")))
    assert (await run(index, "search_symbols", query="Cart")).content == snapshot("""\
2 symbols like 'Cart', the best first.

Defined:
src/shop/cart.py:3 class Cart — About Cart.
src/shop/cart.py:3 class CartLine — About CartLine.\
""")


async def test_a_search_for_symbols_that_finds_nothing_says_what_to_try() -> None:
    assert "use grep" in (await run(HandMadeIndex(), "search_symbols", query="zzz", kind="class")).content


async def test_dependencies_are_told_both_ways() -> None:
    index = HandMadeIndex(files={"src/shop/cart.py": analysis("src/shop/cart.py")})
    assert (await run(index, "get_dependencies", path="src/shop/cart.py")).content == snapshot("""\
src/shop/cart.py is used by 1 file of the project, and uses 1 file of it.

Used by:
src/shop/user_0.py: Cart

Uses:
src/shop/money.py: Money, cents

From elsewhere:
decimal, json\
""")


async def test_a_file_is_told_by_its_symbols_and_dependencies() -> None:
    index = HandMadeIndex(files={"src/shop/cart.py": analysis("src/shop/cart.py")})
    assert (await run(index, "get_file_analysis", path="src/shop/cart.py")).content == snapshot("""\
src/shop/cart.py: Python, 400 lines, number 2 by importance.
The cart.

Symbols:
1-10 class Class0 — About Class0.
21-30 class Class1 — About Class1.

Used by:
src/shop/user_0.py: Cart

Uses:
src/shop/money.py: Money, cents

From elsewhere:
decimal, json\
""")


async def test_a_huge_file_leaves_room_for_who_uses_it() -> None:
    index = HandMadeIndex(files={"a.py": analysis("a.py", symbols=900, users=300)})
    content = (await run(index, "get_file_analysis", path="a.py")).content
    assert len(content) <= 1_500 * 4
    assert "more; view_file shows them]" in content
    assert "src/shop/user_7.py: Cart" in content


async def test_a_path_that_is_not_known_goes_back_to_the_model() -> None:
    with pytest.raises(CallRejected, match=r"nowhere\.py is not in the index"):
        await run(HandMadeIndex(), "get_file_analysis", path="nowhere.py")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        pytest.param("get_file_analysis", {"path": "src/shop/cart.py"}, id="a file"),
        pytest.param("get_dependencies", {"path": "src/shop/cart.py"}, id="its dependencies"),
        pytest.param("get_symbol_info", {"name": "Cart"}, id="a symbol in it"),
    ],
)
async def test_a_file_that_was_analysed_counts_as_read(tool: str, arguments: dict[str, str]) -> None:
    index = HandMadeIndex(files={"src/shop/cart.py": analysis("src/shop/cart.py")}, symbols=(info("Cart"),))
    assert (await run(index, tool, **arguments)).trace.read == ("src/shop/cart.py",)


async def test_a_symbol_is_told_with_its_source_and_uses() -> None:
    assert (await run(HandMadeIndex(symbols=(info("Cart"),)), "get_symbol_info", name="Cart")).content == snapshot("""\
src/shop/cart.py:3 class Cart — About Cart. (lines 3-12)

Source:
class Cart:
    def total(self):
        return 1
[7 more; view_file src/shop/cart.py start_line=3]

Used in 2 other files, one line of each:
src/shop/pay_1.py:1: Cart()
src/shop/pay_2.py:2: Cart()

Used in 1 line of its own file:
src/shop/cart.py:20: x = Cart()

Members:
4-13 method def total(self) — About total.\
""")


async def test_of_several_with_one_name_the_others_are_named_by_place() -> None:
    declared = replace(symbol("Cart", "cart.h"), is_declaration=True)
    index = HandMadeIndex(symbols=(info("Cart", others=(symbol("Cart", "old/cart.py"), declared)),))
    content = (await run(index, "get_symbol_info", name="Cart")).content
    assert "Others of this name:\nold/cart.py:3 class Cart — About Cart.\n\n" in content
    assert "Declarations of this name:\ncart.h:3 class Cart — About Cart.\n\n" in content


async def test_files_that_use_a_symbol_are_counted_as_they_are_listed() -> None:
    content = (await run(HandMadeIndex(symbols=(info("Cart", uses=57),)), "get_symbol_info", name="Cart")).content
    listed = re.findall(r"^src/shop/pay_\d+\.py:", content, re.MULTILINE)
    assert "Used in 57 other files, one line of each:" in content
    assert f"[{57 - len(listed)} more; grep finds the others]" in content


async def test_lines_of_a_source_that_are_left_out_are_counted() -> None:
    content = (await run(HandMadeIndex(symbols=(info("Cart"),)), "get_symbol_info", name="Cart")).content
    assert "        return 1\n[7 more; view_file src/shop/cart.py start_line=3]" in content


async def test_a_symbol_that_nobody_uses_is_said_to_be_so() -> None:
    unused = replace(info("Cart", uses=0), own_references=())
    content = (await run(HandMadeIndex(symbols=(unused,)), "get_symbol_info", name="Cart")).content
    assert "The index knows of no use; grep may find some." in content


async def test_a_declaration_without_a_definition_is_called_one() -> None:
    shown = info("Cart")
    declared = replace(shown, symbol=replace(shown.symbol, is_declaration=True))
    content = (await run(HandMadeIndex(symbols=(declared,)), "get_symbol_info", name="Cart")).content
    assert "(lines 3-12, a declaration without a body)" in content.splitlines()[0]


async def test_a_search_that_finds_more_than_it_lists_says_so() -> None:
    many = HandMadeIndex(symbols=tuple(info(f"Cart{number}") for number in range(60)))
    assert (await run(many, "search_symbols", query="Cart")).content.startswith("More than 40 symbols like 'Cart'")


async def test_a_symbol_that_is_not_known_says_how_to_find_it() -> None:
    assert "search_symbols" in (await run(HandMadeIndex(), "get_symbol_info", name="Zzz")).content


@pytest.mark.parametrize(
    ("look", "words"),
    [
        pytest.param(FileChanges((), (), (), since=None), "first look", id="first look"),
        pytest.param(
            FileChanges((), (), (), since=0),
            "Nothing changed since the last call in this project, 1970-01-01 00:00 UTC.",
            id="nothing",
        ),
        pytest.param(
            FileChanges(("a.py",), ("b.py",), ("c.py",), since=1_800_000_000.0),
            "3 files changed since the last call in this project, 2027-01-15 08:00 UTC.\n\n"
            "Modified:\nb.py\n\nAdded:\na.py\n\nDeleted:\nc.py",
            id="all three",
        ),
    ],
)
async def test_changes_are_told_since_the_last_look(look: FileChanges, words: str) -> None:
    assert words in (await run(HandMadeIndex(looks=[look]), "watch_changes")).content


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        pytest.param("search_symbols", {"query": ""}, id="empty query"),
        pytest.param("search_symbols", {"query": "x", "kind": "verb"}, id="no such kind"),
        pytest.param("get_symbol_info", {}, id="no name"),
        pytest.param("get_codebase_overview", {"depth": 3}, id="unknown argument"),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(name: str, arguments: Mapping[str, Any]) -> None:
    with pytest.raises(CallRejected) as rejected:
        await run(HandMadeIndex(), name, **arguments)
    assert rejected.value.kind == "schema_reject"


SECTIONS = st.lists(
    st.builds(
        Section,
        title=st.text("abc", min_size=1, max_size=30),
        lines=st.lists(st.text("xyz", min_size=1, max_size=400), max_size=40),
        more=st.just("ask"),
        least=st.integers(1, 5),
    ),
    max_size=30,
)


@given(SECTIONS)
def test_a_result_never_outgrows_its_budget_and_hides_nothing_silently(sections: list[Section]) -> None:
    shown = lay_out("head", sections, more="ask", tokens=700)
    assert len(shown) <= 700 * 4
    lines = shown.split("\n")
    told = [line for line in lines if line.strip("xyz…") == "" and line]
    assert len(told) == sum(len(section.lines) for section in sections) or any(line.startswith("[") for line in lines)
