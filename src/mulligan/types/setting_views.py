"""Settings as the user looks at them: each with its value, and where that comes from."""

from typing import Any, Literal

from mulligan.types.base import Record

SettingSource = Literal["default", "project", "personal", "environment", "flag"]
"""What has set a value: nothing, the project's file, the user's own, a variable, a flag."""

SettingKind = Literal["text", "number", "integer", "boolean", "choice", "list", "secret"]

SettingGroup = Literal["models", "turns", "commands", "appearance", "storage"]


class SettingView(Record):
    """One setting."""

    place: tuple[str, ...]
    """As it stands in a settings file: `("model",)`, `("models", "qwen3:8b", "top_p")`."""
    group: SettingGroup
    kind: SettingKind
    choices: tuple[str, ...] = ()
    help: str
    value: Any = None
    """What is in force; None for what is not set, and always for a secret."""
    is_set: bool
    """Something other than the default, which alone is told of a secret."""
    source: SettingSource
    where: str
    """The file, the variable or the flag that has set it; who recommends it; empty for the default."""
    fixed: str = ""
    """Why it can't be changed here, in a sentence; empty if it can."""


class SettingsView(Record):
    """All settings that are in force for a project."""

    user_file: str
    """Where the user's own are kept."""
    project_file: str
    settings: tuple[SettingView, ...]
    model: str | None
    """The model that answers, for which those below count."""
    of_model: tuple[SettingView, ...]
    """How it samples and thinks."""
