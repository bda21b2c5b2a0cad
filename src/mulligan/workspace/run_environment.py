"""The environment of commands in a work tree: they find its tools and import its code."""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ENVIRONMENTS = (".venv", "venv")


def run_environment(environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """For commands in `folder`, a project in a work tree. `CI` stays as it is: it changes what tests do."""
    made = dict(environ)
    tools: list[Path] = []
    python = next((folder / name for name in ENVIRONMENTS if (folder / name / "pyvenv.cfg").is_file()), None)
    if python:
        tools.append(python / "bin")
        made["VIRTUAL_ENV"] = str(python)
        made.pop("PYTHONHOME", None)
    modules = folder / "node_modules" / ".bin"
    tools += [modules] if modules.is_dir() else []
    made["PATH"] = _before(tools, environ.get("PATH") or os.defpath)
    # An editable install in an environment elsewhere would import the checkout's code.
    code = [place for place in (folder / "src", folder) if place.is_dir() and not _hides_standard_modules(place)]
    if code:
        made["PYTHONPATH"] = _before(code, environ.get("PYTHONPATH", ""))
    # Python detects stale compiled code by size and seconds: not enough for edits in quick succession.
    made["PYTHONDONTWRITEBYTECODE"] = "1"
    return made


def _before(places: Iterable[Path], rest: str) -> str:
    return os.pathsep.join([*map(str, places), *([rest] if rest else [])])


def _hides_standard_modules(folder: Path) -> bool:
    """A `queue.py` there would be imported by every Python program instead of the standard module."""
    with os.scandir(folder) as entries:
        return any(
            entry.name.removesuffix(".py") in sys.stdlib_module_names
            and (entry.name.endswith(".py") or Path(entry.path, "__init__.py").is_file())
            for entry in entries
        )
