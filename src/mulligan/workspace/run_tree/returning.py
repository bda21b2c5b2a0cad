"""The way back of a work tree to one of its moments. Nothing of what is there now is kept."""

import shutil
from dataclasses import replace
from pathlib import Path

from mulligan.workspace.checkpoints import RestorePlan, Snapshot, WorkChanged, capture, carry_out, plan_restore
from mulligan.workspace.checkpoints.heads import OPERATIONS
from mulligan.workspace.checkpoints.model import At
from mulligan.workspace.checkpoints.refusals import translate_os_errors
from mulligan.workspace.checkpoints.rules import same_rules
from mulligan.workspace.git import open_repository

ATTEMPTS = 3
"""How often it starts afresh: because something writes there still, or because there was more to see."""

LOCKS = ("index.lock", "HEAD.lock")


async def return_to(root: Path, moment: Snapshot, *, at: At) -> None:
    """Raises `CheckpointRefused` where it can't be done; then, too, it may be run again."""
    git_dir = (await open_repository(root)).git_dir
    for attempt in range(ATTEMPTS):
        with translate_os_errors("The work tree was not set back"):
            _end_operations(git_dir, moment)
        now = await capture(root, checkpoint_id=None, before=moment)
        plan = _thrown_away(await plan_restore(root, moment, now, restore_id="run"))
        try:
            await carry_out(root, plan, at=at)
        except WorkChanged:
            if attempt == ATTEMPTS - 1:
                raise
            continue
        if same_rules(now, moment, [move.path for move in (*plan.writes, *plan.deletes)]):
            return
        # The rules of now may have hidden files that those of then show. In a person's checkout they would be spared.


def _end_operations(git_dir: Path, moment: Snapshot) -> None:
    """Commands that were stopped leave locks behind, and a rebase in the middle. Nobody else works here."""
    for name in LOCKS:
        (git_dir / name).unlink(missing_ok=True)
    if moment.operation:
        return
    for name in OPERATIONS:
        if (git_dir / name).is_dir():
            shutil.rmtree(git_dir / name)
        else:
            (git_dir / name).unlink(missing_ok=True)


def _thrown_away(plan: RestorePlan) -> RestorePlan:
    """Without refs that keep the commits made since."""
    return replace(plan, refs=tuple(replace(move, kept_under=None) for move in plan.refs))
