"""The settings in effect, each with its value, source and meaning. Values never contain secrets."""

from collections.abc import Mapping
from typing import Any

from mulligan.app.configuration import Configuration, setting_names
from mulligan.app.model_tuning import model_values
from mulligan.app.personal_settings import overruled_words
from mulligan.runtime.field_meanings import meanings
from mulligan.types.setting_views import SettingGroup, SettingKind, SettingSource, SettingsView, SettingView
from mulligan.types.settings import Settings
from mulligan.types.tuning import ModelSettings

GROUPS: dict[SettingGroup, tuple[str, ...]] = {
    "models": (
        "base_url", "api_key", "model", "context_length", "temperature", "thinking", "thinking_budget", "max_tokens",
        "protocol", "agency", "discovery", "downloads", "first_token_timeout", "idle_timeout",
    ),
    "turns": ("agent", "steps", "instructions", "diagnostics", "diagnostics_timeout"),
    "commands": (
        "allow_commands", "deny_commands", "approvals", "network", "sandbox", "sandbox_read", "sandbox_write",
        "pass_environment",
    ),
    "appearance": ("editor_link",),
    "storage": ("database_url",),
}  # fmt: skip
"""In display order."""

AT_START = {"database_url": "It is read when Mulligan starts: set it in your file or as MULLIGAN_DATABASE_URL."}
"""What can't be changed while Mulligan runs, and what to do instead."""


def list_settings(configuration: Configuration, model: str | None) -> SettingsView:
    """All settings, including those of the model, by its server's name for it."""
    return SettingsView(
        user_file=str(configuration.user_file),
        project_file=str(configuration.project_file),
        settings=_all(configuration),
        model=model,
        of_model=_of_model(configuration, model) if model else (),
    )


def _all(configuration: Configuration) -> tuple[SettingView, ...]:
    words, fields = meanings(Settings), Settings.model_json_schema()["properties"]
    values = configuration.settings.model_dump(mode="json", include=set(setting_names()))
    found: list[SettingView] = []
    for group, names in GROUPS.items():
        for name in names:
            kind, choices = _kind(fields[name])
            source = configuration.source(name)
            found.append(
                SettingView(
                    place=(name,),
                    group=group,
                    kind=kind,
                    choices=choices,
                    help=words[name],
                    value=None if kind == "secret" else values[name],
                    is_set=source != "default",
                    source=source,
                    where=_where(configuration, name, source),
                    fixed=AT_START.get(name) or overruled_words(configuration, name),
                )
            )
    return tuple(found)


def _of_model(configuration: Configuration, model: str) -> tuple[SettingView, ...]:
    """The values in effect for a model: set by the user, by the project, or recommended by its publisher."""
    words, fields = meanings(ModelSettings), ModelSettings.model_json_schema()["properties"]
    known = {each.name: each for each in model_values(model, configuration.settings, configuration.origin)}
    found: list[SettingView] = []
    for name in fields:
        kind, choices = _kind(fields[name])
        value = known.get(name)
        source = configuration.source(f"models.{model}.{name}")
        found.append(
            SettingView(
                place=("models", model, name),
                group="models",
                kind=kind,
                choices=choices,
                help=words.get(name, ""),
                value=value.value if value else None,
                is_set=source != "default",
                source=source,
                where=value.source if value else "",
                fixed=overruled_words(configuration, name),
            )
        )
    return tuple(found)


def _where(configuration: Configuration, name: str, source: SettingSource) -> str:
    match source:
        case "default":
            return ""
        case "environment":
            return f"MULLIGAN_{name.upper()}"
        case "flag":
            return f"--{name.replace('_', '-')}"
        case _:
            return configuration.origin[name]


def _kind(schema: Mapping[str, Any]) -> tuple[SettingKind, tuple[str, ...]]:
    """What a user can enter, by the field's schema."""
    either = schema.get("anyOf", [schema])
    plain: Mapping[str, Any] = next(each for each in either if each.get("type") != "null")
    if "enum" in plain:
        return "choice", tuple(plain["enum"])
    if plain.get("format") == "password":
        return "secret", ()
    return _KINDS[plain["type"]], ()


_KINDS: dict[str, SettingKind] = {
    "string": "text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "array": "list",
}
