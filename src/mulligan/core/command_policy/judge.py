"""The verdict on a whole command line: the strictest finding about any part of it."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mulligan.core.command_policy.call import Call
from mulligan.core.command_policy.environment import judge_assignment
from mulligan.core.command_policy.features import NAME
from mulligan.core.command_policy.files import written_paths
from mulligan.core.command_policy.findings import PolicyFinding, ask, deny, of_kind
from mulligan.core.command_policy.line import MAX_COMMAND_BYTES, read_line
from mulligan.core.command_policy.parts import Line, Part, Redirect
from mulligan.core.command_policy.places import SYSTEM_PROGRAMS, Folder, Where, is_secret
from mulligan.core.command_policy.programs import is_judged, judge_paths, judge_program
from mulligan.core.command_policy.scripts import is_foreign
from mulligan.core.command_policy.words import Word, program_name
from mulligan.core.command_policy.wrappers import SHELLS, unwrap
from mulligan.core.permission_rules import STRICTNESS, fits_command, fits_path, fits_tool, strictest
from mulligan.types.commands import PolicyVerdict
from mulligan.types.permissions import COMMAND_TOOL, NO_PERMISSIONS, PermissionRule, Permissions

MAX_SCRIPT_DEPTH = 4
"""How many levels of `sh -c "sh -c …"` to check."""
MAX_WRAPPER_DEPTH = 8
"""How many wrappers, as in `env nice timeout …`, to check."""
MAX_WRAPPED = 200
"""Wrapped programs to check in one command."""
MAX_SIGNS = 4_000
"""Operators like `|` and `)`. The grammar's time grows with the square of their number: 20,000 take seconds."""
MAX_REASONS = 12
MAX_PART_CHARS = 80
"""Characters of a part to quote in a reason."""

FED = SHELLS | {"python", "pypy", "node", "ruby", "perl", "php", "eval", "source", "."}
"""Programs that run what is piped or substituted into them."""

DETOURS = frozenset({"xargs", "-exec", "-execdir", "-x", "--exec"})
"""They pass on names that were found elsewhere."""

LISTERS = frozenset({"find", "fd", "fdfind", "ls", "git ls-files", "rg --files", "rg -l", "grep -l", "grep -rl"})
"""Programs that print file names."""

INVISIBLE = frozenset("\u061c\u200b\u200e\u200f\u2028\u2029\u2060\ufeff") | {
    chr(code)
    for first, last in ((0x202A, 0x202E), (0x2066, 0x2069), (0xE0000, 0xE007F))
    for code in range(first, last + 1)
}
"""Characters that change how a command looks, but not what it does."""

BROKEN_WORD = re.compile(r"[^\s\\]\\\n\S")
GLOB = re.compile(r"[*?\[]")

Judged = tuple[str, PolicyFinding]
"""A part's text and the finding about it."""


def judge_command(
    command: str, *, permissions: Permissions = NO_PERMISSIONS, project: str | None = None
) -> PolicyVerdict:
    """Whether a command may run, needs the user's approval, or is denied. Never raises.

    `project` is the absolute path of the folder in which it runs, so that absolute paths into the project are
    recognised. Without it, every absolute path counts as outside.
    """
    hidden = next((letter for letter in command if _is_hidden(letter)), None)
    if hidden is not None:
        reason = f"The command holds a character that can't be seen ({_shown(hidden)}): send it without."
        return PolicyVerdict("deny", reason, frozenset({"unknown"}))
    if len(command.encode("utf-8", "replace")) > MAX_COMMAND_BYTES or _signs(command) > MAX_SIGNS:
        reason = "The command is too long to be judged: put it into a file with create_file and run that."
        return PolicyVerdict("deny", reason, frozenset({"unknown"}))
    folder = Folder.at_start(project)
    context = _Context(permissions.rules)
    judged = list(_judge_text(command, folder, context, depth=0))
    if BROKEN_WORD.search(command):
        # If a backslash continues a line inside a word, the grammar sees two words; a shell sees one.
        judged += _judge_text(command.replace("\\\n", ""), folder, context, depth=0)
    return _united(judged)


def lasting_rule(
    command: str, verdict: PolicyVerdict, *, permissions: Permissions = NO_PERMISSIONS, project: str | None = None
) -> str:
    """The rule that the user can allow instead of this one command; empty if there is none.

    The rule is the command itself, so that the user allows what they see, and only if the policy then allows the
    command: not for a line of several commands, nor for one that deletes.
    """
    beginning = " ".join(command.split())
    if verdict.decision != "ask" or verdict.removes or beginning != command.strip() or len(beginning) > MAX_PART_CHARS:
        return ""
    with_it = permissions + Permissions.of_commands(allow=(beginning,))
    allowed = judge_command(command, permissions=with_it, project=project)
    return beginning if allowed.decision == "allow" and allowed.by_rules else ""


@dataclass(slots=True)
class _Context:
    rules: tuple[PermissionRule, ...]
    wrapped: int = 0
    """Wrapped programs checked so far."""


def _signs(command: str) -> int:
    return sum(map(command.count, "|&;()<>`$[]{}\"'"))


def _is_hidden(letter: str) -> bool:
    return (unicodedata.category(letter) == "Cc" and letter not in "\n\t") or letter in INVISIBLE


def _shown(letter: str) -> str:
    """`^[` for escape, `U+202E` for other characters."""
    return f"^{chr(ord(letter) ^ 0x40)}" if ord(letter) < 0x80 else f"U+{ord(letter):04X}"


def _united(judged: list[Judged]) -> PolicyVerdict:
    if not judged:
        return PolicyVerdict("allow", "It does nothing.", frozenset({"read"}))
    decision = max((finding for _, finding in judged), key=lambda finding: STRICTNESS[finding.decision]).decision
    reasons = [_sentence(text, finding) for text, finding in judged if finding.decision == decision]
    shown = list(dict.fromkeys(reasons))[:MAX_REASONS]
    deciding = [finding.rule for _, finding in judged if finding.decision == decision]
    rules = tuple(dict.fromkeys(rule for rule in deciding if rule))
    return PolicyVerdict(
        decision,
        " ".join(shown),
        frozenset(finding.kind for _, finding in judged),
        # Rules allow a command only if they allow all of it; one part is enough to ask, or to deny.
        by_rules=rules if decision != "allow" or all(deciding) else (),
        removes=any(finding.removes for _, finding in judged),
    )


def _sentence(text: str, finding: PolicyFinding) -> str:
    if not text:
        return finding.why
    part = " ".join(text.split())
    return f"`{part if len(part) <= MAX_PART_CHARS else part[:MAX_PART_CHARS] + '…'}` {finding.why}"


def _judge_text(text: str, folder: Folder, context: _Context, *, depth: int) -> Iterator[Judged]:
    if depth > MAX_SCRIPT_DEPTH:
        yield text, deny("is a script in a script, too deep to be looked through.")
        return
    line = read_line(text, folder)
    yield from _judge_whole(line)
    for redirect in line.redirects:
        yield redirect.text, _judge_redirect(redirect)
        for finding in _judge_named([redirect.target], redirect.folder, context.rules):
            yield redirect.text, finding
    for part in line.parts:
        yield from _judge_part(part, context, depth)


def _judge_whole(line: Line) -> Iterator[Judged]:
    """Findings about the line as a whole."""
    if line.cut:
        yield "", deny("It is too much to be judged: put it into a file with create_file and run that.")
    for doubt in line.doubts:
        yield "", PolicyFinding("ask", "unknown", doubt)
    for assignment in line.assigned:
        found = judge_assignment(assignment)
        if found:
            yield f"{assignment.name}=…", found
    for name, text in line.functions.items():
        calls_itself = len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)) > 1
        if calls_itself and re.search(r"(?<!&)&(?!&)", text):
            yield text, deny("starts itself over and over, until the machine hangs.")
        elif calls_itself or is_judged(name) or not NAME.fullmatch(name):
            yield text, ask("gives a command another meaning, or calls itself")
    if _reads_by_detour(line):
        yield "", deny("It names secrets, and reads something that is known only when it runs.", "read")
    waits = any(part.words and part.words[0].text == "wait" for part in line.parts)
    for ends in line.backgrounds:
        if ends and not waits:
            yield "&", deny("leaves a process running, but everything ends with the call: run it in the foreground.")
        else:
            yield "&", ask("runs something in the background until the call ends")


def _reads_by_detour(line: Line) -> bool:
    """`F=.env; cat $F` and `ls .env | xargs cat` read a file that no reading command names."""
    words = [word for part in line.parts for word in part.words]
    named = [*line.values, *(text for word in words for text in [word.text, *word.values])]
    computes = any(word.computed or word.text in DETOURS for word in words)
    return computes and any(is_secret(text) for text in named)


def _judge_redirect(redirect: Redirect) -> PolicyFinding:
    path, folder = redirect.target.text, redirect.folder
    if is_secret(path) or folder.is_internal(path):
        return deny("reaches for secrets, or into .git or .mulligan.", "write" if redirect.writes else "read")
    places: set[Where] = folder.everywhere(path) if path else {"unknown"}
    if places == {"nowhere"}:
        return of_kind("read")
    if redirect.writes:
        return written_paths(places, computed=redirect.target.computed)
    if redirect.target.unknown:
        return ask("reads from what is known only when it runs", "read")
    if places & {"outside", "device", "temporary"}:
        return ask("reads from outside the project", "read")
    return of_kind("read")


def _judge_part(part: Part, context: _Context, depth: int) -> Iterator[Judged]:
    if not part.words:
        return
    if part.is_function:
        yield part.text, of_kind("read")
        return
    scripts: list[str] = []
    findings = list(_judge_words(tuple(part.words), part, context, scripts, depth=0))
    for finding in findings:
        yield part.text, finding
    for script in scripts:
        yield from _judge_text(script, part.folder, context, depth=depth + 1)


def _judge_words(
    words: tuple[Word, ...], part: Part, context: _Context, scripts: list[str], *, depth: int
) -> Iterator[PolicyFinding]:
    """Findings about a command and about what it wraps. Texts that a shell would run are added to `scripts`."""
    texts = [None if word.computed else word.text for word in words]
    rule = strictest(rule for rule in context.rules if fits_command(rule, texts))
    if rule and rule.decision == "deny":
        yield PolicyFinding("deny", "unknown", "is denied by the rules in force.", rule)
        return
    yield from _judge_named(words, part.folder, context.rules)
    for finding in _judge_plain(words, part, context, scripts, depth):
        if rule and finding.decision != "deny":
            why = (
                "is allowed by your rules." if rule.decision == "allow" else "needs the user's approval by their rules."
            )
            yield PolicyFinding(rule.decision, finding.kind, why, rule, removes=finding.removes)
        else:
            yield finding


def _judge_named(words: Sequence[Word], folder: Folder, rules: tuple[PermissionRule, ...]) -> Iterator[PolicyFinding]:
    """Findings from the user's rules about files that a command names. A rule that allows a file allows no command."""
    about = [rule for rule in rules if rule.path and rule.decision != "allow" and fits_tool(rule, COMMAND_TOOL)]
    if not about:
        return
    texts = [text for word in words for text in (word.text, *word.values) if text]
    named = {path for text in texts for each in (text, text.partition("=")[2]) if each for path in folder.inside(each)}
    for path in sorted(named):
        rule = strictest(rule for rule in about if fits_path(rule, path))
        if rule and rule.decision == "deny":
            yield PolicyFinding("deny", "read", f"names {path}, which is denied by the user's rules.", rule)
        elif rule:
            yield PolicyFinding("ask", "read", f"names {path}, which needs the user's approval by their rules.", rule)


def _judge_plain(
    words: tuple[Word, ...], part: Part, context: _Context, scripts: list[str], depth: int
) -> Iterator[PolicyFinding]:
    program = words[0]
    context.wrapped += depth > 0
    if depth > MAX_WRAPPER_DEPTH or context.wrapped > MAX_WRAPPED:
        yield deny("wraps a program so often that it can't be looked through.")
        return
    if program.computed or GLOB.search(program.text.lstrip("[")):
        yield ask("runs a program whose name is known only when it runs")
        return
    call = Call(program_name(program.text), words[1:], part.folder, finds=_lists_files(part.upstream))
    if call.name in FED and part.from_network:
        yield deny("runs what comes from the network, unseen: download it, look at it, then run it.", "network")
    if call.name in SHELLS and part.script and not call.operands:
        scripts.append(part.script)
    through = unwrap(call)
    if through is None:
        yield _judge_place(program.text, call) or judge_program(call)
        yield from judge_paths(call)
        return
    yield from through.findings
    scripts += through.scripts
    for inner in through.inner:
        yield from _judge_words(inner, part, context, scripts, depth=depth + 1) if inner else ()


def _judge_place(program: str, call: Call) -> PolicyFinding | None:
    """The finding from a program's own path; None if its name decides."""
    if "/" not in program or SYSTEM_PROGRAMS.fullmatch(program):
        return None
    if call.folder.where(program) not in ("inside", "project"):
        return ask("runs a program from outside the project", "app")
    if is_judged(call.name):
        return None
    if is_foreign(program):
        return ask("runs what belongs to a package, not to the project", "app")
    return of_kind("app")


def _lists_files(part: Part | None) -> bool:
    if part is None or not part.words:
        return False
    beginning = " ".join(word.text for word in part.words[:2])
    return part.words[0].text in LISTERS or beginning in LISTERS
