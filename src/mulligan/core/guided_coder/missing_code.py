"""Code that failing tests use and that does not exist yet: stubs, undefined names, empty files."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mulligan.core.fault_localisation.ranking import Focus, SourceFile
from mulligan.core.guided_coder.sources import excerpts_of
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.writing.instructions import instructions_about
from mulligan.core.writing.prompts import WRITING_SYSTEM, missing_context, plain_context
from mulligan.core.writing.task import WritingTask
from mulligan.core.writing.tests_prompt import TestFile, tests_prompt
from mulligan.syntax.blocks import CodeBlock
from mulligan.syntax.definitions import CodeText, Definition, cut_code
from mulligan.syntax.functions import functions_in

MAX_FILE_CHARS = 4000
NEIGHBOURS = 1
"""Functions to show before and after a stub in a long file, as examples of how they are written."""


@dataclass(frozen=True, slots=True)
class _Found:
    file: SourceFile
    names: tuple[str, ...]
    whole: bool
    certain: bool


def missing_code(
    goal: str,
    *,
    outputs: Sequence[str],
    failures: Sequence[str],
    tests: Sequence[TestFile],
    sources: Sequence[SourceFile],
    blank: Sequence[str],
    focus: Focus,
    documents: Mapping[str, Sequence[str]],
) -> tuple[WritingTask, ...]:
    """One task per file, the most suspicious file first. `outputs` are those of the failures, `failures` the same in
    a line each; `blank` are empty files that tests import."""
    # A name that no test uses is a typo in the code.
    missing = {name: owner for text in outputs for owner, name in missing_names(text) if name in focus.tested}
    found: list[_Found] = []
    texts = [(file, cut) for file in sources if (cut := cut_code(file.path, file.lines))]
    overridden = _overridden([cut for _, cut in texts])
    for file, cut in texts:
        ran = {each.key for each in cut.definitions if each.is_stub and _ran(file, cut, each, focus)}
        unwritten = [
            each for each in cut.definitions if each.is_stub and (each.key in ran or each.key not in overridden)
        ]
        whole = all(each.is_stub for each in cut.definitions if each.is_function)
        stubs = [each for each in unwritten if whole or _is_wanted(file, cut, each, focus)]
        absent = _missing_here(file, cut, missing)
        names = [_name(each) for each in stubs if whole or each.name in focus.tested or each.says_so] + absent
        if names and (absent or any({each.name, each.owner} & focus.tested for each in stubs)):
            is_stub = whole or any(each.says_so for each in stubs)
            certain = bool(absent) or (is_stub and (bool(ran) or focus.spectrum is None))
            found.append(_Found(file, tuple(dict.fromkeys(names)), whole, certain))
    found = found or [_Found(SourceFile(path, ()), (), whole=True, certain=True) for path in blank]
    tests_text = tests_prompt(tests)
    return tuple(_task(each, goal, tests_text, failures, documents) for each in found)


def _task(
    found: _Found, goal: str, tests: str, failures: Sequence[str], documents: Mapping[str, Sequence[str]]
) -> WritingTask:
    instructions = instructions_about(_plain_names(found.names, found.file), documents)
    shown = tuple(_shown(found.file, found.names))
    context = missing_context(
        instructions=instructions, shown=shown, tests=tests, failures=() if tests else failures, goal=goal
    )
    # The reply to the alternative prompt is the whole file, so it is not used for a long one.
    plain = plain_context(instructions=instructions, shown=shown, failures=failures, goal=goal)
    plain, path = plain if found.whole and tests else "", found.file.path
    task = WritingTask("missing", path, found.names, WRITING_SYSTEM, context, plain)
    return replace(task, whole=found.whole, certain=found.certain)


def missing_names(output: str) -> Iterator[tuple[str, str]]:
    """What the failures say is missing: the class or module that should have it, if they name one, and its name."""
    for pattern in _MISSING:
        for match in pattern.finditer(output):
            found = match.groupdict()
            yield (found.get("owner") or "").rpartition(".")[2].strip("*"), found["name"]


def _is_wanted(file: SourceFile, cut: CodeText, each: Definition, focus: Focus) -> bool:
    """Whether a failing test concerns it. A function that does nothing has to be named."""
    if each.name in focus.tested | focus.mentioned or (each.says_so and each.owner in focus.tested):
        return True
    return _ran(file, cut, each, focus)


def _overridden(texts: Sequence[CodeText]) -> set[tuple[str, str]]:
    """Abstract methods: they do nothing in a class that others extend, or in a protocol, and something in another."""
    functions = [each for cut in texts for each in cut.definitions if each.is_function]
    written = {each.name for each in functions if not each.is_stub}
    heads = {
        each.name: set(_WORD.findall(cut.of((each.inner[0], each.inside[0]))))
        for cut in texts
        for each in cut.definitions
        if each.inside
    }
    extended = {word for name, words in heads.items() for word in words - {name}}
    bases = {name for name, words in heads.items() if name in extended or words & _ABSTRACT}
    return {each.key for each in functions if each.is_stub and each.owner in bases and each.name in written}


def _ran(file: SourceFile, cut: CodeText, each: Definition, focus: Focus) -> bool:
    """Whether a failing test ran it, as far as that is known."""
    first, last = (cut.text.count(b"\n", 0, at) + 1 for at in each.inner)
    lines = {location.line for location in focus.locations if location.path == file.path}
    if focus.spectrum:
        lines.update(focus.spectrum.lines.get(file.path, ()))
    return any(first <= line <= last for line in lines)


def _missing_here(file: SourceFile, cut: CodeText, missing: Mapping[str, str]) -> list[str]:
    """Names that belong in this file: its class should have them, or it is the module that tests import."""
    classes = {each.name for each in cut.definitions if each.inside or each.what == "struct"}
    defined = {each.name for each in cut.definitions}
    stem = file.path.rpartition("/")[2].partition(".")[0]
    found: list[str] = []
    for name, owner in missing.items():
        if owner in classes and name not in defined:
            found.append(f"{owner}.{name}")
        elif name not in defined and (owner == stem or (not owner and file.distance == 0)):
            found.append(name)
    return found


def _name(each: Definition) -> str:
    return f"{each.owner}.{each.name}" if each.owner else each.name


def _plain_names(names: Collection[str], file: SourceFile) -> set[str]:
    stem = file.path.rpartition("/")[2].partition(".")[0]
    return {part for name in names for part in name.split(".")} | {stem}


def _shown(file: SourceFile, names: Sequence[str]) -> Iterator[Excerpt]:
    """The whole file, or the surroundings of the stubs in a long one, with its first lines."""
    if not file.lines:
        return
    if sum(map(len, file.lines)) <= MAX_FILE_CHARS:
        yield from excerpts_of(file, [CodeBlock(1, len(file.lines))])
        return
    functions = functions_in(file.path, file.lines)
    wanted = {name.rpartition(".")[2] for name in names}
    blocks = [each.block for each in file.top_level if each.block.last < 40]
    for at, each in enumerate(functions):
        if each.name in wanted:
            around = functions[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1]
            blocks += [CodeBlock(one.first, one.last) for one in around]
            blocks += [CodeBlock(each.owner_line, each.owner_line)] if each.owner_line else []
    budget = MAX_FILE_CHARS
    for excerpt in excerpts_of(file, blocks):
        budget -= len(excerpt.text)
        if budget > 0:
            yield excerpt


_WORD = re.compile(r"\w+")
_ABSTRACT = frozenset({"ABC", "ABCMeta", "Protocol", "abstract", "interface"})
_MISSING = tuple(
    re.compile(pattern)
    for pattern in (
        r"cannot import name '(?P<name>\w+)' from '(?P<owner>[\w.]+)'",
        r"module '(?P<owner>[\w.]+)' has no attribute '(?P<name>\w+)'",
        r"(?:type object )?'(?P<owner>\w+)'(?: object)? has no attribute '(?P<name>\w+)'",
        r"does not provide an export named '(?P<name>\w+)'",
        r"(?:\(0 ?, ?)?\w+\.(?P<name>\w+)\)? is not a (?:function|constructor)",
        r"(?<![\w.])(?P<name>\w+) is not a (?:function|constructor)",
        r"has no exported member '?(?P<name>\w+)",
        r"Property '(?P<name>\w+)' does not exist on type '(?P<owner>\w+)'",
        r"undefined: (?:\w+\.)?(?P<name>\w+)",
        r"undefined \(type (?P<owner>\*?[\w.]+) has no field or method (?P<name>\w+)",
    )
)
"""Messages of Python, Node, TypeScript and Go."""
