"""Which kind of turn a model gets. The only place that chooses, for a chat and for a fix run."""

from mulligan.app.model_selection import Notify, ReadyModel
from mulligan.app.project_tools import WriteTools
from mulligan.loop.plan import TurnPlan
from mulligan.loop.turn import run_turn
from mulligan.ports.files import Workspace
from mulligan.ports.outlets import Emit, Log
from mulligan.store.store import SqlStore
from mulligan.types.frames import TurnEnd


async def run_suitable_turn(
    plan: TurnPlan,
    prompt: str,
    model: ReadyModel,
    *,
    files: Workspace,
    write_tools: WriteTools | None,
    store: SqlStore,
    emit: Emit,
    log: Log,
    continues: bool = False,
    notify: Notify,
) -> TurnEnd:
    """Let the model choose its tools, or guide it: then it only answers about `files`, or changes one line of them."""
    if model.agency == "agent":
        return await run_turn(plan, prompt, store=store, emit=emit, log=log, continues=continues)
    if write_tools:
        from mulligan.loop.guided_code import run_guided_change

        notify(f"guided: Mulligan finds the files, {plan.model.name} changes one line (--agency agent changes that)")
        return await run_guided_change(
            plan,
            prompt,
            workspace=write_tools.files,
            syntax=write_tools.syntax,
            profile=model.profile,
            store=store,
            emit=emit,
            log=log,
            continues=continues,
        )
    from mulligan.loop.guided import run_guided_turn

    notify(f"guided: Mulligan finds the files, {plan.model.name} answers (--agency agent changes that)")
    return await run_guided_turn(
        plan,
        prompt,
        workspace=files,
        profile=model.profile,
        store=store,
        emit=emit,
        log=log,
        continues=continues,
    )
