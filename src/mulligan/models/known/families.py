"""The model families that ship with Mulligan: what their publishers document."""

import tomllib
from functools import cache
from pathlib import Path

from mulligan.core.tuning import pick_family
from mulligan.types.tuning import ModelFamily

_FILE = Path(__file__).with_name("families.toml")


@cache
def load_families() -> tuple[ModelFamily, ...]:
    read = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(ModelFamily.model_validate({"name": name, **fields}) for name, fields in read.items())


def family_of(model: str) -> ModelFamily | None:
    return pick_family(model, load_families())
