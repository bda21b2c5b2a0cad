"""From a program and its arguments to the finding about it."""

from collections.abc import Callable, Mapping

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.environment import judge_declaration, judge_read
from mulligan.core.command_policy.files import (
    find_starts,
    judge_archive,
    judge_dd,
    judge_find,
    judge_output,
    judge_removal,
    judge_writing,
    option_values,
)
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.git import git_words, judge_git
from mulligan.core.command_policy.options import ParsedArguments, entry_of, read_options
from mulligan.core.command_policy.places import alternatives, is_secret
from mulligan.core.command_policy.scripts import (
    CODE_OPTIONS,
    judge_interpreter,
    judge_make,
    judge_package_script,
    script_kind,
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
    judge_kill,
    judge_sed,
    judge_tail,
    judge_test,
    judge_yq,
)
from mulligan.core.command_policy.words import Word
from mulligan.core.command_policy.wrappers import is_wrapper
from mulligan.types.commands import CommandKind

Judge = Callable[[Call], PolicyFinding]

JUDGES: Mapping[str, Judge] = {
    **dict.fromkeys(WRITING_PROGRAMS, judge_writing),
    **dict.fromkeys(CODE_OPTIONS, judge_interpreter),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "composer"), judge_package_script),
    **dict.fromkeys(("make", "gmake", "just", "task", "rake", "invoke"), judge_make),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), judge_awk),
    **dict.fromkeys(("export", "declare", "typeset", "readonly", "set", "local"), judge_declaration),
    **dict.fromkeys(("rm", "shred", "unlink", "rmdir"), judge_removal),
    **dict.fromkeys(("tar", "unzip"), judge_archive),
    **dict.fromkeys(("cd", "pushd", "popd"), judge_cd),
    **dict.fromkeys(("test", "["), judge_test),
    "dd": judge_dd,
    "find": judge_find,
    "git": judge_git,
    "kill": judge_kill,
    "read": judge_read,
    "sed": judge_sed,
    "tail": judge_tail,
    "yq": judge_yq,
}

GOAL_RUNNERS = frozenset({"mvn", "gradle", "sbt", "lein"})
"""Programs whose operands are goals to run."""
FIXES = frozenset({"--fix", "--write", "--fix-only", "--unsafe-fixes", "--apply", "--autofix"})
EXCLUDING = ("--exclude", "--ignore", "--skip", "--not-path", "--glob", "-g", "-I", "-x", "-path", "--omit")
"""The value after these names what to leave out."""

PATTERN_OPTIONS = ("-e", "--regexp", "--expression")
TARGETS = ("--target", "-t")
VERSIONS = (["--version"], ["--help"], ["-V"])


def judge_program(call: Call) -> PolicyFinding:
    """If the program's purpose allows it, its arguments must also be understood, word by word."""
    found = _judge_purpose(call)
    if found.decision != "allow" or call.texts in VERSIONS:
        return found
    reading = reading_of(call)
    if reading.problem:
        return ask(reading.problem, found.kind)
    return (
        judge_output(call, reading.writes) or _judge_fetching(call, reading) or _judge_targets(call, reading) or found
    )


def judge_paths(call: Call) -> list[PolicyFinding]:
    """Findings about the paths that the call names, whatever it does with them."""
    found: list[PolicyFinding] = []
    paths = [path for word in _paths(call) for path in [*alternatives(word.text), *word.values] if path]
    # `HEAD:.env` names a file too, and so does each part of `a:b`.
    paths += [piece for path in paths if ":" in path for piece in path.split(":") if piece]
    if any(call.folder.is_internal(path) for path in paths):
        found.append(deny("reaches into .git or .mulligan, which are not open to commands.", "read"))
    if call.name not in LISTING_PROGRAMS and any(is_secret(path) for path in paths):
        found.append(deny("reaches for secrets.", "read"))
    places = {place for path in paths for place in call.folder.everywhere(path)}
    if places & {"outside", "temporary", "device"}:
        found.append(ask("reaches outside the project", "read"))
    return found


def reading_of(call: Call) -> ParsedArguments:
    return read_options("git", git_words(call)) if call.name == "git" else read_options(call.name, call.words)


def is_judged(name: str) -> bool:
    """Whether the name alone tells what the program does."""
    if name in JUDGES or name in KIND_OF_PROGRAM or name in SUBCOMMANDS or name in DENIED_PROGRAMS:
        return True
    return name in CHECK_ONLY or name in ASKED_PROGRAMS or is_wrapper(name) or entry_of(name) is not None


def _judge_purpose(call: Call) -> PolicyFinding:
    if call.name in DENIED_PROGRAMS or call.name.startswith("mkfs."):
        return deny(DENIED_PROGRAMS.get(call.name, DENIED_PROGRAMS["mkfs"]))
    refusal = DENIED_SUBCOMMANDS.get(call.name, {}).get(call.first)
    if refusal:
        return deny(refusal, "network")
    if call.name in ASKED_PROGRAMS:
        return ask(f"{ASKED_PROGRAMS[call.name]}")
    if call.name in JUDGES:
        return JUDGES[call.name](call)
    return of_kind("write") if _writes(call) else _by_name(call)


def _by_name(call: Call) -> PolicyFinding:
    for name in (call.name, f"{call.name} {call.first}"):
        if name in CHECK_ONLY:
            return of_kind("lint") if call.flags & CHECK_ONLY[name] else of_kind("write")
    if call.name == "tsc" and "--noEmit" in call.flags:
        return of_kind("lint")
    kinds = SUBCOMMANDS.get(call.name)
    if kinds and call.name in GOAL_RUNNERS:
        return _judge_goals(call, kinds)
    if kinds:
        return of_kind(kinds.get(call.first) or kinds.get("*") or _kind_of(call.name))
    if call.texts in VERSIONS:
        return of_kind("read")
    return of_kind(_kind_of(call.name))


def _judge_goals(call: Call, kinds: Mapping[str, CommandKind]) -> PolicyFinding:
    goals = [word.text.rpartition(":")[2] if call.name == "gradle" else word.text for word in reading_of(call).operands]
    found = [of_kind(kinds.get(goal, "unknown")) for goal in goals or [call.first]]
    return next((each for each in found if each.decision != "allow"), found[0])


def _judge_targets(call: Call, reading: ParsedArguments) -> PolicyFinding | None:
    """`ninja install` and `cmake --build x --target install` write outside the project."""
    if call.name not in ("ninja", "cmake", "meson"):
        return None
    words = reading.operands if call.name == "ninja" else [value for name, value in reading.options if name in TARGETS]
    found = [of_kind(script_kind(word.text)) for word in words if word]
    return next((each for each in found if each.kind in ("install", "write", "network")), None)


def _judge_fetching(call: Call, reading: ParsedArguments) -> PolicyFinding | None:
    """`go run` downloads what is not in the project."""
    if call.name != "go":
        return None
    remote = any("@" in word.text for word in reading.operands)
    runs = [word.text for word in reading.operands[:1]] if call.first == "run" else []
    if remote or any(not text.startswith(".") and not text.endswith(".go") for text in runs):
        return of_kind("install")
    return None


def _kind_of(name: str) -> CommandKind:
    return KIND_OF_PROGRAM.get(name, "unknown")


def _writes(call: Call) -> bool:
    checks = call.name in LINT_PROGRAMS or f"{call.name} {call.first}" in ("cargo clippy", "deno lint")
    return bool(call.flags & WRITES_WITH.get(call.name, frozenset())) or (checks and bool(call.flags & FIXES))


def _paths(call: Call) -> list[Word]:
    """The paths that are read, by the table of options; if the table does not tell, every word that may be a path."""
    reading = reading_of(call)
    if reading.problem is None and reading.rest is None:
        return reading.reads
    if call.name in TEXT_PROGRAMS:
        return []
    if call.name == "find":
        return find_starts(call)
    texts = call.texts
    patterned = call.name in PATTERN_FIRST
    no_paths = (*EXCLUDING, *PATTERN_OPTIONS) if patterned else EXCLUDING
    words = [
        word
        for index, word in enumerate(call.words)
        if not word.text.startswith(("-", "!")) and not (index and texts[index - 1].startswith(no_paths))
    ]
    if patterned and not call.flags & set(PATTERN_OPTIONS):
        words = words[1:]
    return reading.reads + words + [value for value in option_values(call) if not value.text.startswith("!")]
