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
        "workspace/sandbox/detect.py",
        'if choice == "none":',
        "if choice:",
        tuple(ONE_FOR_EACH_PROMISE.values()),
    ),
    Mutation(
        "every escape is tried without a sandbox",
        "workspace/sandbox/detect.py",
        'if choice == "none":',
        "if choice:",
        tuple(fault.name for fault in HELD_BY_THE_SANDBOX),
        for_breadth=True,
    ),
    Mutation(
        "commands get all variables",
        "core/sandbox/environment.py",
        "if name in wanted or (",
        "if name or (",
        ("environment-bubblewrap", "environment-landlock"),
    ),
    Mutation(
        "control characters above 7F reach the terminal",
        "workspace/commands.py",
        "\\x7f-\\x9f]",
        "\\x7f]",
        ("terminal-output-bubblewrap", "terminal-output-landlock"),
    ),
    Mutation(
        "processes of a sandbox are those of the machine",
        "workspace/sandbox/bubblewrap.py",
        '"--unshare-pid", ',
        "",
        ("daemon-bubblewrap",),
    ),
    Mutation(
        "what a confined command leaves behind runs on",
        "workspace/watchdog.py",
        'marked_processes.end_marked(f"{MARK}={mark}", one_look_will_do=True)',
        "del mark",
        ("daemon-landlock",),
    ),
    Mutation(
        "who sheds the mark is not looked for",
        "workspace/sandbox/strays.py",
        "_filters(pid) > own and",
        "_filters(pid) > 100 and",
        ("daemon-without-environment-landlock",),
    ),
    Mutation(
        "root keeps its rights",
        "workspace/sandbox/landlock.py",
        "        _drop_capabilities(libc)\n",
        "",
        ("more-rights-landlock",),
    ),
    Mutation(
        "a new repository keeps what is planted in it",
        "workspace/sandbox/sandbox.py",
        "            stack.enter_context(kept_as_it_was(profile.repositories))\n",
        "",
        ("plant-new-repository-bubblewrap", "plant-git-file-landlock", "plant-hook-landlock"),
    ),
    Mutation(
        "a .git file is believed",
        "workspace/sandbox/surroundings.py",
        "and _belong_together(entry, git_dir, common_dir)",
        "",
        ("read-by-git-file-bubblewrap", "read-by-git-file-landlock"),
    ),
    Mutation(
        "settings of a virtual environment are believed",
        "workspace/sandbox/surroundings.py",
        "if _is_interpreter(base))",
        ")",
        ("read-by-venv-settings-bubblewrap",),
    ),
)
