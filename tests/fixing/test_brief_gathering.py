"""What a coder is given up front, gathered from real little projects and what their runners really print."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mulligan.core.failures import read_report
from mulligan.core.guided_coder.build_brief import AROUND, FOR_OUTLINE
from mulligan.core.guided_coder.questions import diverging_in
from mulligan.core.line_change import LineLocation
from mulligan.core.program_repair.brief import Brief, summarize_located
from mulligan.fixing.brief_gathering import gather_brief
from mulligan.ports.files import FileText
from mulligan.types.fixing import Check, FailingTest, TestReport
from mulligan.workspace.files.project_files import ProjectFiles
from tests.fixing.little_projects import OF_GO, OF_NODE, OF_PYTEST, OF_UNITTEST, PYTEST_PROJECT, Little

Make = Callable[[dict[str, str]], ProjectFiles]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(files: dict[str, str]) -> ProjectFiles:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return ProjectFiles(tmp_path)

    return make


@pytest.mark.parametrize(
    ("little", "name", "sources", "told"),
    [
        pytest.param(
            OF_PYTEST,
            "test_pages_start_at_one",
            ["src/shop/cart.py"],
            (
                "page_items([1, 2, 3, 4, 5], 1, 2) gave [3, 4], expected [1, 2]",
                "return items[start : start + size]",
            ),
            id="pytest, a wrong result",
        ),
        pytest.param(
            OF_PYTEST,
            "test_total",
            ["src/shop/cart.py", "src/shop/tax.py"],
            (
                "total([tea], 'de') gave 8.152, expected 9.52",
                "return net * (1 + rate_for(country))",
            ),
            id="pytest, a fault one import away",
        ),
        pytest.param(
            OF_PYTEST,
            "test_find",
            ["src/shop/cart.py"],
            (
                """find([tea], 'tea') raised KeyError: 'naem' at src/shop/cart.py:19: if item["naem"] == name:""",
                'if item["naem"] == name:',
            ),
            id="pytest, an error",
        ),
        pytest.param(
            OF_UNITTEST,
            "test_rate",
            ["tax.py"],
            (
                "rate_for(self.country) gave 0.019, expected 0.19",
                "return RATES[country] / 10",
            ),
            id="unittest, a wrong result",
        ),
        pytest.param(
            OF_UNITTEST,
            "test_missing",
            ["tax.py"],
            (
                "rate_for('xx') raised LookupError: xx at tax.py:7: raise LookupError(country)",
                "raise LookupError(country)",
            ),
            id="unittest, an error",
        ),
        pytest.param(
            OF_NODE,
            "pages start at one",
            ["src/cart.js"],
            (
                "pageItems([1, 2, 3, 4, 5], 1, 2) gave [3, 4], expected [1, 2]",
                "export const pageItems = (items, page, size) => items.slice(page * size, page * size + size);",
            ),
            id="node, a wrong result",
        ),
        pytest.param(
            OF_NODE,
            "totals with tax",
            ["src/cart.js", "src/tax.js"],
            (
                "total([{ price: 4, count: 2 }], 'de') gave NaN, expected 9.52",
                "const net = items.reduce((sum, item) => sum + item.price * item.cuont, 0);",
            ),
            id="node, a misspelt key",
        ),
        pytest.param(
            OF_NODE,
            "finds what was added",
            ["src/cart.js"],
            (
                "cart.find('tea').name raised TypeError: Cannot read properties of undefined (reading 'name')",
                "return this.items.find((item) => { item.name === name });",
            ),
            id="node, an error in the test itself",
        ),
        pytest.param(
            OF_GO,
            "TestTotal/one_item",
            ["cart/cart.go", "tax/tax.go"],
            (
                'Total([]Item{{4, 2}}, "de") gave 8.152, expected 9.52',
                "return net * (1 + tax.Rate(country))",
            ),
            id="go, a fault one import away",
        ),
        pytest.param(
            OF_GO,
            "TestCounter",
            ["cart/cart.go"],
            (
                "c.Value() gave 0, expected 1",
                "func (c Counter) Inc() { c.n++ }",
            ),
            id="go, a receiver that is a copy",
        ),
        pytest.param(
            OF_GO,
            "TestPanics",
            ["cart/cart.go"],
            (
                (
                    "Page([]int{1}, 3, 2) panicked: runtime error: slice bounds out of range [:8] with capacity 1 at "
                    "cart/cart.go:20: return items[start : start+size]"
                ),
                "return items[start : start+size]",
            ),
            id="go, a panic",
        ),
    ],
)
async def test_a_failure_leads_to_its_sources_and_the_suspect_line(
    make: Make, little: Little, name: str, sources: list[str], told: tuple[str, str]
) -> None:
    check = failed(little, name)
    brief = await gather_brief("make the tests pass", [check], files=make(little.files), budget_tokens=500)
    first = brief.suspects[0]
    assert list(dict.fromkeys(each.path for each in brief.sources)) == sources
    assert brief.failures == (told[0],)
    assert little.files[first.path].splitlines()[first.line - 1].strip() == told[1]


async def test_the_hints_name_the_misspelt_key(make: Make) -> None:
    brief = await of_pytest(make, "test_find")
    assert [each.text for each in brief.hints] == ["src/shop/cart.py, find: the key 'naem' is nearly 'name'"]


async def test_only_the_failing_test_is_shown_with_its_fixture(make: Make) -> None:
    brief = await of_pytest(make, "test_find")
    assert [each.text for each in brief.tests] == [
        '@pytest.fixture\ndef tea():\n    return {"name": "tea", "price": 4, "count": 2}',
        'def test_find(tea):\n    assert find([tea], "tea") is tea',
    ]


@pytest.mark.parametrize("budget", [120, 250, 500, 4000])
async def test_a_brief_keeps_to_its_budget(make: Make, budget: int) -> None:
    brief = await of_pytest(make, "", budget_tokens=budget)
    told = [
        *brief.failures,
        *(each.text for each in brief.hints),
        *(each.text for each in (*brief.sources, *brief.tests)),
    ]
    assert sum(map(len, told)) <= budget * 3.5
    assert brief.sources


@pytest.mark.parametrize(
    ("little", "name", "path", "signature"),
    [
        pytest.param(OF_PYTEST, "test_total", "src/shop/cart.py", "def rate_for(country)", id="Python"),
        pytest.param(OF_NODE, "totals with tax", "src/cart.js", "export function rateFor(country)", id="JavaScript"),
        pytest.param(OF_GO, "TestTotal/one_item", "cart/cart.go", "func Rate(country string) float64", id="Go"),
    ],
)
async def test_a_question_about_one_function_shows_its_file_and_what_others_define(
    make: Make, little: Little, name: str, path: str, signature: str
) -> None:
    brief = await gather_brief(
        "make the tests pass", [failed(little, name)], files=make(little.files), budget_tokens=500
    )
    function = brief.functions[0]
    assert function.path == path
    context = diverging_in(brief, function).context
    assert f"File {path}:\n```\n{little.files[path].rstrip()}\n```" in context
    assert f"\n{signature}\n" in context


async def test_a_function_that_there_is_no_room_to_show_may_be_asked_about_alone(make: Make) -> None:
    brief = await of_pytest(make, "test_total", budget_tokens=130)
    assert [(each.name, each.shown) for each in brief.functions] == [("total", True), ("rate_for", False)]
    assert {each.path for each in brief.sources} == {"src/shop/cart.py"}
    around = brief.functions[1].around
    assert around is not None
    assert around.text == PYTEST_PROJECT["src/shop/tax.py"].rstrip("\n")


@pytest.mark.parametrize("budget", [20, 60, 120, 500])
async def test_the_surroundings_of_a_function_keep_to_their_share_and_have_all_of_it(make: Make, budget: int) -> None:
    brief = await of_pytest(make, "test_total", budget_tokens=budget)
    located = {(each.path, each.name): each for each in brief.located}
    for each in brief.functions:
        function, around = located[each.path, each.name], each.around
        assert around is not None
        lines = PYTEST_PROJECT[each.path].splitlines()
        own = "\n".join(lines[function.first - 1 : function.last])
        assert around.first <= function.first <= function.last <= around.last
        assert around.text == "\n".join(lines[around.first - 1 : around.last])
        assert len(around.text) <= max(len(own), AROUND * budget * 3.5)
        assert len(each.outline) <= FOR_OUTLINE * budget * 3.5


async def test_each_attempt_sees_something_else(make: Make) -> None:
    briefs = [await of_pytest(make, "test_total", budget_tokens=300, attempt=attempt) for attempt in (1, 2)]
    assert briefs[0].sources != briefs[1].sources
    assert [brief.suspects[0].path for brief in briefs] == ["src/shop/cart.py", "src/shop/tax.py"]


async def test_a_third_attempt_goes_one_import_further(make: Make) -> None:
    files = {
        "a.py": "from b import two\n\n\ndef one():\n    return two()\n",
        "b.py": "from c import three\n\n\ndef two():\n    return three()\n",
        "c.py": "from d import four\n\n\ndef three():\n    return four()\n",
        "d.py": "def four():\n    return 5\n",
        "test_a.py": "from a import one\n\n\ndef test_one():\n    assert one() == 4\n",
    }
    test = FailingTest(id="test_a.py::test_one", name="test_one", path="test_a.py", message="assert 5 == 4")
    seen = [{each.path for each in (await of_tests(make(files), test, attempt=attempt)).sources} for attempt in (1, 3)]
    assert seen == [{"a.py", "b.py"}, {"a.py", "b.py", "c.py"}]


async def test_a_name_that_another_file_defines_is_hinted_with_its_import(make: Make) -> None:
    files = {
        "app/__init__.py": "",
        "app/report.py": "def report(items):\n    return join_all(items)\n",
        "app/text/joining.py": "def join_all(items):\n    return ''.join(items)\n",
        "tests/test_report.py": "from app.report import report\n\n\ndef test_report():\n    assert report('a')\n",
    }
    test = FailingTest(id="x", name="test_report", path="tests/test_report.py", message="NameError: …")
    brief = await of_tests(make(files), test)
    assert tuple(each.text for each in brief.hints) == (
        "app/report.py, report: `join_all` is not imported: `from app.text.joining import join_all` is missing",
    )


async def test_a_test_that_could_not_be_loaded_leads_to_what_it_imports(make: Make) -> None:
    files = {
        "cart.py": "def total(items):\n    return sum(items)\n",
        "tests/test_cart.py": "from cart import totals\n\n\ndef test_totals():\n    assert totals([1]) == 1\n",
    }
    check = Check(
        command="pytest",
        passed=False,
        kind="test_failure",
        summary="ImportError: cannot import name 'totals' from 'cart'",
        report=TestReport(blocked=("tests/test_cart.py",)),
    )
    brief = await gather_brief("make it pass", [check], files=make(files), budget_tokens=500)
    assert [each.path for each in brief.sources] == ["cart.py"]
    assert "cannot import name 'totals' from 'cart'" in brief.failures[0]


@pytest.mark.parametrize(
    ("tables", "said", "written"),
    [
        pytest.param("", "ImportError: cannot import name 'ROWS' from 'tables'", ["tables.py"], id="lacks a name"),
        pytest.param("", "AssertionError: 1 != 2", [], id="empty, and meant to be"),
        pytest.param("ROWS = 1\n" + "# more\n" * 60_000, "AssertionError: 1 != 2", [], id="too long to show"),
        pytest.param(None, "ModuleNotFoundError: No module named 'tables'", ["tables.py"], id="not there"),
        pytest.param(None, "ModuleNotFoundError: No module named 'columns'", [], id="another one is not there"),
    ],
)
async def test_a_module_is_to_be_written_if_the_failures_miss_it_or_a_name_of_it(
    make: Make, tables: str | None, said: str, written: list[str]
) -> None:
    test = "from tables import ROWS\n\n\ndef test_rows():\n    assert ROWS == 2\n"
    files = {"test_tables.py": test} if tables is None else {"test_tables.py": test, "tables.py": tables}
    brief = await of_tests(make(files), FailingTest(id="x", name="test_rows", path="test_tables.py", message=said))
    assert [each.path for each in brief.missing] == written


async def test_a_lint_finding_leads_to_its_own_file(make: Make) -> None:
    files = {"shop/cart.py": "import os\n\n\ndef total(items):\n    return sum(items)\n"}
    finding = FailingTest(
        id="shop/cart.py: F401 `os` imported but unused",
        name="F401",
        path="shop/cart.py",
        message="`os` imported but unused",
        detail="shop/cart.py:1:8: F401 [*] `os` imported but unused",
    )
    brief = await of_tests(make(files), finding)
    assert [each.path for each in brief.sources] == ["shop/cart.py"]
    assert [(place.path, place.line) for place in brief.suspects[:1]] == [("shop/cart.py", 1)]


async def test_a_test_without_a_path_is_found_by_its_name(make: Make) -> None:
    brief = await of_tests(make(PYTEST_PROJECT), FailingTest(id="x", name="test_find", message="KeyError: 'naem'"))
    assert [each.path for each in brief.tests] == ["tests/test_cart.py"] * 2


async def test_without_any_failure_the_goal_leads_to_sources(make: Make) -> None:
    brief = await gather_brief("page_items is wrong", [], files=make(PYTEST_PROJECT), budget_tokens=500)
    assert [each.path for each in brief.sources] == ["src/shop/cart.py"]
    assert brief.failures == ()


async def test_an_empty_project_gives_an_empty_brief(make: Make) -> None:
    brief = await of_tests(make({}), FailingTest(id="x", name="test_x", path="tests/test_x.py", message="no"))
    assert brief == Brief("make the tests pass", (), (), ("test_x: no",), (), ())


async def test_imports_lead_to_sources_of_other_languages_too(make: Make) -> None:
    files = {
        "lib/cart.rb": "require_relative 'tax'\n\ndef total(items)\n  items.sum * rate\nend\n",
        "lib/tax.rb": "def rate\n  2\nend\n",
        "spec/cart_spec.rb": "require_relative '../lib/cart'\n\nit 'adds' do\n  expect(total([1])).to eq 1\nend\n",
    }
    test = FailingTest(id="adds", name="adds", path="spec/cart_spec.rb", message="expected: 1 got: 2")
    brief = await gather_brief("make it pass", [of_report(test)], files=make(files), budget_tokens=500)
    assert [each.path for each in brief.sources][:1] == ["lib/cart.rb"]


async def test_of_many_files_only_what_ran_and_a_few_more_are_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a project of many files, all of which the test's file imports."""
    many = {f"app/part_{number}.py": f"def part_{number}():\n    return {number}\n" for number in range(200)}
    imports = "".join(f"from app.part_{number} import part_{number}\n" for number in range(200))
    files = make({**many, "tests/test_parts.py": f"{imports}\n\ndef test_one():\n    assert part_7() == 8\n"})
    read: list[str] = []
    really = files.read_text

    async def noted(path: str) -> FileText:
        read.append(path)
        return await really(path)

    monkeypatch.setattr(files, "read_text", noted)
    record = {"test": "tests/test_parts.py::test_one", "passed": False, "lines": {"app/part_7.py": [2]}}
    test = FailingTest(id="tests/test_parts.py::test_one", name="test_one", path="tests/test_parts.py", message="no")
    brief = await gather_brief(
        "make it pass", [of_report(test)], files=files, traces=[json.dumps(record)], budget_tokens=500
    )
    assert brief.sources[0].path == "app/part_7.py"
    assert len({path for path in read if path.startswith("app/")}) < 50
    assert summarize_located(brief) == "1 function ran in failing tests; most suspicious: part_7 (app/part_7.py:1)."


async def test_what_a_test_imports_and_no_failing_test_ran_is_a_reference_and_not_suspected(make: Make) -> None:
    files = make(
        {
            "app/worth.py": "from app.rates import RATE\n\n\ndef worth(stamp):\n    return stamp['value'] * RATE\n",
            "app/rates.py": "RATE = 2\n",
            "app/parse.py": "def parse(text):\n    return {'cents': int(text), 'count': 1}\n",
            "tests/test_worth.py": "from app.parse import parse\nfrom app.worth import worth\n\nSTAMP = parse('3')\n"
            "\n\ndef test_worth():\n    assert worth(STAMP) == 6\n",
        }
    )
    record = {"test": "tests/test_worth.py::test_worth", "passed": False, "lines": {"app/worth.py": [5]}}
    test = FailingTest(
        id="tests/test_worth.py::test_worth", name="test_worth", path="tests/test_worth.py", message="no"
    )
    brief = await gather_brief(
        "make it pass", [of_report(test)], files=files, traces=[json.dumps(record)], budget_tokens=500
    )
    assert (brief.paths, sorted(brief.references)) == (("app/worth.py",), ["app/parse.py", "app/rates.py"])


def failed(little: Little, name: str) -> Check:
    """What its command says, with the tests of this name alone; with all of them if there is no name."""
    report = read_report(little.command, 1, little.output, "")
    failing = tuple(test for test in report.failing if name in {"", test.name})
    assert failing, [test.name for test in report.failing]
    return of_report(*failing)


def of_report(*tests: FailingTest) -> Check:
    return Check(command="test", passed=False, kind="test_failure", report=TestReport(failing=tests))


async def of_tests(files: ProjectFiles, *tests: FailingTest, attempt: int = 1) -> Brief:
    return await gather_brief(
        "make the tests pass", [of_report(*tests)], files=files, budget_tokens=500, attempt=attempt
    )


async def of_pytest(make: Make, name: str, *, budget_tokens: int = 500, attempt: int = 1) -> Brief:
    check = failed(OF_PYTEST, name)
    return await gather_brief(
        "make the tests pass",
        [check],
        files=make(PYTEST_PROJECT),
        budget_tokens=budget_tokens,
        attempt=attempt,
    )


async def test_a_pasted_traceback_leads_to_lines_that_no_test_points_to(make: Make) -> None:
    files = make({"app/jobs.py": "def run(job):\n    name = job['nmae']\n    return name\n", "app/other.py": "x = 1\n"})
    told = (
        "Fix this:\nTraceback (most recent call last):\n  File \"/srv/app/jobs.py\", line 2, in run\nKeyError: 'nmae'"
    )
    brief = await gather_brief("Fix this", (), user_text=told, files=files, budget_tokens=700)
    assert [each.path for each in brief.sources] == ["app/jobs.py"]
    assert brief.suspects[0] == LineLocation("app/jobs.py", 2)
    assert brief.failures == ()
