"""Another word of the project for one of a line: what is told of, left over or copied comes first."""

import pytest

from tests.core.program_repair.made_variants import SOON, candidates_made, files_made, is_made, lines_made

DOCUMENTED = """\
FIRST_FEE = 20
LATER_FEE = 5


def renewal(times):
    \"\"\"Each renewal costs LATER_FEE.\"\"\"
    return times * FIRST_FEE"""
UNITS = "// Each step is 60 times the one before.\nconst (\n\tMinute = 60\n\tHour   = 100 * Minute\n)"
AREA = "def area(width, height, margin):\n    inner = width - margin\n    return width * height"
CALLS = "function rate(won, lost) {\n  return won / lost;\n}\nfunction show(won, lost) {\n  return rate(lost, won);\n}"
PROPERTIES = """\
function fits(box, item) {
  if (box.height < item.height) return false;
  return box.size > 0 && item.width <= box.widthInside && box.width > 0;
}"""
COPIED = """\
func (b *Box) Inside(x, y int) bool {
	ok := b.height > 0 && b.height < 100
	return ok && x < b.width && y < b.width
}"""

UNUSED = (
    "ENTRY_FEE = 4\nEXIT_FEE = 7\nSTAY_FEE = 9\nprint(ENTRY_FEE, STAY_FEE)\n\ndef leave(n):\n    return n * ENTRY_FEE"
)
ROOM = """\
type Room struct {
	Long, Wide, High int
}

var small = Room{Long: 3, Wide: 2, High: 2}

func (r Room) Air() int {
	return r.Long * r.Wide * r.Wide
}"""


@pytest.mark.parametrize(
    ("path", "text", "line", "meant"),
    [
        pytest.param("fees.py", DOCUMENTED, 7, "return times * LATER_FEE", id="the constant that is told of"),
        pytest.param("units.go", UNITS, 4, "Hour   = 60 * Minute", id="the number that is told of"),
        pytest.param("area.py", AREA, 3, "return inner * height", id="the variable that nothing uses"),
        pytest.param("rate.js", CALLS, 5, "return rate(won, lost);", id="arguments as the parameters are named"),
        pytest.param(
            "fits.js",
            PROPERTIES,
            3,
            "return box.size > 0 && item.width <= box.width && box.width > 0;",
            id="a property that nothing else has",
        ),
        pytest.param("fees.py", UNUSED, 7, "return n * EXIT_FEE", id="the constant that nothing uses"),
        pytest.param("room.go", ROOM, 8, "return r.Long * r.Wide * r.High", id="the field that nothing reads"),
        pytest.param("box.go", COPIED, 3, "return ok && x < b.width && y < b.height", id="a half that was copied"),
    ],
)
def test_what_is_told_of_or_left_over_comes_first(path: str, text: str, line: int, meant: str) -> None:
    assert is_made(meant, lines_made(path, text, line)[:SOON])


@pytest.mark.parametrize(
    ("path", "line", "meant"),
    [
        pytest.param(
            "a.js",
            "export function slots(from, to, step = 60) {",
            "export function slots(from, to, step = 30) {",
            id="a default",
        ),
        pytest.param("a.go", "Mega = 1000 * Kilo", "Mega = 1024 * Kilo", id="a unit"),
        pytest.param("a.py", "PERCENT = 10", "PERCENT = 100", id="percent"),
        pytest.param("a.py", "LIMIT = 40", "LIMIT = 20", id="twice as much"),
    ],
)
def test_numbers_have_their_kin(path: str, line: str, meant: str) -> None:
    assert is_made(meant, files_made(path, line, 1))


@pytest.mark.parametrize(
    ("line", "failure", "meant"),
    [
        pytest.param("PER_POUND = 0.5", "grams(8) gave 4.0, expected 3.632", "PER_POUND = 0.454", id="grows with it"),
        pytest.param("PER_DOZEN = 10", "eggs(3) gave 30, expected 36", "PER_DOZEN = 12", id="whole stays whole"),
        pytest.param("PARTS = 4", "share(60) gave 15, expected 12", "PARTS = 5", id="goes down as it grows"),
        pytest.param("OFFSET = 17", "day(3) gave 20, expected 44", "OFFSET = 41", id="as much more"),
        pytest.param(
            "RATE = 1.1", "text() gave 'EUR 33.0 of 7', expected 'EUR 36.0 of 7'", "RATE = 1.2", id="within a text"
        ),
    ],
)
def test_a_number_is_reckoned_from_what_was_got_and_wanted(line: str, failure: str, meant: str) -> None:
    assert is_made(meant, files_made("rates.py", line, 1, failure=failure))


def test_fields_of_another_file_s_class_are_not_asked_of_this_one() -> None:
    mine, other = "class Lamp {\n  on() {\n    return this.lit;\n  }\n}", "this.bulb = this.socket + this.lit;"
    made = candidates_made("lamp.js", mine, 3, others={"shop.js": other})
    assert made
    assert not [each for each in made if "bulb" in "".join(each.lines) or "socket" in "".join(each.lines)]


@pytest.mark.parametrize(
    ("path", "line", "foreign"),
    [("a.js", "queue.shift();", "popleft"), ("a.js", "list.push(one);", "append"), ("a.py", "xs.pop()", "shift")],
)
def test_methods_of_another_language_are_not_tried(path: str, line: str, foreign: str) -> None:
    assert not [text for text in files_made(path, line, 1) if foreign in text]
