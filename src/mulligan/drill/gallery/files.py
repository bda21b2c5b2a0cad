"""The model, or an external agent, wrecks the files: they are restored, or were never within reach."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from mulligan.drill.claims import (
    checkpoints_nothing,
    ends,
    ends_with,
    exits,
    holds,
    leaves_files_alone,
    leaves_git_alone,
    looks_alike,
    looks_otherwise,
    never_tells_the_model,
    prints,
    raises,
    raises_none,
    tells_the_model,
)
from mulligan.drill.fault import FILES, Claim, CommandStep, Fault, FolderStep
from mulligan.drill.observed import FinishedCommand
from mulligan.drill.scripting import code, command, edit, say, script

BOAST = "All is well, and better than before."
PROJECT = {**FILES, "lib/deep/seven.py": "seven = 7\n", "with space.txt": "mine\n"}
WRECK = script(
    edit("one.py", "return 'one'", "return 'wrecked'"),
    command("rm -rf lib && echo wrecked > 'with space.txt' && mkdir made && echo new > made/untracked.txt"),
    command("git -c user.name=m -c user.email=m@localhost commit -qam wrecked"),
    command("git rm -q --cached two.py && echo staged > three.py && git add three.py && echo wrecked > four.py"),
    say(BOAST),
)

AGENT = """\
[external.wrecker]
kind = "one_shot"
format = "text"
version_args = []
command = {command}
"""
WRECKS = "import shutil; shutil.rmtree('lib'); open('one.py', 'w').write('wrecked')"
CRASHES = f"{WRECKS}; import os; os.abort()"
# A work tree names its repository: .git/worktrees in the checkout.
ESCAPES = (
    "from pathlib import Path; git = Path(Path('.git').read_text().removeprefix('gitdir:').strip()); "
    "(git.parents[2] / 'one.py').write_text('wrecked'); print('Done.')"
)


def _restored(name: str, title: str, work: Callable[[Path], None]) -> Fault:
    """The work tree is as it was before the turn, and the chat has forgotten the turn."""
    return Fault(
        name,
        title,
        (
            FolderStep(work),
            code(WRECK, "--yes"),
            CommandStep(_restore),
            CommandStep(_ask_on, script(say(), strict_roles=True)),
        ),
        (
            ends("answered", 0, run=0),
            looks_otherwise(1, 2),
            looks_alike(1, 3),
            ends_with(run=1, messages_deleted=1, worktree_reset=True),
            never_tells_the_model(BOAST),
        ),
        PROJECT,
        repository=True,
    )


def _restore(before: Sequence[FinishedCommand]) -> Sequence[str]:
    """Back to the checkpoint of the first command."""
    taken = "".join(frame.get("checkpoint_id", "") for frame in before[0].of_type("checkpoint"))
    return ("restore", taken, "--yes")


def _ask_on(before: Sequence[FinishedCommand]) -> Sequence[str]:
    """Ask in the chat of the first command: its remaining messages go to the model."""
    return ("ask", "And now?", "--chat", before[0].last.get("chat_id", ""))


def _delegated(name: str, title: str, does: str, *claims: Claim) -> Fault:
    """An external agent of the user, without any restrictions."""
    return Fault(
        name,
        title,
        (CommandStep(("delegate", "Tidy up.", "--agent", "wrecker")),),
        claims,
        PROJECT,
        repository=True,
        settings=AGENT.format(command=json.dumps([sys.executable, "-c", does])),
    )


def _leave_all_sorts_of_work(project: Path) -> None:
    """Staged, unstaged and untracked changes; no file is as committed."""
    (project / "one.py").write_text("def one():\n    return 'one'\n# my own work\n", encoding="utf-8")
    (project / "three.py").unlink()
    (project / "lib" / "mine.txt").write_text("not added\n", encoding="utf-8")


def _forget_the_commit(project: Path) -> None:
    """A repository as it is after `git init` and `git add`: nothing is committed yet, and no author is configured."""
    git = project / ".git"
    (git / "refs" / "heads" / "main").unlink()
    with (git / "config").open("a", encoding="utf-8") as config:
        config.write("[user]\n\tuseConfigOnly = true\n")


WRECKED_FILES = (
    Fault(
        "wrecked-tree",
        "a wrecked work tree, restored, and the restore undone",
        (
            code(WRECK, "--yes"),
            CommandStep(_restore),
            CommandStep(("restore", "--undo", "--yes")),
            CommandStep(_ask_on, script(say())),
        ),
        (
            ends("answered", 0, run=0),
            looks_otherwise(0, 1),
            looks_alike(0, 2),
            ends_with(run=1, messages_deleted=1, worktree_reset=True),
            looks_alike(1, 3),
            tells_the_model(BOAST),
        ),
        PROJECT,
        repository=True,
    ),
    _restored("users-work", "uncommitted work, wrecked with the rest", _leave_all_sorts_of_work),
    _restored("unborn-branch", "a wreck before the first commit, with nobody to commit as", _forget_the_commit),
    Fault(
        "ignored-files",
        "a wreck that takes the rules for ignored files along",
        (
            code(
                script(command("rm one.py .gitignore && echo changed > kept.log && echo new > new.log"), say(BOAST)),
                "--yes",
            ),
            CommandStep(_restore),
        ),
        (
            ends("answered", 0, run=0),
            leaves_files_alone(but=("kept.log", "new.log")),
            leaves_git_alone,
            holds("kept.log", "changed\n"),
            holds("new.log", "new\n"),
        ),
        {**FILES, ".gitignore": "*.log\n", "kept.log": "as it was\n"},
        repository=True,
    ),
    Fault(
        "unknown-checkpoint",
        "a restore to a checkpoint that does not exist",
        (code(WRECK, "--yes"), CommandStep(("restore", "nowhere", "--yes"))),
        (exits(2), prints("there is no checkpoint 'nowhere'"), looks_otherwise(0, 1), looks_alike(1, 2)),
        PROJECT,
        repository=True,
    ),
    Fault(
        "no-repository",
        "no repository to take a checkpoint in",
        (code(script(edit("one.py", "return 'one'", "return 1"), say("Done.")), "--yes"),),
        (ends("answered", 0), checkpoints_nothing, holds("one.py", "def one():\n    return 1\n")),
    ),
    _delegated(
        "agent-wrecks",
        "an external agent that wrecks its work tree",
        f"{WRECKS}; print('All is well.')",
        ends("answered", 6),
        ends_with(pending=2),
        raises_none("outside_writes"),
        leaves_files_alone(),
        leaves_git_alone,
    ),
    _delegated(
        "agent-crashes",
        "an external agent that wrecks and crashes",
        CRASHES,
        ends("model_error", 5),
        ends_with(pending=2),
        raises("agent_failed", agent="wrecker"),
        leaves_files_alone(),
        leaves_git_alone,
    ),
    _delegated(
        "agent-escapes",
        "an external agent that writes into the user's checkout",
        ESCAPES,
        raises("outside_writes", agent="wrecker", paths=["one.py"]),
        leaves_files_alone(but=["one.py"]),
    ),
)
