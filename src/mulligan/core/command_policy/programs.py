"""From a program and its words to what is found about it."""

from collections.abc import Callable, Mapping

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.files import (
    find_starts,
    judge_archive,
    judge_dd,
    judge_find,
    judge_removal,
    judge_writing,
    option_values,
)
from mulligan.core.command_policy.findings import Finding, ask, deny, of_kind
from mulligan.core.command_policy.git import judge_git
from mulligan.core.command_policy.places import alternatives, is_secret
from mulligan.core.command_policy.scripts import (
    CODE_OPTIONS,
    judge_interpreter,
    judge_make,
    judge_package_script,
)
from mulligan.core.command_policy.tables import (
    ASKED_PROGRAMS,
    CHECK_ONLY,
    DENIED_PROGRAMS,
    DENIED_SUBCOMMANDS,
    KIND_OF_PROGRAM,
    LINT_PROGRAMS,
    LISTING_PROGRAMS,
    PATTERN_FIRST,
    SUBCOMMANDS,
    TEXT_PROGRAMS,
    WRITES_WITH,
    WRITING_PROGRAMS,
)
from mulligan.core.command_policy.text_tools import (
    judge_awk,
    judge_cd,
    judge_environment,
    judge_kill,
    judge_sed,
    judge_tail,
)
from mulligan.core.command_policy.words import Word
from mulligan.types.commands import CommandKind

Judge = Callable[[Call], Finding]

JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(WRITING_PROGRAMS, judge_writing),
    **dict.fromkeys(CODE_OPTIONS, judge_interpreter),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), judge_package_script),
    **dict.fromkeys(("make", "gmake", "just", "task", "rake", "invoke"), judge_make),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), judge_awk),
    **dict.fromkeys(("export", "declare", "typeset", "readonly", "set"), judge_environment),
    **dict.fromkeys(("rm", "shred", "unlink", "rmdir"), judge_removal),
    **dict.fromkeys(("tar", "unzip"), judge_archive),
    **dict.fromkeys(("cd", "pushd", "popd"), judge_cd),
    "dd": judge_dd,
    "find": judge_find,
    "git": judge_git,
    "kill": judge_kill,
    "sed": judge_sed,
    "tail": judge_tail,
}

FIXES = frozenset({"--fix", "--write", "--fix-only", "--unsafe-fixes", "--apply", "--autofix"})
EXCLUDING = ("--exclude", "--ignore", "--skip", "--not-path", "--glob", "-g", "-I", "-x", "-path", "--omit")
"""What follows names what is left alone."""

PATTERN_OPTIONS = ("-e", "--regexp", "--expression")


def judge_program(call: Call) -> Finding:
    if call.name in DENIED_PROGRAMS or call.name.startswith("mkfs."):
        return deny(DENIED_PROGRAMS.get(call.name, DENIED_PROGRAMS["mkfs"]))
    refusal = DENIED_SUBCOMMANDS.get(call.name, {}).get(call.first)
    if refusal:
        return deny(refusal, "network")
    if call.name in ASKED_PROGRAMS:
        return ask(f"{ASKED_PROGRAMS[call.name]}: it needs the user's yes.")
    if call.name in JUDGES:
        return JUDGES[call.name](call)
    return of_kind("write") if _writes(call) else _by_name(call)


def judge_paths(call: Call) -> list[Finding]:
    """What it means that the call names these paths, whatever it does to them."""
    if call.name in TEXT_PROGRAMS:
        return []
    found: list[Finding] = []
    paths = [path for word in _paths(call) for path in alternatives(word.text) if path]
    if any(call.folder.is_internal(path) for path in paths):
        found.append(deny("reaches into .git or .mulligan, which are not open to commands.", "read"))
    if call.name not in LISTING_PROGRAMS and any(is_secret(path) for path in paths):
        found.append(deny("reaches for secrets.", "read"))
    places = {call.folder.where(path) for path in paths}
    if places & {"outside", "temporary", "device"}:
        found.append(ask("reaches outside the project: it needs the user's yes.", "read"))
    return found


def is_judged(name: str) -> bool:
    """Whether the name alone says what it does."""
    return name in JUDGES or name in KIND_OF_PROGRAM or name in SUBCOMMANDS or name in DENIED_PROGRAMS


def _by_name(call: Call) -> Finding:
    for name in (call.name, f"{call.name} {call.first}"):
        if name in CHECK_ONLY:
            return of_kind("lint") if call.flags & CHECK_ONLY[name] else of_kind("write")
    if call.name == "tsc" and "--noEmit" in call.flags:
        return of_kind("lint")
    kinds = SUBCOMMANDS.get(call.name)
    if kinds:
        return of_kind(kinds.get(call.first) or kinds.get("*") or _kind_of(call.name))
    if call.texts in (["--version"], ["--help"], ["-V"]):
        return of_kind("read")
    return of_kind(_kind_of(call.name))


def _kind_of(name: str) -> CommandKind:
    return KIND_OF_PROGRAM.get(name, "unknown")


def _writes(call: Call) -> bool:
    checks = call.name in LINT_PROGRAMS or f"{call.name} {call.first}" in ("cargo clippy", "deno lint")
    return bool(call.flags & WRITES_WITH.get(call.name, frozenset())) or (checks and bool(call.flags & FIXES))


def _paths(call: Call) -> list[Word]:
    if call.name == "find":
        return find_starts(call)
    texts = call.texts
    patterned = call.name in PATTERN_FIRST
    no_paths = (*EXCLUDING, *PATTERN_OPTIONS) if patterned else EXCLUDING
    words = [
        word
        for place, word in enumerate(call.words)
        if not word.text.startswith(("-", "!")) and not (place and texts[place - 1].startswith(no_paths))
    ]
    if patterned and not call.flags & set(PATTERN_OPTIONS):
        words = words[1:]
    if call.name == "git":
        # `HEAD:.env` is a file too.
        words += [Word(word.text.partition(":")[2]) for word in words if ":" in word.text]
    return words + [value for value in option_values(call) if not value.text.startswith("!")]
