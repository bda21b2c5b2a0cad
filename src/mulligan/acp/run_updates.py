"""What an editor shows of a fix run, from its frames: a plan of its stages, and the commands that judge it. No I/O.
Imports the SDK."""

from pathlib import Path

from acp.helpers import plan_entry, start_tool_call, text_block, tool_content, update_plan, update_tool_call
from acp.schema import PlanEntry, PlanEntryStatus, ToolCallProgress, ToolCallStart

from mulligan.acp.updates import TurnUpdates, Update
from mulligan.core.run_words import (
    attempt_end_words,
    check_words,
    checking_words,
    command_words,
    evidence_words,
    opening_words,
    plan_words,
    verdict_words,
)
from mulligan.types.changes import PendingChange
from mulligan.types.fixing import Node
from mulligan.types.frames import Frame, TurnEnd
from mulligan.types.run_frames import (
    AttemptEnded,
    CheckEnded,
    CheckStarted,
    NodeEntered,
    PlanMade,
    RunEnd,
    RunFrame,
    RunNote,
    RunStarted,
)
from mulligan.types.words import node_words

STAGES: tuple[Node, ...] = ("baseline", "planner", "coder", "verifier")


class RunUpdates:
    """The updates of one fix run, including those of its coder's turns."""

    def __init__(self, project: Path) -> None:
        self._turns = TurnUpdates(project)
        self._checks = 0
        self._node: Node = "baseline"
        self._attempt = 0
        self._steps: tuple[str, ...] = ()

    def of(self, frame: Frame | RunFrame, change: PendingChange | None = None) -> list[Update]:
        match frame:
            case RunStarted():
                return [self._turns.note("\n".join([opening_words(frame), *command_words(frame)])), self._plan()]
            case NodeEntered(node=node, attempt=attempt):
                self._node, self._attempt = node, attempt
                if node == "planner":
                    self._steps = ()
                return [self._plan()]
            case PlanMade(plan=plan):
                self._steps = tuple(step.step for step in plan.plan)
                return [self._turns.note("\n".join(plan_words(plan))), self._plan()]
            case CheckStarted():
                return [self._started(frame)]
            case CheckEnded():
                return [self._ended(frame)]
            case AttemptEnded():
                return [self._turns.note(attempt_end_words(frame))]
            case RunNote(text=text):
                return [self._turns.note(text)]
            case RunEnd():
                self._node = "done"
                return [self._plan(), self._turns.note("\n".join([verdict_words(frame), *evidence_words(frame)]))]
            case TurnEnd():
                return []  # the verifier judges, whatever the coder's turn says
            case _:
                return self._turns.of(frame, change)

    def open_call(self, name: str, argument: str, value: str) -> str | None:
        return self._turns.open_call(name, argument, value)

    def in_terminal(self, call_id: str, terminal_id: str) -> ToolCallProgress:
        return self._turns.in_terminal(call_id, terminal_id)

    def note(self, words: str) -> Update:
        return self._turns.note(words)

    def _plan(self) -> Update:
        entries: list[PlanEntry] = []
        passed: PlanEntryStatus = "completed"
        for node in STAGES:
            status: PlanEntryStatus = "in_progress" if node == self._node else passed
            if node == self._node:
                passed = "pending"
            names = self._steps if node == "coder" and self._steps else (node_words(node).task,)
            number = f" (attempt {self._attempt})" if node == "coder" and self._attempt > 1 else ""
            entries += [plan_entry(f"{name}{number}", priority="medium", status=status) for name in names]
        return update_plan(entries)

    def _started(self, check: CheckStarted) -> ToolCallStart:
        self._checks += 1
        return start_tool_call(
            f"check-{self._checks}",
            checking_words(check),
            kind="execute",
            status="in_progress",
            raw_input={"command": check.command},
        )

    def _ended(self, check: CheckEnded) -> ToolCallProgress:
        # A candidate that passes is news; one that does not is no failure of the run.
        failed = not check.passed and check.purpose != "candidate"
        content = [tool_content(text_block(check.summary))] if check.summary else None
        status = "failed" if failed else "completed"
        return update_tool_call(f"check-{self._checks}", title=check_words(check), status=status, content=content)
