"""The subject line of a commit: what a model is asked about a diff, and whether its reply can be used."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mulligan.core.context_budget import common_limit
from mulligan.core.diffs.cutting import cut_diff
from mulligan.core.diffs.imperative import as_imperative
from mulligan.core.diffs.patch import FileDiff
from mulligan.core.safe_text import safe_text
from mulligan.core.secrets import is_masked
from mulligan.types.model_io import AssistantReply, SystemText, UserText, WireMessage

MAX_SUBJECT_CHARS = 72
MAX_TITLES = 40
MAX_LINE_CHARS = 500
"""Characters of a line in a reply. A longer line is not a subject, and need not be read to its end."""
LINES_LOOKED_AT = 8
"""Lines of a reply to check: a model that chats first gives the subject soon after."""

SYSTEM = (
    f"You write the subject line of a git commit. It says what the change does, in at most {MAX_SUBJECT_CHARS} "
    'characters, in the imperative mood: "Add …", "Fix …", "Remove …". Reply with that one line and nothing else: no '
    "quotes, no code fences, no explanation."
)

_PREFIX = re.compile(r"(?:[\w./-]{1,30}(?:\([\w ./,*-]{1,40}\))?!?): +")
"""`fix(parser): ` and `docs: `."""
_LABEL = re.compile(
    r"^(?:the )?(?:suggested |proposed )?(?:git )?(?:commit (?:message|subject)|subject(?: line)?|title)\s*:\s*",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"^\$?\s*git commit (?:-\w+ )*-a?m ([\"'])(.+?)\1")
_TALK = re.compile(
    r"^(?:here(?:'s| is| are)?|sure|certainly|of course|okay|ok|i|i'm|i've|we|you|this|these|that|the|it|based on|a|an"
    r"|my|let me|note)\b",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"(?:(?:update|change|modify|edit|fix|improve|commit|add|apply|make)(?: (?:the|some|small|minor|various|several))*"
    r"(?: (?:code|files?|bugs?|changes?|things?|stuff|issues?|it|diff|project))?|minor changes|wip|changes"
    r"|initial commit)",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"[\w./-]*\w\.(?:py|pyi|md|rst|toml|ya?ml|json|go|rs|tsx?|jsx|java|rb|php|c|h|cc|cpp|cs|sh|sql|html|css)\b"
)


QUOTES = "\"'\u201c\u201d\u2018\u2019"


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject read from a reply."""

    text: str
    problems: tuple[str, ...] = ()
    """Why it can't be used; each continues a sentence that begins with `it`."""


def shown_diff(files: Sequence[FileDiff], char_limit: int) -> str:
    """The file names, then their lines: the files share the limit, and what one does not need goes to the others."""
    titles = [file.title for file in files[:MAX_TITLES]]
    if len(files) > MAX_TITLES:
        titles.append(f"… and {len(files) - MAX_TITLES} more files")
    named = "\n".join(titles)
    parts = [_part(file) for file in files if file.hunks and not file.withheld]
    limit = common_limit(map(len, parts), max(0, char_limit - len(named)))
    shown = [part if limit is None else cut_diff(part, limit) for part in parts]
    return "\n\n".join(["Files:\n" + named[:char_limit], *(part for part in shown if part)])[
        : max(char_limit, len(named) + 10)
    ]


def commit_question(
    files: Sequence[FileDiff], char_limit: int, *, recent: Sequence[str] = (), instructions: str = ""
) -> tuple[WireMessage, ...]:
    """`recent` are subjects of earlier commits, as examples of the style here."""
    parts = [shown_diff(files, char_limit)]
    if recent:
        parts.append("Subject lines of earlier commits, for their style only:\n" + "\n".join(recent))
    if instructions:
        parts.append(f"How work is done in this project:\n{instructions}")
    parts.append("Write the subject line of the commit with this diff.")
    return SystemText(SYSTEM), UserText("\n\n".join(parts))


def asked_again(reply: str, subject: Subject) -> tuple[WireMessage, ...]:
    """The second try, which says what was wrong."""
    return AssistantReply(reply or "(nothing)"), UserText(
        f"That can't be used: it {'; it '.join(subject.problems)}. Reply with the one line alone."
    )


def read_subject(reply: str, files: Sequence[FileDiff], recent: Sequence[str] = ()) -> Subject:
    """The first usable line of a reply, else the first line with its problems."""
    given = (line[:MAX_LINE_CHARS] for line in safe_text(reply).splitlines())
    lines = [line for line in map(_undecorated, given) if line][:LINES_LOOKED_AT]
    read = [Subject(line, tuple(_problems(line, files, recent))) for line in lines]
    good = next((each for each in read if not each.problems), None)
    return good or (read[0] if read else Subject("", ("is empty",)))


def _part(file: FileDiff) -> str:
    lines = [f"diff --git a/{file.old_path} b/{file.path}"]
    for hunk in file.hunks:
        lines += ["@@ @@", *(f"{line.mark}{line.text}" for line in hunk)]
    return "\n".join(lines)


def _undecorated(line: str) -> str:
    """Without what models wrap around it. A fence becomes empty."""
    line = line.strip()
    if line.startswith(("```", "~~~")):
        return ""
    if command := _COMMAND.match(line):
        line = command[2]
    line = re.sub(r"^(?:[-*•>] |#{1,3} |\d[.)] )", "", line).strip("*_` ")
    line = _LABEL.sub("", line).strip("*_` ")
    if len(line) > 1 and line[0] in QUOTES and line[-1] in QUOTES:
        line = line[1:-1].strip()
    line = line.rstrip(".").strip()
    prefix = _PREFIX.match(line)
    start = prefix.end() if prefix else 0
    first, _, rest = line[start:].partition(" ")
    if not rest.startswith("of "):  # `Parsing of tabs` is a noun
        first = as_imperative(first) or first
    return f"{line[:start]}{first} {rest}".strip()


def _problems(line: str, files: Sequence[FileDiff], recent: Sequence[str]) -> list[str]:
    problems: list[str] = []
    if len(line) > MAX_SUBJECT_CHARS:
        problems.append(f"has {len(line)} characters, and {MAX_SUBJECT_CHARS} are the most")
    prefix = _PREFIX.match(line)
    subject = line[prefix.end() :] if prefix else line
    first = subject.partition(" ")[0]
    if line.endswith(":") or _TALK.match(subject):
        problems.append("talks about the message instead of being it")
    elif as_imperative(first) != first:
        problems.append(f"does not begin in the imperative mood: `{first}`")
    if _SAYS_NOTHING.fullmatch(subject):
        problems.append("says nothing about this change")
    if line in recent:
        problems.append("is the subject of an earlier commit")
    if is_masked(line):
        problems.append("holds a masked value")
    problems += [
        f"names {name}, which is not in the diff" for name in _FILE.findall(subject) if not _is_in(name, files)
    ]
    return problems


def _is_in(name: str, files: Sequence[FileDiff]) -> bool:
    """Whether it is one of the files, or occurs in a changed line."""
    wanted = name.removeprefix("./")
    return any(
        wanted in path or any(wanted in line.text for hunk in file.hunks for line in hunk)
        for file in files
        for path in (file.path, file.old_path)
    )
