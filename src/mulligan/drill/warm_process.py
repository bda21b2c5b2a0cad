"""A process that has loaded Mulligan, and forks for each order that it reads from its standard input.

Starting Python and loading the program takes 0.4 s of CPU time, more than the rest of nearly any fault; a drill does it
170 times. A fork is the same program at the point where it reads its command line.

An order is a line of JSON. The response is two lines: the pid of the command, and its exit code once it has ended.
"""

import atexit
import gc
import json
import os
import select
import signal
import sys
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any, NoReturn

from mulligan.types.tool_calls import JsonObject

LOADED = (
    "mulligan.app.delegation",
    "mulligan.app.fix_runs",
    "mulligan.app.permission_table",
    "mulligan.app.session",
    "mulligan.cli.app",
    "mulligan.cli.chat_agents",
    "mulligan.cli.early_answers",
    "mulligan.cli.interactive.download_consent",
    "mulligan.cli.running",
    "mulligan.cli.views.download_progress",
    "mulligan.cli.views.plain_view",
    "mulligan.cli.views.run_views",
    "mulligan.cli.views.turn_views",
    "mulligan.codecontext.syntax_check",
    "mulligan.core.announcements",
    "mulligan.core.diagnostics.checkers",
    "mulligan.core.diagnostics.findings",
    "mulligan.core.diagnostics.messages",
    "mulligan.core.edits",
    "mulligan.core.secret_shapes",
    "mulligan.core.secret_words",
    "mulligan.loop.compact",
    "mulligan.loop.edit_diagnostics",
    "mulligan.loop.synthesis",
    "mulligan.models.embedded.download_progress",
    "mulligan.models.known.discovery",
    "mulligan.models.known.first_contact",
    "mulligan.models.known.metadata",
    "mulligan.models.thinking_limited",
    "mulligan.models.wire.direct_client",
    "mulligan.models.wire.openai_chat",
    "mulligan.models.wire.retrying",
    "mulligan.store.sqlite",
    "mulligan.syntax.languages.bash",
    "mulligan.syntax.languages.c",
    "mulligan.syntax.languages.csharp",
    "mulligan.syntax.languages.go",
    "mulligan.syntax.languages.java",
    "mulligan.syntax.languages.javascript",
    "mulligan.syntax.languages.json",
    "mulligan.syntax.languages.lua",
    "mulligan.syntax.languages.php",
    "mulligan.syntax.languages.python",
    "mulligan.syntax.languages.ruby",
    "mulligan.syntax.languages.rust",
    "mulligan.tools.create_file",
    "mulligan.tools.delete_file",
    "mulligan.tools.edit_file",
    "mulligan.tools.run_command",
    "mulligan.tools.writing_tools",
    "mulligan.workspace.changes.own_files",
    "mulligan.workspace.changes.staging",
    "mulligan.workspace.checker_locations",
    "mulligan.workspace.checkpoints",
    "mulligan.workspace.command_tree",
    "mulligan.workspace.commands",
    "mulligan.workspace.files.instruction_files",
    "mulligan.workspace.files.staged_view",
    "mulligan.workspace.sandbox.uncovered",
    "anyio._backends._asyncio",
    "concurrent.futures.thread",
    "encodings.utf_8_sig",
    "httpcore2",
    "httpx2",
    "rapidfuzz.fuzz",
    "rapidfuzz.process",
    "tree_sitter",
    "tree_sitter_bash",
    "tree_sitter_python",
    "typer._click.decorators",
)
"""What nearly every command loads sooner or later."""


def main() -> None:
    """Load the program and the modules named on the command line; then wait for orders."""
    atexit.register(_end_at_once)  # first, so that it is called last
    load(*LOADED, *sys.argv[1:])
    import_module("mulligan.drill.first_uses").do_first_uses()
    gc.freeze()  # a collection would copy the pages of all loaded objects in every fork
    read, written = os.pipe()
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake)
    _serve(read)


def load(*names: str) -> None:
    for name in names:
        import_module(name)
    if pydantic := sys.modules.get("pydantic"):
        _build_models(pydantic.BaseModel)


def _build_models(base: Any) -> None:
    """Build models that pydantic would build on first use: otherwise, each fork would do it again."""
    for model in base.__subclasses__():
        if not model.__pydantic_complete__:
            model.model_rebuild(raise_errors=False)
        _build_models(model)


def _serve(ends: int) -> None:
    """Fork for each order, and report starts and ends, until there are no more orders. `ends` can be read when a
    command has ended."""
    numbers: dict[int, int] = {}
    begun = b""
    while True:
        ready, _, _ = select.select([0, ends], [], [])
        if ends in ready:
            os.read(ends, 4096)
            _report_ends(numbers)
        if 0 in ready:
            read = os.read(0, 65536)
            if not read:
                return
            *lines, begun = (begun + read).split(b"\n")
            for line in lines:
                order = json.loads(line)
                pid = os.fork()
                if pid == 0:
                    os.close(ends)
                    _become(order)
                numbers[pid] = order["number"]
                _tell(number=order["number"], pid=pid)


def _wake(_number: int, _frame: FrameType | None) -> None:
    """The signal has done its work: it was written to the pipe."""


def _report_ends(numbers: dict[int, int]) -> None:
    while numbers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        _tell(number=numbers.pop(pid), code=os.waitstatus_to_exitcode(status))


def _become(order: JsonObject) -> NoReturn:
    """Turn this process into the command, as if a user had typed it."""
    os.close(signal.set_wakeup_fd(-1))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for file, flags, descriptor in (
        (order["stdin"], os.O_RDONLY, 0),
        (order["stdout"], os.O_WRONLY | os.O_CREAT, 1),
        (order["stderr"], os.O_WRONLY | os.O_CREAT, 2),
    ):
        opened = os.open(file, flags, 0o600)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = ["mulligan", *order["words"]]
    # Not this module: the command line gets its name from `__main__`.
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        import_module("mulligan.__main__").main()
        sys.exit(0)
    except SystemExit as ended:
        _ended_with.append(ended.code)
        raise


_ended_with: list[object] = []


def _end_at_once() -> None:
    """Exit without freeing each module and object, which copies all their pages: 100 ms of CPU time per command.

    By now, all threads have ended and all other exit handlers were called.
    """
    if _ended_with and isinstance(code := _ended_with[0] or 0, int):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _tell(**fields: Any) -> None:
    os.write(1, json.dumps(fields).encode() + b"\n")


if __name__ == "__main__":
    main()
