"""State that a function was to change: its fields, its counts, what it was given."""

import pytest

from tests.core.program_repair.made_variants import files_made, is_made

HARBOUR = """\
class Harbour:
    def __init__(self):
        self.waiting = []

    def arrive(self, boat):
        self.waiting.append(boat)

    def depart(self):
        for boat in self.waiting:
            if boat.fits:
                return boat.name
        return None"""
PLAYLIST = """\
class Playlist {
  constructor() {
    this.tracks = [];
  }
  add(track) {
    return this;
  }
}"""
QUEUE = """\
type Queue struct {
	rejected int
	jobs     []string
}

func (q *Queue) Pop() string {
	job := q.jobs[0]
	return job
}

func (q *Queue) Push(job string) error {
	if len(q.jobs) > 3 {
		return ErrFull
	}
	q.jobs = append(q.jobs, job)
	return nil
}

func (q *Queue) Rejected() int {
	return q.rejected
}"""
LOANS = """\
def lend(book):
    return {"book": book, "renewals": 0}


def renew(loan):
    if loan["renewals"] > 2:
        raise ValueError
    return loan"""
PICKS = """\
func take(bins []int, needed int) []int {
	var picks []int
	for _, count := range bins {
		if needed == 0 {
			break
		}
		taken := count
		picks = append(picks, taken)
	}
	return picks
}"""
RECORD = """\
function record(games) {
  let difference = 0;
  for (const game of games) {
    const margin = game.home - game.away;
  }
  return difference;
}"""

LORRY = """\
func (l *Lorry) Put(crate Crate) bool {
	if l.weight+crate.Kilos > l.most {
		return false
	}
	l.crates = append(l.crates, crate)
	return true
}"""
BAR = """\
class Bar:
    def pour(self, name, glasses):
        if self.stock[name] < glasses:
            raise ValueError(name)
        return self.prices[name] * glasses"""
SHELF = """\
class Shelves {
  put(book, topic) {
    const was = book.topic;
    book.topic = topic;
    this.topics.get(topic).add(book);
  }
}"""
TEAMS = """\
class Teams:
    def move(self, player, team):
        found = self.players[player]
        found.team = team
        self.members[team].append(player)"""
EDITOR = """\
class Editor {
  constructor() {
    this.text = [];
    this.marked = [];
  }
  type(letter) {
    this.text.push(letter);
  }
}"""


@pytest.mark.parametrize(
    ("path", "text", "line", "meant"),
    [
        pytest.param("a.py", HARBOUR, 11, "self.waiting.remove(boat)", id="what was put in is taken out"),
        pytest.param("a.js", PLAYLIST, 6, "this.tracks.push(track);", id="a list that nothing fills"),
        pytest.param("a.go", QUEUE, 8, "q.jobs = q.jobs[1:]", id="the first of a list"),
        pytest.param("a.go", QUEUE, 13, "q.rejected++", id="a count that nothing counts"),
        pytest.param("a.py", LOANS, 8, 'loan["renewals"] += 1', id="a key that nothing counts"),
        pytest.param("a.go", PICKS, 8, "needed -= taken", id="what steers the loop"),
        pytest.param("a.js", RECORD, 4, "difference += margin;", id="a sum of what the loop works out"),
        pytest.param("a.go", LORRY, 6, "l.weight += crate.Kilos", id="what room was asked for"),
        pytest.param("a.py", BAR, 5, "self.stock[name] -= glasses", id="what there was enough of"),
        pytest.param("a.js", SHELF, 3, "this.topics.get(book.topic).delete(book);", id="out of the old group"),
        pytest.param("a.py", TEAMS, 3, "self.members[found.team].remove(player)", id="out of the old list"),
        pytest.param("a.js", EDITOR, 7, "this.marked = [];", id="one list is emptied when another is filled"),
    ],
)
def test_a_change_that_was_forgotten_is_put_beside_the_line(path: str, text: str, line: int, meant: str) -> None:
    made = [each.split("\n") for each in files_made(path, text, line)]
    assert is_made(meant, [row for lines in made for row in lines[line - 1 : line + 1]])
    assert meant not in [row.strip() for row in text.split("\n")[line - 1 : line + 1]]


def test_a_field_that_the_function_changes_is_left_alone() -> None:
    made = files_made("a.py", HARBOUR, 6)
    assert not [text for text in made if "self.waiting.pop" in text]
