"""Programs that run another program: finds out which."""

from dataclasses import field

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.environment import CHANGES, sets_harmlessly
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.options import ParsedArguments, entry_of, read_options
from mulligan.core.command_policy.python_modules import FOREIGN_MODULES, STANDARD_MODULES
from mulligan.core.command_policy.tables import (
    CHECK_ONLY,
    LINT_PROGRAMS,
    NETWORK_PROGRAMS,
    SUBCOMMANDS,
    TEST_PROGRAMS,
    names,
)
from mulligan.core.command_policy.tables import KIND_OF_PROGRAM as KNOWN
from mulligan.core.command_policy.words import Word, program_name
from mulligan.types.frozen import frozen

UNKNOWN = Word("", computed=True, opens=True, splits=True)
"""An argument that is known only at run time."""
FOUND = Word("", computed=True, found=True)
"""A file name that a search found."""

WRAPPERS = names(
    """builtin busybox caffeinate command exec ionice nice nohup stdbuf taskset time timeout unbuffer xargs
    xvfb-run"""
)
RUNNERS = frozenset(
    {("bundle", "exec"), ("bun", "x"), ("composer", "exec"), ("conda", "run"), ("hatch", "run"), ("npm", "exec"),
     ("pdm", "run"), ("pipenv", "run"), ("pnpm", "exec"), ("poetry", "run"), ("rye", "run"), ("uv", "run"),
     ("yarn", "exec")}
)  # fmt: skip
FETCHERS = frozenset({"npx", "bunx", "uvx"})
FETCHERS_OF_TWO = frozenset({("pnpm", "dlx"), ("yarn", "dlx"), ("pipx", "run")})
"""They download the program they run, if it is missing."""
DOWNLOADS = frozenset({"-y", "--yes", "-p", "--package", "--with", "--with-requirements", "--from", "--call", "-c"})
FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
FD_RUNS = frozenset({"-x", "-X", "--exec", "--exec-batch"})
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish"})
SCRIPT_TOOLS = TEST_PROGRAMS | LINT_PROGRAMS | {"artisan", "rails", "rake"}
"""`php artisan` and `ruby bin/rails` count as these programs."""
TRIED = 4
"""Words at which the inner program may begin, if a wrapper's options are not understood."""


@frozen
class Wrapped:
    """What a wrapper runs."""

    inner: list[tuple[Word, ...]] = field(default_factory=list[tuple[Word, ...]])
    scripts: list[str] = field(default_factory=list[str])
    """Texts that a shell runs."""
    findings: list[PolicyFinding] = field(default_factory=list[PolicyFinding])


def unwrap(call: Call) -> Wrapped | None:
    """None for a program that runs no other program."""
    name, first = call.name, call.words[0].text if call.words else ""
    if name == "command" and first in ("-v", "-V"):
        hidden = any(word.may_be_option for word in call.words)
        return Wrapped(findings=[ask("looks up what is known only when it runs") if hidden else of_kind("read")])
    if name == "env":
        return _env(call)
    if name in WRAPPERS:
        return _plain(call)
    if (name, first) in RUNNERS:
        return _runner(call)
    if name in FETCHERS or (name, first) in FETCHERS_OF_TWO:
        return _fetcher(call)
    if name in ("find", "fd", "fdfind"):
        return _find(call)
    if name in ("python", "pypy", "coverage"):
        return _module(call)
    if name in ("php", "ruby"):
        return Wrapped([call.words]) if program_name(first) in SCRIPT_TOOLS else None
    if name in SHELLS:
        return _shell(call)
    if name in ("eval", "trap"):
        texts = call.texts if name == "eval" else call.texts[:1]
        return Wrapped(scripts=[" ".join(texts)], findings=[ask("runs a text that is put together as it runs")])
    return None


def is_known(name: str) -> bool:
    return name in KNOWN or name in SUBCOMMANDS or name in CHECK_ONLY or name in NETWORK_PROGRAMS


def is_wrapper(name: str) -> bool:
    return name in WRAPPERS or name in SHELLS or name in FETCHERS or name in ("env", "eval", "trap", "source", ".")


def _not_understood(call: Call, reading: ParsedArguments) -> Wrapped:
    """Needs approval. The words that may be the inner program are judged too: it may have to be denied."""
    indexes = [index for index, word in enumerate(call.words) if not word.text.startswith("-")][:TRIED]
    inner = [call.words[index:] for index in indexes]
    return Wrapped(inner, findings=[ask(reading.problem or "wraps a program in a way that is not known")])


def _env(call: Call) -> Wrapped:
    split = next((at for at, text in enumerate(call.texts) if text.startswith(("-S", "--s"))), None)
    if split is not None:
        return Wrapped(scripts=[" ".join(call.texts[split:])], findings=[ask("splits a text into a command")])
    reading = read_options(call.name, call.words)
    if reading.problem:
        return _not_understood(call, reading)
    words = reading.rest or ()
    changed = False
    while words and not words[0].opens and "=" in words[0].text:
        changed |= words[0].computed or not sets_harmlessly(words[0].text)
        words = words[1:]
    if not words:
        return Wrapped(findings=[deny("prints the environment, which may hold secrets.", "read")])
    return Wrapped([words], findings=[CHANGES] if changed else [])


def _plain(call: Call) -> Wrapped:
    reading = read_options(call.name, call.words)
    if reading.problem:
        return _not_understood(call, reading)
    words = reading.rest or ()
    if call.name == "xargs":
        given = FOUND if call.finds else UNKNOWN
        mark = next((value.text for name, value in reading.options if name == "-I" and value), "")
        words = tuple(given if mark and mark in word.text else word for word in words)
        words = (*(words or (Word("echo"),)), given)
    return Wrapped([words] if words else [], findings=[] if words else [of_kind("read")])


def _runner(call: Call) -> Wrapped:
    reading = read_options(call.name, call.words)
    if reading.problem:
        fetches = bool(DOWNLOADS & call.flags)
        return Wrapped(
            _not_understood(call.behind(1), reading).inner,
            findings=[of_kind("install") if fetches else ask(reading.problem)],
        )
    words = reading.rest or ()
    if words and reading.has("-m", "--module"):
        words = (Word("python"), Word("-m"), *words)
    elif words and words[0].text.endswith(".py"):
        words = (Word("python"), *words)
    return Wrapped([words] if words else [], findings=[] if words else [of_kind("unknown")])


def _fetcher(call: Call) -> Wrapped:
    reading = read_options(call.name, call.words)
    if reading.problem:
        return Wrapped(_not_understood(call, reading).inner, findings=[of_kind("install")])
    words = reading.rest or ()
    downloads = not words or not is_known(program_name(words[0].text)) or "@" in words[0].text
    return Wrapped([words] if words else [], findings=[of_kind("install")] if downloads else [])


def _find(call: Call) -> Wrapped | None:
    runs = FIND_RUNS if call.name == "find" else FD_RUNS
    inner: list[tuple[Word, ...]] = []
    own: list[Word] = []
    command: list[Word] | None = None
    for word in call.words:
        if command is None and word.text in runs:
            command = []
        elif command is None:
            own.append(word)
        elif word.text == ";" or (word.text == "+" and command and command[-1] is FOUND):
            inner.append(tuple(command))
            command = None
        else:
            command.append(FOUND if "{}" in word.text else word)
    if command is not None:
        inner.append((*command, FOUND))
    return Wrapped([*inner, (Word(call.name), *own)]) if inner else None


def _module(call: Call) -> Wrapped | None:
    reading = read_options(call.name, call.words)
    if call.name == "coverage":
        if call.first != "run" or reading.problem:
            return None
        marked = (Word("-m"),) if reading.has("-m") else ()
        return Wrapped([(Word("python"), *marked, *reading.operands, *(reading.rest or ()))])
    if not reading.has("-m") or reading.problem or not reading.rest:
        return None
    module = reading.rest[0]
    top = module.text.partition(".")[0]
    if top in ("pdb", "IPython", "idlelib"):
        return Wrapped(findings=[deny("needs a terminal, and there is none.")])
    if module.computed or is_known(module.text) or entry_of(module.text):
        return Wrapped([reading.rest])
    if top in STANDARD_MODULES or top in FOREIGN_MODULES:
        return Wrapped(findings=[ask("runs a module that is not the project's own", "app")])
    return Wrapped(findings=[of_kind("app")])


def _shell(call: Call) -> Wrapped | None:
    reading = read_options(call.name, call.words)
    doubt = [ask(reading.problem, "app")] if reading.problem else []
    behind = [word for word in call.words if not word.text.startswith(("-", "+"))]
    runs_text = any(word.text.startswith(("-", "+")) and "c" in word.text for word in call.words)
    if reading.problem is None and not reading.has("-c"):
        return None
    if not runs_text:
        return None
    # If the options are not understood, any of these words may be the script.
    scripts = behind[:TRIED] if reading.problem else reading.operands[:1]
    if not scripts or any(script.computed for script in scripts):
        doubt.append(ask("runs a text that is put together as it runs"))
    return Wrapped(scripts=[script.text for script in scripts], findings=doubt)
