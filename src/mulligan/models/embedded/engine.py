"""Whether the engine for embedded models is installed. It is an optional extra."""

import sys

from mulligan.types.errors import ConfigurationError

PACKAGE = "xllamacpp"


def engine_version() -> str | None:
    """The version of xllamacpp, without importing it; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # 20 ms, and rarely needed

    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return None


def install_command(*, offline: bool = False) -> str:
    """The command that installs it into Mulligan's environment. Offline, from a folder of wheels."""
    import shlex
    from importlib.util import find_spec

    python, source = shlex.quote(sys.executable), "--no-index --find-links WHEELS " if offline else ""
    # Environments made by uv have no pip.
    install = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    return f"{install} {source}{shlex.quote(_requirement())}"


def engine_missing() -> ConfigurationError:
    return ConfigurationError(
        f"the embedded model needs {PACKAGE}, which is not installed: {install_command()} (`make embedded` in a clone)"
    )


def _requirement() -> str:
    """With the version that this Mulligan requires, from its own metadata."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        named = requires("mulligan") or []
    except PackageNotFoundError:
        named = []
    return next((each.partition(";")[0].strip() for each in named if each.startswith(PACKAGE)), PACKAGE)
