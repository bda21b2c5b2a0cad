"""Another word of the project for one of a line: what is told of, left over or copied comes first."""

import pytest

from tests.core.repair.made_variants import files_made, lines_made

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
        pytest.param("box.go", COPIED, 3, "return ok && x < b.width && y < b.height", id="a half that was copied"),
    ],
)
def test_what_is_told_of_or_left_over_comes_first(path: str, text: str, line: int, meant: str) -> None:
    assert meant in lines_made(path, text, line)[:4]


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
    assert meant in files_made(path, line, 1)
