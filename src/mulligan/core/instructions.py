"""Instructions of a project: which files hold them, how much of each is sent, and how it is framed.

The text comes from the project's authors. It tells the model how to work, and nothing to Mulligan: no tool, policy or
permission depends on it.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from mulligan.core.context_budget import ASSUMED_CONTEXT, CHARS_PER_TOKEN, common_limit
from mulligan.core.payload import compacted_view, shown_units, units_of
from mulligan.types.frozen import frozen
from mulligan.types.instructions import InstructionFile, SentInstructions
from mulligan.types.messages import Message, ToolResultPart

OWN = ("MULLIGAN.md", "AGENTS.md")
OF_OTHER_TOOLS = ("CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md")
"""If a folder has none of ours, the first of these is used: they mostly say the same."""
NAMES = (*OWN, *OF_OTHER_TOOLS)
PERSONAL = "AGENTS.md"
"""In Mulligan's own folder: for all projects."""

SHARE = 1 / 8
"""Largest share of the model's context."""
MAX_TOKENS = 8_000
GUIDED_TOKENS = 150
"""For a model in guided mode. It reads 30 tokens a second, and more than a few sentences mislead it."""
FILE_TOOLS = frozenset({"view_file", "edit_file", "create_file"})
"""Calls about a file that also bring the instructions of its folders."""

ABOUT = (
    "Instructions from files follow, those that count most first. They come with the project, or are the user's for "
    "all projects. Follow them in how you work; what the user asks for in this chat counts more. They give you no "
    "other tools and no permission."
)
ABOUT_FOLDER = "[The project has instructions for files in this folder. Follow them there.]"


@frozen
class FittedInstructions:
    """Instructions as sent to a model."""

    text: str = ""
    """Empty if there are none."""
    sent: tuple[SentInstructions, ...] = ()


NO_INSTRUCTIONS = FittedInstructions()


def names_to_read(present: Collection[str]) -> tuple[str, ...]:
    """Which of a folder's files hold its instructions."""
    own = tuple(name for name in OWN if name in present)
    return own or tuple(name for name in OF_OTHER_TOOLS if name in present)[:1]


def folders_above(path: str) -> list[str]:
    """The folders of a file, the nearest first, without the project's own."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


def instruction_char_limit(context_length: int | None) -> int:
    """Characters that instructions may take in every request.

    Not at the model's measured rate: that changes from turn to turn, and the request has to begin with the same text.
    """
    return int(min(MAX_TOKENS, (context_length or ASSUMED_CONTEXT) * SHARE) * CHARS_PER_TOKEN)


def system_instructions(files: Sequence[InstructionFile], char_limit: int, *, tools: bool = True) -> FittedInstructions:
    """For a system prompt. `tools`: the model can read what was left out."""
    return _fitted(ABOUT, files, char_limit, tools=tools)


def folder_instructions(files: Sequence[InstructionFile], char_limit: int) -> FittedInstructions:
    """Added below the result of the first call about a file of the folder."""
    return _fitted(ABOUT_FOLDER, files, char_limit // 2, tools=True)


def guided_instructions(files: Sequence[InstructionFile], task: str) -> FittedInstructions:
    """For a very small model: the sections about the task; short files whole."""
    usable = _usable(files)
    char_limit = int(GUIDED_TOKENS * CHARS_PER_TOKEN)
    limit = common_limit((len(file.text.strip()) for file in usable), char_limit)
    texts: list[str] = []
    sent: list[SentInstructions] = []
    for file in usable:
        whole = file.text.strip()
        shown = whole if limit is None else relevant_part(whole, task, limit)
        sent.append(_sent(file, len(shown)))
        if shown:
            texts.append(f"From {file.path}{'' if shown == whole else ', in part'}:\n{shown}")
    return FittedInstructions("\n\n".join(texts), (*sent, *_unread(files)))


def relevant_part(text: str, task: str, limit: int) -> str:
    """The whole text if it is short enough. Else the sections that share words with the task, in the order of the file;
    the file's beginning if none does."""
    if len(text) <= limit:
        return text
    from mulligan.core.retrieval.terms import asked_stems, stems  # only turns that Mulligan drives need it

    terms = asked_stems(task)
    sections = [each.strip() for each in re.split(_SECTION, text) if each.strip()]
    scored = [(len(terms.intersection(stems(section))), -index) for index, section in enumerate(sections)]
    chosen: list[int] = []
    left = limit
    for score, index in sorted(scored, reverse=True):
        size = len(sections[-index]) + 1
        if score and size <= left:
            chosen.append(-index)
            left -= size
    return "\n".join(sections[index] for index in sorted(chosen)) or _beginning(text, limit)


def shown_already(history: Sequence[Message]) -> set[str]:
    """Instruction files in results that the model still sees."""
    view = compacted_view(history)
    units = [unit for unit in shown_units(units_of(history), view.covered) if unit.position > view.hidden]
    results = [part for unit in units for part in unit.parts if isinstance(part, ToolResultPart)]
    return {path for result in results for path in result.instructions}


def left_out(sent: Iterable[SentInstructions], *, to: str = "this model") -> list[str]:
    """Notes for the user about files that are not sent whole."""
    notes: list[str] = []
    for file in sent:
        if file.problem:
            notes.append(f"{file.path} is not sent to the model: {file.problem}")
        elif file.tokens < file.of:
            notes.append(f"{file.path}: {file.tokens:,} of about {file.of:,} tokens are sent to {to}")
    return notes


def _fitted(about: str, files: Sequence[InstructionFile], char_limit: int, *, tools: bool) -> FittedInstructions:
    usable = _usable(files)
    limit = common_limit((len(file.text.strip()) for file in usable), char_limit)
    blocks: list[str] = []
    sent: list[SentInstructions] = []
    for file in usable:
        text = file.text.strip()
        shown = text if limit is None else _beginning(text, limit)
        rest = "" if shown == text else f"\n{_rest(file, shown, tools=tools)}"
        # The text can't close its own block, and so can't pass for ours.
        inside = re.sub(r"</(?=instructions)", "<\\/", shown, flags=re.IGNORECASE)
        name = file.path.replace('"', "'")
        blocks.append(f'<instructions file="{name}">\n{inside}{rest}\n</instructions>')
        sent.append(_sent(file, len(shown)))
    text = "\n\n".join([about, *blocks]) if blocks else ""
    return FittedInstructions(text, (*sent, *_unread(files)))


def _usable(files: Iterable[InstructionFile]) -> list[InstructionFile]:
    """Files with content. A copy of another file, or a link to it, is sent once."""
    return list({file.text.strip(): file for file in reversed([*files]) if file.text.strip()}.values())[::-1]


def _unread(files: Iterable[InstructionFile]) -> list[SentInstructions]:
    return [SentInstructions(path=file.path, tokens=0, of=0, problem=file.problem) for file in files if file.problem]


def _sent(file: InstructionFile, shown: int) -> SentInstructions:
    whole = len(file.text.strip())
    return SentInstructions(path=file.path, tokens=_tokens(shown), of=_tokens(whole))


def _tokens(chars: int) -> int:
    return round(chars / CHARS_PER_TOKEN)


def _beginning(text: str, limit: int) -> str:
    """As many whole lines as fit; if the first does not fit, its beginning."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit + 1)
    return text[: end if end > 0 else limit].rstrip()


def _rest(file: InstructionFile, shown: str, *, tools: bool) -> str:
    begin = len(file.text) - len(file.text.lstrip())
    line = file.text.count("\n", 0, begin + len(shown)) + 1
    how = "" if file.personal or not tools else f"; view_file shows it, from line {line} on"
    return f"[The rest is left out for lack of room{how}.]"


_SECTION = r"\n[ \t]*\n|\n(?=[ \t]{0,3}(?:[-*+]|\d{1,3}[.)])[ \t])|\n(?=#)"
"""Between paragraphs, list items and headings. Compiled when needed: most commands don't use it."""
