"""Sloppy with what is around the text: line numbers, fences, marks of quotes and diffs, escaped newlines."""

from random import Random

from bench.edits.draft import Draft, Drift, Row, news, olds

FENCES = {"python": "python", "shell": "bash", "typescript": "ts", "make": "makefile"}


def numbered(style: str, *, new_too: bool = True) -> Drift:
    """Line numbers as tools print them. The new text goes on counting where it has more lines."""

    def drifted(draft: Draft, _rng: Random) -> Draft | None:
        number = {"old": len(draft.before), "new": len(draft.before)}

        def marked(line: str | None, side: str) -> str | None:
            if line is None:
                return None
            number[side] += 1
            return style.format(number[side]) + line

        return draft.with_rows(
            Row(marked(row.old, "old"), marked(row.new, "new") if new_too else row.new) for row in draft.rows
        )

    return drifted


def fenced(draft: Draft, _rng: Random) -> Draft | None:
    return _between(draft, "```", "```")


def fenced_with_language(draft: Draft, _rng: Random) -> Draft | None:
    name = draft.source.language.name
    return _between(draft, f"```{FENCES.get(name, name)}", "```")


def quoted(draft: Draft, _rng: Random) -> Draft | None:
    return draft.with_lines(lambda line: f"> {line}" if line else ">")


def diff_marks_all_over(draft: Draft, _rng: Random) -> Draft | None:
    """Minus before every old line, plus before every new one."""
    return draft.with_rows(Row(_marked(row.old, "-"), _marked(row.new, "+")) for row in draft.rows)


def diff_marks(draft: Draft, _rng: Random) -> Draft | None:
    """As in a diff: a space before what stays."""
    if all(row.kept or row.old is None for row in draft.rows) or not any(row.kept for row in draft.rows):
        return None
    return draft.with_rows(
        Row(_marked(row.old, " "), _marked(row.new, " "))
        if row.kept
        else Row(_marked(row.old, "-"), _marked(row.new, "+"))
        for row in draft.rows
    )


def literal_newlines(draft: Draft, _rng: Random) -> Draft | None:
    r"""All in one line, with \n where lines end, and \t for tabs."""
    lines = (*olds(draft.rows), *news(draft.rows))
    if len(olds(draft.rows)) < 2 or any("\\" in line for line in lines):
        return None
    old, new = ("\\n".join(side).replace("\t", "\\t") for side in (olds(draft.rows), news(draft.rows)))
    return draft.with_rows([Row(old, new)])


def _between(draft: Draft, opening: str, closing: str) -> Draft | None:
    if any((row.old or "").lstrip().startswith("```") for row in draft.rows):
        return None
    return draft.with_rows([Row(opening, opening), *draft.rows, Row(closing, closing)])


def _marked(line: str | None, mark: str) -> str | None:
    return None if line is None else mark + line


WRAPPING: dict[str, Drift] = {
    "line numbers, colon": numbered("{}: "),
    "line numbers, as grep -n": numbered("{}:"),
    "line numbers, bar": numbered("{}| "),
    "line numbers, spaced bar": numbered("{:>4} | "),
    "line numbers, as cat -n": numbered("{:>6}\t"),
    "line numbers, arrow": numbered("{:>5}→"),
    "line numbers, in old alone": numbered("{}: ", new_too=False),
    "code fence": fenced,
    "code fence with language": fenced_with_language,
    "quote marks": quoted,
    "diff marks on all lines": diff_marks_all_over,
    "diff marks": diff_marks,
    "literal \\n": literal_newlines,
}
