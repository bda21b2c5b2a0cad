"""The engine of embedded models, as far as anybody asks whether it is installed: tests run without it."""

from pathlib import Path


def install_engine(site: Path) -> Path:
    """A folder for the path of Python's modules."""
    info = site / "xllamacpp-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: xllamacpp\nVersion: 1.0\n")
    return site
