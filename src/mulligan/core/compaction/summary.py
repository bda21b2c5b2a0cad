"""Whether a model's summary is usable, and what replaces one that is not."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mulligan.core.compaction.sections import Sections, read_sections, write_sections
from mulligan.core.payload import Unit
from mulligan.core.prompts import describe_outcome
from mulligan.core.provenance import Ledger, split_ledger, write_ledger
from mulligan.types.messages import ToolCallPart, ToolResultPart

MIN_CONTENT = 20
"""Characters. A shorter summary counts as empty."""

GOAL_SHARE = 0.2
"""Share of the words in the user's request that a summary must contain. Models use their own words."""

ECHO_SHARE = 0.5
"""Share of a summary's lines that may be copied from the session."""


MAX_QUOTE_CHARS = 600
"""Characters of one message in a digest."""


@dataclass(frozen=True, slots=True)
class RejectedSummary:
    """A summary that is rejected."""

    reason: str
    """Told to the model when it is asked again: `was empty`."""


def judge_summary(
    text: str, *, prompts: Sequence[str], session: str, previous: str | None, ledger: Ledger
) -> dict[str, str] | RejectedSummary:
    """The sections of a summary, unless it is unusable.

    `prompts` are the user's messages, `session` is what was summarised, `previous` the summary before.
    """
    sections = read_sections(text)
    content = "\n".join(sections.values())
    if len(text.strip()) < MIN_CONTENT:
        return RejectedSummary("was empty")
    if len(content) < MIN_CONTENT:
        return RejectedSummary("said nothing under the headings")
    if _echoes(content, session, known="\n".join([*prompts, previous or ""])):
        return RejectedSummary("only repeated the session")
    earlier = read_sections(previous).get("Goal", "") if previous else ""
    if not _holds_goal(content, [*prompts, earlier]):
        return RejectedSummary("did not say what the user wants")
    seen = "\n".join([*prompts, session, previous or "", *ledger.read, *ledger.modified])
    files = "\n".join(line for line in sections.pop("Relevant Files", "").split("\n") if _names_seen(line, seen))
    return sections | ({"Relevant Files": files} if files else {})


def digest(units: Sequence[Unit], *, prompts: Sequence[str], previous: str | None) -> dict[str, str]:
    """A summary made by code alone: the user's messages, the calls and their results, the last reply."""
    sections = read_sections(previous) if previous else {}
    reply = next((unit.text for unit in reversed(units) if not unit.prompt and unit.text.strip()), "")
    _add(sections, "Goal", [_shortened(prompt, MAX_QUOTE_CHARS) for prompt in prompts if prompt.strip()])
    _add(sections, "Done", [line for unit in units for line in _outcomes(unit)])
    _add(sections, "Critical Context", [f"The model last said: {_shortened(reply, MAX_QUOTE_CHARS)}"] if reply else [])
    sections.setdefault("Next Steps", "- Go on with what the user wants; what is done need not be done again.")
    return sections


def write_summary(sections: Sections, ledger: Ledger, char_limit: int) -> str:
    """The summary as stored: the sections within `char_limit` characters, then every path."""
    return f"{write_sections(sections, char_limit)}\n\n{write_ledger(ledger)}"


def summary_before(stored: str | None, char_limit: int) -> str | None:
    """The previous summary for the next one to continue: without its ledger, within `char_limit` characters."""
    return write_sections(read_sections(split_ledger(stored)[0]), char_limit) if stored else None


def _echoes(content: str, session: str, known: str) -> bool:
    """A summary may continue the previous one and quote the user, but not copy the session."""
    lines = [line.strip("-* ") for line in content.split("\n")]
    lines = [line for line in lines if len(line) >= MIN_CONTENT]
    copied = [line for line in lines if line in session and line not in known]
    return len(copied) > ECHO_SHARE * len(lines)


def _holds_goal(content: str, prompts: Iterable[str]) -> bool:
    """Whether it contains enough words of one of the user's messages."""
    held = _words(content)
    wanted = [words for words in map(_words, prompts) if words]
    return not wanted or any(len(words & held) >= max(1, GOAL_SHARE * len(words)) for words in wanted)


def _words(text: str) -> frozenset[str]:
    """The significant words, without endings."""
    return frozenset(word[:5] for word in re.findall(r"\w{3,}", text.casefold()) if word not in _COMMON)


_COMMON = frozenset(
    re.findall(
        r"\w+",
        "about after again all and any are because been before but can could did does each for from get had has have "
        "how into its just like make more most need not now once only our out please same she should some such than "
        "that the their them then there these they this those too under use user want was way were what when where "
        "which who why will with would you your",
    )
)

_PATH = re.compile(r"(?<![\w.@+-])[\w.@+-]++(?:/[\w.@+-]++)+|[\w-]{1,100}\.[A-Za-z]\w{0,5}\b")


def _names_seen(line: str, seen: str) -> bool:
    """Whether all paths on the line occurred before: models invent files that seem likely."""
    return all(path in seen for path in _PATH.findall(line))


def _outcomes(unit: Unit) -> list[str]:
    results = {part.call_id: part for part in unit.parts if isinstance(part, ToolResultPart)}
    return [describe_outcome(part, results.get(part.call_id)) for part in unit.parts if isinstance(part, ToolCallPart)]


def _add(sections: dict[str, str], name: str, lines: Sequence[str]) -> None:
    before = sections.get(name, "").split("\n")
    text = "\n".join(dict.fromkeys(filter(None, [*before, *(f"- {line}" for line in lines)])))
    if text:
        sections[name] = text


def _shortened(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
