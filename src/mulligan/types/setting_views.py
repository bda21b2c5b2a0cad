"""Settings as shown to the user: each with its value and where that comes from."""

from typing import Any, Literal

from mulligan.types.base import Record

SettingSource = Literal["default", "project", "personal", "environment", "flag"]
"""What has set a value: nothing, the project's file, the user's file, an environment variable, a flag."""

SettingKind = Literal["text", "number", "integer", "boolean", "choice", "list", "secret"]

SettingGroup = Literal["models", "turns", "commands", "appearance", "storage"]


class SettingView(Record):
    """One setting."""

    place: tuple[str, ...]
    """Its keys in a settings file: `("model",)`, `("models", "qwen3:8b", "top_p")`."""
    group: SettingGroup
    kind: SettingKind
    choices: tuple[str, ...] = ()
    help: str
    value: Any = None
    """The value in force; None if it is not set, and always for a secret."""
    is_set: bool
    """Whether it differs from the default. For a secret, this is all that is shown."""
    source: SettingSource
    where: str
    """The file, variable or flag that has set it, or who recommends it; empty for the default."""
    fixed: str = ""
    """Why it can't be changed here, in a sentence; empty if it can."""


class SettingsView(Record):
    """All settings that are in force for a project."""

    user_file: str
    """The user's settings file."""
    project_file: str
    settings: tuple[SettingView, ...]
    model: str | None
    """The model that answers; `of_model` has its settings."""
    of_model: tuple[SettingView, ...]
    """Settings for sampling and thinking."""
