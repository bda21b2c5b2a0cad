"""Guards around commands, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "what is denied is run",
        "tools/run_command.py",
        'if verdict.decision == "deny":',
        'if verdict.decision == "never":',
        ("sudo", "outside-write", "terminal-wanted", "commands-together"),
    ),
    Mutation(
        "a push may be asked for",
        "core/command_policy/git.py",
        '"push": "sends commits',
        '"shove": "sends commits',
        ("force-push",),
    ),
    Mutation(
        "a hard reset is like any other",
        "core/command_policy/git.py",
        'frozenset({"--hard", "--merge", "--keep"})',
        'frozenset({"--merge", "--keep"})',
        ("lost-work", "hidden-command"),
    ),
    Mutation(
        "only the first command of a line is judged",
        "core/command_policy/judge.py",
        "    for part in line.parts:\n",
        "    for part in line.parts[:1]:\n",
        ("hidden-command", "install-unasked"),
    ),
    Mutation(
        "a refused command is an error like any other",
        "tools/run_command.py",
        """                "permission_denied",
                f"The command was not run: it needs""",
        """                "exec_error",
                f"The command was not run: it needs""",
        ("install-unasked",),
    ),
    Mutation(
        "a command may take as long as it likes",
        "tools/run_command.py",
        "limit = min(asked.timeout, SECONDS_AT_MOST)",
        "limit = SECONDS_AT_MOST",
        ("hanging-command", "commands-together"),
    ),
    Mutation(
        "long output is shown in full",
        "workspace/commands.py",
        "SHOWN_BYTES = 20_000",
        "SHOWN_BYTES = 20_000_000",
        ("flooding-command",),
    ),
    Mutation(
        "what a command leaves behind runs on",
        "workspace/watchdog.py",
        'marked_processes.end_marked(f"{MARK}={mark}", one_look_will_do=True)',
        "del mark",
        ("process-left",),
    ),
    Mutation(
        "commands inherit secrets",
        "core/sandbox/environment.py",
        "not SECRET_NAME.search(name) and not",
        "not",
        ("secret-in-environment",),
    ),
    Mutation(
        "commands may wait for input",
        "workspace/spawning.py",
        "stdin=asyncio.subprocess.DEVNULL",
        "stdin=asyncio.subprocess.PIPE",
        ("terminal-wanted",),
    ),
)
