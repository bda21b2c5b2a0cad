"""The page of settings."""

import json
from collections.abc import Mapping

from typer.core import TyperOption

from mulligan.app.configuration import (
    _PERSONAL_OF_MODELS as PERSONAL_OF_MODELS,  # pyright: ignore[reportPrivateUsage] - as above
)
from mulligan.app.configuration import PERSONAL, setting_names
from mulligan.models.known.discovery import KNOWN
from mulligan.runtime.field_meanings import meanings
from mulligan.types.hooks import Formatter, Hook
from mulligan.types.permissions import PermissionRule
from mulligan.types.settings import Settings
from mulligan.types.tuning import ModelSettings
from reference.cli import commands
from reference.markdown import code, code_block, link, table
from reference.schemas import value_words, without_null


def _list_personal() -> str:
    of_models = " and ".join(map(code, sorted(PERSONAL_OF_MODELS)))
    return f"{', '.join(map(code, sorted(PERSONAL)))}, tables of external agents, and {of_models} of a model."


Flags = Mapping[str, Mapping[str, list[str]]]
"""By setting: its flags, and which commands take each."""

INTRO = """\
[Configuration](../configuration.md) explains how settings are combined. In short: the project's `mulligan.toml`, yours
in Mulligan's home, environment variables, flags; later ones override earlier ones."""

KEYS = """\
If no model server is found, Mulligan names the keys it sees in the environment. It uses a key only if `base_url` is
that of its service, or if you set it as `api_key`."""


def blocks() -> list[str]:
    flags = _flags()
    return [
        INTRO,
        _settings(flags),
        "Files use the first of a setting's names:",
        code_block('model = "qwen2.5-coder-7b"\nidle_timeout = 600\ndeny_commands = ["make deploy"]', "toml"),
        "In a variable, separate commands with commas, and write a boolean as `yes` or `no`.",
        "## Places",
        _places(),
        "## Tables in a file",
        _tables(),
        "## What a project's file may not set",
        _list_personal(),
        "Its `base_url` must be on this machine, and its `agent` must be read-only.",
        "## Flags, by command",
        table(("flag", "commands"), ((code(flag), ", ".join(map(code, takers))) for flag, takers in _takers(flags))),
        "## Keys of services",
        KEYS,
        table(
            ("variable", "service", "`base_url`"),
            ((code(each.variable), each.name, code(each.base_url)) for each in KNOWN),
        ),
    ]


def _settings(flags: Flags) -> str:
    words = meanings(Settings)
    fields = Settings.model_json_schema()["properties"]
    rows = [
        (
            "<br>".join(map(code, (name, f"MULLIGAN_{name.upper()}", *flags[name]))),
            value_words(without_null(fields[name])),
            _default(fields[name].get("default")),
            words[name],
        )
        for name in setting_names()
    ]
    return table(("setting, variable, flag", "value", "default", "meaning"), rows)


def _places() -> str:
    words = meanings(Settings)
    rows = [
        (words["home"], "`MULLIGAN_HOME`", "`~/.mulligan`"),
        (words["project"], "`-C DIR`", "the folder you are in"),
    ]
    return table(("what", "how", "default"), rows)


def _tables() -> str:
    of_models = ", ".join(map(code, ModelSettings.field_defaults))
    rows = [
        ("`[agents.NAME]`", "the project's file", link("an agent", "agents.md", "Fields of `[agents.NAME]`")),
        ('`[models."NAME"]`', "either file", f"a model, or a family of models: {of_models}"),
        *((f"`[[{name}]]`", "your own file", _row_words(name)) for name in ("permissions", "hooks", "formatters")),
        ("`[external.NAME]`", "your own file", link("an external agent", "agents.md", "Fields of `[external.NAME]`")),
    ]
    return table(("table", "in", "meaning"), rows)


def _row_words(name: str) -> str:
    """What a list of tables means, and the fields of each."""
    row = {"permissions": PermissionRule, "hooks": Hook, "formatters": Formatter}[name]
    fields = ", ".join(code(field) for field in row.field_defaults if field != "source")
    return f"{meanings(Settings)[name]} Each has {fields}: {link('permissions and hooks', '../permissions.md')}"


def _flags() -> Flags:
    found: dict[str, dict[str, list[str]]] = {name: {} for name in setting_names()}
    for command in commands():
        for each in command.parameters:
            if isinstance(each, TyperOption) and each.name in found:
                found[each.name].setdefault(each.opts[0], []).append(command.path.removeprefix("mulligan "))
    return found


def _takers(flags: Flags) -> list[tuple[str, list[str]]]:
    return [item for by_flag in flags.values() for item in by_flag.items()]


def _default(value: object) -> str:
    if value is None:
        return "none"
    return code(f"{value:g}" if isinstance(value, float) else json.dumps(value))
