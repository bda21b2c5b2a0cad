"""Which files are read for a question on how something works."""

from collections.abc import Mapping

import pytest

from mulligan.core.retrieval.citing_documents import cited_files
from mulligan.core.retrieval.flow_files import find_flow_files, flow_question, search_word
from mulligan.core.retrieval.terms import read_question
from mulligan.types.codecontext import CodeFile, Symbol


def code(
    path: str, *functions: str, doc: str = "", names: Mapping[str, int] | None = None, uses: tuple[str, ...] = ()
) -> CodeFile:
    symbols = tuple(Symbol(each, "function", path, 1, 9, f"def {each}()") for each in functions)
    return CodeFile(path, 100, doc, symbols, names or {}, dict.fromkeys(uses, 1.0))


def found(question: str, *files: CodeFile, cited: Mapping[str, float] | None = None) -> tuple[str, ...]:
    others = [code(f"shop/other_{number}.py") for number in range(20)]
    return find_flow_files(flow_question(read_question(question)), [*files, *others], cited or {}).paths


def terms(question: str) -> list[str]:
    return [search_word(term) for term in flow_question(read_question(question)).terms]


def test_words_of_the_question_itself_are_not_looked_for_and_similar_ones_are() -> None:
    assert set(terms("explain how a parcel flows through the launch")) == {"parcel", "launch", "start", "spawn"}


def test_of_a_name_with_dots_the_last_part_is_looked_for_and_a_path_stays_whole() -> None:
    assert terms("how does shop.Cart.total use shop/cart.py?")[:2] == ["total", "shop/cart.py"]


@pytest.mark.parametrize(
    ("question", "files", "first"),
    [
        pytest.param(
            "how is a parcel weighed?", [code("shop/parcel.py"), code("shop/parcel_label_printer.py")], 0, id="its name"
        ),
        pytest.param(
            "how is a parcel weighed?", [code("shop/a.py", "weigh_parcel"), code("shop/b.py")], 0, id="a symbol"
        ),
        pytest.param(
            "how is a parcel weighed?",
            [code("shop/a.py", names={"parcel": 9}), code("shop/b.py", doc="Weighs a parcel.")],
            1,
            id="what it says of itself counts more than what it mentions",
        ),
        pytest.param(
            "how is a parcel weighed?",
            [code("shop/a.py", "weigh"), code("shop/b.py", "parcel"), code("shop/c.py", "weigh_parcel")],
            2,
            id="both words in one place",
        ),
        pytest.param(
            "what happens in shop/till.py?", [code("shop/till.py"), code("shop/shop.py")], 0, id="it is named"
        ),
        pytest.param(
            "how are Scale.reset calls made?", [code("a.py", "reset"), code("b.py", "run")], 0, id="a symbol named"
        ),
        pytest.param("how is it executed?", [code("shop/runner.py", "run"), code("shop/b.py")], 0, id="a similar word"),
    ],
)
def test_the_file_that_fits_best_comes_first(question: str, files: list[CodeFile], first: int) -> None:
    assert found(question, *files)[0] == files[first].path


def test_a_file_that_leads_from_one_part_to_the_other_is_found_though_it_holds_none_of_the_words() -> None:
    parts = [code("shop/parcel.py", "weigh_parcel"), code("shop/invoice.py", "print_invoice")]
    desk = code("shop/desk.py", uses=("shop/parcel.py", "shop/invoice.py"))
    assert found("how does a parcel become an invoice?", *parts, desk)[:3] == (
        "shop/invoice.py",
        "shop/parcel.py",
        "shop/desk.py",
    )


def test_what_one_file_alone_uses_is_a_part_of_it_and_what_everybody_uses_is_not() -> None:
    users = [code(f"shop/user_{number}.py", uses=("shop/types.py",)) for number in range(9)]
    parcel = code("shop/parcel.py", "weigh_parcel", uses=("shop/types.py", "shop/scale.py"))
    paths = found("how is a parcel weighed?", parcel, code("shop/types.py"), code("shop/scale.py"), *users)
    assert paths == ("shop/parcel.py", "shop/scale.py")


def test_a_file_that_the_documents_name_for_it_is_found() -> None:
    parcel = code("shop/parcel.py", names={"parcel": 3})
    assert "shop/a.py" in found("how is a parcel weighed?", parcel, code("shop/a.py"), cited={"shop/a.py": 2.0})


def test_tests_are_found_only_if_they_are_asked_for() -> None:
    files = [code("shop/parcel.py", "weigh"), code("tests/test_parcel.py", "test_weigh_parcel")]
    assert found("how is a parcel weighed?", *files) == ("shop/parcel.py",)
    assert "tests/test_parcel.py" in found("how is the weighing of a parcel tested?", *files)


def test_without_evidence_no_file_is_found() -> None:
    assert found("how do elephants dance?", code("shop/parcel.py", "weigh")) == ()


WALK = """\
# How it works

1. `shop/door.py` lets people in.
2. `shop/scale.py` weighs the parcel.
3. `shop/till.py` takes the money.

The name of everything is in `shop/names.py`.
"""


def test_documents_name_files_by_the_step_that_fits_and_those_beside_it_count_less() -> None:
    paths = [f"shop/{name}.py" for name in ("door", "scale", "till", "names")]
    cited = cited_files(read_question("how is a parcel weighed?").terms, [WALK.split("\n")], paths)
    assert cited["shop/scale.py"] == 2 * cited["shop/door.py"] == 2 * cited["shop/till.py"] > 0
    assert "shop/names.py" not in cited
