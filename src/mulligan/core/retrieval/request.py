"""The one request of a guided turn: excerpts first, the question last, so that another question on the same files finds
them in the server's cache."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mulligan.core.context_budget import chars_per_token
from mulligan.core.retrieval.excerpts import Excerpt
from mulligan.core.retrieval.kinds import is_overview, is_worth_reading
from mulligan.runtime.counted import counted
from mulligan.types.model_io import SystemText, UserText, WireMessage
from mulligan.types.profiles import ModelProfile

REPLY_TOKENS = 300
"""The longest reply to ask for, unless the user set another limit."""
READING_SECONDS = 25
"""Seconds that a model may take to read excerpts that are not cached."""
MAX_TOKENS, MIN_TOKENS = 2500, 150
UNKNOWN_SPEED_TOKENS = 1500
ASSUMED_CONTEXT = 4096
"""Assumed if nothing is known."""
AROUND = 250
"""Tokens for everything but excerpts, question and reply."""

GUIDED_SYSTEM = (
    "You answer questions about a software project. You are given excerpts of its files. Answer from them alone, in "
    "one to three sentences, with the exact names, numbers and file paths. If they do not hold the answer, say so."
)

NAME_FILES = "Say what it is, then name the source files that matter most, by their paths, and what each is for."
"""Added to a question about the whole project: otherwise a small model repeats the README's description."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of the chat and its answer."""

    question: str
    answer: str


def guided_messages(
    question: str,
    excerpts: Sequence[Excerpt],
    tree: str | None,
    earlier: Exchange | None,
    facts: str = "",
    *,
    instructions: str = "",
    commands_output: str = "",
) -> list[WireMessage]:
    """`instructions` are those of the project's files: after the excerpts, since the question selects them.
    `commands_output` is that of the user's own commands."""
    shown = [f"Files of the project:\n{tree}"] if tree else []
    shown += [f"File {each.path}:\n```\n{each.text}\n```" for each in excerpts]
    if facts:
        shown.append(f"Found by a search of the code:\n{facts}")
    if instructions:
        shown.append(f"How work is done in this project:\n{instructions}")
    if commands_output:
        shown.append(commands_output)
    if earlier:
        shown.append(f"Earlier question: {_cut(earlier.question, 300)}\nEarlier answer: {_cut(earlier.answer, 500)}")
    asked = f"Question: {question.strip()}"
    if tree:
        asked = f"{asked}\n{NAME_FILES}"
    return [SystemText(GUIDED_SYSTEM), UserText("\n\n".join([*shown, asked]))]


def excerpt_budget(profile: ModelProfile, question: str, *, reply_tokens: int) -> int:
    """Tokens for excerpts: what the context leaves, and no more than the user would wait for the model to read."""
    context = min(filter(None, (profile.context_length, profile.truncates_at)), default=ASSUMED_CONTEXT)
    left = context - reply_tokens - AROUND - round(len(question) / chars_per_token(profile))
    speed = profile.reads_per_second
    readable = round(READING_SECONDS * speed) if speed else UNKNOWN_SPEED_TOKENS
    return max(MIN_TOKENS, min(left, readable, MAX_TOKENS))


def _cut(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


MAX_ENTRIES = 30


def overview_files(paths: Sequence[str]) -> list[str]:
    """The top folder's README first, then its manifests."""
    found = [path for path in paths if is_overview(path)]
    return sorted(found, key=lambda path: (not path.lower().startswith("readme"), path))


def overview_excerpts(files: Mapping[str, Sequence[str]], *, budget: int, chars_per_token: float) -> list[Excerpt]:
    """The beginning of each file, within the budget; the first gets most of it."""
    chars_left = budget * chars_per_token
    chosen: list[Excerpt] = []
    for path, lines in files.items():
        last, size = 0, 0
        while last < len(lines) and size + len(lines[last]) < chars_left * 0.6:
            size += len(lines[last]) + 1
            last += 1
        if last:
            chosen.append(Excerpt(path, 1, last, "\n".join(lines[:last])))
            chars_left -= size
    return chosen


def project_tree(paths: Sequence[str]) -> str:
    """The files at the top, and the folders with their number of files, two levels deep."""
    shown: Counter[str] = Counter()
    for path in filter(is_worth_reading, paths):
        *folders, name = path.split("/")
        shown["/".join(folders[:2]) + "/" if folders else name] += 1
    entries = sorted(shown.items())
    lines = [f"{entry} ({counted(count, 'file')})" if entry.endswith("/") else entry for entry, count in entries]
    rest = [f"… and {len(lines) - MAX_ENTRIES} more"] if len(lines) > MAX_ENTRIES else []
    return "\n".join([*lines[:MAX_ENTRIES], *rest])
