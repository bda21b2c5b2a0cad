"""Whether the SDK is installed. It is an optional extra."""

import sys
from importlib.util import find_spec

from mulligan.types.errors import ConfigurationError


def sdk_installed() -> bool:
    """Imports nothing."""
    return find_spec("mcp") is not None


def install_words() -> str:
    """The command that installs it into Mulligan's environment."""
    import shlex

    return f"{shlex.quote(sys.executable)} -m pip install 'mulligan[mcp]'"


def sdk_missing() -> ConfigurationError:
    return ConfigurationError(f"MCP needs a package that is not installed: {install_words()}")
