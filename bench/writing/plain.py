"""The plainest use of a model: the file and what fails in, the whole file out, and one retry. No agent at all."""

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.writing.problems import Problem
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText, WireMessage

if TYPE_CHECKING:
    from mulligan.app.session import Session
    from mulligan.ports.models import Model
    from mulligan.workspace.commands import ProjectCommands

ASKED = 2
"""Times: once, and once more with what fails then."""
SHOWN = 1500
"""Characters of a failing run, its end."""
REPLY_TOKENS = 1200
_FENCE = re.compile(r"^```[^\n]*\n(.*?)(?:^```|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Plain:
    solved: bool
    calls: int
    seconds: float


async def ask_plainly(session: "Session", model: "Model", problem: Problem, *, limit: float) -> Plain:
    """In the folder of the session, where the problem is written out. Commands run in the same sandbox as in a fix run:
    what a model wrote is not trusted."""
    from mulligan.models.whole_reply import whole_reply
    from mulligan.workspace.commands import ProjectCommands

    folder = session.settings.project
    commands = ProjectCommands(folder, session.sandbox(folder))
    began = time.monotonic()
    failing = await _failing(commands, problem, limit)
    messages: list[WireMessage] = [UserText(_first(problem, folder, failing))]
    for call in range(1, ASKED + 1):
        reply = await whole_reply(model, ModelRequest(tuple(messages), max_tokens=REPLY_TOKENS, temperature=0.0))
        (folder / problem.path).write_text(code_of(reply.text), encoding="utf-8")
        failing = await _failing(commands, problem, limit)
        if not failing:
            return Plain(solved=True, calls=call, seconds=time.monotonic() - began)
        again = f"The tests still fail:\n{failing}\n\nWrite the whole file {problem.path} again, in one code block."
        messages += [AssistantReply(reply.text), UserText(again)]
    return Plain(solved=False, calls=ASKED, seconds=time.monotonic() - began)


def code_of(reply: str) -> str:
    """The longest fence of a reply; without one, all of it."""
    return max(_FENCE.findall(reply), key=len, default=reply)


def _first(problem: Problem, folder: Path, failing: str) -> str:
    file = (folder / problem.path).read_text(encoding="utf-8")
    told = [problem.instructions.strip()] if problem.instructions.strip() else []
    told += [f"{problem.path}:\n```\n{file}\n```", f"Its tests fail:\n{failing}"]
    return "\n\n".join([*told, f"Write the whole file {problem.path} so that its tests pass, in one code block."])


async def _failing(commands: "ProjectCommands", problem: Problem, limit: float) -> str:
    """The end of what the tests say; empty if they pass."""
    result = await commands.run(problem.verify, time_limit=limit)
    if result.exit_code == 0 and not result.timed_out:
        return ""
    said = f"{result.stdout}\n{result.stderr}".strip()[-SHOWN:]
    return f"{said}\n(stopped: it runs for ever)" if result.timed_out else said or f"exit code {result.exit_code}"
