"""A change that Mulligan drives: it finds the files; the model writes a function, or says what is wrong with one line.

For models too small to drive tools. The result is one edit, staged and checked like any other.
"""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from mulligan.core.line_change import (
    CHANGE_SYSTEM,
    EXTRACT,
    LineChange,
    LineLocation,
    change_messages,
    change_schema,
    changed_lines,
    changed_stretch,
    line_choices,
    read_change,
    read_object,
)
from mulligan.core.payload import images_asked_with, shown_with
from mulligan.core.replies import Answer
from mulligan.core.retrieval.request import REPLY_TOKENS
from mulligan.core.secrets import refuse_masks
from mulligan.core.writing.goal_task import task_for_goal
from mulligan.core.writing.instructions import instruction_paths
from mulligan.core.writing.placing import place_code
from mulligan.core.writing.prompts import REPLY_TOKENS as WRITING_TOKENS
from mulligan.core.writing.prompts import ask_to_write
from mulligan.core.writing.proposed_test import ask_for_test, path_of_test, read_proposed
from mulligan.core.writing.replies import code_in
from mulligan.core.writing.task import WritingTask
from mulligan.loop.guided import gather_for, instructions_for, question_asked, record_own_call, show_gathered
from mulligan.loop.next_reply import next_reply
from mulligan.loop.open_turn import OpenTurn, run_in_turn
from mulligan.loop.plan import End, TurnPlan
from mulligan.models.whole_reply import whole_reply
from mulligan.ports.callbacks import Emit, Log
from mulligan.ports.code import SyntaxCheck
from mulligan.ports.files import GrepQuery, Workspace
from mulligan.ports.messages import MessageRepository
from mulligan.ports.tools import Tool
from mulligan.syntax.testfiles import is_test_file
from mulligan.types.errors import CallRejected, ModelError
from mulligan.types.frames import TurnEnd
from mulligan.types.messages import ToolCallPart, ToolResultPart
from mulligan.types.model_io import AssistantReply, ModelRequest, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import Failed, JsonObject, Outcome
from mulligan.workspace.files.masked_files import MaskedFiles

_WORD = re.compile(r"[\w./-]+")
ATTEMPTS = 2
"""An unusable change gets one second chance."""
MAX_FILES = 10_000
PROPOSED = (
    "Proposed: a test in {path}, since the project has none for this. It has not run yet. If it says what you "
    "want, apply it, and `mulligan fix` works until it passes."
)


async def run_guided_change(
    plan: TurnPlan,
    goal: str,
    *,
    workspace: Workspace,
    syntax: SyntaxCheck,
    profile: ModelProfile,
    store: MessageRepository,
    emit: Emit,
    log: Log,
    continues: bool = False,
) -> TurnEnd:
    """Pursue the goal with one edit. The turn ends and is recorded like any other."""
    guided = replace(
        plan,
        system=CHANGE_SYSTEM,
        temperature=0.0 if plan.temperature is None else plan.temperature,
        max_tokens=plan.max_tokens or REPLY_TOKENS,
    )
    edit = next(tool for tool in plan.tools if tool.spec.name == "edit_file")

    async def work(turn: OpenTurn) -> End:
        return await _Change(turn, workspace, syntax, edit).make(profile)

    return await run_in_turn(guided, goal, work, store=store, emit=emit, log=log, continues=continues)


def _paths_in(goal: str) -> list[str]:
    """Words of the goal that may be paths: a search can't find an empty file."""
    words = (word.removeprefix("./").rstrip(".") for word in _WORD.findall(goal))
    return [
        word for word in words if (ending := word.rpartition(".")[2]) != word and ending.isalpha() and len(ending) <= 4
    ]


@dataclass(frozen=True, slots=True)
class _Change:
    turn: OpenTurn
    workspace: Workspace
    syntax: SyntaxCheck
    edit: Tool

    async def make(self, profile: ModelProfile) -> End:
        turn = self.turn
        task, _ = question_asked(turn.history)
        gathered = await gather_for(turn, self.workspace, profile, task, None)
        await show_gathered(gathered, turn.record)
        paths = list(dict.fromkeys([*(each.path for each in gathered.excerpts), *_paths_in(task)]))
        files, documents = await self._read(paths), await self._read(instruction_paths(paths))
        instructions = await instructions_for(turn, task, gathered)
        if written := task_for_goal(task, files, documents):
            return await self._write(replace(written, conventions=instructions), task)
        choices = line_choices(gathered.excerpts)
        turn.messages = shown_with(
            change_messages(task, gathered.excerpts, instructions), images_asked_with(turn.history)
        )
        turn.begin_step()
        thought = await next_reply(turn)
        if not isinstance(thought, Answer):
            return thought if isinstance(thought, End) else End("answered")
        turn.messages += [AssistantReply(thought.text), UserText(EXTRACT)]
        await self._change_line(choices)
        return End("answered")

    async def _write(self, task: WritingTask, goal: str) -> End:
        """Have a whole function written, and insert it. If the reply is unusable, ask once more."""
        turn = self.turn
        lines = (await self.workspace.read_text(task.path)).lines
        turn.plan = replace(turn.plan, max_tokens=WRITING_TOKENS)
        turn.messages = shown_with(ask_to_write(task).messages, images_asked_with(turn.history))
        trouble = ""
        for _ in range(ATTEMPTS):
            turn.begin_step()
            reply = await next_reply(turn)
            if not isinstance(reply, Answer):
                return reply if isinstance(reply, End) else End("answered")
            code = code_in(task.path, reply.text, task.names)
            after = place_code(task.path, lines, code, task.names) if code else None
            trouble = await self._stage(task.path, lines, after) if after else "it holds no code that parses"
            if after and not trouble:
                await self._propose_test(task, goal, after)
                return End("answered")
            again = f"That can't be used: {trouble}. Reply with the code again."
            turn.messages += [AssistantReply(reply.text), UserText(again)]
        turn.record.say(f"\n\nNo change was made: {trouble}.", by_mulligan=True)
        await self._record({"path": task.path}, Failed("exec_error", trouble))
        return End("answered")

    async def _propose_test(self, task: WritingTask, goal: str, code: Sequence[str]) -> None:
        """Stage a test for what was written, if the project has none and a user reviews changes. If anything goes
        wrong with it, the function stays."""
        turn = self.turn
        create = next((tool for tool in turn.plan.tools if tool.spec.name == "create_file"), None)
        test_path = path_of_test(task.path, (await self.workspace.find_files("*.py", ".", MAX_FILES)).paths)
        if create is None or test_path is None or not await turn.plan.pending() or await self._is_tested(task):
            return
        request = ModelRequest(ask_for_test(task, goal, code), max_tokens=WRITING_TOKENS, temperature=0.0)
        try:
            reply = await whole_reply(turn.plan.model, request)
            turn.usage += reply.usage
            text = read_proposed(test_path, reply.text, task)
            if text is None:
                return
            arguments = {"path": test_path, "content": text}
            outcome = await create.run(arguments)
        except (ModelError, CallRejected):
            return
        await self._record(arguments, outcome, tool="create_file")
        turn.record.say(f"\n\n{PROPOSED.format(path=test_path)}", by_mulligan=True)

    async def _is_tested(self, task: WritingTask) -> bool:
        """Whether a test of the project names what was written."""
        for name in task.names:
            found = await self.workspace.grep(GrepQuery(name.rpartition(".")[2], fixed=True))
            if any(is_test_file(match.path) for match in found.matches):
                return True
        return False

    async def _read(self, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The lines of the readable ones of these files, with secrets masked."""
        found: dict[str, tuple[str, ...]] = {}
        masked = MaskedFiles(self.workspace, self.turn.plan.mask)
        for path in paths:
            with suppress(CallRejected):
                found[path] = (await masked.read_text(path)).lines
        return found

    async def _change_line(self, choices: dict[str, LineLocation]) -> None:
        """Ask for the change and make it. If it is unusable, say why and ask once more."""
        path, trouble = "the project", "no line was found that the task is about"
        for _ in range(ATTEMPTS if choices else 0):
            given = await self._extract(choices)
            change = read_change(given, choices)
            if change is None:
                trouble = "it names none of the lines, or changes nothing"
            else:
                path, trouble = change.location.path, await self._make(change)
            if not trouble:
                return
            again = f"That can't be used: {trouble}. Give the change again."
            self.turn.messages += [AssistantReply(json.dumps(given)), UserText(again)]
        self.turn.record.say(f"\n\nNo change was made: {trouble}.", by_mulligan=True)
        await self._record({"path": path}, Failed("exec_error", trouble))

    async def _make(self, change: LineChange) -> str:
        """Stage the edit. Returns what is wrong with it, or an empty string."""
        try:
            file = await self.workspace.read_text(change.location.path)
        except CallRejected as rejected:
            return str(rejected)
        return await self._stage(file.path, file.lines, changed_lines(file.lines, change))

    async def _stage(self, path: str, lines: Sequence[str], after: Sequence[str]) -> str:
        """Stage the edit from `lines` to `after`. Returns what is wrong with it, or an empty string."""
        try:
            refuse_masks("\n".join(after), "\n".join(lines))
        except CallRejected as rejected:
            return str(rejected)
        broken = self.syntax.new_problems(path, "\n".join(lines), "\n".join(after))
        if broken:
            return f"line {broken[0].line} of {path} would not parse: {broken[0].text.strip()}"
        if list(lines) == list(after):
            return "it changes nothing"
        start, end = changed_stretch(lines, after)
        old = "\n".join(lines[start:end])
        new = "\n".join(after[start : end + len(after) - len(lines)])
        arguments = {"path": path, "old": old, "new": new}
        await self.turn.prepared()
        try:
            outcome = await self.edit.run(arguments)
        except CallRejected as rejected:
            return str(rejected)
        await self._record(arguments, outcome)
        return ""

    async def _extract(self, choices: dict[str, LineLocation]) -> JsonObject:
        turn = self.turn
        request = ModelRequest(
            messages=tuple(turn.messages),
            schema=change_schema(list(choices)),
            max_tokens=turn.plan.max_tokens,
            temperature=turn.plan.temperature,
        )
        reply = await whole_reply(turn.plan.model, request)
        turn.usage += reply.usage
        return read_object(reply.text)

    async def _record(self, arguments: JsonObject, outcome: Outcome, *, tool: str = "edit_file") -> None:
        failure = outcome.kind if isinstance(outcome, Failed) else None
        mask = self.turn.plan.mask
        # The edit contains lines of the file, which may have secrets, and later turns see it.
        shown = {name: mask(value).text if isinstance(value, str) else value for name, value in arguments.items()}
        content = mask(outcome.content)
        call = ToolCallPart(call_id="guided900" if tool == "edit_file" else "guided901", name=tool, arguments=shown)
        result = ToolResultPart(
            call_id=call.call_id, name=call.name, content=content.text, failure=failure, masked=content.count
        )
        record_own_call(self.turn.record, call, result)
        await self.turn.record.save()
