"""What the rules in force at some moment ignore, found out by git in an empty work tree beside."""

import os
import subprocess
import tempfile
from collections.abc import Collection
from pathlib import Path

from bench.checkpoints.histories import init


class Rules:
    """The ignore rules of a work tree, as they stand when this is made."""

    def __init__(self, root: Path, personal: Path) -> None:
        self._exclude = _read(root / ".git" / "info" / "exclude")
        self._personal = _read(personal)
        self._folders: set[str] = set()
        self._files: dict[str, bytes] = {}
        for top, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name != ".git" and not (Path(top, name, ".git")).exists()]
            self._folders.update(os.path.relpath(Path(top, name), root) for name in folders)
            if ".gitignore" in names and not Path(top, ".gitignore").is_symlink():
                self._files[os.path.relpath(Path(top, ".gitignore"), root)] = Path(top, ".gitignore").read_bytes()

    def ignored(self, paths: Collection[str]) -> set[str]:
        if not paths or not any((self._exclude, self._personal, self._files)):
            return set()
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            init(root)
            self._lay_out(root, paths)
            (Path(folder) / "personal").write_bytes(self._personal)
            command = [
                "git",
                "-c",
                f"core.excludesFile={folder}/personal",
                "check-ignore",
                "-z",
                "--stdin",
                "--no-index",
            ]
            given = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
            ran = subprocess.run(command, cwd=root, input=given, capture_output=True, check=False)
            assert ran.returncode in {0, 1}, ran.stderr
            return {path.removeprefix("./") for path in os.fsdecode(ran.stdout).split("\0")[:-1]}

    def _lay_out(self, root: Path, paths: Collection[str]) -> None:
        (root / ".git" / "info" / "exclude").write_bytes(self._exclude)
        for path in paths:
            if path in self._folders:
                (root / path).mkdir(parents=True, exist_ok=True)
        for path, text in self._files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
