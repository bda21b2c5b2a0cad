"""One history: a checkpoint in the middle, a restore at the end, an undo; and what must hold after each."""

import os
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.checkpoints.histories import LIMIT_BYTES, History
from bench.checkpoints.photograph import Photograph, files_at, take
from bench.checkpoints.rules import Rules
from mulligan.core.secrets import is_secret
from mulligan.workspace.checkpoints import RestorePlan, capture, execute_restore, plan_restore, read_snapshot
from mulligan.workspace.checkpoints.model import LINK


class Lost(AssertionError):
    """A restore that did not bring back what was there."""


async def run_history(seed: int, *, secrets: bool = False) -> None:
    """Raises `Lost`, with the history, if anything is not as it was; with secret files among the others, if asked."""
    with tempfile.TemporaryDirectory(prefix="history-") as folder:
        history = History(seed, Path(folder), secrets=secrets)
        kept = os.environ.get("GIT_CONFIG_GLOBAL")
        os.environ["GIT_CONFIG_GLOBAL"] = str(Path(folder) / "gitconfig")
        try:
            await _run(history)
        except Exception as error:
            steps = "\n".join(history.log)
            raise Lost(f"history {seed}: {type(error).__name__}: {error}\n{steps}") from error
        finally:
            if kept is None:
                del os.environ["GIT_CONFIG_GLOBAL"]
            else:
                os.environ["GIT_CONFIG_GLOBAL"] = kept


async def _run(history: History) -> None:
    root, chance = history.root, history.random
    history.go_on(chance.randint(2, 14))
    if chance.random() < 0.3:
        await capture(root, checkpoint_id="earlier", limit_bytes=LIMIT_BYTES)
        history.go_on(chance.randint(1, 6))
    then = Moment.of(history)
    history.log.append("--- checkpoint")
    target = await capture(root, checkpoint_id="c", label="middle", limit_bytes=LIMIT_BYTES)
    _require(take(root) == then.photograph, "a checkpoint changes nothing")
    _require(await read_snapshot(root, "c") == target, "a snapshot reads back as it was")
    _require_secrets_apart(root, "c", then.photograph)
    history.go_on(chance.randint(1, 14))
    now = Moment.of(history)
    history.log.append("--- restore")
    safety = await capture(root, checkpoint_id="safety", limit_bytes=LIMIT_BYTES, before=target)
    _require_secrets_apart(root, "safety", now.photograph)
    plan = await plan_restore(root, target, safety, restore_id="r1")
    await execute_restore(root, plan)
    restored = Moment.of(history)
    _compare(then, now, restored.photograph, plan)
    history.log.append("--- undo")
    again = await capture(root, checkpoint_id="again", limit_bytes=LIMIT_BYTES, before=safety)
    undo = await plan_restore(root, safety, again, restore_id="r2")
    await execute_restore(root, undo)
    undone = take(root)
    _compare(now, restored, undone, undo)
    # Also what was ignored when the restore wrote over it.
    written_over = {move.path for move in (*plan.writes, *plan.deletes)} & now.photograph.files.keys()
    for path in written_over - {apart.path for apart in undo.left_alone}:
        _require(now.photograph.files[path] == undone.files.get(path), f"{path!r} did not come back with the undo")


def _require_secrets_apart(root: Path, checkpoint: str, photograph: Photograph) -> None:
    """No git command shows a secret file that the person did not add themselves."""
    ref = f"refs/mulligan/checkpoints/{checkpoint}"
    tracked = {line.split("\t", 1)[1] for line in photograph.index}
    held = {path for mode, path in files_at(root, ref) if is_secret(path) and mode != LINK}
    _require(held <= tracked, f"secret files in a commit: {sorted(held - tracked)}")


@dataclass(frozen=True, slots=True)
class Moment:
    photograph: Photograph
    rules: Rules

    @classmethod
    def of(cls, history: History) -> "Moment":
        return cls(take(history.root), Rules(history.root, history.personal_rules))


def _compare(then_moment: Moment, now_moment: Moment, after: Photograph, plan: RestorePlan) -> None:
    """After a restore all is as it was then, save for what is not ours to touch: that is as it was now."""
    then, now = then_moment.photograph, now_moment.photograph
    uncovered = _uncovered(then, now, plan)
    captured = {path for path in then.files if path not in then.ignored or path in plan.target.forced}
    in_question = [*(path for path in now.files if path not in captured), *now.folders]
    ignored = then_moment.rules.ignored(in_question, now.folders) | now_moment.rules.ignored(in_question, now.folders)
    spared = (ignored - now.folders) | (now.ignored - captured)
    left_alone = {apart.path for apart in plan.left_alone}
    for path in left_alone:
        justified = _lies_at(path, uncovered | then.nested | now.nested | spared)
        _require(justified, f"{path!r} was left alone for no reason")
    expected = {path: file for path, file in now.files.items() if path in spared | uncovered | left_alone}
    expected |= {path: then.files[path] for path in captured - uncovered - left_alone}
    _same("files", sorted(expected.items()), sorted(after.files.items()))
    # Rules outside the work tree are settings, which no restore changes.
    stays = set(expected) - captured | uncovered | left_alone | then.nested | now.nested | after.ignored
    _same("status", _without(then.status, stays), _without(after.status, stays))
    _same("index", then.index, after.index)
    _same("HEAD", then.head, after.head)
    surplus = {path for path in after.folders - then.folders if not _lies_at(path, stays | (ignored & now.folders))}
    _require(not surplus, f"folders that were not there: {sorted(surplus)}")
    # A folder that only ignored files hold is not known.
    missing = {path for path in then.folders - after.folders if not _lies_at(path, stays | then.ignored)}
    missing -= then_moment.rules.ignored(missing, missing)
    _require(not missing, f"folders that are gone: {sorted(missing)}")


def _uncovered(then: Photograph, now: Photograph, plan: RestorePlan) -> set[str]:
    """Large files, as far as a snapshot says that it lacks them: what was committed is there, however large."""
    found: set[str] = set()
    for side, snapshot in ((now, plan.now), (then, plan.target)):
        for apart in snapshot.not_covered:
            large = apart.path in side.files and len(side.files[apart.path][1]) > LIMIT_BYTES
            _require(large or apart.path in side.nested, f"{apart.path!r} is not covered for no reason")
            found |= {apart.path} if large else set()
    return found


def _lies_at(path: str, apart: Collection[str]) -> bool:
    """Whether it is one of these, in one of these, or holds one of these."""
    return any(path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in apart)


def _without(status: tuple[str, ...], paths: Collection[str]) -> list[str]:
    """Lines of paths that a restore leaves as they are say nothing about it."""
    kept: list[str] = []
    for line in status:
        columns = {"1": 8, "2": 9, "u": 10, "?": 1}.get(line[:1])
        path = line.split(" ", columns)[-1].rstrip("/") if columns else None
        if path is None or not _lies_at(path, paths):
            kept.append(line)
    return kept


def _same(what: str, expected: Sequence[object], found: Sequence[object]) -> None:
    if expected != found:
        missing = [part for part in expected if part not in found]
        surplus = [part for part in found if part not in expected]
        raise Lost(f"{what}: missing {missing}, surplus {surplus}")


def _require(holds: bool, words: str) -> None:  # noqa: FBT001  reads as a sentence
    if not holds:
        raise Lost(words)
