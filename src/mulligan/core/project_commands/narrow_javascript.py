"""Narrows Node's own runner, Vitest and Jest to a few tests. All three take a regular expression over titles."""

import re
from collections.abc import Sequence

from mulligan.core.project_commands.shell import SimpleCommand, quote
from mulligan.types.fixing import FailingTest

MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
BETWEEN = " > "
"""Separates a file, its suites and a title in an id. For the runners a title begins with its suites, separated by
spaces."""


def narrow_javascript(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    if command.texts[0] == "node" and "--test" in command.texts:
        return _narrow_node(command, tests)
    runner = _runner(command)
    if not runner or {"-t", "--testNamePattern"} & set(command.texts):
        return None
    # Both match paths against parts of a file's path; Jest as regular expressions.
    paths = [quote(path if runner == "vitest" else escaped(path)) for path in _paths(command, tests)]
    titled = [test for test in tests if not _is_whole_file(test)]
    if len(titled) < len(tests) and (titled or not paths):
        return None
    titles = ["-t", quote(_any_of([_full_title(test) for test in titled]))] if titled else []
    through_npm = ["--"] if command.texts[0] == "npm" and "--" not in command.texts else []
    return command.with_words([*command.words, *through_npm, *paths, *titles])


def _narrow_node(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    is_narrow = any(text.startswith(("--test-name-pattern", "--test-only")) for text in command.texts)
    if is_narrow or any(_is_whole_file(test) for test in tests):
        return None
    pattern = f"--test-name-pattern={_any_of([escaped(test.name) for test in tests])}"
    # After the first file it would be that file's own argument.
    at = command.texts.index("--test") + 1
    return command.with_words([*command.words[:at], quote(pattern), *command.words[at:]])


def _is_whole_file(test: FailingTest) -> bool:
    """Nothing of it could run: no title would match, and nothing would fail."""
    return test.id == test.path


def _runner(command: SimpleCommand) -> str | None:
    """By its name, or by the option that `find_commands` added to a script."""
    names = {text.rpartition("/")[2] for text in command.texts}
    is_script = command.texts[0] in MANAGERS
    if "vitest" in names or (is_script and "--run" in names):
        return "vitest" if names & {"run", "--run"} else None
    return "jest" if "jest" in names or (is_script and "--ci" in names) else None


def _paths(command: SimpleCommand, tests: Sequence[FailingTest]) -> list[str]:
    """Relative to the folder in which it runs; empty if one of them is not known."""
    inside = f"{command.folder}/" if command.folder else ""
    paths = [test.path.removeprefix("./").removeprefix(inside) for test in tests if test.path]
    known = len(paths) == len(tests) and not any(path.startswith(("-", "/")) for path in paths)
    return list(dict.fromkeys(paths)) if known else []


def _full_title(test: FailingTest) -> str:
    titles = test.id.removeprefix(f"{test.path}{BETWEEN}") if test.path else test.id
    # A title may contain the separator itself.
    return " (?:> )?".join(escaped(piece) for piece in titles.split(BETWEEN))


def _any_of(patterns: list[str]) -> str:
    return f"^(?:{'|'.join(dict.fromkeys(patterns))})$"


def escaped(text: str) -> str:
    return re.sub(r"[.*+?^${}()|\[\]\\/]", r"\\\g<0>", text)
