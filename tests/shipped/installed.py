"""What is shipped, as it is installed: a wheel with the page in it, in an environment with nothing else."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

SECONDS = 900
"""For the drill, which has a bound of its own in `bench`. Here it must only end."""


@dataclass(frozen=True)
class Installed:
    wheel: Path
    programs: Path
    folder: Path
    """To be in, away from the source."""

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the environment that the tests run in."""
        away = {"VIRTUAL_ENV", "PYTHONPATH"}
        kept = {name: value for name, value in os.environ.items() if name not in away and "MULLIGAN" not in name}
        paths = [str(self.programs), *(path for path in kept["PATH"].split(":") if ".venv" not in path)]
        return {**kept, "PATH": ":".join(paths), "HOME": str(self.folder), "MULLIGAN_DOWNLOADS": "no"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["mulligan", *arguments],
            check=False, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
