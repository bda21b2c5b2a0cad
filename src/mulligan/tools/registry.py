"""All tools by name, and those an agent may call."""

from collections.abc import Collection, Iterable, Mapping

from mulligan.ports import Tool, Workspace
from mulligan.tools.ask_user import AskUser
from mulligan.tools.find_files import FindFiles
from mulligan.tools.grep import Grep
from mulligan.tools.list_dir import ListDir
from mulligan.tools.view_file import ViewFile
from mulligan.types.errors import ConfigurationError


def build_tools(workspace: Workspace) -> dict[str, Tool]:
    tools: tuple[Tool, ...] = (
        AskUser(),
        FindFiles(workspace),
        Grep(workspace),
        ListDir(workspace),
        ViewFile(workspace),
    )
    return {tool.spec.name: tool for tool in tools}


def pick(tools: Mapping[str, Tool], names: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of an agent, sorted by name. Raises `ConfigurationError` for a name that no tool has."""
    wanted = sorted(set(names))
    refuse_unknown(wanted, tools)
    return tuple(tools[name] for name in wanted)


def refuse_unknown(names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigurationError(f"The agent names {', '.join(unknown)}, but the tools are {', '.join(sorted(known))}.")
