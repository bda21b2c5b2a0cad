"""What git commands do to the user's work."""

import re

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.words import Word

READS = frozenset(
    {"annotate", "blame", "cat-file", "check-attr", "check-ignore", "cherry", "count-objects", "describe", "diff",
     "diff-files", "diff-index", "diff-tree", "for-each-ref", "fsck", "grep", "help", "log", "ls-files", "ls-tree",
     "merge-base", "name-rev", "range-diff", "rev-list", "rev-parse", "shortlog", "show", "show-branch", "show-ref",
     "status", "var", "version", "whatchanged", "--version", "--help"}
)  # fmt: skip
NETWORK = frozenset({"clone", "fetch", "ls-remote", "pull"})
LOSES = "throws away uncommitted work or history"
DENIED = {
    "push": "sends commits to a server, which can't be taken back: that is left to the user.",
    "send-email": "sends commits away: that is left to the user.",
    **dict.fromkeys(
        ("rebase", "filter-branch", "filter-repo", "update-ref", "prune", "replace", "checkout-index", "read-tree"),
        f"{LOSES}: that is left to the user.",
    ),
    **dict.fromkeys(("difftool", "mergetool", "gui", "citool", "instaweb"), "needs a terminal or a screen."),
}
CHANGE_BACK = "use edit_file to change files back."
LOSING_FLAGS: tuple[tuple[str, frozenset[str], str], ...] = (
    ("reset", frozenset({"--hard", "--merge", "--keep"}), CHANGE_BACK),
    ("checkout", frozenset({"-f", "--force", "-B", "-p", "--patch"}), "switch without force."),
    ("switch", frozenset({"-f", "--force", "-C", "--discard-changes", "--force-create"}), "switch without force."),
    ("branch", frozenset({"-D", "-M", "-C", "-f", "--force"}), "branches are deleted by the user."),
    ("tag", frozenset({"-d", "-f", "--delete", "--force"}), "tags are deleted by the user."),
    ("rm", frozenset({"-f", "--force"}), "leave out the force."),
    ("worktree", frozenset({"-f", "--force"}), "leave out the force."),
    ("gc", frozenset({"--prune"}), "git gc without --prune is enough."),
)
LOSING_SUBCOMMANDS: tuple[tuple[str, frozenset[str], str], ...] = (
    (
        "stash",
        frozenset({"", "push", "save", "pop", "drop", "clear", "branch", "store", "-u", "-a", "-k", "-p", "-q", "-m"}),
        "the stash takes changes away, or mixes them up.",
    ),
    ("reflog", frozenset({"expire", "delete"}), "the reflog is what brings lost work back."),
)
LISTING_FLAGS = frozenset(
    {"-a", "-r", "-v", "-l", "--all", "--list", "--remotes", "--show-current", "--contains", "--merged", "--no-merged",
     "--sort", "--format", "--points-at", "--column", "--verbose", "-vv"}
)  # fmt: skip
VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"})
HARMLESS_OPTIONS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"})
HARMLESS_SETTINGS = re.compile(
    r"color\.\w+=\w+|core\.(?:pager=cat|quote[pP]ath=\w+|autocrlf=\w+)|advice\.\w+=\w+"
    r"|diff\.(?:renames|noprefix|context|algorithm|mnemonicprefix)=\w+|log\.(?:decorate|showsignature)=false"
)
MIN_PREFIX_CHARS = 3
LIKE_A_FILE = re.compile(r"^(?:\.|:|/|~)|[*?\[]|/$|\.[A-Za-z]\w{0,4}$")
"""An argument of `git checkout` is a branch unless it looks like this."""


def judge_git(call: Call) -> PolicyFinding:
    index, doubt = _subcommand_index(call)
    if index >= len(call.words):
        return doubt or of_kind("read")
    word = call.words[index]
    if word.computed:
        return ask("runs a git command that is known only when it runs", "git")
    own = call.behind(index + 1)
    found = _judge_subcommand(word.text, own)
    return doubt if doubt and found.decision == "allow" else found


def git_words(call: Call) -> tuple[Word, ...]:
    """The words from the subcommand on."""
    return call.words[_subcommand_index(call)[0] :]


def _subcommand_index(call: Call) -> tuple[int, PolicyFinding | None]:
    """The index of the subcommand, and a finding about git's own options."""
    doubt: PolicyFinding | None = None
    index = 0
    while index < len(call.words) and call.words[index].text.startswith("-"):
        text = call.words[index].text
        option = text.partition("=")[0]
        value = call.words[index + 1].text if text in VALUED and index + 1 < len(call.words) else text.partition("=")[2]
        if option == "-c" and not HARMLESS_SETTINGS.fullmatch(value):
            doubt = ask("changes a setting of git, which may run other programs", "git")
        elif option == "-C" and call.folder.where(value) not in ("project", "inside"):
            doubt = ask("works on a repository outside the project", "git")
        elif text in READS:
            break
        elif option not in ("-c", "-C") and text not in HARMLESS_OPTIONS:
            doubt = ask("works on another repository, or with an option that is not known", "git")
        if any(word.computed for word in call.words[index : index + (2 if text in VALUED else 1)]):
            doubt = ask("has an option that is known only when it runs", "git")
        index += 2 if text in VALUED else 1
    return index, doubt


def _judge_subcommand(name: str, call: Call) -> PolicyFinding:
    if name in DENIED:
        return deny(DENIED[name], "git")
    if name in READS:
        return _judge_reading(call)
    if name in NETWORK:
        return of_kind("network")
    loses = _loses(name, call)
    if loses:
        return deny(f"{LOSES}: {loses}", "git")
    if _only_lists(name, call):
        return of_kind("read")
    if name == "config" and call.flags & {"--global", "--system"}:
        return deny("changes git's settings outside the project.", "git")
    if name == "add" and call.flags & {"-p", "-i", "--patch", "--interactive", "-e"}:
        return deny("needs a terminal, and there is none: name the paths instead.", "git")
    return (
        of_kind("network") if (name, call.first) in (("submodule", "update"), ("remote", "update")) else of_kind("git")
    )


def _judge_reading(call: Call) -> PolicyFinding:
    if call.flags & {"--output", "-O", "--open-files-in-pager", "--ext-diff", "--textconv"}:
        return ask("writes a file or runs another program", "write")
    return of_kind("read")


def _loses(name: str, call: Call) -> str | None:
    """What to do instead, if the command would lose something; None if nothing would be lost."""
    for command, flags, advice in LOSING_FLAGS:
        if command == name and (call.flags & flags or any(_shortens(given, flags) for given in call.flags)):
            return advice
    for command, subcommands, advice in LOSING_SUBCOMMANDS:
        if command == name and call.first in subcommands:
            return advice
    match name:
        case "clean" if not call.flags & {"-n", "--dry-run"}:
            return "name the files with delete_file instead."
        case "checkout" if "--" in call.texts or _names_files(call):
            return CHANGE_BACK
        case "restore" if not call.flags & {"--staged", "-S"} or call.flags & {"--worktree", "-W"}:
            return CHANGE_BACK
        case "symbolic-ref" if len(call.operands) > 1:
            return "use git switch."
        case _:
            return None


def _shortens(given: str, flags: frozenset[str]) -> bool:
    """git accepts `--har` for `--hard`."""
    return len(given) > MIN_PREFIX_CHARS and given.startswith("--") and any(flag.startswith(given) for flag in flags)


def _names_files(call: Call) -> bool:
    if call.flags & {"-b", "--orphan", "-t", "--track", "--detach"}:
        return False
    operands = [word.text for word in call.operands]
    return len(operands) > 1 or any(LIKE_A_FILE.search(operand) for operand in operands)


def _only_lists(name: str, call: Call) -> bool:
    operands = [word.text for word in call.operands]
    match name:
        case "branch" | "tag":
            return not operands or bool(call.flags & LISTING_FLAGS and not call.flags & {"-d", "-m", "-u"})
        case "stash" | "worktree":
            return call.first in ("list", "show")
        case "remote":
            return not operands or operands[0] in ("show", "get-url")
        case "reflog" | "symbolic-ref":
            return True
        case "config":
            return bool(call.flags & {"--get", "--get-all", "--get-regexp", "-l", "--list"}) or len(operands) == 1
        case "clean":
            return True
        case "notes" | "submodule" | "bisect":
            return operands[:1] in (["list"], ["show"], ["status"], ["log"])
        case "apply":
            return bool(call.flags & {"--check", "--stat", "--numstat"})
        case _:
            return False
