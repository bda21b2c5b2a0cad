"""What the rules in force at some moment ignore, found out by git in an empty work tree beside."""

import os
import subprocess
import tempfile
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from bench.checkpoints.histories import init


class Rules:
    """The ignore rules of a work tree, as they stand when this is made."""

    def __init__(self, root: Path, personal: Path) -> None:
        self._exclude = _read(root / ".git" / "info" / "exclude")
        self._personal = _read(personal)
        self._files: dict[str, bytes] = {}
        for top, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name != ".git" and not (Path(top, name, ".git")).exists()]
            if ".gitignore" in names and not Path(top, ".gitignore").is_symlink():
                self._files[os.path.relpath(Path(top, ".gitignore"), root)] = Path(top, ".gitignore").read_bytes()

    def ignored(self, paths: Collection[str], folders: Collection[str] = ()) -> set[str]:
        """Those of the paths, some of which are folders, that the rules cover."""
        if not paths or not any((self._exclude, self._personal, self._files)):
            return set()
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            init(root)
            self._lay_out(root, folders)
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

    def _lay_out(self, root: Path, folders: Collection[str]) -> None:
        (root / ".git" / "info" / "exclude").write_bytes(self._exclude)
        for path, text in self._files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text)
        for path in folders:
            with suppress(FileExistsError, NotADirectoryError):  # a rule file stood where a folder stands
                (root / path).mkdir(parents=True)


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
