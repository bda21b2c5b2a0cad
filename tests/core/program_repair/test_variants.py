"""Mechanical variants of a line: the slip turned round is among them, and near the front."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mulligan.core.program_repair.brief import Brief
from mulligan.core.program_repair.sites.facts import RepairFacts
from mulligan.core.retrieval.excerpts import Excerpt
from tests.core.program_repair.made_variants import completed, files_made, is_made, lines_made, plain


def texts(path: str, line: str, above: str = "") -> list[str]:
    return lines_made(path, completed(path, line, above), 2)


@pytest.mark.parametrize(
    ("path", "line", "meant"),
    [
        pytest.param("a.py", "if age > 18:", "if age >= 18:", id="greater"),
        pytest.param("a.py", "return a == b", "return a != b", id="equal"),
        pytest.param("a.py", "return price + rate", "return price - rate", id="plus"),
        pytest.param("a.py", "return total / count", "return total // count", id="division"),
        pytest.param("a.py", "if a and b:", "if a or b:", id="and"),
        pytest.param("a.py", "if not done:", "if done:", id="not too many"),
        pytest.param("a.py", "if done:", "if not done:", id="not too few"),
        pytest.param("a.py", "if x in seen:", "if x not in seen:", id="in"),
        pytest.param("a.py", "if x not in seen:", "if x in seen:", id="not in"),
        pytest.param("a.py", "return x is None", "return x is not None", id="is"),
        pytest.param("a.py", "done = True", "done = False", id="true"),
        pytest.param("a.py", "for i in range(1, n):", "for i in range(1, n + 1):", id="range ends early"),
        pytest.param("a.py", "for i in range(n):", "for i in range(1, n + 1):", id="range starts early"),
        pytest.param("a.py", "return items[:n]", "return items[:n + 1]", id="slice"),
        pytest.param("a.py", "return items[0]", "return items[-1]", id="first for last"),
        pytest.param("a.py", "last = len(items) - 1", "last = len(items)", id="one too few"),
        pytest.param("a.py", "start = page * size", "start = (page - 1) * size", id="counted from one"),
        pytest.param("a.py", "return a - b", "return b - a", id="operands"),
        pytest.param("a.py", "if a and b:", "if a:", id="half of a condition"),
        pytest.param("a.py", "return price + rate", "return price", id="half of a sum"),
        pytest.param("a.py", "return join(parts, sep)", "return join(parts)", id="an argument too many"),
        pytest.param("a.py", "return text.strip()", "return text", id="a call too many"),
        pytest.param("a.py", "return copy.copy(rows)", "return copy.deepcopy(rows)", id="a shallow copy"),
        pytest.param("a.py", "return total // size", "return -(-total // size)", id="rounded down"),
        pytest.param("a.js", "return list.sort();", "return list.sort((a, b) => b - a);", id="js order"),
        pytest.param("a.go", "return len(name)", "return len([]rune(name))", id="go bytes for characters"),
        pytest.param("a.py", "return a + b / 2", "return (a + b) / 2", id="sum first"),
        pytest.param("a.py", "return join(parts, sep)", "return join(sep, parts)", id="arguments"),
        pytest.param("a.py", "return min(values)", "return max(values)", id="min"),
        pytest.param("a.py", "all_of.append(found)", "all_of.extend(found)", id="append"),
        pytest.param("a.py", "a * b", "return a * b", id="no return"),
        pytest.param("a.py", "state == 1", "state = 1", id="compared for assigned"),
        pytest.param("a.py", 'return "Hello {name}"', 'return f"Hello {name}"', id="no f"),
        pytest.param("a.py", "return name.strip", "return name.strip()", id="no call"),
        pytest.param("a.py", "limit = limit or 10", "limit = 10 if limit is None else limit", id="zero is a value"),
        pytest.param("a.js", "if (a === b) {", "if (a !== b) {", id="js equal"),
        pytest.param("a.js", "if (a = b) {", "if (a === b) {", id="js assigned"),
        pytest.param("a.js", "return a && b;", "return a || b;", id="js and"),
        pytest.param("a.js", "return 'x ${n}';", "return `x ${n}`;", id="js template"),
        pytest.param("a.js", "return list[list.length];", "return list[list.length - 1];", id="js length"),
        pytest.param("a.py", "return tag.strip()", "return tag.strip().lower()", id="case"),
        pytest.param("a.js", "return t.replace(X, '');", "return t.toLowerCase().replace(X, '');", id="js case"),
        pytest.param("a.go", "counts[word] = 1", "counts[word] += 1", id="set for added"),
        pytest.param("a.py", "count =+ 1", "count += 1", id="the wrong way round"),
        pytest.param("a.py", "return self.xs.sort()", "return sorted(self.xs)", id="sort gives nothing"),
        pytest.param("a.py", "return sorted(xs)[:3]", "return sorted(xs, reverse=True)[:3]", id="order"),
        pytest.param("a.go", "for i := 1; i < n; i++ {", "for i := 0; i < n; i++ {", id="go start"),
        pytest.param("a.go", "if s[i] != s[len(s)-i] {", "if s[i] != s[len(s)-i - 1] {", id="go index"),
        pytest.param("a.js", "if (this.names.has(name)) {", "if (!this.names.has(name)) {", id="js not too few"),
        pytest.param("a.js", "return x.at && x.left;", "return x.at && !x.left;", id="js not within"),
        pytest.param("a.js", "n: s ? 1 : Number(s),", "n: s ? Number(s) : 1,", id="js choice"),
        pytest.param("a.py", "return 1 if s else int(s)", "return int(s) if s else 1", id="choice"),
        pytest.param("a.go", "fare := metres/1000*price", "fare := metres * price / 1000", id="divided too early"),
        pytest.param("a.go", "for r := 0; r <= row; r++ {", "for r := 0; r <= row + 1; r++ {", id="go bound"),
        pytest.param("a.go", "width := len(rows)", "width := len(rows[0])", id="go inner length"),
        pytest.param("a.js", "const HOUR = 360_000;", "const HOUR = 3_600_000;", id="js a zero"),
        pytest.param("a.go", "speed = 400.0", "speed = 300.0", id="a round number"),
        pytest.param(
            "a.go",
            "sort.Slice(v, func(i, j int) bool { return v[j].Less(v[i]) })",
            "sort.Slice(v, func(i, j int) bool { return v[i].Less(v[j]) })",
            id="go order",
        ),
        pytest.param("a.py", "hours = minutes // 60", "hours = math.ceil(minutes / 60)", id="up to the next"),
        pytest.param("a.js", "return seconds / 60;", "return Math.floor(seconds / 60);", id="js whole"),
        pytest.param("a.go", "pages := count / size", "pages := (count + size - 1) / size", id="go up to the next"),
        pytest.param("a.js", "return { title: item.title };", "return { title: item.title.trim() };", id="js space"),
        pytest.param("a.js", "return names;", "return names.sort();", id="js sorted"),
        pytest.param("a.py", "return a > b  # why", "return a >= b  # why", id="a comment stays"),
    ],
)
def test_the_slip_turned_round_is_among_the_variants(path: str, line: str, meant: str) -> None:
    assert is_made(meant, texts(path, line)), texts(path, line)


FIRST = 3


def test_a_misspelt_name_comes_first() -> None:
    text = "def f(result):\n    result += 1\n    result -= 1\n    return resutl + 1"
    assert "return result + 1" in lines_made("a.py", text, 4)[:FIRST]


def test_a_key_that_is_nearly_another_of_the_project_comes_first() -> None:
    text = "def f(row):\n    row['name'] += row['name']\n    return row['naem']"
    assert "return row['name']" in lines_made("a.py", text, 3)[:FIRST]


def test_a_number_that_a_failure_speaks_of_is_tried() -> None:
    assert "LIMIT = 50" in files_made("a.py", "LIMIT = 5", 1, failure="f() gave 1, expected 50")


def test_a_name_of_the_same_function_is_tried() -> None:
    assert "return width * height" in texts("a.py", "return width * width", "def area(width, height):")


def test_a_default_that_calls_share_is_made_for_each() -> None:
    made = files_made("a.py", "def add(x, to=[]):\n    return to", 1)
    assert is_made("def add(x, to=None):\n    to = [] if to is None else to\n    return to", made[:FIRST])


def test_a_return_within_a_loop_moves_out_of_it() -> None:
    made = files_made("a.py", "def f(y):\n    for x in y:\n        y += 1\n        return x", 4)
    assert "def f(y):\n    for x in y:\n        y += 1\n    return x" in made


def test_a_return_never_moves_out_of_its_function() -> None:
    assert all(each.startswith("def f(y):\n    ") for each in files_made("a.py", "def f(y):\n    return y", 2))


@pytest.mark.parametrize("line", ["for i := 0; i < n; i++ {", "for (let i = 0; i < n; i += step) {", "while i < n:"])
def test_no_loop_is_made_to_run_for_ever(line: str) -> None:
    path = "a.py" if line.endswith(":") else "a.go" if ":=" in line else "a.js"
    assert not [each for each in texts(path, line) if "i--" in each or "-=" in each or "i >" in each]


def test_a_comment_has_no_variants() -> None:
    assert files_made("a.py", "# a < b", 1) == []


def test_the_facts_are_what_the_brief_shows() -> None:
    brief = Brief(
        task="t",
        sources=(Excerpt("a.py", 1, 1, "total = row['price']"),),
        tests=(Excerpt("test_a.py", 1, 1, "assert cost({'cost': 7}) == 7"),),
        failures=("cost() gave 1, expected 7",),
        hints=(),
        suspects=(),
    )
    facts = RepairFacts(brief, {"a.py": ("total = row['price']",)})
    assert facts.names["total"] == 1
    assert set(facts.keys) == {"price", "cost"}
    assert facts.numbers == ("7", "1")


@given(
    text=st.text(alphabet="abi <>=+-*/()[]{}'\"`:.,;\nreturnfoxif0129%!&|", max_size=60),
    path=st.sampled_from(["a.py", "a.js", "a.go", "a.rs", "a.java"]),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_text_has_changes_none_of_them_itself_and_no_two_alike(text: str, path: str) -> None:
    made = files_made(path, text, 1)
    assert text not in made
    assert len(made) == len(set(made))


def test_what_has_the_same_effect_is_tried_once() -> None:
    made = [plain(each) for each in files_made("a.py", "def f(a):\n    return a[1 : 2]", 2)]
    assert len(made) == len(set(made))


@pytest.mark.parametrize(
    ("path", "text", "line", "meant"),
    [
        pytest.param(
            "names.js",
            "const full = (user) => `${user.first} ${user.first}`;\nconst short = (user) => user.first + user.last;",
            1,
            "const full = (user) => `${user.first} ${user.last}`;",
            id="another property of the same thing, in a template",
        ),
        pytest.param(
            "box.py",
            "def area(box):\n    return box.width * box.width\n\n\ndef tall(box):\n    return box.height > box.width",
            2,
            "return box.width * box.height",
            id="another attribute of the same thing",
        ),
        pytest.param(
            "fines.py",
            'def told(due, today):\n    return f"this costs {fine(today, due):.2f}"',
            2,
            'return f"this costs {fine(due, today):.2f}"',
            id="arguments the wrong way round, in a template with a format",
        ),
        pytest.param(
            "clock.js",
            "const shown = (s) => `${s % 60} s`;",
            1,
            "const shown = (s) => `${s / 60} s`;",
            id="an operator in a template",
        ),
    ],
)
def test_what_is_computed_in_a_template_or_asked_of_a_thing_has_variants(
    path: str, text: str, line: int, meant: str
) -> None:
    assert is_made(meant, lines_made(path, text, line))


def test_what_a_program_wrote_is_left_alone() -> None:
    line = "const a = " + " + ".join(f"b{number} || c && d" for number in range(2000)) + ";"
    assert files_made("min.js", line, 1) == []


def test_a_language_without_a_file_of_its_own_gets_what_is_common() -> None:
    made = lines_made("a.rs", "fn f(a: i32, n: i32) -> bool {\n    return a < n;\n}", 2)
    assert "return a <= n;" in made
