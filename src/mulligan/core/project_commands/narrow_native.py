"""Narrows `go test` and `cargo test` to a few tests."""

import re
from collections.abc import Sequence

from mulligan.core.project_commands.shell import SimpleCommand, quote
from mulligan.types.fixing import FailingTest

EVERY_PACKAGE = "./..."
GO_TEST = re.compile(r"(?:Test|Fuzz|Example)[^\s/]*(?:/[^\s]+)?")
RUST_TEST = re.compile(r"\w+(?:::\w+)*")
CARGO_VALUED = frozenset(
    {"-p", "--package", "--features", "-F", "--test", "--bin", "--example", "--bench", "-j", "--jobs", "--color",
     "--manifest-path", "--target", "--profile", "--target-dir", "--exclude"}
)  # fmt: skip


def narrow_go(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    names = [name for name in map(_go_name, tests) if name]
    if command.texts[:2] != ("go", "test") or len(names) < len(tests):
        return None
    if any(re.match(r"--?(?:run|args)\b", text) for text in command.texts):
        return None
    packages = _packages(tests)
    rest = [each for word in command.words[2:] for each in (packages if packages and word == EVERY_PACKAGE else [word])]
    return command.with_words([*command.words[:2], "-run", quote(_go_pattern(names)), *rest])


def narrow_cargo(command: SimpleCommand, tests: Sequence[FailingTest]) -> str | None:
    if command.texts[:2] != ("cargo", "test") or not all(RUST_TEST.fullmatch(test.id) for test in tests):
        return None
    before = ""
    for text in command.texts[2:]:
        if text == "--" or not (text.startswith("-") or before in CARGO_VALUED):
            return None
        before = text
    return command.with_words([*command.words, "--", "--exact", *dict.fromkeys(test.id for test in tests)])


def _go_name(test: FailingTest) -> str | None:
    """With its subtest. An id may begin with the package."""
    return next((name for name in (test.name, test.id) if GO_TEST.fullmatch(name)), None)


def _go_pattern(names: list[str]) -> str:
    """One level per slash. Subtests can be selected only below one common test: Go matches levels, not whole names."""
    levels = [name.split("/") for name in names]
    parents = {tuple(level[:-1]) for level in levels}
    if len(parents) > 1:
        return _one_of([level[0] for level in levels])
    return "/".join([*(_one_of([name]) for name in parents.pop()), _one_of([level[-1] for level in levels])])


def _one_of(names: list[str]) -> str:
    escaped = [re.sub(r"[^\w\s]", r"\\\g<0>", name, flags=re.ASCII) for name in dict.fromkeys(names)]
    return f"^({'|'.join(escaped)})$" if len(escaped) > 1 else f"^{escaped[0]}$"


def _packages(tests: Sequence[FailingTest]) -> list[str]:
    """The packages in the ids, before the test; empty if an id has none. A bare file name may be of any package."""
    packages = [test.id.removesuffix(f".{test.name}") for test in tests]
    known = all(
        package != test.id and not package.startswith("-") for package, test in zip(packages, tests, strict=True)
    )
    return [quote(package) for package in dict.fromkeys(packages)] if known else []
