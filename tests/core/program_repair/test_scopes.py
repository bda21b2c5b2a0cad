"""Names that are made anew within a block, and results that a function without a name keeps to itself."""

import pytest

from tests.core.program_repair.made_variants import SOON, files_made, is_made, lines_made

FUEL = """\
func Burn(legs []Leg, tank int) int {
	left := tank
	for _, leg := range legs {
		left, empty := leg.drive(left)
		if empty {
			break
		}
	}
	return left
}"""
LEVEL = """\
func Level(steps []int) int {
	level := 0
	for _, step := range steps {
		level := level + step
		log(level)
	}
	return level
}"""
BADGE = """\
function badge(points) {
  let name = "bronze";
  if (points > 100) {
    const name = "gold";
  }
  return name;
}"""
GROUPED = """\
function grouped(plants) {
  return plants.reduce((beds, plant) => {
    beds[plant.bed] = [...(beds[plant.bed] ?? []), plant];
  }, {});
}"""
LABELS = """\
function labels(jars) {
  return jars.map((jar) => {
    const year = jar.filled.getFullYear();
    const label = `${jar.fruit} ${year}`;
  });
}"""
SPANS = """\
def spans(trips):
    for trip in trips:
        yield trip.start, trip.end


def longest(trips):
    found = spans(trips)
    return max(found), min(found)"""


@pytest.mark.parametrize(
    ("path", "text", "line", "meant"),
    [
        pytest.param("a.go", LEVEL, 4, "level = level + step", id="Go, alone"),
        pytest.param("a.js", BADGE, 4, 'name = "gold";', id="JavaScript"),
        pytest.param("a.py", SPANS, 7, "found = list(spans(trips))", id="what a generator of the project yields"),
    ],
)
def test_the_one_outside_is_set(path: str, text: str, line: int, meant: str) -> None:
    assert is_made(meant, lines_made(path, text, line)[:SOON])


def test_in_go_a_new_one_beside_it_stays_new() -> None:
    made = files_made("a.go", FUEL, 4)
    assert any("leftNow, empty := leg.drive(left)\n\t\tleft = leftNow\n\t\tif empty {" in text for text in made[:3])


@pytest.mark.parametrize(
    ("text", "line", "meant"),
    [
        pytest.param(GROUPED, 3, "    return beds;\n  }, {});", id="what is folded"),
        pytest.param(LABELS, 4, "    return label;\n  });", id="what was worked out last"),
    ],
)
def test_what_a_function_without_a_name_holds_is_returned(text: str, line: int, meant: str) -> None:
    assert any(meant in each for each in files_made("a.js", text, line)[:SOON])


def test_one_that_returns_already_is_left_alone() -> None:
    text = "const f = xs.map((x) => {\n  if (x) return x;\n  log(x);\n});"
    assert not [each for each in files_made("a.js", text, 3) if "log(x);\n  return x;" in each]
