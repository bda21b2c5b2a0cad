"""`mulligan permissions`: what a model may do here, where that is set, and what would happen to one command."""

from typing import TYPE_CHECKING, Annotated

import typer

from mulligan.cli.options import JsonOption, ProjectOption
from mulligan.cli.text import help_epilogs
from mulligan.cli.views.printing import print_json, print_list, tell
from mulligan.types.errors import ConfigurationError
from mulligan.types.turns import UNFINISHED, WAITING

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.types.commands import Decision, PolicyVerdict
    from mulligan.types.permissions import PermissionRule

permissions = typer.Typer(
    help="Show what a model may do here, and your hooks.",
    invoke_without_command=True,
    rich_markup_mode=None,
)

EXIT_CODES: "dict[Decision, int]" = {"allow": 0, "ask": WAITING, "deny": UNFINISHED}


@permissions.callback()
def show(context: typer.Context, *, project: ProjectOption = None, json: JsonOption = False) -> None:
    """Show your rules with their source, your hooks and your formatters.

    Rules are [[permissions]] tables of your own mulligan.toml; a project can't set any. Deny overrides ask, and ask
    overrides allow. Without a rule, reading is allowed, file changes are pending, and the policy judges commands.
    """
    if context.invoked_subcommand:
        return
    from mulligan.app.configuration import load_configuration
    from mulligan.app.permission_table import permission_table
    from mulligan.types.permissions import COMMAND_TOOL

    configuration = load_configuration(project, {})
    settings = configuration.settings
    rules = sorted(permission_table(configuration).rules, key=lambda rule: list(EXIT_CODES).index(rule.decision))[::-1]
    print_list(
        rules,
        as_json=json,
        fields=lambda rule: {"type": "permission", **rule.model_dump()},
        headings=("decision", "tool", "what", "set in"),
        row=lambda rule: (rule.decision, COMMAND_TOOL if rule.command else rule.tool, _what(rule), rule.source),
        none=f"you have no rules; they go into {configuration.user_file}",
    )
    for hook in settings.hooks:
        _print_row("hook", hook.model_dump(), f"{hook.event} of {hook.path or hook.tool}: {hook.command}", as_json=json)
    for formatter in settings.formatters:
        words = f"{formatter.path}: {formatter.command}"
        _print_row("formatter", formatter.model_dump(), words, as_json=json)


@permissions.command(epilog=help_epilogs.PERMISSIONS_CHECK)
def check(
    command: Annotated[str | None, typer.Argument(metavar="COMMAND", help="A command line, in quotes.")] = None,
    *,
    tool: Annotated[
        str | None, typer.Option("--tool", metavar="NAME", help="Check this tool instead of a command.")
    ] = None,
    path: Annotated[str | None, typer.Option("--path", metavar="PATH", help="The file that the tool names.")] = None,
    project: ProjectOption = None,
    json: JsonOption = False,
) -> None:
    """Show what would happen to a command or a tool call. Runs nothing.

    Judges a command as in a turn of `mulligan code` that has a checkpoint.
    """
    import asyncio

    from mulligan.app.configuration import load_configuration

    if bool(command) == bool(tool) or (path and not tool):
        raise ConfigurationError(
            'say what to check: mulligan permissions check "make deploy", or --tool edit_file --path src/app.py'
        )
    verdict = asyncio.run(_judged(load_configuration(project, {}), command, tool or "", path))
    if json:
        fields: dict[str, object] = {"decision": verdict.decision, "reason": verdict.reason}
        fields |= {"kinds": sorted(verdict.kinds), "rules": [rule.model_dump() for rule in verdict.by_rules]}
        print_json(fields)
    else:
        typer.echo(f"{verdict.decision}: {verdict.reason}")
        for rule in verdict.by_rules:
            tell(f"by {_what(rule) or rule.tool}: {rule.decision}, set in {rule.source}")
    raise typer.Exit(EXIT_CODES[verdict.decision])


async def _judged(configuration: "Configuration", command: str | None, tool: str, path: str | None) -> "PolicyVerdict":
    from mulligan.app.permission_table import permission_table
    from mulligan.core.permissions import ToolUse, judge_use
    from mulligan.core.sandbox.approval import decide
    from mulligan.types.permissions import COMMAND_TOOL
    from mulligan.types.sandbox import Confinement, ExtraAccess
    from mulligan.workspace.files.targets import meant_paths
    from mulligan.workspace.sandbox import find_sandbox
    from mulligan.workspace.sandbox.grants import read_grants

    settings = configuration.settings
    table, root = permission_table(configuration), str(settings.project)
    if command is None:
        return judge_use(ToolUse(tool, paths=meant_paths(settings.project.resolve(), path)[:1] if path else ()), table)
    opened = ExtraAccess(network=settings.network).with_all(read_grants(settings.home, settings.project))
    confinement = Confinement(
        find_sandbox(settings.sandbox).mechanism, undoable=True, mode=settings.approvals, opened=opened
    )
    return decide(judge_use(ToolUse(COMMAND_TOOL, command), table, project=root), confinement)


def _what(rule: "PermissionRule") -> str:
    return rule.path or rule.command or ""


def _print_row(kind: str, fields: dict[str, object], words: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"type": kind, **fields})
    else:
        from mulligan.cli.text.safe_text import one_line

        typer.echo(f"{kind}: {one_line(words, 300)}")
