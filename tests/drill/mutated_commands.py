"""Guards around commands, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "what is denied is run",
        "tools.run_command:RunCommand._permit",
        """async def broken(self, command, verdict):
    if verdict.decision != "deny":
        await whole(self, command, verdict)""",
        ("sudo", "outside-write", "terminal-wanted", "commands-together"),
    ),
    Mutation(
        "a push may be asked for",
        "core.command_policy.git:DENIED",
        '{name: why for name, why in whole.items() if name != "push"}',
        ("force-push",),
    ),
    Mutation(
        "a hard reset is like any other",
        "core.command_policy.git:LOSING_FLAGS",
        'tuple((name, flags - {"--hard"}, *rest) for name, flags, *rest in whole)',
        ("lost-work", "hidden-command"),
    ),
    Mutation(
        "only the first command of a line is judged",
        "core.command_policy.judge:read_line",
        """def broken(*given):
    line = whole(*given)
    return dataclasses.replace(line, parts=line.parts[:1])""",
        ("hidden-command", "install-unasked"),
    ),
    Mutation(
        "a refused command is an error like any other",
        "tools.run_command:RunCommand._permit",
        """async def broken(*given):
    try:
        await whole(*given)
    except CallRejected as refused:
        raise CallRejected("exec_error", str(refused)) from None""",
        ("install-unasked",),
    ),
    Mutation(
        "a command may take as long as it likes",
        "tools.run_command:read_arguments",
        'lambda *given: whole(*given).model_copy(update={"timeout": MAX_SECONDS})',
        ("hanging-command", "commands-together"),
    ),
    Mutation(
        "long output is shown in full",
        "workspace.commands:ProjectCommands.__init__",
        'lambda *given, **named: whole(*given, **{"shown_bytes": 20_000_000, **named})',
        ("flooding-command",),
    ),
    Mutation(
        "what a command leaves behind runs on",
        "workspace.watchdog:end_marked",
        "lambda mark: None",
        ("process-left",),
    ),
    Mutation(
        "commands inherit secrets",
        "core.sandbox.environment:SECRET_NAME",
        're.compile("(?!)")',
        ("secret-in-environment",),
    ),
    Mutation(
        "commands may wait for input",
        "workspace.spawning:spawn",
        """async def broken(launch, protocol):
    if launch.confine:
        return await whole(launch, protocol)
    return await asyncio.get_running_loop().subprocess_exec(
        protocol, *launch.argv, cwd=launch.cwd, env=launch.env, start_new_session=True, pass_fds=launch.pass_fds
    )""",
        ("terminal-wanted",),
    ),
    Mutation(
        "commands run on the files as they are, whatever is pending",
        "workspace.command_tree.chat_commands:PendingAwareCommands.run",
        """async def broken(self, command, *, time_limit, access=NO_EXTRA_ACCESS, kinds):
    return await self._in_project(command, 0, "", time_limit=time_limit, access=access, watched=False)""",
        ("tests-before-yes", "tests-before-yes-without-git"),
    ),
    Mutation(
        "what a command changed is not looked at",
        "workspace.work_tree_watch:WorkTreeWatch.moves",
        """async def broken(self, before, after):
    return []""",
        ("overwritten-after-refusal",),
    ),
    Mutation(
        "a refused edit stays refused, whatever a command did",
        "loop.open_turn:refused_edits",
        "lambda parts: whole([part for part in parts if not getattr(part, 'changed', ())])",
        ("overwritten-after-refusal",),
    ),
)
