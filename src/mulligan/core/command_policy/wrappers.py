"""Programs that run another program: what it is they run."""

import re
from dataclasses import dataclass, field

from mulligan.core.command_policy.call import Call, strip_options
from mulligan.core.command_policy.findings import Finding, ask, deny, of_kind
from mulligan.core.command_policy.tables import CHANGES_PROGRAMS, CHECK_ONLY, NETWORK_PROGRAMS, SUBCOMMANDS, is_risky
from mulligan.core.command_policy.tables import KIND_OF_PROGRAM as KNOWN
from mulligan.core.command_policy.words import Word, program_name

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
SOMETHING = Word("", computed=True)
"""An argument that is known only when it runs."""

VALUED = {
    "builtin": "",
    "busybox": "",
    "caffeinate": "",
    "command": "",
    "exec": "-a",
    "ionice": "-c -n -p --class --classdata",
    "nice": "-n --adjustment",
    "nohup": "",
    "stdbuf": "-i -o -e --input --output --error",
    "taskset": "",
    "time": "-f -o --format --output",
    "timeout": "-s -k --signal --kill-after",
    "unbuffer": "",
    "xargs": "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-lines --max-procs --replace",
    "xvfb-run": "-a -e -n -s",
}
"""Wrappers of one word, and their options that take a value."""

SKIPPED = {"timeout": 1, "taskset": 1}
"""Operands of a wrapper that stand before the program it runs."""

RUNNERS = {
    ("bundle", "exec"): "",
    ("bun", "x"): "",
    ("conda", "run"): "-n -p --name --prefix",
    ("hatch", "run"): "",
    ("npm", "exec"): "-p --package -w --workspace",
    ("pdm", "run"): "-p",
    ("pipenv", "run"): "",
    ("pnpm", "exec"): "",
    ("poetry", "run"): "-C --directory",
    ("rye", "run"): "",
    ("uv", "run"): "-p --python --with --with-requirements --with-editable --extra --group --project --directory "
    "--env-file --package -m --module",
    ("yarn", "exec"): "",
}
"""Wrappers of two words, and their options that take a value."""

FETCHERS = frozenset({"npx", "bunx", "uvx"})
FETCHERS_OF_TWO = frozenset({("pnpm", "dlx"), ("yarn", "dlx"), ("pipx", "run")})
"""They download what they run, if it is not there."""
DOWNLOADS = frozenset({"-y", "--yes", "-p", "--package", "--with", "--with-requirements", "--from", "--call", "-c"})
FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish"})


@dataclass(frozen=True, slots=True)
class Through:
    """What a wrapper runs."""

    inner: list[tuple[Word, ...]] = field(default_factory=list[tuple[Word, ...]])
    scripts: list[str] = field(default_factory=list[str])
    """Texts that a shell runs."""
    findings: list[Finding] = field(default_factory=list[Finding])


def look_through(call: Call) -> Through | None:
    """None for a program that runs no other."""
    name, first = call.name, call.words[0].text if call.words else ""
    if name == "env":
        return _env(call)
    if name == "command" and first in ("-v", "-V"):
        return Through(findings=[of_kind("read")])
    if name in VALUED:
        return _plain(call)
    if (name, first) in RUNNERS:
        return _runner(call, frozenset(RUNNERS[name, first].split()))
    if name in FETCHERS or (name, first) in FETCHERS_OF_TWO:
        return _fetcher(call if name in FETCHERS else call.behind(1))
    if name in ("find", "fd", "fdfind"):
        return _find(call)
    if name in ("python", "pypy", "coverage"):
        return _module(call)
    if name in SHELLS:
        return _shell(call)
    if name in ("eval", "trap"):
        texts = call.texts if name == "eval" else call.texts[:1]
        return Through(scripts=[" ".join(texts)], findings=[ask("runs a text that is put together as it runs.")])
    return None


def is_known(name: str) -> bool:
    return name in KNOWN or name in SUBCOMMANDS or name in CHECK_ONLY or name in NETWORK_PROGRAMS


def _env(call: Call) -> Through:
    if call.flags & {"-S", "--split-string"}:
        return Through(scripts=[" ".join(call.texts[1:])], findings=[ask("splits a text into a command.")])
    words = strip_options(call.words, frozenset({"-u", "--unset", "-C", "--chdir"}))
    risky = False
    while words and ASSIGNMENT.match(words[0].text):
        risky |= is_risky(words[0].text.partition("=")[0])
        words = words[1:]
    if not words:
        return Through(findings=[deny("prints the environment, which may hold secrets.", "read")])
    changed = [ask(f"{CHANGES_PROGRAMS}: it needs the user's yes.")] if risky else []
    moved = [ask("runs in another folder: it needs the user's yes.")] if call.flags & {"-C", "--chdir"} else []
    return Through([words], findings=changed + moved)


def _plain(call: Call) -> Through:
    words = strip_options(call.words, frozenset(VALUED[call.name].split()))[SKIPPED.get(call.name, 0) :]
    if call.name == "xargs":
        words = (*(words or (Word("echo"),)), SOMETHING)
    return Through([words] if words else [], findings=[] if words else [of_kind("read")])


def _runner(call: Call, valued: frozenset[str]) -> Through:
    rest = call.behind(1)
    words = strip_options(rest.words, valued)
    options = [word.text for word in rest.words[: len(rest.words) - len(words)]]
    if {"-m", "--module"} & set(options):
        words = (Word("python"), *rest.words[options.index("-m" if "-m" in options else "--module") :])
    elif words and words[0].text.endswith(".py"):
        words = (Word("python"), *words)
    fetched = [of_kind("install")] if DOWNLOADS & {option.partition("=")[0] for option in options} else []
    return Through([words] if words else [], findings=fetched if words else [of_kind("unknown")])


def _fetcher(call: Call) -> Through:
    words = strip_options(call.words, frozenset({"-p", "--package", "--with", "--from", "-c", "--call"}))
    downloads = bool(DOWNLOADS & call.flags) or not words or not is_known(program_name(words[0].text))
    return Through([words] if words else [], findings=[of_kind("install")] if downloads else [])


def _find(call: Call) -> Through | None:
    runs = FIND_RUNS if call.name == "find" else frozenset({"-x", "-X", "--exec", "--exec-batch"})
    inner: list[tuple[Word, ...]] = []
    words = list(call.words)
    for place, word in enumerate(words):
        if word.text in runs:
            behind = [each.text for each in words[place + 1 :]]
            end = next((at for at, text in enumerate(behind) if text in (";", "+")), len(behind))
            inner.append(tuple(SOMETHING if "{}" in each.text else each for each in words[place + 1 : place + 1 + end]))
    if not inner:
        return None
    return Through([*inner, (Word(call.name), *(word for word in words if word.text not in runs))])


def _module(call: Call) -> Through | None:
    words = call.words
    if call.name == "coverage":
        if call.first != "run":
            return None
        texts = call.texts
        run = (
            words[texts.index("-m") :] if "-m" in texts else strip_options(words[1:], frozenset({"--source", "--omit"}))
        )
        return Through([(Word("python"), *run)])
    for place, word in enumerate(words):
        if word.text == "-m" and place + 1 < len(words):
            module = words[place + 1]
            if module.text.partition(".")[0] in ("pdb", "IPython", "idlelib"):
                return Through(findings=[deny("needs a terminal, and there is none.")])
            if module.computed or is_known(module.text):
                return Through([words[place + 1 :]])
            return Through(findings=[of_kind("app")])
        if not word.text.startswith("-"):
            return None
    return None


def _shell(call: Call) -> Through | None:
    for place, word in enumerate(call.words):
        if re.fullmatch(r"-[a-zA-Z]*c[a-zA-Z]*", word.text):
            script = next((each for each in call.words[place + 1 :] if not each.text.startswith("-")), SOMETHING)
            doubt = [ask("runs a text that is put together as it runs.")] if script.computed else []
            return Through(scripts=[script.text], findings=doubt)
        if not word.text.startswith("-"):
            return None
    return None
