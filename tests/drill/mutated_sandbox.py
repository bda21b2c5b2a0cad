"""The sandbox, broken."""

from mulligan.drill.gallery.sandbox import SANDBOX
from tests.drill.mutations import Mutation

HELD_BY_MORE = frozenset({"daemon", "environment", "terminal-output"})
"""What goes on without a sandbox too, and so needs more to be broken."""
HELD_BY_THE_SANDBOX = tuple(fault for fault in SANDBOX if fault.name.rpartition("-")[0] not in HELD_BY_MORE)
ONE_FOR_EACH_PROMISE = {fault.promise: fault.name for fault in reversed(HELD_BY_THE_SANDBOX)}
"""The first of each: the plain ones. What uses up memory, processes or disk comes later."""

MUTATIONS = (
    Mutation(
        "commands run without a sandbox",
        "workspace.sandbox.detect:find_sandbox",
        'lambda *_: SandboxStatus("none", "it is turned off")',
        tuple(ONE_FOR_EACH_PROMISE.values()),
    ),
    Mutation(
        "every escape is tried without a sandbox",
        "workspace.sandbox.detect:find_sandbox",
        'lambda *_: SandboxStatus("none", "it is turned off")',
        tuple(fault.name for fault in HELD_BY_THE_SANDBOX),
    ),
    Mutation(
        "commands get all variables",
        "core.sandbox.environment:passed_environment",
        "lambda environ, extra=(): dict(environ)",
        ("environment-bubblewrap", "environment-landlock"),
    ),
    Mutation(
        "control characters above 7F reach the terminal",
        "workspace.commands:CONTROLS",
        r're.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")',
        ("terminal-output-bubblewrap", "terminal-output-landlock"),
    ),
    Mutation(
        "processes of a sandbox are those of the machine",
        "workspace.sandbox.bubblewrap:NAMESPACES",
        'tuple(each for each in whole if each != "--unshare-pid")',
        ("daemon-bubblewrap",),
    ),
    Mutation(
        "what a confined command leaves behind runs on",
        "workspace.watchdog:end_marked",
        "lambda mark: None",
        ("daemon-landlock",),
    ),
    Mutation(
        "who sheds the mark is not looked for",
        "workspace.sandbox.orphans:_filters",
        "lambda pid: 0",
        ("daemon-without-environment-landlock",),
    ),
    Mutation(
        "root keeps its rights",
        "workspace.sandbox.landlock:_drop_capabilities",
        "lambda libc: None",
        ("more-rights-landlock",),
    ),
    Mutation(
        "a new repository keeps what is planted in it",
        "workspace.sandbox.sandbox:restoring_git_files",
        "contextlib.nullcontext",
        ("plant-new-repository-bubblewrap", "plant-git-file-landlock", "plant-hook-landlock"),
    ),
    Mutation(
        "a .git file is believed",
        "workspace.sandbox.host_paths:_belong_together",
        "lambda *_: True",
        ("read-by-git-file-bubblewrap", "read-by-git-file-landlock"),
    ),
    Mutation(
        "settings of a virtual environment are believed",
        "workspace.sandbox.host_paths:_is_interpreter",
        "lambda base: True",
        ("read-by-venv-settings-bubblewrap",),
    ),
)
