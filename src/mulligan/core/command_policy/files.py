"""Programs that change files."""

from collections.abc import Iterable
from dataclasses import replace
from posixpath import splitext

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.places import Where, alternatives
from mulligan.core.command_policy.tables import LAST_IS_TARGET
from mulligan.core.command_policy.words import Word

RECURSIVE = frozenset({"-r", "-R"})
FIND_PRINTS = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
FIND_WRITES = FIND_PRINTS | {"-delete"}
LISTS_ARCHIVE = frozenset("tvzjJf")
OUTPUTS = frozenset(
    {"", ".o", ".a", ".so", ".out", ".exe", ".wasm", ".class", ".dylib", ".dll", ".obj", ".test", ".rlib"}
)
"""Extensions that only build tools write."""
FIND_FILTERS = ("-name", "-iname", "-path", "-ipath", "-regex", "-wholename", "-mtime", "-newer", "-size", "-empty")
PROTECTED = "would remove the project itself, or something outside it."


def judge_removal(call: Call) -> PolicyFinding:
    recursive = call.flags & RECURSIVE or any(text.startswith("--r") for text in call.texts)
    if recursive and any(_is_fatal(call, word) for word in call.operands):
        return deny(PROTECTED, "write")
    return replace(judge_writing(call), removes=True)


def judge_writing(call: Call) -> PolicyFinding:
    """All operands count as written, unless the program is known to read all but the last."""
    if call.flags & {"--help", "--version"}:
        return of_kind("read")
    operands = call.operands
    named = "-t" in call.flags or "--target-directory" in call.flags
    targets = operands[-1:] if call.name in LAST_IS_TARGET and not named else operands
    targets = [*targets, *option_values(call)]
    return written_paths(call.places(targets), computed=any(word.computed for word in targets))


def written_paths(places: Iterable[Where], *, computed: bool = False) -> PolicyFinding:
    """The finding about writing to these paths."""
    found = set(places)
    if found & {"outside", "device"}:
        return deny("writes outside the project.", "write")
    if "temporary" in found:
        return ask("writes outside the project, among temporary files", "write")
    if computed or "unknown" in found:
        return ask("changes files, and which ones is known only when it runs", "write")
    return of_kind("write")


def option_values(call: Call) -> list[Word]:
    """The values after `=` of long options."""
    values = [
        Word(word.text.partition("=")[2], word.computed)
        for word in call.words
        if word.text.startswith("--") and "=" in word.text
    ]
    return [value for value in values if value.text]


def judge_dd(call: Call) -> PolicyFinding:
    targets = [Word(word.text[3:], word.computed) for word in call.words if word.text.startswith("of=")]
    return replace(written_paths(call.places(targets)), removes=True) if targets else of_kind("read")


def judge_archive(call: Call) -> PolicyFinding:
    """Listing an archive only reads. In a name with a colon, tar takes the part before it for a host."""
    if call.name == "unzip":
        return of_kind("read") if "-l" in call.flags else judge_writing(call)
    letters = set(call.texts[0].removeprefix("-")) if call.words else set[str]()
    listing = "t" in letters and letters <= LISTS_ARCHIVE and not any(":" in text for text in call.texts)
    return of_kind("read") if listing else judge_writing(call)


def judge_output(call: Call, words: list[Word]) -> PolicyFinding | None:
    """A build may write build outputs inside the project: None if all of these are such outputs."""
    if not words:
        return None
    names = [path.rpartition("/")[2] for word in words for path in [word.text, *word.values]]
    plain = all(splitext(name)[1] in OUTPUTS and name == name.lower() and not name.startswith(".") for name in names)
    if plain and call.places(words) <= {"inside", "nowhere"}:
        return None
    return written_paths(call.places(words), computed=any(word.computed for word in words))


def judge_find(call: Call) -> PolicyFinding:
    flags = set(call.texts)
    if not flags & FIND_WRITES:
        return of_kind("read")
    starts = find_starts(call)
    texts = call.texts
    starts += [call.words[index + 1] for index, text in enumerate(texts[:-1]) if text in FIND_PRINTS]
    unfiltered = not any(text in FIND_FILTERS for text in flags)
    if "-delete" in flags and unfiltered and "project" in call.places(starts):
        return deny(PROTECTED, "write")
    return replace(written_paths(call.places(starts)), removes="-delete" in flags)


def find_starts(call: Call) -> list[Word]:
    starts: list[Word] = []
    for word in call.words:
        if word.text.startswith(("-", "(", "!")):
            break
        starts.append(word)
    return starts or [Word(".")]


def _is_fatal(call: Call, word: Word) -> bool:
    # An empty variable turns `$X/` into `/`.
    if word.computed and word.text.strip("*./") == "" and word.text.startswith("/"):
        return True
    paths = [path for path in alternatives(word.text) if path]
    if any(call.folder.is_top(path) for path in paths):
        return True
    return bool(call.places([Word(path) for path in paths]) & {"project", "outside", "device"})
