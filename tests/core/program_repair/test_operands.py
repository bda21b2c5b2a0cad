"""Operands that are wrong or missing: what the function has at hand is tried in their place."""

import pytest

from tests.core.program_repair.made_variants import SOON, candidates_made, is_made, lines_made

SHARED = """\
def shares(trips):
    paid = {}
    for trip in trips:
        for person in trip.riders:
            paid[person] = trip.cost / len(paid)
    return paid"""
PAY = """\
def pay(hours, rate):
    more = max(hours - 40, 0)
    return hours * rate + more * 2"""
LEFT_OVER = """\
const PER_MINUTE = 50;
function fare(minutes) {
  return 300 + minutes;
}"""
NEIGHBOURS = """\
func (f *Field) Around(row, col int) int {
	count := 0
	for r := row - 1; r <= row+1; r++ {
		for c := col - 1; c <= col+1; c++ {
			if f.Mine(row, col) {
				count++
			}
		}
	}
	return count
}"""
CLIMB = """\
func Ascent(track []Point) int {
	for i := 1; i < len(track); i++ {
		total += track[i].Height - track[0].Height
	}
	return total
}"""
RANGE = "def span(values):\n    kept = clean(values)\n    return min(values), max(values)"
OVERLAP = "function overlaps(a, b) {\n  return a.start < b.end;\n}"
CLOCK = "function shown(time) {\n  const h = time / 3600;\n  const m = time / 60;\n  return h + m;\n}"
SIZE = "function size(box) {\n  return count(box.inner);\n}"
NUMBERED = "const listed = (rows) => {\n  return rows.map((row, index) => `${index}. ${row}`);\n};"
FOUND = """\
def settled(boats):
    for boat in boats:
        if boat.length > 3:
            return boats
    return boat.name"""


@pytest.mark.parametrize(
    ("path", "text", "line", "meant"),
    [
        pytest.param("a.py", SHARED, 5, "paid[person] = trip.cost / len(trip.riders)", id="another thing is counted"),
        pytest.param("a.py", PAY, 3, "return hours * rate + more * rate * 2", id="a factor of the other product"),
        pytest.param("a.js", LEFT_OVER, 3, "return 300 + minutes * PER_MINUTE;", id="a constant that nothing uses"),
        pytest.param("a.go", NEIGHBOURS, 5, "if f.Mine(r, c) {", id="the variables of the loops"),
        pytest.param(
            "a.go", CLIMB, 3, "total += track[i].Height - track[i - 1].Height", id="the one before in the list"
        ),
        pytest.param("a.py", RANGE, 3, "return min(kept), max(kept)", id="another name every time"),
        pytest.param("a.js", OVERLAP, 2, "return a.start < b.end && b.start < a.end;", id="asked both ways"),
        pytest.param("a.js", CLOCK, 3, "const m = (time % 3600) / 60;", id="what is left"),
        pytest.param("a.js", SIZE, 2, "return count(box.inner) + 1;", id="one more"),
        pytest.param(
            "a.js", NUMBERED, 2, "return rows.map((row, index) => `${index + 1}. ${row}`);", id="in a template"
        ),
        pytest.param("a.py", FOUND, 4, "return boat.name", id="another value is handed out"),
    ],
)
def test_what_is_at_hand_is_tried(path: str, text: str, line: int, meant: str) -> None:
    assert is_made(meant, lines_made(path, text, line))


@pytest.mark.parametrize(
    ("path", "source", "test", "line", "meant"),
    [
        pytest.param(
            "a.js",
            "const total = (episodes) => episodes.reduce((sum, episode) => sum + episode.duration, 0);\n"
            "const listed = (episodes) => episodes.map((episode) => episode.title);\n"
            "const read = (item) => ({ title: item.title, seconds: item.length });",
            "",
            1,
            "const total = (episodes) => episodes.reduce((sum, episode) => sum + episode.seconds, 0);",
            id="a field of the thing that is made elsewhere",
        ),
        pytest.param(
            "a.py",
            "@dataclass\nclass Bed:\n    level: float\n    metres: float\n\n\n"
            "def need(bed):\n    return bed.level * bed.area",
            "",
            8,
            "return bed.level * bed.metres",
            id="a field of the record",
        ),
        pytest.param(
            "a.go",
            "type Point struct {\n\tLat, Lon float64\n}\n\nfunc Wide(a, b Point) float64 {\n\treturn b.Lon - a.Lat\n}",
            "",
            6,
            "return b.Lon - a.Lon",
            id="a field that the other has in the same line",
        ),
        pytest.param(
            "a.go",
            "type Entry struct {\n\tName string\n\tBytes int\n}\n\n"
            "func Less(a, b Entry) bool {\n\treturn a.Name > b.Name\n}",
            "",
            7,
            "return a.Bytes > b.Bytes",
            id="a field of both",
        ),
        pytest.param(
            "a.js",
            "function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}",
            "total([{ price: 2, count: 3 }])",
            2,
            "return items.reduce((sum, item) => sum + item.price * item.count, 0);",
            id="a field that only the tests know",
        ),
    ],
)
def test_fields_come_from_things_of_the_same_shape(path: str, source: str, test: str, line: int, meant: str) -> None:
    made = candidates_made(path, source, line, tests=test)
    assert is_made(meant, [each.lines[line - 1] for each in made[:SOON]])
