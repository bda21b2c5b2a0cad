"""Programs that read text, and the few ways in which they don't only read."""

import re

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.files import judge_writing
from mulligan.core.command_policy.findings import Finding, ask, deny, of_kind
from mulligan.core.command_policy.words import Word

SED_SUBSTITUTION = re.compile(
    r"s(?P<mark>[^\w\s\\;])(?:\\.|(?!(?P=mark)).)*(?P=mark)(?:\\.|(?!(?P=mark)).)*(?P=mark)(\w*)"
)
SED_ADDRESS = re.compile(r"/(?:\\.|[^/\\])*/|\\(.).*?\1")
SED_IN_PLACE = re.compile(r"-[nErsuz]*i.*|--in-place(?:=.*)?")
SED_PROGRAM = re.compile(r"-[nErsuz]*e|--expression")
AWK_PROGRAM = re.compile(r"-e|--source")
AWK_ACTS = re.compile(r"\bsystem\b|(?<!\|)\|(?!\|)|\bgetline\b|@load|\bprintf?\b[^;}\n]*>")
LONGEST_PROGRAM = 2_000
"""Characters that are looked through. A longer program counts as one that may do anything."""
SIGNAL_TO_ALL = frozenset({"-1", "0"})


def judge_sed(call: Call) -> Finding:
    if any(SED_IN_PLACE.fullmatch(text) for text in call.texts):
        return judge_writing(Call(call.name, tuple(call.operands[1:]), call.folder))
    if call.flags & {"-f", "--file"}:
        return ask("runs a script of its own, which may write: it needs the user's yes.", "write")
    if any(word.computed or _sed_acts(word.text) for word in _programs(call, SED_PROGRAM)):
        return ask("may write files or run commands: it needs the user's yes.", "write")
    return of_kind("read")


def judge_awk(call: Call) -> Finding:
    if call.flags & {"-i", "--include", "-f", "--file", "-l", "--load"}:
        return ask("runs a program that may write: it needs the user's yes.", "write")
    if any(word.computed or _awk_acts(word.text) for word in _programs(call, AWK_PROGRAM)):
        return ask("may write files or run commands: it needs the user's yes.", "write")
    return of_kind("read")


def judge_tail(call: Call) -> Finding:
    if call.flags & {"-f", "-F", "--follow", "--retry"}:
        return deny("never ends: read the end of the file without -f.", "read")
    return of_kind("read")


def judge_kill(call: Call) -> Finding:
    if "-l" in call.flags:
        return of_kind("read")
    # The first word may be a signal, written like the group that it would be as the last.
    targets = call.texts[1:] if call.texts[:1] and call.texts[0].startswith("-") else call.texts
    if SIGNAL_TO_ALL & set(targets):
        return deny("ends all processes of the user.")
    return ask("ends a process: it needs the user's yes.")


def judge_environment(call: Call) -> Finding:
    """`export`, `declare` and `set` print all there is if nothing is to be set."""
    if not call.words or "-p" in call.flags or (call.name != "set" and not call.operands):
        return deny("prints the environment, which may hold secrets.", "read")
    return of_kind("read")


def judge_cd(call: Call) -> Finding:
    operands = [word for word in call.operands if word.text != "-"]
    if any(word.computed for word in operands):
        return ask("goes to a folder that is known only when it runs: it needs the user's yes.")
    if operands and call.folder.where(operands[0].text) in ("project", "inside"):
        return of_kind("read")
    return ask("leaves the project: it needs the user's yes.")


def _programs(call: Call, option: re.Pattern[str]) -> list[Word]:
    """The programs given to sed or awk: those behind options, else the first operand."""
    found: list[Word] = []
    for place, word in enumerate(call.words):
        match = option.match(word.text)
        if match and match.end() < len(word.text):
            found.append(Word(word.text[match.end() :].removeprefix("="), word.computed))
        elif match:
            found += call.words[place + 1 : place + 2]
    # Before awk's program stand values of its options; file names among the rest are no harm to look at.
    return found or (call.operands[:1] if call.name == "sed" else call.operands)


def _awk_acts(program: str) -> bool:
    return len(program) > LONGEST_PROGRAM or bool(AWK_ACTS.search(program))


def _sed_acts(program: str) -> bool:
    if len(program) > LONGEST_PROGRAM:
        return True
    flags = "".join(match[2] for match in SED_SUBSTITUTION.finditer(program))
    rest = SED_ADDRESS.sub("", SED_SUBSTITUTION.sub("", program))
    return bool(set(flags) & set("we")) or bool(re.search(r"[weW]", rest))
