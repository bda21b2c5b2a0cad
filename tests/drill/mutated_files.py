"""Checkpoints, restores and work trees, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "a restore leaves new files standing",
        "workspace/checkpoints/carry_out.py",
        "for move in (*self._plan.writes, *self._plan.deletes):",
        "for move in self._plan.writes:",
        ("wrecked-tree",),
    ),
    Mutation(
        "a restore forgets the index",
        "workspace/checkpoints/carry_out.py",
        "await run_both(restore_index(self._area, self._plan, index_commit), self._learn())",
        "await self._learn()",
        ("persons-work",),
    ),
    Mutation(
        "a restore leaves the chat as it is",
        "store/restores.py",
        "    if restore.checkpoint.chat_id is not None:\n        trimming",
        "    if restore.checkpoint.chat_id is None:\n        trimming",
        ("persons-work",),
    ),
    Mutation(
        "a checkpoint needs somebody to commit as",
        "workspace/git.py",
        "fixed = IDENTITY | VARIABLES",
        "fixed = VARIABLES",
        ("unborn-branch",),
    ),
    Mutation(
        "only the rules of now say what is ignored",
        "workspace/checkpoints/plan.py",
        "        found |= await ignored_then(area, target, files, folders)",
        "        pass",
        ("ignored-files",),
    ),
    Mutation(
        "any checkpoint will do",
        "app/project_checkpoints.py",
        "if known.startswith(typed)]",
        "if known]",
        ("unknown-checkpoint",),
    ),
    Mutation(
        "without a checkpoint there is no turn",
        "app/session.py",
        "            return CheckpointTaken(message_id=message_id, problem=str(error))",
        "            raise",
        ("no-repository",),
    ),
    Mutation(
        "an agent works in the checkout",
        "workspace/worktrees/worktrees.py",
        "return Path(tree.path) / self._project.relative_to(tree.project)",
        "return Path(tree.project)",
        ("agent-wrecks", "agent-crashes"),
    ),
    Mutation(
        "nobody looks at the checkout",
        "app/delegated_turn.py",
        "found = differences(self.checkout, now) if self.checkout and now else ()",
        "found = ()",
        ("agent-escapes",),
    ),
)
