"""Whether the SDK is installed. It is an extra, so it may not be."""

import sys
from importlib.util import find_spec

from mulligan.types.errors import ConfigurationError


def sdk_installed() -> bool:
    """Nothing is loaded for this."""
    return find_spec("mcp") is not None


def install_words() -> str:
    """What a person types to get it, into the environment that Mulligan runs in."""
    import shlex

    return f"{shlex.quote(sys.executable)} -m pip install 'mulligan[mcp]'"


def sdk_missing() -> ConfigurationError:
    return ConfigurationError(f"MCP needs a package that is not installed: {install_words()}")
