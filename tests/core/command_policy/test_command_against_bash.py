"""What a shell makes of a text is what the policy read in it: random texts, run by bash where they can do nothing."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mulligan.core.command_policy.line import read_line
from mulligan.core.command_policy.parts import Part
from mulligan.core.command_policy.places import Folder
from tests.examples import examples
from tests.patience import PATIENCE

NAMES = ("probe", "a", "b")
RECORD = "".join(
    f"{name}() {{ {{ printf '\\x01{name}\\x02'; [ $# -eq 0 ] || printf '%s\\x02' \"$@\"; }} >&9; }}; " for name in NAMES
)
"""The only commands there are: each writes down its name and its words."""
PIECES = st.sampled_from(
    ["a", "b", "-x", "'", " ", " ", '"', "\\", "$'", "\\n", "\\x41", '$"', "{", "}", ",", "..", "1", "=", "#", "~",
     "\t", "\n",
     "\n", ";", "&&", "|", "||", "<<<", " 2>&1 ", ">/dev/null ", "*", "[", "]", "!", "(", ")", "$HOME", "${X}", "$X",
     "$(b q)",
     "`a r`", "\\\n", "<<E\nb\nE\n", "<<'E'\n", "E\n", "case", "if ", "then ", "fi", "in", "do ", "done", "for x in ",
     "@", "+", "%",
     "^", "é", "probe ", "\nprobe ", "\n\\a ", "; b ", "! ", "{ ", "; }", "$", "{a,b}", "${X:-a}", '"$X"', "x=1 ",
     "[[ ", "]]",
     "esac", ";;", "\\;", "\\'", '\\"', "`", "$("]
)  # fmt: skip
LINES = st.lists(PIECES, min_size=1, max_size=12).map(lambda pieces: "probe " + "".join(pieces))

Call = tuple[str, ...]


@settings(deadline=None, max_examples=examples(250))
@given(LINES)
def test_every_call_that_bash_makes_is_one_that_was_read(line: str) -> None:
    read = [read_line(text, Folder.at_start(None)) for text in {line, line.replace("\\\n", "")}]
    assume(not any(each.doubts or each.backgrounds for each in read))
    parts = [part for each in read for part in each.parts if part.words]
    known = {tuple(word.text for word in part.words) for part in parts}
    unknown = {part.words[0].text for part in parts if is_computed(part)}
    assume(not any(part.words[0].computed for part in parts))

    for call in calls_of(line):
        assert call in known or call[0] in unknown, (call, known)


def is_computed(part: Part) -> bool:
    return any(word.computed or word.number or word.text.startswith("~") for word in part.words)


def calls_of(line: str) -> list[Call]:
    with TemporaryDirectory() as folder:
        record = Path(folder, "record")
        subprocess.run(
            ["/bin/bash", "--norc", "-c", f'exec 9>"$2"; {RECORD} set -f; eval "$1"', "bash", line, str(record)],
            cwd=folder,
            env={"PATH": "/nonexistent", "HOME": "~", "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
        text = record.read_bytes().decode("utf-8", "replace")
    return [tuple(each.split("\x02")[:-1]) for each in text.split("\x01")[1:]]
