"""Well-known pitfalls of each language: what was meant is among the first things that are tried."""

import pytest

from tests.core.program_repair.made_variants import (
    SOON,
    completed,
    files_made,
    holds,
    is_made,
    lines_made,
    plain,
)

IN_PYTHON = [
    ("return name.rstrip('.tar')", "return name.removesuffix('.tar')"),
    ("path = path.lstrip(ROOT)", "path = path.removeprefix(ROOT)"),
    ("age = (now - born).seconds / 60", "age = (now - born).total_seconds() / 60"),
    ("board = [[0] * wide] * high", "board = [[0] * wide for _ in range(high)]"),
    ("if door == 'open' or 'ajar':", "if door == 'open' or door == 'ajar':"),
    ("cents = int(price * 100)", "cents = round(price * 100)"),
    (
        "rows.sort(key=lambda row: (row.size, row.name), reverse=True)",
        "rows.sort(key=lambda row: (-row.size, row.name))",
    ),
    ("return lines[:count]", "return lines[-count:]"),
    ("return seats // wide + 1", "return -(-seats // wide)"),
    ("if unit is 'kg':", "if unit == 'kg':"),
    ("NUMBER = re.compile(r'^(\\d)-(\\d+)$')", "NUMBER = re.compile(r'^(\\d+)-(\\d+)$')"),
    ("NAME = re.compile(r'^cat|dog$')", "NAME = re.compile(r'^(?:cat|dog)$')"),
    ("return [x for x in have if x not in want]", "return [x for x in want if x not in have]"),
    ("return is_owner or is_admin and not locked", "return (is_owner or is_admin) and not locked"),
    ("return min(low, max(high, value))", "return max(low, min(high, value))"),
]
IN_SCRIPTS = [
    ("const ids = parts.map(parseInt);", "const ids = parts.map((part) => parseInt(part, 10));"),
    ("return text.replace(/ +/, '-');", "return text.replace(/ +/g, '-');"),
    ("for (const line in lines) {", "for (const line of lines) {"),
    ("return guests.length;", "return guests.size;"),
    ("const all = await ids.map((id) => load(id));", "const all = await Promise.all(ids.map((id) => load(id)));"),
    ("rows.forEach(this.add);", "rows.forEach((each) => this.add(each));"),
    ("const set = { ...given, ...USUAL };", "const set = { ...USUAL, ...given };"),
    ("return digits.slice(3);", "return digits.slice(-3);"),
    ("return xs.reduce((sum, x) => sum + x.cost);", "return xs.reduce((sum, x) => sum + x.cost, 0);"),
    ("if (day === 'sat' || 'sun') {", "if (day === 'sat' || day === 'sun') {"),
    ("return all.filter((x) => !gone.includes(x));", "return gone.filter((x) => !all.includes(x));"),
    ("return Math.floor(count / size) + 1;", "return Math.ceil(count / size);"),
]
IN_GO = [
    ("return float64(done/all) * 100", "return float64(done) / float64(all) * 100"),
    ('name := strings.TrimLeft(path, "tmp/")', 'name := strings.TrimPrefix(path, "tmp/")'),
    ('return fmt.Errorf("reading: %v", err)', 'return fmt.Errorf("reading: %w", err)'),
    ("letters := []byte(word)", "letters := []rune(word)"),
    ('words := strings.Split(line, " ")', "words := strings.Fields(line)"),
    ("walk(next, append(trail, next))", "walk(next, append(trail[:len(trail):len(trail)], next))"),
    ("both := append(own, other)", "both := append(own[:len(own):len(own)], other)"),
    ("wait := time.Duration(seconds)", "wait := time.Duration(seconds) * time.Second"),
    ("return seats/wide + 1", "return (seats + wide - 1) / wide"),
]


@pytest.mark.parametrize(
    ("path", "line", "meant"),
    [
        *(pytest.param("a.py", *each, id=each[1]) for each in IN_PYTHON),
        *(pytest.param("a.js", *each, id=each[1]) for each in IN_SCRIPTS),
        *(pytest.param("a.go", *each, id=each[1]) for each in IN_GO),
    ],
)
def test_what_looks_right_and_is_not(path: str, line: str, meant: str) -> None:
    assert is_made(meant, lines_made(path, completed(path, line), 2)[:SOON])


@pytest.mark.parametrize(
    ("path", "line", "meant", "never"),
    [
        pytest.param(
            "a.py",
            'return sorted(re.split(r"[;,]", text))',
            'return sorted(re.split(r"[;,]", text), reverse=True)',
            "[;]",
            id="in a string",
        ),
        pytest.param(
            "a.js",
            "return text.split(/[;,]/).sort();",
            "return text.split(/[;,]/).sort((a, b) => a - b);",
            "[;]",
            id="in a regular expression",
        ),
        pytest.param("a.py", "return d.get((a,), None)", "return d[(a,)]", "(a)", id="in a tuple"),
    ],
)
def test_a_comma_of_the_users_stays(path: str, line: str, meant: str, never: str) -> None:
    made = lines_made(path, completed(path, line), 2)
    assert is_made(meant, made)
    assert [each for each in made if never in plain(each)] == []


LINES = """\
def paragraphs(lines):
    found, current = [], None
    current = []
    for line in lines:
        if line:
            current.append(line)
        else:
            found.append(" ".join(current))
    return found"""
BATCH = """\
class Mailer:
    def add(self, letter):
        self.waiting.append(letter)

    def flush(self):
        self.sent.append(tuple(self.waiting))"""
MINUTES = """\
def minutes(parts):
    total = 0
    for part in parts:
        total = worth(part)
    return total"""
COLDEST = """\
def warmest(days):
    best = 0
    for day in days:
        if day.degrees > best:
            best = day.degrees
    return best"""
CHECKS = """\
def checks(limits):
    made = []
    for limit in limits:
        made.append(lambda n: n <= limit)
    return made"""
ACCOUNT = """\
class Account:
    def __init__(self, owner):
        self.balance = 0


class Savings(Account):
    def __init__(self, owner, rate):
        self.rate = rate"""
PURGE = "def purge(open):\n    for name in open.keys():\n        del open[name]"
READ = "def read(text):\n    try:\n        return int(text)\n    except ValueError:\n        return 0"
LEVELS = """\
def steps(levels):
    last = 0
    for level in levels:
        last = level
        yield level - last"""
FARE = """\
switch (kind) {
  case "child":
    fare = 2;
  case "adult":
    fare = 4;
}"""
DROP = """\
function drop(tasks) {
  for (let i = 0; i < tasks.length; i++) {
    if (tasks[i].done) tasks.splice(i, 1);
  }
}"""
TOGGLE = "const toggled = on\n  ? add(id)\n  : remove(id);"
NAMES = """\
func Names(us []User) []string {
	names := make([]string, len(us))
	for _, u := range us {
		names = append(names, u.Name)
	}
	return names
}"""
VOTES = "type Votes struct {\n\tcounts map[string]int\n}\n\nfunc NewVotes() *Votes {\n\treturn &Votes{}\n}"
SUBMIT = """\
func Submit(o Order) (int, error) {
	if err := o.Check(); err != nil {
		return 0, nil
	}
	return o.ID, nil
}"""
RATE = """\
func Rate(to string) (int, bool) {
	rate := rates[to]
	if !ok {
		return 0, false
	}
	return rate, true
}"""
RING = "func (r *Ring) Push(n int) {\n\tr.values[r.next] = n\n}"
FIRST = """\
func Kind(head string) string {
	parts := strings.Fields(head)
	if parts[0] == "x" {
		return "y"
	}
	return ""
}"""


@pytest.mark.parametrize(
    ("path", "text", "line", "failure", "meant"),
    [
        pytest.param("a.py", LINES, 8, "", '(" ".join(current))\n            current = []', id="gathered, not emptied"),
        pytest.param(
            "a.py", BATCH, 6, "", "tuple(self.waiting))\n        self.waiting = []", id="a field, not emptied"
        ),
        pytest.param("a.py", MINUTES, 4, "", "total += worth(part)", id="a sum set anew"),
        pytest.param("a.py", COLDEST, 2, "", 'best = float("-inf")', id="the largest begins with zero"),
        pytest.param("a.py", CHECKS, 4, "", "lambda n, limit=limit: n <= limit", id="bound late"),
        pytest.param("a.py", ACCOUNT, 7, "", "rate):\n        super().__init__(owner)", id="without super"),
        pytest.param(
            "a.py",
            PURGE,
            2,
            "purge(d) raised RuntimeError: dictionary changed size during iteration",
            "for name in list(open.keys()):",
            id="changed meanwhile",
        ),
        pytest.param(
            "a.py",
            READ,
            4,
            "read(None) raised TypeError: int() argument must be a string",
            "except (TypeError, ValueError):",
            id="another error",
        ),
        pytest.param("a.py", LEVELS, 4, "", "yield level - last\n        last = level", id="set too early"),
        pytest.param("a.js", FARE, 3, "", 'fare = 2;\n    break;\n  case "adult"', id="without break"),
        pytest.param("a.js", DROP, 2, "", "for (let i = tasks.length - 1; i >= 0; i--) {", id="spliced on the way up"),
        pytest.param("a.js", TOGGLE, 2, "", "? remove(id)\n  : add(id);", id="a choice over two lines"),
        pytest.param("a.go", NAMES, 2, "", "names := make([]string, 0, len(us))", id="made with noughts"),
        pytest.param("a.go", VOTES, 6, "", "return &Votes{counts: make(map[string]int)}", id="a map that is not made"),
        pytest.param("a.go", SUBMIT, 3, "", "return 0, err", id="an error that is kept back"),
        pytest.param("a.go", RATE, 2, "", "rate, ok := rates[to]", id="not asked whether it is there"),
        pytest.param("a.go", RING, 2, "", "r.next = (r.next + 1) % len(r.values)", id="the next place"),
        pytest.param(
            "a.go",
            FIRST,
            3,
            "Kind(x) panicked: index out of range [0] with length 0",
            'if len(parts) > 0 && parts[0] == "x" {',
            id="nothing to look at",
        ),
    ],
)
def test_what_the_lines_around_tell(path: str, text: str, line: int, failure: str, meant: str) -> None:
    assert meant not in text
    assert holds(meant, files_made(path, text, line, failure=failure)[:SOON])
