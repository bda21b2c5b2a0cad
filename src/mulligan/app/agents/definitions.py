"""Reads agents from files: built in, the user's, the project's. A later one replaces an earlier one of the same name.

`NAME.md` has its settings between `+++` lines (TOML) or `---` lines (YAML), and the prompt below them. In
`mulligan.toml` an agent is a table `[agents.NAME]` with a `prompt`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from mulligan.app.configuration import FILE_NAME, Configuration
from mulligan.app.project_tools import can_write
from mulligan.runtime.regular_files import read_regular_text
from mulligan.types.agents import AgentSpec
from mulligan.types.base import InvalidRecord
from mulligan.types.errors import ConfigurationError

BUILT_IN = Path(__file__).parent


def known_agents(configuration: Configuration) -> dict[str, AgentSpec]:
    """All agents by name. Raises `ConfigurationError` if a project's agent that writes would replace a read-only
    one."""
    settings = configuration.settings
    mine = load_agents((settings.home / "agents",), {}, settings.project / FILE_NAME)
    folders = (settings.home / "agents", settings.project / ".mulligan" / "agents")
    known = load_agents(folders, configuration.agents, settings.project / FILE_NAME)
    for name, agent in known.items():
        if can_write(agent) and name in mine and not can_write(mine[name]):
            raise ConfigurationError(
                f"the project's agent {name} ({agent.source}) changes files, but the one that it replaces only reads: "
                "give it another name"
            )
    return known


def load_agents(
    folders: Iterable[Path], tables: Mapping[str, Mapping[str, Any]], tables_file: Path
) -> dict[str, AgentSpec]:
    """All agents by name, sorted: the built-in ones, those in the folders, then the tables of `mulligan.toml`."""
    agents: dict[str, AgentSpec] = {}
    for folder in (BUILT_IN, *folders):
        for file in sorted(folder.glob("*.md")) if folder.is_dir() else ():
            agents[file.stem] = read_agent(file)
    for name, table in tables.items():
        agents[name] = _agent(name, dict(table), str(tables_file))
    return dict(sorted(agents.items()))


def read_agent(file: Path) -> AgentSpec:
    """One Markdown file with front matter."""
    try:
        text = read_regular_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the agent file {file} can't be read: {error}") from error
    mark, fields, prompt = _split(text, file)
    settings = _toml(fields, file) if mark == "+++" else _yaml(fields, file)
    source = "built in" if file.parent == BUILT_IN else str(file)
    return _agent(file.stem, {**settings, "prompt": prompt.strip()}, source)


def _split(text: str, file: Path) -> tuple[str, str, str]:
    mark = text[:3]
    if mark in ("+++", "---"):
        head, found, prompt = text[3:].partition(f"\n{mark}\n")
        if found:
            return mark, head, prompt
    raise ConfigurationError(f"the agent file {file} must start with settings between two lines of +++ or ---")


def _toml(text: str, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"the settings in the agent file {file} are not valid TOML: {error}") from error


def _yaml(text: str, file: Path) -> dict[str, Any]:
    import yaml

    try:
        settings: Any = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise ConfigurationError(f"the settings in the agent file {file} are not valid YAML: {error}") from error
    if not isinstance(settings, dict):
        raise ConfigurationError(f"the settings in the agent file {file} must be `name: value` lines")
    return cast("dict[str, Any]", settings)


def _agent(name: str, settings: dict[str, Any], source: str) -> AgentSpec:
    try:
        agent = AgentSpec.model_validate({"name": name, **settings, "source": source})
    except InvalidRecord as error:
        first = error.problems[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ConfigurationError(f"the agent {name} ({source}) is invalid: {where}: {first['msg']}") from error
    if not agent.prompt:
        raise ConfigurationError(f"the agent {name} ({source}) has no prompt")
    return agent
