"""Checkpoints, restores and work trees, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "a restore leaves new files standing",
        "workspace.checkpoints.execute_restore:_Restore._look_at_files",
        """def broken(self):
    waiting, changed = whole(self)
    return {move: found for move, found in waiting.items() if move.after}, changed""",
        ("wrecked-tree",),
    ),
    Mutation(
        "a restore forgets the index",
        "workspace.checkpoints.execute_restore:restore_index",
        """async def broken(*_):
    pass""",
        ("users-work",),
    ),
    Mutation(
        "a restore leaves the chat as it is",
        "store.chat_trimming:trim",
        """async def broken(*_, **__):
    return Trimming()""",
        ("users-work",),
    ),
    Mutation(
        "a checkpoint needs somebody to commit as",
        "workspace.git:IDENTITY",
        "{}",
        ("unborn-branch",),
    ),
    Mutation(
        "only the rules of now say what is ignored",
        "workspace.checkpoints.plan:ignored_then",
        """async def broken(*_):
    return set()""",
        ("ignored-files",),
    ),
    Mutation(
        "any checkpoint will do",
        "app.project_checkpoints:find_checkpoint",
        """async def broken(session, prefix):
    return (await list_project_checkpoints(session))[0].checkpoint""",
        ("unknown-checkpoint",),
    ),
    Mutation(
        "without a checkpoint there is no turn",
        "app.project_checkpoints:checkpoint_before_turn",
        """async def broken(*given, **named):
    taken = await whole(*given, **named)
    if taken.problem:
        raise MulliganError(taken.problem)
    return taken""",
        ("no-repository",),
    ),
    Mutation(
        "an agent works in the checkout",
        "workspace.worktrees.worktrees:WorkTrees.folder_in",
        "lambda self, tree: Path(tree.project)",
        ("agent-wrecks", "agent-crashes"),
    ),
    Mutation(
        "nobody looks at the checkout",
        "app.delegated_turn:differences",
        "lambda *_: ()",
        ("agent-escapes",),
    ),
)
