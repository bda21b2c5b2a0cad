"""Random conversations, compacted again and again with a model that does its worst as a writer of summaries."""

import random
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from mulligan.core.context_budget import ContextBudget
from mulligan.core.payload import compacted_view, units_of
from mulligan.core.provenance import Ledger, ledger_of, split_ledger
from mulligan.loop.compact import compact_chat
from mulligan.loop.plan import TurnPlan
from mulligan.store.store import SqlStore
from mulligan.types.errors import ModelRejected
from mulligan.types.messages import (
    Message,
    Part,
    StepStart,
    Synthesis,
    Text,
    ToolCallPart,
    ToolResultPart,
    TurnMeta,
    UserMeta,
)
from mulligan.types.model_io import Finished, ModelEvent, ModelRequest, TextDelta, UserText

TOOLS = ("view_file", "grep", "find_files", "list_dir", "run_command", "edit_file", "create_file", "delete_file")


@dataclass
class HostileModel:
    """Implements `ports.Model`. Drops lists, invents paths, answers nothing, echoes, floods or fails."""

    chance: random.Random
    name: str = "hostile"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        asked = request.messages[-1]
        echo = asked.text if isinstance(asked, UserText) else ""
        good = "## Goal\nFind the module that answers.\n## Progress\n### Done\n- Some modules were read.\n"
        invented = "".join(f"- made/up_{number}.py\n" for number in range(5))
        way = self.chance.randrange(9)
        if way == 0:
            raise ModelRejected("no summaries today")
        said = (
            "",
            echo,
            good,
            f"{good}## Files Read\n{invented}## Files Modified\n{invented}",
            f"{good}**Files Read:**\n{invented}\n# FILES READ\n{invented}",
            f"{good}## Relevant Files\n{invented}",
            f"{good}#### ## Files Read\n{invented}\n```\n## Files Read\n{invented}```",
            "## Files Read\n" + "- made/up.py\n" * 20_000,
        )[way - 1]
        yield TextDelta(said)
        yield Finished("stop")


@dataclass
class Outcome:
    """What came of one conversation."""

    compactions: int = 0
    kept: int = 0
    lost: set[str] = field(default_factory=set[str])
    invented: set[str] = field(default_factory=set[str])


async def conversation(store: SqlStore, chance: random.Random) -> Outcome:
    """Talk and compact 1 to 12 times, and compare the ledger with what was really read and changed."""
    chat = await store.chats.create(project="/project", agent="default", title="t")
    context = chance.choice([4096, 8192, 32_768, 200_000])
    plan = TurnPlan(
        chat_id=chat.id,
        agent="default",
        system="Be good.",
        model=HostileModel(chance),
        tools=(),
        step_limit=50,
        budget=lambda: ContextBudget(context),
    )
    outcome, truth = Outcome(), Ledger()
    wanted = chance.randint(1, 12)
    while outcome.compactions < wanted:
        truth |= await _turn(store, chat.id, chance)
        made = await compact_chat(plan, store=store.messages, emit=lambda _frame: None, log=_no_log)
        if made:
            outcome.compactions += 1
            _compare(await store.messages.list(chat.id), truth, outcome)
    return outcome


def _no_log(event: str, **fields: object) -> None:
    """Nobody reads it."""


def _compare(history: list[Message], truth: Ledger, outcome: Outcome) -> None:
    """Every path is in the summary or still shown; the summary holds none that isn't true."""
    view = compacted_view(history)
    listed = split_ledger(view.summary or "")[1]
    known = listed
    for unit in units_of(history):
        if unit.position > view.covered:
            known |= ledger_of(unit.parts)
    outcome.kept = len(known.read | known.modified)
    outcome.lost |= (truth.read - known.read) | (truth.modified - known.modified)
    outcome.invented |= (listed.read - truth.read) | (listed.modified - truth.modified)


async def _turn(store: SqlStore, chat_id: str, chance: random.Random) -> Ledger:
    """One turn of random calls; what it really read and changed."""
    meta = TurnMeta(agent="default", model="m")
    message = await store.messages.open_turn(chat_id, "Which module answers? Find it.", UserMeta(), meta)
    read: set[str] = set()
    modified: set[str] = set()
    parts: list[Part] = []
    for step in range(1, chance.randint(2, 9)):
        parts += [StepStart(step=step), Text(text=f"I look, step {step}.")]
        for place in range(chance.randint(1, 3)):
            tool, path, failed = chance.choice(TOOLS), _path(chance), chance.random() < 0.2
            # Servers use ids again from step to step.
            parts.append(ToolCallPart(call_id=f"call_{place}", name=tool, arguments={"path": path}))
            content = f"line of {path}\n" * chance.randint(5, 120)
            failure = "exec_error" if failed else None
            shown = tuple(_path(chance) for _ in range(chance.randint(0, 3))) if tool == "grep" and not failed else ()
            changed = tuple(_path(chance) for _ in range(chance.randint(0, 3))) if tool == "run_command" else ()
            parts.append(
                ToolResultPart(
                    call_id=f"call_{place}", name=tool, content=content, failure=failure, read=shown, changed=changed
                )
            )
            read.update(shown)
            modified.update(changed)
            if not failed and tool in TOOLS[:4]:
                read.add(path)
            elif not failed and tool in TOOLS[5:]:
                modified.add(path)
    if chance.random() < 0.3:
        files = tuple(_path(chance) for _ in range(5))
        parts.append(Synthesis(tool="get_codebase_overview", files=files))
        read.update(files)
    await store.messages.save_parts(message.id, 0, parts)
    await store.messages.close_reply(message.id, "complete", meta)
    return Ledger(frozenset(read), frozenset(modified))


def _path(chance: random.Random) -> str:
    folders = [chance.choice(["src", "tests", "lib", "a b", "ünïcode", "- x"]) for _ in range(chance.randint(0, 3))]
    return "/".join([*folders, f"module_{chance.randrange(400)}.{chance.choice(['py', 'ts', 'md'])}"])
