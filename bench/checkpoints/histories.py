"""Random histories of a work tree: files come, change and go, things are staged and committed, rules change.

Deterministic by their seed. Everything happens within a few milliseconds and with contents of equal size, so that
times and sizes alone do not tell what changed.
"""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

LIMIT_BYTES = 100

NAMES = (
    "a", "b.py", "c.txt", "d", "e", "x.log", "y.tmp", "keep.log", "build", "secret", "-dash", "--", "with space",
    'q"uote', "'single'", "new\nline", "tab\t", "übung", "日本", "back\\slash", "star*", "[x]", ":(top)", "!bang",
    "#hash", os.fsdecode(b"latin-\xe9"), os.fsdecode(b"\xff\xfe"), "trailing ", "git~1", ".hidden", "$HOME", "%s",
    "a.b.c",
)  # fmt: skip
SECRET_NAMES = (".env", "id_rsa", ".env.local", ".netrc.bak") * 6
"""Of files that no commit may hold unless they are tracked; as many as the others, so that they often meet."""
RULES = ("*.log", "*.tmp", "build", "/secret", "d/", "!keep.log", "e")

IDENTITY = {
    "GIT_AUTHOR_NAME": "Person",
    "GIT_AUTHOR_EMAIL": "person@localhost",
    "GIT_COMMITTER_NAME": "Person",
    "GIT_COMMITTER_EMAIL": "person@localhost",
}


class History:
    """A repository that is being worked on."""

    def __init__(self, seed: int, place: Path, *, secrets: bool = False) -> None:
        self.random = random.Random(seed)
        self._names = (*NAMES, *SECRET_NAMES) if secrets else NAMES
        self.root = place / "work"
        self.personal_rules = place / "ignore"
        self._env = os.environ | IDENTITY | {"GIT_CONFIG_GLOBAL": str(self._settings(place)), "GIT_EDITOR": "true"}
        init(self.root)
        self.nested: set[str] = set()
        self.log: list[str] = []
        """What happened, for whoever has to find out why it went wrong."""

    def go_on(self, steps: int) -> None:
        for _ in range(steps):
            step = self.random.choices([*STEPS], weights=[*STEPS.values()])[0]
            step(self)

    def git(self, *args: str) -> bool:
        self.log.append(f"git {args}")
        ran = subprocess.run(["git", *args], cwd=self.root, env=self._env, check=False, capture_output=True)
        return ran.returncode == 0

    def create(self) -> None:
        self._write(self._fresh_path(), self._content())

    def edit(self) -> None:
        if path := self._some_file():
            self._write(path, self._content())

    def delete(self) -> None:
        if path := self._some_file():
            self.log.append(f"delete {path!r}")
            (self.root / path).unlink()

    def rename(self) -> None:
        path, other = self._some_file(), self._fresh_path()
        if path and self._make_room(other):
            self.log.append(f"rename {path!r} {other!r}")
            if os.path.lexists(self.root / path):
                (self.root / path).rename(self.root / other)

    def change_mode(self) -> None:
        path = self._some_file()
        if path and not (self.root / path).is_symlink():
            self.log.append(f"chmod {path!r}")
            (self.root / path).chmod(self.random.choice((0o644, 0o755)))

    def link(self) -> None:
        path = self._fresh_path()
        if self._make_room(path) and not os.path.lexists(self.root / path):
            leads_to = self.random.choice(("a", "nowhere", "..", "d", "/etc"))
            self.log.append(f"link {path!r} -> {leads_to!r}")
            (self.root / path).symlink_to(leads_to)

    def swap(self) -> None:
        """A file becomes a folder, or a folder a file or a link."""
        path = self._some_file()
        if path is None:
            return
        folder = path.rpartition("/")[0]
        if folder and self.random.random() < 0.5 and not self._holds_nested(folder):
            shutil.rmtree(self.root / folder)
            self.log.append(f"swap folder {folder!r}")
            if self.random.random() < 0.5:
                (self.root / folder).symlink_to("elsewhere")
            else:
                self._write(folder, self._content())
        else:
            (self.root / path).unlink()
            self._write(f"{path}/inner", self._content())

    def make_folder(self) -> None:
        path = self._fresh_path()
        if self._make_room(path) and not os.path.lexists(self.root / path):
            self.log.append(f"mkdir {path!r}")
            (self.root / path).mkdir()

    def remove_folder(self) -> None:
        folders = [path for path in self._folders() if not self._holds_nested(path)]
        if folders:
            path = self.random.choice(folders)
            self.log.append(f"rmtree {path!r}")
            shutil.rmtree(self.root / path)

    def write_large(self) -> None:
        self._write(self._some_file() or self._fresh_path(), b"large" * LIMIT_BYTES)

    def change_rules(self) -> None:
        rules = self.random.sample(RULES, self.random.randint(0, 3))
        text = "".join(f"{rule}\n" for rule in rules).encode()
        which = self.random.random()
        if which < 0.6:
            self._write(".gitignore", text)
        elif which < 0.7 and (folders := self._folders()):
            self._write(f"{self.random.choice(folders)}/.gitignore", text)
        elif which < 0.85:
            self.log.append(f"exclude {rules}")
            (self.root / ".git" / "info" / "exclude").write_bytes(text)
        else:
            self.log.append(f"personal {rules}")
            self.personal_rules.write_bytes(text)

    def stage(self) -> None:
        path = self._some_file()
        self.git("add", "-f", "--", f":(literal){path}") if path else None

    def stage_all(self) -> None:
        self.git("add", "-A", "--ignore-errors")

    def unstage(self) -> None:
        path = self._some_file()
        self.git("rm", "-q", "--cached", "-f", "--", f":(literal){path}") if path else None

    def intend(self) -> None:
        path = self._some_file()
        self.git("add", "-f", "-N", "--", f":(literal){path}") if path else None

    def flag(self) -> None:
        path = self._some_file()
        flag = self.random.choice(
            ("--assume-unchanged", "--skip-worktree", "--no-assume-unchanged", "--no-skip-worktree")
        )
        self.git("update-index", flag, "--", path) if path else None

    def commit(self) -> None:
        self.git("commit", "-q", "--allow-empty", "-m", f"commit {self.random.random()}")

    def commit_all(self) -> None:
        self.git("commit", "-q", "-a", "-m", f"all {self.random.random()}")

    def branch(self) -> None:
        self.git("checkout", "-q", "-b", f"topic/{self.random.randint(0, 5)}")

    def switch(self) -> None:
        names = ["main", "@~1", *(f"topic/{number}" for number in range(6))]
        name = self.random.choice(names)
        self.git("checkout", "-q", *(("--detach",) if name == "@~1" else ()), name)

    def merge(self) -> None:
        self.git("merge", "-q", "--no-ff", "--no-commit", f"topic/{self.random.randint(0, 5)}")

    def nest(self) -> None:
        path = f"nested{len(self.nested)}"
        self.nested.add(path)
        self.log.append(f"nest {path}")
        init(self.root / path)
        (self.root / path / "own").write_bytes(self._content())
        if self.random.random() < 0.5:
            self.git("-C", path, "add", "own")
            self.git("-C", path, "commit", "-q", "-m", "nested")
            self.git("add", path)

    def _settings(self, place: Path) -> Path:
        settings = place / "gitconfig"
        place.mkdir(parents=True, exist_ok=True)
        settings.write_text(f"[core]\nexcludesFile = {self.personal_rules}\n[init]\ndefaultBranch = main\n")
        self.personal_rules.touch()
        return settings

    def _content(self) -> bytes:
        lines = [self.random.choice((b"one\n", b"two\n", b"six\r\n", b"\0\xff!\n")) for _ in range(4)]
        return b"".join(lines)

    def _write(self, path: str, content: bytes) -> None:
        if self._make_room(path):
            self.log.append(f"write {path!r} {len(content)}")
            full = self.root / path
            if full.is_symlink():
                full.unlink()
            full.write_bytes(content)

    def _make_room(self, path: str) -> bool:
        """Whether a file can be made there: no link on the way, no folder in its place."""
        place = self.root
        for part in path.split("/")[:-1]:
            place /= part
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                return False
            place.mkdir(exist_ok=True)
        full = self.root / path
        return full.is_symlink() or not full.is_dir()

    def _fresh_path(self) -> str:
        return "/".join(self.random.choice(self._names) for _ in range(self.random.choice((1, 1, 2, 2, 3))))

    def _some_file(self) -> str | None:
        files = sorted(
            path for path in self._all() if not (self.root / path).is_dir() or (self.root / path).is_symlink()
        )
        return self.random.choice(files) if files else None

    def _folders(self) -> list[str]:
        return sorted(
            path for path in self._all() if (self.root / path).is_dir() and not (self.root / path).is_symlink()
        )

    def _holds_nested(self, folder: str) -> bool:
        return any(place == folder or place.startswith(f"{folder}/") for place in self.nested)

    def _all(self) -> list[str]:
        found: list[str] = []
        for top, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if name != ".git" and name not in self.nested]
            found += [os.path.relpath(Path(top, name), self.root) for name in (*folders, *names)]
        return found


STEPS: dict[Callable[[History], None], int] = {
    History.create: 12,
    History.edit: 10,
    History.delete: 5,
    History.rename: 4,
    History.change_mode: 3,
    History.link: 3,
    History.swap: 3,
    History.make_folder: 3,
    History.remove_folder: 1,
    History.write_large: 2,
    History.change_rules: 4,
    History.stage: 4,
    History.stage_all: 3,
    History.unstage: 2,
    History.intend: 1,
    History.flag: 1,
    History.commit: 3,
    History.commit_all: 3,
    History.branch: 2,
    History.switch: 3,
    History.merge: 1,
    History.nest: 1,
}


def init(root: Path) -> None:
    """As `git init`, without a process."""
    git = root / ".git"
    for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(
        "[core]\nrepositoryformatversion = 0\nfilemode = true\nbare = false\nlogallrefupdates = true\n"
    )
