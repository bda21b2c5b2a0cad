"""Commands without a sandbox, for tests of what else happens to them."""

from pathlib import Path

from mulligan.workspace.sandbox import Sandbox


def free(folder: Path) -> Sandbox:
    return Sandbox("none", folder, home=folder)
