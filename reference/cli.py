"""The page of the command line."""

import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from mulligan.cli.app import app
from mulligan.cli.early_answers import USUAL_WIDTH
from mulligan.cli.text.help_sections import SECTIONS
from reference.markdown import code, code_block, escaped, link, one_line, table

Parameter = TyperArgument | TyperOption

SEE_ALSO = "See also: "


@dataclass(frozen=True, slots=True)
class Command:
    """A command or group, under the words that a user types."""

    path: str
    command: TyperCommand | TyperGroup
    context: typer.Context

    @property
    def parameters(self) -> list[Parameter]:
        """Without `--help`, which every command has."""
        return [each for each in self.command.params if isinstance(each, Parameter) and not each.hidden]


def blocks() -> list[str]:
    listed = list(commands())
    made = ["Every command takes `-h` and `--help`. [Exit codes](exit-codes.md) has a summary of how commands end."]
    for title, names in SECTIONS.items():
        made += [f"{title}:", _contents([each for each in listed if each.path.removeprefix("mulligan ") in names])]
    for each in listed:
        made += _section(each, [below for below in listed if below.path.startswith(f"{each.path} ")])
    return made


def whole_help() -> str:
    """The output of `mulligan --help`, made by typer."""
    command = get_command(app)
    context = typer.Context(
        command,
        info_name="mulligan",
        terminal_width=USUAL_WIDTH - 2,
        **cast("dict[str, Any]", app.info.context_settings),
    )
    return command.get_help(context) + "\n"


def commands() -> Iterator[Command]:
    """`mulligan` itself, then all its commands, each group before its members."""
    yield from _walk(cast("TyperGroup", get_command(app)), "mulligan", None)


def _walk(command: TyperCommand | TyperGroup, name: str, parent: typer.Context | None) -> Iterator[Command]:
    context = typer.Context(command, info_name=name, parent=parent)
    yield Command(context.command_path, command, context)
    if isinstance(command, TyperGroup):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if isinstance(found, TyperCommand | TyperGroup) and not found.hidden:
                yield from _walk(found, below, context)


def _section(command: Command, below: Sequence[Command]) -> list[str]:
    depth = "###" if command.path.count(" ") > 1 else "##"
    usage = " ".join((command.path, *command.command.collect_usage_pieces(command.context)))
    arguments = [each for each in command.parameters if isinstance(each, TyperArgument)]
    options = [each for each in command.parameters if isinstance(each, TyperOption)]
    return [
        f"{depth} {code(command.path)}",
        code_block(usage, "text"),
        *text_blocks(command.command.help or ""),
        _contents(below) if " " in command.path else "",
        table(("argument", "meaning"), ((code(_argument(each)), each.help or "") for each in arguments)),
        table(("option", "default", "meaning"), (_option(each, command.context) for each in options)),
        *text_blocks(command.command.epilog or ""),
    ]


def text_blocks(text: str) -> list[str]:
    """Paragraphs of a help text. Those that start with a backspace keep their lines: examples, lists."""
    made: list[str] = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text).strip("\n")):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if lines and lines[0].strip() == "\b":
            made += _as_written(lines[1:])
        elif lines:
            made.append(escaped(one_line(paragraph)))
    return made


def _as_written(lines: Sequence[str]) -> list[str]:
    """A title that ends with a colon, then a list of exit codes or commands to type; or related commands."""
    title, *rest = lines
    if title.startswith(SEE_ALSO):
        return [SEE_ALSO + ", ".join(link(code(each), "", each) for each in title.removeprefix(SEE_ALSO).split(", "))]
    made = [title] if title.endswith(":") else []
    body = inspect.cleandoc("\n" + "\n".join(rest if made else lines))
    rows = re.findall(r"^(\d+) +(\S.*)$", body, re.MULTILINE)
    if len(rows) == len(body.split("\n")):
        return [table(("exit code", "meaning"), rows)]
    return [*made, code_block(body, "sh" if "mulligan" in body else "text")]


def _contents(commands: Sequence[Command]) -> str:
    rows = [(link(code(each.path), "", each.path), _summary(each)) for each in commands]
    return table(("command", "what it does"), rows)


def _summary(command: Command) -> str:
    text = command.command.short_help or (text_blocks(command.command.help or "") or [""])[0]
    return text.partition(". ")[0].rstrip(".")


def _argument(argument: TyperArgument) -> str:
    name = (argument.metavar or argument.name or "").strip("[].…")
    return f"{name}…" if argument.nargs == -1 or argument.multiple else name


def _option(option: TyperOption, context: typer.Context) -> tuple[str, str, str]:
    record = option.get_help_record(context)
    return code(record[0]) if record else "", _default(option), (option.help or "") + _bounds(option)


def _default(option: TyperOption) -> str:
    match option.default:
        case None | False | "":
            return ""
        case float(number):
            return code(f"{number:g}")
        case default:
            return code(str(default))


def _bounds(option: TyperOption) -> str:
    least, most = (getattr(option.type, name, None) for name in ("min", "max"))
    words = [f"at least {least:g}" if least is not None else "", f"at most {most:g}" if most is not None else ""]
    told = ", ".join(each for each in words if each)
    return f" {told.capitalize()}." if told else ""
