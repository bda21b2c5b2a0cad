"""Slash commands in the editor. Imports the SDK."""

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from acp.helpers import update_available_commands
from acp.schema import (
    AvailableCommand,
    AvailableCommandInput,
    AvailableCommandsUpdate,
    StopReason,
    ToolCallUpdate,
    UnstructuredCommandInput,
)

from mulligan.acp.questions import YES, options
from mulligan.acp.review import review
from mulligan.app.custom_commands import custom_commands
from mulligan.app.project_checkpoints import (
    before_last_restore,
    checkpoints_around,
    find_checkpoint,
    list_project_checkpoints,
)
from mulligan.core.markdown_text import code
from mulligan.types.changes import ChangeStatus, PendingChange
from mulligan.types.words import checkpoint_words

if TYPE_CHECKING:
    from mulligan.acp.session import EditorSession

MAX_LISTED = 20

PLAN = "plan"

Obeyed = Callable[["EditorSession", str], Awaitable[StopReason | None]]
"""Runs it with the text after its name. None: everything is said, and the turn ends as usual."""


@dataclass(frozen=True, slots=True)
class _Command:
    meaning: str
    obey: Obeyed
    hint: str = ""
    """What may follow its name; empty for nothing."""


def is_for_model(session: "EditorSession", name: str) -> bool:
    """A user's own command, or the plan: its text goes to the model. A file can't take the name of one of ours."""
    return name == PLAN or (name not in _COMMANDS and name in custom_commands(session.session, session.project))


def commands_update(session: "EditorSession") -> AvailableCommandsUpdate:
    """The commands that the client offers: ours, and the user's own."""
    offered = [(name, each.meaning, each.hint) for name, each in _COMMANDS.items()]
    offered.append((PLAN, "with a goal, plan it and change nothing; alone, carry out the last plan", "a goal"))
    own = custom_commands(session.session, session.project).values()
    taken = {*_COMMANDS, PLAN}
    offered += [(each.name, each.description or each.source, each.hint) for each in own if each.name not in taken]
    return update_available_commands(
        AvailableCommand(
            name=name,
            description=meaning,
            input=AvailableCommandInput(UnstructuredCommandInput(hint=hint)) if hint else None,
        )
        for name, meaning, hint in offered
    )


async def obey(session: "EditorSession", name: str, argument: str) -> StopReason:
    """Raises `MulliganError`."""
    if name not in _COMMANDS:
        near = difflib.get_close_matches(name, _COMMANDS, 1)
        hint = f"did you mean /{near[0]}?" if near else f"there are: {', '.join(f'/{each}' for each in _COMMANDS)}"
        session.say(f"/{name} is not a command; {hint}")
        return "end_turn"
    return await _COMMANDS[name].obey(session, argument) or "end_turn"


async def _continue(session: "EditorSession", _argument: str) -> StopReason | None:
    if session.chat is None:
        session.say("There is nothing to continue: this chat has no turn yet.")
        return None
    turn = session.session.continue_turn(session.chat, session.agent(), session.say, session.consent())
    return await session.run_turn(turn)


async def _compact(session: "EditorSession", _argument: str) -> None:
    if session.chat is None or await session.session.compact(session.chat, session.agent(), session.say) is None:
        session.say("Nothing to gain: the chat is short already.")


async def _changes(session: "EditorSession", _argument: str) -> None:
    if session.chat is None or not await _of_chat(session, "pending"):
        session.say("No change is pending.")
    else:
        await review(session, session.chat)


async def _apply(session: "EditorSession", _argument: str) -> None:
    changes = session.session.pending(session.project)
    outcomes = await changes.apply(await _of_chat(session, "pending"))
    session.say("\n".join(outcome.message for outcome in outcomes) or "No change is pending.")


async def _reject(session: "EditorSession", _argument: str) -> None:
    changes = session.session.pending(session.project)
    outcomes = await changes.reject(await _of_chat(session, "pending"))
    session.say("\n".join(outcome.message for outcome in outcomes) or "No change is pending.")


async def _undo(session: "EditorSession", _argument: str) -> None:
    """The applied changes of the newest turn that has any."""
    applied = await _of_chat(session, "applied")
    newest = [change for change in applied if change.message_id == applied[-1].message_id]
    outcomes = await session.session.pending(session.project).revert(newest)
    session.say("\n".join(outcome.message for outcome in outcomes) or "There are no applied changes left to revert.")


async def _checkpoints(session: "EditorSession", _argument: str) -> None:
    kept = (await list_project_checkpoints(session.session))[-MAX_LISTED:]
    rows = [
        f"- {code(each.checkpoint.id)} {_time(each.checkpoint.created_at)}, {checkpoint_words(each.checkpoint.kind)}"
        + (f": {code(each.checkpoint.label, 80)}" if each.checkpoint.label else "")
        for each in reversed(kept)
    ]
    rows += ["", "/restore ID goes back to one of them"] if rows else ["There is no checkpoint yet."]
    session.say("\n".join(rows))


async def _restore(session: "EditorSession", argument: str) -> None:
    """To the named checkpoint; `undo` undoes the last restore."""
    if not argument:
        await _checkpoints(session, "")
        return
    from mulligan.workspace.checkpoints.service import result_words

    own = session.session
    target = await (before_last_restore(own) if argument.strip() == "undo" else find_checkpoint(own, argument))
    checkpoints = await checkpoints_around(own, target)
    plan = await checkpoints.preview(target)
    paths = [move.path for move in (*plan.writes, *plan.deletes)]
    named = ", ".join(paths[:MAX_LISTED]) + (f" and {len(paths) - MAX_LISTED} more" if paths[MAX_LISTED:] else "")
    title = f"restore to {target.id}: {named or 'no file would change'}"
    call = ToolCallUpdate(tool_call_id=f"restore-{target.id}", title=title, kind="edit")
    if await session.questions.ask(call, options("Restore", "Leave it")) != YES:
        session.say("Nothing was restored.")
        return
    result = await checkpoints.restore(target, tell=session.say)
    session.say(f"{result_words(result)}\n/restore undo undoes this")


async def _model(session: "EditorSession", argument: str) -> None:
    if argument:
        session.session.chosen_model = argument.strip()
        session.show_options()
    choice = await session.session.models.choose(session.session.model_name(session.agent()))
    where = "embedded in Mulligan" if choice.kind == "embedded" else f"at {choice.base_url}"
    session.say(f"{choice.model} {where} answers")


async def _of_chat(session: "EditorSession", status: ChangeStatus) -> list[PendingChange]:
    if session.chat is None:
        return []
    return await session.session.store.changes.list(str(session.project), statuses=(status,), chat_id=session.chat.id)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


_COMMANDS: dict[str, _Command] = {
    "changes": _Command("review the pending changes of this chat", _changes),
    "apply": _Command("apply all pending changes of this chat", _apply),
    "reject": _Command("reject all pending changes of this chat", _reject),
    "undo": _Command("revert the changes of the last turn", _undo),
    "checkpoints": _Command("list the checkpoints of this project", _checkpoints),
    "restore": _Command("restore files and chat to a checkpoint", _restore, "the start of its id, or undo"),
    "continue": _Command("continue a turn that a guard stopped", _continue),
    "compact": _Command("summarize the chat so far, to free up context", _compact),
    "model": _Command("show the model; with a name, switch to it", _model, "a model's name"),
}
