"""All tools by name, and those an agent may call."""

from collections.abc import Collection, Iterable, Mapping

from mulligan.ports.code import OpenIndex
from mulligan.ports.files import Workspace
from mulligan.ports.tools import Tool
from mulligan.tools.ask_user import AskUser
from mulligan.tools.code_context.get_codebase_overview import GetCodebaseOverview
from mulligan.tools.code_context.get_dependencies import GetDependencies
from mulligan.tools.code_context.get_file_analysis import GetFileAnalysis
from mulligan.tools.code_context.get_framework_analysis import GetFrameworkAnalysis
from mulligan.tools.code_context.get_semantic_neighborhoods import GetSemanticNeighborhoods
from mulligan.tools.code_context.get_symbol_info import GetSymbolInfo
from mulligan.tools.code_context.search_symbols import SearchSymbols
from mulligan.tools.code_context.watch_changes import WatchChanges
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


def build_code_tools(index: OpenIndex, files: Workspace | None = None) -> dict[str, Tool]:
    """The eight tools over the code index; what it has not read yet is searched in `files`."""
    tools: tuple[Tool, ...] = (
        GetCodebaseOverview(index),
        GetDependencies(index),
        GetFileAnalysis(index),
        GetFrameworkAnalysis(index),
        GetSemanticNeighborhoods(index),
        GetSymbolInfo(index),
        SearchSymbols(index, files),
        WatchChanges(index),
    )
    return {tool.spec.name: tool for tool in tools}


def select_tools(tools: Mapping[str, Tool], names: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of an agent, sorted by name. Raises `ConfigurationError` for an unknown tool."""
    wanted = sorted(set(names))
    refuse_unknown(wanted, tools)
    return tuple(tools[name] for name in wanted)


def refuse_unknown(names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigurationError(f"The agent names {', '.join(unknown)}, but the tools are {', '.join(sorted(known))}.")
