"""How to configure agents for the proxy: what to set where, as they themselves document it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from mulligan.types.errors import ConfigurationError
from mulligan.types.tool_calls import JsonObject

NO_KEY = "mulligan"
"""Agents require some key; without a token, any value works."""


@dataclass(frozen=True, slots=True)
class AgentSetup:
    agent: str
    environ: dict[str, str] = field(default_factory=dict[str, str])
    file: str | None = None
    """Relative to the home folder, if we can write it."""
    settings: JsonObject = field(default_factory=dict[str, Any])
    """Settings to add to the file."""
    lines: tuple[str, ...] = ()
    """To be done by hand: lines of another format, or fields in a window."""
    then: str = ""
    """The command that uses it."""

    def instructions(self) -> str:
        parts = [f"export {name}={_quoted(value)}" for name, value in self.environ.items()]
        if self.settings:
            parts += [f"# in ~/{self.file}", json.dumps(self.settings, indent=2)]
        parts += self.lines
        return "\n".join([*parts, *([self.then] if self.then else [])])


def setup_of(agent: str, address: str, model: str) -> AgentSetup:
    """`address` is the proxy's, without a path. Raises `ConfigurationError` for an unknown agent."""
    if agent not in _SETUPS:
        raise ConfigurationError(f"there is no set-up for {agent}; there are: {', '.join(_SETUPS)}")
    return _SETUPS[agent](address, model)


def _opencode(address: str, model: str) -> AgentSetup:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Mulligan's proxy",
        "options": {"baseURL": f"{address}/v1", "apiKey": NO_KEY},
        "models": {model: {"name": model, "tool_call": True}},
    }
    return AgentSetup(
        "opencode",
        file=".config/opencode/opencode.json",
        settings={"provider": {"mulligan": provider}},
        then=f"opencode --model mulligan/{model}",
    )


def _goose(address: str, model: str) -> AgentSetup:
    environ = {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": model, "OPENAI_HOST": address, "OPENAI_API_KEY": NO_KEY}
    return AgentSetup("goose", environ=environ, then="goose session")


def _claude_code(address: str, model: str) -> AgentSetup:
    environ = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_AUTH_TOKEN": NO_KEY, "ANTHROPIC_MODEL": model}
    return AgentSetup("claude-code", environ=environ, then="claude")


def _codex(address: str, model: str) -> AgentSetup:
    lines = (
        "# in ~/.codex/config.toml, for a codex that speaks chat completions: one that speaks the responses",
        "# API alone can't use the proxy",
        'model_provider = "mulligan"',
        f'model = "{model}"',
        "[model_providers.mulligan]",
        'name = "Mulligan\'s proxy"',
        f'base_url = "{address}/v1"',
        'wire_api = "chat"',
    )
    return AgentSetup("codex", lines=lines)


def _qwen_code(address: str, model: str) -> AgentSetup:
    environ = {"OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": NO_KEY, "OPENAI_MODEL": model}
    return AgentSetup("qwen-code", environ=environ, then="qwen --auth-type openai")


def _aider(address: str, model: str) -> AgentSetup:
    environ = {"OPENAI_API_BASE": f"{address}/v1", "OPENAI_API_KEY": NO_KEY}
    return AgentSetup("aider", environ=environ, then=f"aider --model openai/{model}")


def _cline(address: str, model: str) -> AgentSetup:
    lines = (
        "# in the settings of the extension: API Provider",
        "OpenAI Compatible",
        f"Base URL  {address}/v1",
        f"API Key   {NO_KEY}",
        f"Model ID  {model}",
    )
    return AgentSetup("cline", lines=lines)


def _continue(address: str, model: str) -> AgentSetup:
    lines = (
        "# in ~/.continue/config.yaml",
        "models:",
        f"  - name: {model}",
        "    provider: openai",
        f"    model: {model}",
        f"    apiBase: {address}/v1",
        f"    apiKey: {NO_KEY}",
        "    capabilities: [tool_use]",
    )
    return AgentSetup("continue", lines=lines)


_SETUPS = {
    "opencode": _opencode,
    "goose": _goose,
    "claude-code": _claude_code,
    "codex": _codex,
    "qwen-code": _qwen_code,
    "aider": _aider,
    "cline": _cline,
    "continue": _continue,
}

_DELEGATED = {"opencode": "opencode", "goose": "goose", "qwen": "qwen-code", "claude": "claude-code", "aider": "aider"}
"""Names of the set-ups, by the first word of the names that `mulligan delegate` uses."""


def environment_of(agent: str, address: str, model: str) -> dict[str, str]:
    """How to configure an agent that Mulligan starts. Raises `ConfigurationError` for an unsupported one."""
    name = _DELEGATED.get(agent.partition("-")[0])
    if name is None:
        known = ", ".join(_DELEGATED)
        raise ConfigurationError(f"--proxy works with agents named with --agent: {known}; not with {agent or 'none'}")
    wanted = setup_of(name, address, model)
    if name == "opencode":
        chosen = f"mulligan/{model}"
        return {"OPENCODE_CONFIG_CONTENT": json.dumps({**wanted.settings, "model": chosen, "small_model": chosen})}
    if name == "aider":
        return {**wanted.environ, "AIDER_MODEL": f"openai/{model}"}
    return wanted.environ


def write_settings(file: Path, wanted: AgentSetup) -> None:
    """Add the settings to the existing ones. Raises `ConfigurationError` rather than change what the user wrote."""
    try:
        existing: Any = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} can't be read as JSON, so nothing was written: {error}") from error
    if not isinstance(existing, dict):
        raise ConfigurationError(f"{file} contains no JSON object, so nothing was written")
    merged = _merge(cast("JsonObject", existing), wanted.settings, file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}.mulligan")
        draft.write_text(json.dumps(merged, indent=2) + "\n", encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise ConfigurationError(f"{file} can't be written: {error.strerror}") from error


def _merge(existing: JsonObject, settings: JsonObject, file: Path, at: str = "") -> JsonObject:
    merged = dict(existing)
    for key, value in settings.items():
        if key not in merged:
            merged[key] = value
        elif isinstance(value, dict) and isinstance(merged[key], dict):
            merged[key] = _merge(merged[key], cast("JsonObject", value), file, f"{at}{key}.")
        elif merged[key] != value:
            raise ConfigurationError(f"{file} already has {at}{key}, which is kept: change it by hand")
    return merged


def _quoted(value: str) -> str:
    import shlex

    return shlex.quote(value)
