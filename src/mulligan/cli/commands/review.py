"""`mulligan review`: a model's findings on a diff, line by line."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.turn_command import TurnOptions, takes
from mulligan.cli.views.printing import print_json, tell
from mulligan.core.diffs.review import Severity
from mulligan.types.turns import UNFINISHED

if TYPE_CHECKING:
    from mulligan.app.diff_questions import DiffQuestions
    from mulligan.core.diffs.patch import FileDiff
    from mulligan.core.diffs.review import DroppedFinding, ReviewFinding

REVIEWER = "reviewer"
CONTEXT = 6
"""Unchanged lines around each change."""


@takes("project", "model", "base_url", "agency", "thinking", "json")
def review(
    wanted: Annotated[
        str | None,
        typer.Argument(metavar="RANGE", help="A range for `git diff`. By default, the work tree against HEAD."),
    ] = None,
    paths: Annotated[list[str] | None, typer.Argument(metavar="[PATH]...", help="Only these files or folders.")] = None,
    *,
    staged: Annotated[bool, typer.Option("--staged", help="Review what is staged, against HEAD.")] = False,
    fail_on: Annotated[
        Severity | None, typer.Option("--fail-on", help="Exit with 4 if there is a finding of this severity or worse.")
    ] = None,
    options: TurnOptions,
) -> None:
    """Review a diff: findings as `path:line: severity: text`.

    The model sees the diff in portions that fit its context, with secrets masked. If a finding names a line that is not
    in the diff, it is moved to the code that it quotes, or dropped, and you are told.
    """
    import asyncio

    asked = ["--cached"] if staged else []
    asked += [wanted] if wanted else []
    raise typer.Exit(asyncio.run(_review(options, asked, paths or [], fail_on)))


async def _review(options: TurnOptions, wanted: list[str], paths: list[str], fail_on: Severity | None) -> int:
    from mulligan.app.diff_questions import DiffQuestions, read_masked
    from mulligan.cli.session import open_asking_session
    from mulligan.workspace.repository_diff import RepositoryDiff

    configuration = options.configuration()
    repository = await RepositoryDiff.open(configuration.settings.project)
    # Relative to the current folder, which may not be the top of the repository.
    named = [str(configuration.settings.project / path) for path in paths]
    text = await repository.between(wanted, named, context=CONTEXT)
    if not wanted and (untracked := await repository.untracked()):
        files = "1 untracked file is" if untracked == 1 else f"{untracked} untracked files are"
        tell(f"{files} not part of it: `git add -N` makes git see them")
    async with open_asking_session(configuration, options) as session:
        changed, masked = read_masked(session, text)
        if masked:
            tell(f"{masked} {'value is' if masked == 1 else 'values are'} masked for the model")
        ready_model = await session.models.ready(session.model_name(session.agent(REVIEWER)))
        return await _Showing(options).show(DiffQuestions(session, ready_model), changed, fail_on)


class _Showing:
    """Print findings as they arrive, then what was dropped or not reviewed."""

    def __init__(self, options: TurnOptions) -> None:
        self._json = options.json
        self.findings: list[ReviewFinding] = []
        self.dropped: list[DroppedFinding] = []
        self.unread: list[str] = []

    async def show(self, questions: "DiffQuestions", files: "list[FileDiff]", fail_on: Severity | None) -> int:
        from mulligan.core.diffs.review import fails

        asked = questions.portions(files)
        reviewed = 0
        try:
            async for portion, read in questions.review(asked):
                reviewed += 1
                if read is None:
                    self.unread += portion.paths
                    tell(f"the model's answer about {', '.join(portion.paths)} was unreadable twice")
                    continue
                for finding in read.findings:
                    self._show_finding(finding)
                self.dropped += read.dropped
                if len(asked) > 1:
                    tell(f"{reviewed} of {len(asked)}: {', '.join(portion.paths)}")
        finally:
            self._show_end(questions, files, left=len(asked) - reviewed)
        return UNFINISHED if self.unread or fails(self.findings, fail_on) else 0

    def _show_finding(self, finding: "ReviewFinding") -> None:
        from dataclasses import asdict

        from mulligan.cli.text.safe_text import one_line

        self.findings.append(finding)
        if self._json:
            print_json({"type": "finding", **asdict(finding)})
            return
        moved = f" (the model said line {finding.given_line})" if finding.given_line is not None else ""
        typer.echo(f"{one_line(finding.path, 400)}:{finding.line}: {finding.severity}: {finding.text}{moved}")

    def _show_end(self, questions: "DiffQuestions", files: "list[FileDiff]", *, left: int) -> None:
        from dataclasses import asdict

        shown = [file for file in files if file.hunks and not file.withheld]
        skipped = [file.title for file in files if file.withheld]
        if self._json:
            print_json(
                {
                    "type": "review_end",
                    "files": len(shown),
                    "findings": len(self.findings),
                    "dropped": [asdict(each) for each in self.dropped],
                    "skipped": skipped,
                    "not_reviewed": self.unread,
                    "portions_left": left,
                    "usage": questions.usage.model_dump(),
                }
            )
            return
        for each in self.dropped:
            tell(f"dropped: {each.text} ({each.why})")
        for title in skipped:
            tell(f"not reviewed: {title}")
        if not shown:
            tell("nothing to review: no lines differ")
            return
        count, reviewed = len(self.findings), len({file.path for file in shown} - set(self.unread))
        words = "no findings" if not count else "1 finding" if count == 1 else f"{count} findings"
        summary = f"{words} in {reviewed} file{'' if reviewed == 1 else 's'}" if reviewed else "nothing was reviewed"
        unread = f"; {len(set(self.unread))} not reviewed" if reviewed and self.unread else ""
        tell(summary + unread + (f"; {left} portions left" if left else ""))
