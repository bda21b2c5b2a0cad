"""Tables that ship with the package."""

import json
import tomllib
from importlib.resources import files
from typing import Any


def packaged_toml(package: str, name: str) -> dict[str, Any]:
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))


def packaged_json(package: str, name: str) -> dict[str, Any]:
    return json.loads(files(package).joinpath(name).read_text("utf-8"))
