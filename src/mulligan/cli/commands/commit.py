"""`mulligan commit`: write a message for what is staged, ask, and commit."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.turn_command import TurnOptions, takes
from mulligan.cli.views.printing import print_json, tell
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import UNFINISHED, WAITING

if TYPE_CHECKING:
    from mulligan.core.diffs.commit_message import Subject
    from mulligan.core.diffs.patch import FileDiff
    from mulligan.workspace.repository_diff import RepositoryDiff


YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Commit without asking, if the message is usable.")]


@takes("yes", "project", "model", "base_url", "agency", "thinking", "json", yes=YesOption)
def commit(
    *,
    all_tracked: Annotated[
        bool, typer.Option("--all", "-a", help="Commit all changes to tracked files, staged or not.")
    ] = False,
    edit: Annotated[bool, typer.Option("--edit", "-e", help="Open the message in your editor first.")] = False,
    options: TurnOptions,
) -> None:
    """Write the message for what is staged, and commit.

    The model sees the staged diff, cut to its context, with secrets masked. Mulligan checks its message: one line of at
    most 72 characters, in the imperative, about files of the diff. You see it and say yes. Git commits as usual, with
    your name, hooks and signature. Nothing is staged for you, unless you use --all.
    """
    import asyncio

    if edit and not options.interactive and not options.yes:
        raise ConfigurationError("--edit needs a terminal for your editor")
    raise typer.Exit(asyncio.run(_commit(options, all_tracked=all_tracked, edit=edit)))


async def _commit(options: TurnOptions, *, all_tracked: bool, edit: bool) -> int:
    from mulligan.app.diff_questions import DiffQuestions, read_masked
    from mulligan.cli.session import open_asking_session
    from mulligan.workspace.repository_diff import RepositoryDiff

    configuration = options.configuration()
    repository = await RepositoryDiff.open(configuration.settings.project)
    text = await _diff_to_commit(repository, all_tracked=all_tracked)
    async with open_asking_session(configuration, options) as session:
        files, masked = read_masked(session, text)
        recent = await repository.recent_subjects(50)
        ready_model = await session.models.ready(session.model_name(session.agent()))
        subject = await DiffQuestions(session, ready_model).subject(files, recent)
    _show(subject, files, options, masked=masked)
    chosen = await _chosen(subject, options, edit=edit)
    code: int | None = None
    if chosen:
        if await repository.to_commit(all_tracked=all_tracked) != text:
            raise ConfigurationError("the diff changed in the meantime: run it again")
        code = await repository.commit(subject.text, all_tracked=all_tracked, edit=chosen == "e", quiet=options.json)
    return await _end(repository, subject, files, options, code, masked=masked)


async def _diff_to_commit(repository: "RepositoryDiff", *, all_tracked: bool) -> str:
    if repository.is_merging:
        raise ConfigurationError("a merge is in progress, and git has a message for it: finish it with git commit")
    text = await repository.to_commit(all_tracked=all_tracked)
    if text:
        return text
    if all_tracked:
        raise ConfigurationError("nothing to commit: no tracked file differs from the last commit")
    raise ConfigurationError(
        "nothing is staged: `git add` what belongs to the commit, or use --all for all changes to tracked files"
    )


def _show(subject: "Subject", files: "list[FileDiff]", options: TurnOptions, *, masked: int) -> None:
    if options.json:
        return
    added, removed = (sum(file.counts[side] for file in files) for side in (0, 1))
    tell(f"{len(files)} {'file' if len(files) == 1 else 'files'}, +{added} -{removed}" + _masked_words(masked))
    if subject.text:
        typer.echo(subject.text)
    if subject.problems:
        last = " This is its last try." if subject.text else ""
        tell(f"the model gave no usable message in two tries: it {'; it '.join(subject.problems)}.{last}")


def _masked_words(masked: int) -> str:
    return "" if not masked else f"; {masked} {'value' if masked == 1 else 'values'} masked for the model"


async def _chosen(subject: "Subject", options: TurnOptions, *, edit: bool) -> str:
    """`y`, `e` for the editor first, or nothing. An unusable message is committed only after the user has seen it."""
    if not subject.text:
        return ""
    if edit:
        return "e"
    if options.yes:
        return "" if subject.problems else "y"
    if not options.interactive:
        return ""
    from mulligan.cli.interactive.choice import choose

    question = "commit it anyway?" if subject.problems else "commit?"
    answer = await choose(question, {"y": "yes", "e": "edit first", "n": "no"}, default="n")
    return "" if answer == "n" else answer


async def _end(
    repository: "RepositoryDiff",
    subject: "Subject",
    files: "list[FileDiff]",
    options: TurnOptions,
    code: int | None,
    *,
    masked: int,
) -> int:
    """Report the result. Returns the exit code."""
    if options.json:
        print_json(
            {
                "message": subject.text,
                "problems": list(subject.problems),
                "files": [file.path for file in files],
                "masked": masked,
                "committed": code == 0,
                "commit": await repository.newest() if code == 0 else None,
            },
            ascii_only=True,
        )
    if code:
        tell(f"nothing was committed: git exited with {code}; see its output above")
    elif code is None and not options.json:
        tell(
            "nothing was committed" + ("" if options.interactive or subject.problems else ": use --yes to commit this")
        )
    if code == 0:
        return 0
    return UNFINISHED if code or subject.problems else WAITING
