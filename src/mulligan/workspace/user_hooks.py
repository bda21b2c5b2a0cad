"""Runs the user's hooks, with the user's own rights, and formatters, in the sandbox."""

import json
import os
import shlex
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mulligan.core.hooks import formatter_for, hooks_at, read_hook
from mulligan.core.safe_text import one_line
from mulligan.core.sandbox.environment import passed_environment
from mulligan.ports.callbacks import Log
from mulligan.types.errors import CallRejected
from mulligan.types.hooks import Formatter, Hook, HookAnswer, HookEvent
from mulligan.workspace.commands import WITHOUT_TERMINAL, plain
from mulligan.workspace.files.text_files import MAX_FILE_BYTES
from mulligan.workspace.process import KeptEnd, OutputKeeper, run_kept
from mulligan.workspace.run_environment import run_environment
from mulligan.workspace.sandbox import Sandbox
from mulligan.workspace.spawning import Launch

SHELL = "/bin/sh"
KEPT = 100_000
"""Bytes kept of a hook's output."""
GRACE_SECONDS = 1.0
NOT_FOUND = 127


class UserHooks:
    """The hooks of one project. Their failures are logged."""

    def __init__(self, hooks: Sequence[Hook], project: Path, log: Log) -> None:
        self._hooks = hooks
        self._project = project
        self._log = log

    async def fire(
        self, event: HookEvent, fields: Mapping[str, Any], *, tool: str = "", paths: Sequence[str] = ()
    ) -> HookAnswer:
        troubles: list[str] = []
        about = {"event": event, "project": str(self._project), "tool": tool, "paths": list(paths), **fields}
        for hook in hooks_at(self._hooks, event, tool=tool, paths=paths):
            answer = await self._run(hook, about)
            troubles += answer.troubles
            if answer.troubles:
                self._log("hook_failed", hook_event=event, command=hook.command, troubles=answer.troubles)
            if answer.veto:
                return HookAnswer(answer.veto, tuple(troubles))
        return HookAnswer(troubles=tuple(troubles))

    async def _run(self, hook: Hook, about: Mapping[str, Any]) -> HookAnswer:
        with _input(json.dumps(about, default=str)) as stdin:
            launch = Launch([SHELL, "-c", hook.command], self._project, dict(os.environ), stdin=stdin)
            try:
                end = await run_kept(launch, time_limit=hook.timeout, keep=KEPT, grace=GRACE_SECONDS)
            except CallRejected as rejected:
                return HookAnswer(troubles=(f"the hook `{hook.command}` was not started: {rejected}",))
        return read_hook(
            hook,
            exit_code=end.code,
            timed_out=end.timed_out,
            stdout=plain(_all(end.stdout)),
            stderr=plain(_all(end.stderr)),
        )


class UserFormatters:
    """The formatters of one project. Each reads a file's text and prints it formatted; no file is written."""

    def __init__(self, formatters: Sequence[Formatter], project: Path, sandbox: Sandbox) -> None:
        self._formatters = formatters
        self._project = project
        self._sandbox = sandbox
        self._env = {**passed_environment(run_environment(os.environ, project), sandbox.passed), **WITHOUT_TERMINAL}

    async def __call__(self, path: str, text: str) -> tuple[str, tuple[str, ...]]:
        """The text, formatted or unchanged, and possibly a sentence about it for the model."""
        formatter = formatter_for(self._formatters, path)
        if formatter is None or not text:
            return text, ()
        shown = one_line(formatter.command, 80)
        with _input(text) as stdin:
            try:
                ended = await self._sandbox.run(
                    [SHELL, "-c", formatter.command.replace("{path}", shlex.quote(path))],
                    cwd=self._project,
                    env=self._env,
                    time_limit=formatter.timeout,
                    keep=4 * MAX_FILE_BYTES,
                    grace=GRACE_SECONDS,
                    stdin=stdin,
                )
            except CallRejected as rejected:
                return text, (f"Not formatted: {rejected}",)
        end = ended.end
        try:
            made = _all(end.stdout).decode()
        except UnicodeDecodeError:
            made = ""
        if end.code != 0 or not made or end.stdout.left_out:
            return text, (f"Not formatted: `{shown}` {_failure(end)}.",)
        return made, ((f"Formatted by the user's `{shown}`.",) if made != text else ())


def _failure(end: KeptEnd) -> str:
    if end.timed_out:
        return "took too long"
    if end.code == NOT_FOUND:
        return "was not found in the sandbox (`mulligan sandbox allow --read` shows it more)"
    why = one_line(plain(_all(end.stderr)).strip(), 200)
    return f"ended with exit code {end.code}{f': {why}' if why else ' and printed no text'}"


def _all(output: OutputKeeper) -> bytes:
    return bytes(output.head) + output.tail


@contextmanager
def _input(text: str) -> Generator[int]:
    """An unnamed file with the text."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.seek(0)
        yield file.fileno()
