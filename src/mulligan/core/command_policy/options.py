"""Parses a program's arguments by the table of its options: an option that is not in the table is not understood."""

from dataclasses import dataclass, field
from functools import cache

from mulligan.core.command_policy.option_tables import TABLES
from mulligan.core.command_policy.words import Word

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:=%@+-")
MAX_NAME_WORDS = 3
"""Words of the longest name in the table: `cargo nextest run`."""

MAX_GLUED_CHARS = 40
"""Characters of an option with its value attached."""

HIDDEN = "has a word that is known only when it runs, where an option could hide"
COMPUTED = "names what is known only when it runs"


@dataclass(slots=True)
class ParsedArguments:
    """The arguments of a call, as far as they are understood."""

    problem: str | None = None
    """Why they are not understood: the rest of a sentence that begins with the part."""
    options: list[tuple[str, Word | None]] = field(default_factory=list[tuple[str, Word | None]])
    operands: list[Word] = field(default_factory=list[Word])
    patterns: list[Word] = field(default_factory=list[Word])
    """Expressions and small programs, for grep, sed or awk."""
    reads: list[Word] = field(default_factory=list[Word])
    writes: list[Word] = field(default_factory=list[Word])
    rest: tuple[Word, ...] | None = None
    """Words that are not the program's own: a command that it runs, or a script's arguments."""

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


@dataclass(slots=True)
class Entry:
    """A program's row in the table."""

    options: dict[str, str] = field(default_factory=dict[str, str])
    """The kind of each option: empty for a flag, else one of the marks explained in `option_tables`."""
    operands: list[str] = field(default_factory=list[str])
    free: bool = False
    any: bool = False
    whole: bool = False
    behind: str = ""
    """What may follow `--`, if not more operands."""


def read_options(name: str, words: tuple[Word, ...]) -> ParsedArguments:
    """Parse the words after a program's name, by the longest name in the table."""
    for count in range(min(MAX_NAME_WORDS - 1, len(words)), -1, -1):
        # A computed word never names a subcommand.
        if any(word.computed for word in words[:count]):
            continue
        entry = entry_of(" ".join([name, *(word.text for word in words[:count])]))
        if entry:
            return _Reader(entry, words[count:]).read()
    return ParsedArguments(problem="is not in the table of what is known to be harmless")


def known_names() -> list[str]:
    return list(_tokens())


@cache
def entry_of(name: str) -> Entry | None:
    tokens = _tokens().get(name)
    return _entry(tokens) if tokens is not None else None


class _Reader:
    def __init__(self, entry: Entry, words: tuple[Word, ...]) -> None:
        self._entry = entry
        self._words = words
        self._place = 0
        self._reading = ParsedArguments()
        self._expected = list(entry.operands)

    def read(self) -> ParsedArguments:
        reading = self._reading
        if self._entry.free:
            return reading
        while self._place < len(self._words) and reading.problem is None and reading.rest is None:
            if self._expected[:1] == ["**"] and self._entry.operands[0] != "**":
                reading.rest = self._words[self._place :]
                break
            word = self._words[self._place]
            self._place += 1
            if word.text == "--" and not word.computed:
                self._read_behind()
            elif word.may_be_option and not (self._entry.any and (word.values or not word.splits)):
                reading.problem = HIDDEN
            elif self._looks_like_option(word):
                self._read_option(word)
            else:
                self._read_operand(word)
        return reading

    def _looks_like_option(self, word: Word) -> bool:
        text = word.text
        if self._entry.whole:
            return text in self._entry.options or (text.startswith("-") and len(text) > 1)
        return text.startswith("-") and len(text) > 1 and not (word.computed and word.opens)

    def _read_behind(self) -> None:
        behind = self._words[self._place :]
        self._place = len(self._words)
        if self._entry.behind == "**":
            self._reading.rest = behind
        elif self._entry.behind:
            inner = _Reader(_entry(_tokens()[self._entry.behind]), behind).read()
            self._reading.problem = inner.problem
            self._reading.reads += inner.reads
        else:
            for word in behind:
                self._read_operand(word)

    def _read_option(self, word: Word) -> None:
        text, options = word.text, self._entry.options
        if self._entry.whole or text.startswith("--"):
            self._read_long(word)
        elif text[1:].isdigit() and "-#" in options:
            self._reading.options.append(("-#", Word(text[1:])))
        else:
            self._read_letters(word)

    def _read_long(self, word: Word) -> None:
        text = word.text
        name, equals, value = text.partition("=")
        kind = self._entry.options.get(name)
        if kind is None and self._entry.whole:
            glued = next(
                (text[:end] for end in range(2, min(len(text), MAX_GLUED_CHARS)) if "+" in self._kind(text[:end])), ""
            )
            if glued:
                self._take(glued, Word(text[len(glued) :], word.computed, word.opens, word.splits))
                return
        if kind is None or (equals and kind in ("", "!")) or (word.computed and not equals):
            self._refuse(name)
        elif equals:
            self._take(name, Word(value, word.computed, word.computed, word.splits))
        elif kind.startswith("?") or kind in ("", "!"):
            self._take(name, None)
        else:
            self._take_next(name)

    def _kind(self, name: str) -> str:
        return self._entry.options.get(name, "")

    def _read_letters(self, word: Word) -> None:
        letters = word.text[1:]
        for at, letter in enumerate(letters):
            name = f"-{letter}"
            kind = self._entry.options.get(name)
            if kind is None or (word.computed and at == len(letters) - 1 and kind in ("", "!")):
                self._refuse(name if kind is None else word.text)
                return
            if kind in ("", "!"):
                self._take(name, None)
            elif kind.startswith("?"):
                self._take(name, Word(letters[at + 1 :], word.computed))
                return
            elif letters[at + 1 :] or word.computed:
                self._take(name, Word(letters[at + 1 :], word.computed, word.computed, word.splits))
                return
            else:
                self._take_next(name)
                return

    def _take_next(self, name: str) -> None:
        count = 2 if self._entry.options[name].startswith("::") else 1
        values = self._words[self._place : self._place + count]
        self._place += count
        if self._entry.options[name] == "**":
            self._reading.rest = self._words[self._place - 1 :]
            self._reading.options.append((name, None))
        elif len(values) < count or any(value.splits and not value.values for value in values):
            self._reading.problem = HIDDEN
        elif _may_be_option(values[0]) and "!" not in self._entry.options[name]:
            self._refuse(f"{name} {values[0].text}")
        else:
            self._take(name, values[0])

    def _take(self, name: str, value: Word | None) -> None:
        kind = self._entry.options[name]
        self._reading.options.append((name, value))
        if "!" in kind:
            self._expected = [each for each in self._expected if each != "pattern"]
            if value is not None and "<" not in kind:
                self._reading.patterns.append(value)
        if kind == "**" and value is not None:
            self._reading.rest = (value, *self._words[self._place :])
        elif value is not None:
            self._judge_value(kind.strip("!+"), value, f"{name} {value.text}")

    def _read_operand(self, word: Word) -> None:
        reading = self._reading
        if not self._expected:
            reading.problem = f"has a word more than is known of it ({word.text})"
            return
        kind = self._expected[0]
        if kind == "**":
            reading.rest = self._words[self._place - 1 :]
            return
        if not kind.endswith("*"):
            self._expected.pop(0)
        reading.operands.append(word)
        if kind == "pattern":
            reading.patterns.append(word)
        else:
            self._judge_value(kind.rstrip("*"), word, word.text)

    def _judge_value(self, kind: str, word: Word, shown: str) -> None:
        reading = self._reading
        if kind.startswith((":", "?")):
            return
        if word.unknown:
            reading.problem = COMPUTED
        elif kind.startswith("<"):
            reading.reads.append(word)
            if word.text.startswith(("@", "+")) and not word.text.startswith("@{"):
                reading.problem = f"has a word that may be an option ({word.text[:40]})"
            elif "://" in word.text:
                reading.problem = "names an address, so it may use the network"
        elif kind.startswith(">"):
            reading.writes.append(word)
        elif word.computed or not _is_plain(word.text, kind):
            reading.problem = f"has a value that is not known to be harmless ({shown[:40]})"

    def _refuse(self, name: str) -> None:
        self._reading.problem = f"has an option that is not known to be harmless ({name[:40]})"


def _may_be_option(word: Word) -> bool:
    """Checked for values of options: if the table were wrong about the option, this word would be one itself."""
    return word.text.startswith("-") and len(word.text) > 1 and not word.text[1].isdigit()


def _is_plain(text: str, kind: str) -> bool:
    if kind == "~":
        return set(text) <= PLAIN
    choices = kind[1:].split("|")
    return text in choices if kind[0] == "=" else text.startswith(tuple(choices))


@cache
def _tokens() -> dict[str, list[str]]:
    """The tokens of each name. An indented line belongs to the one above."""
    found: dict[str, list[str]] = {}
    tokens: list[str] = []
    for line in TABLES.splitlines():
        text = line
        if line and not line[0].isspace():
            names, _, text = line.partition(" | ")
            tokens = []
            found.update((name.strip(), tokens) for name in names.split(" , "))
        tokens += text.split()
    return found


def _entry(tokens: list[str]) -> Entry:
    entry = Entry(whole="words" in tokens)
    for token in tokens:
        if token == "any":  # noqa: S105  a word of the table, no secret
            entry.any = True
        elif token == "free":  # noqa: S105
            entry.free = True
        elif token.startswith("&"):
            shared = _entry([*(["words"] if entry.whole else []), *_tokens()[token[1:]]])
            entry.options.update(shared.options)
            entry.operands += shared.operands
        elif token.startswith("--") and token[2:3] in ("*", "{"):
            entry.behind = token[2:].strip("{}")
        elif token.startswith("-") or (entry.whole and token in ("!", "(", ")", ",")):
            entry.options.update(_options_of(token, whole=entry.whole))
        elif token != "words":  # noqa: S105
            entry.operands.append(token)
    return entry


def _options_of(token: str, *, whole: bool) -> dict[str, str]:
    end = next((at for at, letter in enumerate(token) if at and letter in ":~<>?=^!*+"), len(token))
    name, kind = token[:end] if end else token, token[end:] if end else ""
    if whole or name.startswith("--") or name == "-#":
        return {name: kind}
    return {f"-{letter}": kind for letter in name[1:]}
