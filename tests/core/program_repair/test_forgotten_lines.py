"""Lines that were forgotten, and values that lack something: what was meant is near the front of the variants."""

import pytest

from tests.core.program_repair.made_variants import SOON, completed, files_made, holds, is_made, lines_made

ADMIT = """\
var ErrYoung = errors.New("too young")

// Admit lets a guest in, or says ErrYoung.
func (c *Club) Admit(age int) error {
	if age < 18 {
		c.refused++
	}
	c.guests++
	return nil
}"""
SKIPS = "def even(xs):\n    for x in xs:\n        if x % 2:\n            log(x)\n        yield x"
MEAN = "def mean(values):\n    total = sum(values)\n    return total / len(values)"
FIRST = "function first(words) {\n  return words[0].toUpperCase();\n}"
CLAMP = "def clamp(value, low, high):\n    if value > high:\n        return high\n    return value"
COUNT = """\
def count_long(words):
    count = 0
    for word in words:
        if len(word) > 5:
            log(word)
    return count"""
UNIQUE = """\
def unique(xs):
    seen = set()
    for x in xs:
        if x not in seen:
            yield x
    return"""
TILL = """\
class Till:
    def __init__(self):
        self.total = 0

    def put(self, amount):
        self.total += amount

    def take(self, amount):
        self.log.append(amount)
        return amount"""
SWAPPED = "def move(self):\n    self.old = self.new\n    self.new = self.read()\n    return self.old"


@pytest.mark.parametrize(
    ("path", "text", "line", "put_in", "failure"),
    [
        pytest.param("club.go", ADMIT, 6, "\t\tc.refused++\n\t\treturn ErrYoung\n", "", id="an error that has a name"),
        pytest.param("even.py", SKIPS, 4, "            log(x)\n            continue\n", "", id="the next round"),
        pytest.param(
            "mean.py",
            MEAN,
            3,
            "    if not values:\n        return 0\n    return total / len(values)",
            "mean([]) raised ZeroDivisionError: division by zero",
            id="a guard for an empty list",
        ),
        pytest.param(
            "first.js",
            FIRST,
            2,
            "  if (!words?.length) return null;\n",
            "first([]) raised TypeError: Cannot read properties of undefined (reading 'toUpperCase')",
            id="a guard for an empty array",
        ),
        pytest.param(
            "clamp.py",
            CLAMP,
            2,
            "    if value < low:\n        return low\n    if value > high:",
            "",
            id="the other bound",
        ),
        pytest.param("count.py", COUNT, 5, "            log(word)\n            count += 1\n", "", id="a count"),
        pytest.param("unique.py", UNIQUE, 5, "            yield x\n            seen.add(x)\n", "", id="a set"),
        pytest.param(
            "till.py",
            TILL,
            10,
            "        self.total -= amount\n        return amount",
            "",
            id="what another method does",
        ),
    ],
)
def test_a_forgotten_line_is_put_in(path: str, text: str, line: int, put_in: str, failure: str) -> None:
    made = files_made(path, text, line, failure=failure)[:SOON]
    assert holds(put_in, made)


def test_two_statements_are_tried_in_the_other_order() -> None:
    meant = SWAPPED.replace(
        "    self.old = self.new\n    self.new = self.read()", "    self.new = self.read()\n    self.old = self.new"
    )
    assert is_made(meant, files_made("state.py", SWAPPED, 2))


@pytest.mark.parametrize(
    ("path", "text", "line", "meant", "failure"),
    [
        pytest.param(
            "load.js",
            "async function read(id) {\n  return 1;\n}\nasync function twice(id) {\n  const value = read(id);\n}",
            5,
            "const value = await read(id);",
            "",
            id="await",
        ),
        pytest.param(
            "load.py",
            "async def read(key):\n    return key\n\n\nasync def twice(key):\n    return 2 * read(key)",
            6,
            "return 2 * await read(key)",
            "",
            id="await in Python",
        ),
        pytest.param(
            "n.py",
            "counts[word] += 1",
            1,
            "counts[word] = counts.get(word, 0) + 1",
            "f() raised KeyError: 'a'",
            id="a first count",
        ),
        pytest.param(
            "n.js",
            "sums[day] += hours;",
            1,
            "sums[day] = (sums[day] ?? 0) + hours;",
            "f() gave NaN, expected 3",
            id="a first sum",
        ),
        pytest.param(
            "n.py",
            "groups[key].append(x)",
            1,
            "groups.setdefault(key, []).append(x)",
            "f() raised KeyError: 'a'",
            id="a first group",
        ),
        pytest.param(
            "n.py", "return prices[name]", 1, "return prices.get(name)", "f() raised KeyError: 'tea'", id="no such key"
        ),
        pytest.param(
            "n.js",
            "return user.address.city;",
            1,
            "return user.address?.city;",
            "f() raised TypeError: Cannot read properties of undefined (reading 'city')",
            id="no such property",
        ),
        pytest.param(
            "n.js",
            "return { name, price };",
            1,
            "return { name, price: Number(price) };",
            'f() gave "12", expected 3',
            id="text for a number",
        ),
        pytest.param(
            "n.py",
            "total = total + amount",
            1,
            "total = total + int(amount)",
            "f() raised TypeError: unsupported operand type(s) for +",
            id="text for a number in Python",
        ),
        pytest.param(
            "n.go", "return float64(done / all)", 1, "return float64(done) / float64(all)", "", id="divided too early"
        ),
        pytest.param("n.py", "self.items = items", 1, "self.items = list(items)", "", id="a copy"),
        pytest.param("n.js", "return names.sort();", 1, "return [...names].sort();", "", id="sorted in place"),
        pytest.param(
            "n.js", "return scores.sort();", 1, "return scores.sort((a, b) => a - b);", "", id="numbers sorted as text"
        ),
        pytest.param(
            "n.js",
            "return rows.sort((a, b) => a.name.localeCompare(b.name));",
            1,
            "return rows.sort((a, b) => b.name.localeCompare(a.name));",
            "",
            id="the wrong way round",
        ),
        pytest.param("n.py", "rows.sort(key=len)", 1, "rows.sort(key=len, reverse=True)", "", id="the largest first"),
        pytest.param(
            "n.js",
            "rows.map((row) => ({\n  a: 1,\n}));",
            1,
            "return rows.map((row) => ({",
            "",
            id="a result over several lines",
        ),
        pytest.param(
            "n.py",
            "if first <= end and start <= last:",
            1,
            "if first < end and start < last:",
            "",
            id="both ends of a stretch",
        ),
        pytest.param("n.go", "return n * (all / parts)", 1, "return n * all / parts", "", id="brackets too many"),
        pytest.param("n.py", "open = filter(None, doors)", 1, "open = list(filter(None, doors))", "", id="once only"),
        pytest.param("n.py", "seen = (x.id for x in xs)", 1, "seen = [x.id for x in xs]", "", id="a generator"),
        pytest.param("n.py", 'ValueError(f"no {x}")', 1, 'raise ValueError(f"no {x}")', "", id="raise"),
        pytest.param("n.js", 'new RangeError("no");', 1, 'throw new RangeError("no");', "", id="throw"),
        pytest.param(
            "n.js",
            "return rooms.filter((room) => taken.has(room));",
            1,
            "return rooms.filter((room) => !taken.has(room));",
            "",
            id="a question within",
        ),
        pytest.param(
            "n.py",
            "return [x for x in xs if is_old(x)]",
            1,
            "return [x for x in xs if not is_old(x)]",
            "",
            id="a question within, in Python",
        ),
        pytest.param("n.go", "if ready {", 1, "if !ready {", "", id="a question in Go"),
        pytest.param(
            "n.py",
            'return "; ".join(xs)',
            1,
            'return ", ".join(xs)',
            "f() gave 'a; b', expected 'a, b'",
            id="another separator",
        ),
    ],
)
def test_what_a_value_lacks_is_put_in(path: str, text: str, line: int, meant: str, failure: str) -> None:
    first = text.split("\n")[line - 1]
    inner = completed(path, first) if "\n" not in text else text
    made = lines_made(path, inner, 2 if inner != text else line, failure=failure)
    assert is_made(meant, made[:SOON])
