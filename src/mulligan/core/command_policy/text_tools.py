"""Programs that read text, and the few cases in which they do more."""

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.files import judge_writing
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.options import read_options
from mulligan.core.command_policy.small_programs import awk_only_prints, sed_only_prints

SIGNAL_TO_ALL = frozenset({"-1", "0"})
EVALUATES = frozenset({"-v", "-R"})
YQ_ACTS = ("load", "system", "env", "eval")
MAY_ACT = ask("may write files or run commands", "write")
MAX_OPERATORS = 3


def judge_sed(call: Call) -> PolicyFinding:
    if any(_edits_in_place(text) for text in call.texts):
        return judge_writing(Call(call.name, tuple(call.operands[1:]), call.folder))
    if call.flags & {"-f", "--file"}:
        return ask("runs a script of its own, which may write", "write")
    reading = read_options(call.name, call.words)
    if reading.problem or any(word.computed or not sed_only_prints(word.text) for word in reading.patterns):
        return MAY_ACT
    return of_kind("read")


def judge_awk(call: Call) -> PolicyFinding:
    if call.flags & {"-i", "--include", "-f", "--file", "-l", "--load"}:
        return ask("runs a program that may write", "write")
    reading = read_options(call.name, call.words)
    if reading.problem or any(word.computed or not awk_only_prints(word.text) for word in reading.patterns):
        return MAY_ACT
    return of_kind("read")


def judge_yq(call: Call) -> PolicyFinding:
    if call.flags & {"-i", "--inplace"}:
        return of_kind("write")
    reading = read_options(call.name, call.words)
    acts = any(word.computed or any(name in word.text for name in YQ_ACTS) for word in reading.patterns)
    return ask("may read other files or the environment", "read") if acts else of_kind("read")


def judge_test(call: Call) -> PolicyFinding:
    """`test` and `[`: a computed operator may be `-v`, which runs commands in a subscript."""
    words = [word for word in call.words if word.text != "!" or word.computed]
    if call.name == "[" and words:
        words = words[:-1]
    hidden = (
        any(word.splits and not word.values for word in words)
        or (len(words) > MAX_OPERATORS and any(word.computed for word in words))
        or (len(words) > 1 and words[-2].computed)
    )
    if hidden or EVALUATES & {word.text for word in words}:
        return ask("tests what may run a text as it is looked at")
    return of_kind("read")


def judge_tail(call: Call) -> PolicyFinding:
    if call.flags & {"-f", "-F", "--follow", "--retry"}:
        return deny("never ends: read the end of the file without -f.", "read")
    return of_kind("read")


def judge_kill(call: Call) -> PolicyFinding:
    if call.texts in (["-l"], ["-L"]):
        return of_kind("read")
    # `-9` is a signal as the first word, and a process group as the last.
    targets = call.texts[1:] if call.texts[:1] and call.texts[0].startswith("-") else call.texts
    if SIGNAL_TO_ALL & set(targets):
        return deny("ends all processes of the user.")
    return ask("ends a process")


def judge_cd(call: Call) -> PolicyFinding:
    operands = [word for word in call.operands if word.text != "-"]
    if any(word.computed for word in operands):
        return ask("goes to a folder that is known only when it runs")
    if operands and call.folder.where(operands[0].text) in ("project", "inside"):
        return of_kind("read")
    return ask("leaves the project")


def _edits_in_place(text: str) -> bool:
    if text.startswith("--"):
        return text.startswith("--i")
    letters = text[1:] if text.startswith("-") else ""
    own = next((letters[:at] for at, letter in enumerate(letters) if letter in "efl"), letters)
    return "i" in own
