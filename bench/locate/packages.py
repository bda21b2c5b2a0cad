"""Real packages with their own tests, as their authors published them."""

import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.harness import tell
from bench.results import BenchFailed

COMMAND = "python3 -m pytest -q -p no:cacheprovider -o addopts="
"""Without what a package adds, such as plugins for coverage that are not installed here."""


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str
    half: str
    """`tuned`: what the evidence counts was chosen on bugs in it. `held out`: nobody looked at it before."""

    def unpacked(self, root: Path) -> Path:
        """Its folder below `root`, fetched there first if it is missing."""
        folder = root / f"{self.name}-{self.version}"
        if not folder.is_dir():
            archive = next(self._archives(root), None) or self._fetched(root)
            tell(f"unpacking {archive.name}")
            with tarfile.open(archive) as packed:
                inner = packed.getnames()[0].partition("/")[0]
                packed.extractall(root / "unpacking", filter="data")
            (root / "unpacking" / inner).rename(folder)
        return folder

    def _archives(self, root: Path) -> Iterator[Path]:
        for stem in {self.name, self.name.replace("-", "_")}:
            yield from root.glob(f"{stem}-{self.version}.tar.gz")

    def _fetched(self, root: Path) -> Path:
        root.mkdir(parents=True, exist_ok=True)
        words = ["download", "-q", "--no-binary", ":all:", "--no-deps", "-d", root, f"{self.name}=={self.version}"]
        done = subprocess.run([sys.executable, "-m", "pip", *words], env=os.environ, check=False)
        archive = next(self._archives(root), None)
        if archive is None:
            raise BenchFailed(f"pip could not fetch {self.name} {self.version} (exit code {done.returncode})")
        return archive


PACKAGES = (
    Package("boltons", "26.2.0", "tuned"),
    Package("cachetools", "8.0.0", "tuned"),
    Package("isodate", "0.7.2", "tuned"),
    Package("schema", "0.7.8", "tuned"),
    Package("ordered-set", "4.1.0", "held out"),
    Package("parse", "1.22.4", "held out"),
    Package("pathspec", "1.1.1", "held out"),
    Package("semver", "3.1.1", "held out"),
    Package("toolz", "1.2.0", "held out"),
    Package("voluptuous", "0.16.0", "held out"),
    Package("webcolors", "25.10.0", "held out"),
    Package("xmltodict", "1.0.4", "held out"),
)
