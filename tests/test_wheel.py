"""What is shipped."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_holds_the_page_though_git_ignores_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "page"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, source)
    page = source / "src" / "mulligan" / "server" / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<!doctype html>")
    (page / "assets" / "main-1a2b.js").write_text("start()")
    subprocess.run(["git", "init", "-q"], cwd=source, check=True)

    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(built, cwd=source, check=True, capture_output=True)

    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
    assert {"mulligan/server/page/index.html", "mulligan/server/page/assets/main-1a2b.js"} <= set(names)
    assert {"mulligan/server/app.py", "mulligan/models/catalog.toml"} <= set(names)
