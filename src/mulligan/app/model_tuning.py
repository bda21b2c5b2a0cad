"""Sampling and thinking of a model: the shipped data, overridden by the user's or a project's settings."""

from collections.abc import Mapping

from mulligan.core.thinking_budget import thinking_budget
from mulligan.core.tuning import Layer, Sourced, may_think, sourced_values, tune
from mulligan.models.known.families import family_of
from mulligan.models.known.profiles import ProfileCache
from mulligan.types.profiles import ModelProfile
from mulligan.types.settings import Settings
from mulligan.types.tuning import ModelFamily, ModelSettings, Tuning

PREFIX = "embedded:"


def model_tuning(model: str, settings: Settings) -> Tuning:
    family = family_of(model)
    return tune(family, _layers(model, family, settings, {}))


def model_values(model: str, settings: Settings, origin: Mapping[str, str]) -> tuple[Sourced, ...]:
    """The values in effect for the model, each with its source."""
    family = family_of(model)
    layers = _layers(model, family, settings, origin)
    values = sourced_values(family, layers)
    tuning = tune(family, layers)
    if tuning.thinking_budget is not None or not may_think(tuning):
        return values
    budget = thinking_budget(None, _known_profile(model, settings))
    return (*values, Sourced("thinking_budget", budget.tokens, budget.reason))


def _known_profile(model: str, settings: Settings) -> ModelProfile | None:
    """What is known about the model, on any server."""
    name = model.removeprefix(PREFIX)
    known = [each for each in ProfileCache(settings.home).all() if each.model == name]
    return max(known, key=lambda each: each.writes_per_second is not None, default=None)


def _layers(model: str, family: ModelFamily | None, settings: Settings, origin: Mapping[str, str]) -> list[Layer]:
    """What was set for every model, then for the family, then for this one; one layer per value, for its source."""
    flat = ModelSettings(
        temperature=settings.temperature, thinking=settings.thinking, thinking_budget=settings.thinking_budget
    )
    layers = _one_by_one(flat, "", origin)
    for name in (family.name if family else "", model.removeprefix(PREFIX), PREFIX + model.removeprefix(PREFIX)):
        if name in settings.models:
            layers += _one_by_one(settings.models[name], f"models.{name}.", origin)
    return layers


def _one_by_one(given: ModelSettings, prefix: str, origin: Mapping[str, str]) -> list[Layer]:
    values = given.model_dump(exclude_none=True)
    return [
        (origin.get(f"{prefix}{name}", "settings"), ModelSettings.model_validate({name: value}))
        for name, value in values.items()
    ]


def thinking_words(family: ModelFamily | None) -> str:
    """How thinking can be switched for these models, in words."""
    if family is None:
        return "Mulligan sends nothing about sampling or thinking unless it is set."
    always = "It thinks" if family.thinks else "It does not think"
    if family.switch is None:
        return f"{always}, and no request changes that."
    if family.switch == "reasoning_effort" and family.least_effort != "none":
        return f"{always}; `thinking` sets how much, and `off` means as little as possible."
    return f"{always} unless `thinking` says otherwise."
