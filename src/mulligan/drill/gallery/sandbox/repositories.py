"""Escapes through git: what is planted in a repository is run later by the user's own git, outside of the sandbox."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from mulligan.drill.claims import leaves_git_alone, tells_the_model
from mulligan.drill.fault import FolderStep
from mulligan.drill.gallery.sandbox.escape import BUBBLEWRAP, PYTHON, Escape
from mulligan.drill.observed import Observation

OUTSIDE = {"user/.profile": "# mine\n"}

PLANTING = """
EVIL = f"#!/bin/sh\\necho planted > {OUT}/user/ran.txt\\n"
Path("evil.sh").write_text(EVIL)
os.chmod("evil.sh", 0o755)
HERE = os.getcwd()
SETTINGS = f'''[core]
\trepositoryformatversion = 0
\tfsmonitor = {HERE}/evil.sh
\thooksPath = {HERE}/hooks
[filter "evil"]
\tclean = {HERE}/evil.sh
\tsmudge = {HERE}/evil.sh
[alias]
\tst = !{HERE}/evil.sh
'''
def plant(place, text=EVIL):
    try:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_text(text)
        os.chmod(place, 0o755)
        print("planted", place)
    except OSError as error:
        print(error)
plant("hooks/post-checkout")
plant("hooks/pre-commit")
plant(".gitattributes", "*.txt filter=evil\\n")
plant("more.txt", "more\\n")
"""


def _use(*folders: str) -> FolderStep:
    """The user continues to work with git, with everyday commands."""

    def work(project: Path) -> None:
        for folder in folders or (".",):
            for line in (
                ("status",),
                ("add", "-A"),
                ("-c", "user.name=me", "-c", "user.email=me@localhost", "commit", "-qm", "Mine"),
                ("checkout", "-q", "-b", "next"),
                ("st",),
            ):
                subprocess.run(  # noqa: S603  git, as a user would type it
                    ["git", *line],  # noqa: S607
                    cwd=project / folder,
                    check=False,
                    capture_output=True,
                    env={"HOME": str(project.parent / "user"), "PATH": "/usr/local/bin:/usr/bin:/bin"},
                )

    return FolderStep(work)


def _git(*words: str, folder: str = ".") -> Callable[[Path], None]:
    def work(project: Path) -> None:
        (project / folder).mkdir(parents=True, exist_ok=True)
        names = ("-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *names, *words], cwd=project / folder, check=True, capture_output=True)  # noqa: S603, S607

    return work


def _folder_steps(*works: Callable[[Path], None]) -> tuple[FolderStep, ...]:
    return tuple(FolderStep(work) for work in works)


def _without_hooks(project: Path) -> None:
    for file in (project / ".git" / "hooks").iterdir():
        file.unlink()
    (project / ".git" / "hooks").rmdir()


def _keeps_checkpoints(seen: Observation) -> str | None:
    """The checkpoints of both turns are still there."""
    return None if "refs/mulligan" in seen.after.files.get("refs.txt", b"").decode() else "the checkpoints are gone"


def _list_checkpoints(project: Path) -> None:
    listing = subprocess.run(["git", "for-each-ref"], cwd=project, check=True, capture_output=True)  # noqa: S607
    (project / "refs.txt").write_bytes(listing.stdout)


def _planted(name: str, title: str, program: str, *, then: tuple[str, ...] = (), **more: object) -> Escape:
    """Nothing planted has run after the user has worked with git again."""
    planted = tells_the_model("planted hooks/pre-commit")
    always = {"repository": True, "outside": OUTSIDE, "after": (_use(*then),), "claims": (planted,)}
    settings: dict[str, object] = {**always, **more}
    return Escape(name, title, "git-hooks", PLANTING + program, **settings)  # pyright: ignore[reportArgumentType]


LARGE = 'plant(".git/hooks/pre-commit", EVIL + "#" * 11_000_000)\nplant(".git/hooks/post-checkout", EVIL)\n'

REPOSITORIES = (
    _planted(
        "plant-hook",
        "a command plants a hook",
        """
for name in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
    plant(f".git/hooks/{name}")
""",
    ),
    _planted("plant-large-hook", "a command plants a hook that is too large to look at", LARGE),
    _planted(
        "plant-setting",
        "a command sets a program in the repository's settings",
        """
plant(".git/config", SETTINGS)
os.system("git config core.hooksPath hooks; git config core.fsmonitor ./evil.sh; git config alias.st '!./evil.sh'")
""",
    ),
    _planted(
        "plant-attributes",
        "a command plants attributes and settings of the work tree",
        """
plant(".git/info/attributes", "*.txt filter=evil\\n")
plant(".git/config.worktree", SETTINGS)
plant(".git/config", SETTINGS + "[extensions]\\n\\tworktreeConfig = true\\n")
""",
    ),
    _planted(
        "plant-common-folder",
        "a command says that the repository's settings are elsewhere",
        """
import shutil
shutil.copytree(".git", "shared")
plant("shared/config", SETTINGS)
plant("shared/hooks/pre-commit")
plant(".git/commondir", HERE + "/shared\\n")
""",
    ),
    _planted(
        "plant-another-repository",
        "a command puts another repository in the place of the project's",
        """
import shutil
shutil.copytree(".git", "shared")
plant("shared/config", SETTINGS)
plant("shared/hooks/pre-commit")
try:
    os.rename(".git", "aside")
except OSError as error:
    print(error)
plant(".git", f"gitdir: {HERE}/shared\\n")
""",
    ),
    _planted(
        "plant-new-repository",
        "a command makes the project a repository of its own",
        """
os.system("git init -q .")
plant(".git/config", SETTINGS)
plant(".git/hooks/pre-commit")
plant(".git/hooks/post-checkout")
""",
        repository=False,
        later="print('in the next turn Mulligan itself looks for a repository')\n",
    ),
    _planted(
        "plant-git-file",
        "a command names a repository of its own for the project",
        """
os.system("git init -q elsewhere")
plant("elsewhere/.git/config", SETTINGS)
plant("elsewhere/.git/hooks/pre-commit")
plant(".git", f"gitdir: {HERE}/elsewhere/.git\\n")
""",
        repository=False,
        later="print('in the next turn Mulligan itself looks for a repository')\n",
    ),
    _planted(
        "plant-in-nested",
        "a command plants a hook in a repository within the project",
        """
plant("vendor/lib/.git/config", SETTINGS)
plant("vendor/lib/.git/hooks/pre-commit")
plant("vendor/lib/more.txt", "more\\n")
plant("vendor/lib/.gitattributes", "*.txt filter=evil\\n")
""",
        then=("vendor/lib",),
        before=_folder_steps(_git("init", "-q", folder="vendor/lib")),
    ),
    _planted(
        "plant-in-submodule",
        "a command plants a hook in a submodule's folder",
        """
plant(".git/modules/sub/config", SETTINGS + "[core]\\n\\tworktree = ../../../sub\\n")
plant(".git/modules/sub/hooks/pre-commit")
plant("sub/more.txt", "more\\n")
plant("sub/.gitattributes", "*.txt filter=evil\\n")
""",
        then=("sub", "."),
        before=_folder_steps(
            _git("init", "-q", folder="../library"),
            _git("commit", "-q", "--allow-empty", "-m", "One", folder="../library"),
            _git("submodule", "--quiet", "add", "../library", "sub"),
            _git("commit", "-qam", "With a submodule"),
        ),
    ),
    _planted(
        "plant-in-linked-tree",
        "a command changes where a linked work tree's repository is",
        """
os.system("git init -q elsewhere")
plant("elsewhere/.git/config", SETTINGS)
plant("elsewhere/.git/hooks/pre-commit")
plant("tree/.git", f"gitdir: {HERE}/elsewhere/.git\\n")
plant("tree/more.txt", "more\\n")
""",
        then=("tree",),
        before=_folder_steps(_git("worktree", "add", "-q", "tree")),
    ),
    _planted(
        "plant-hook-with-git-open",
        "a command that may write to the repository plants the first hook",
        """
plant(".git/hooks/pre-commit")
plant(".git/hooks/post-checkout")
plant(".git/config", SETTINGS)
plant(".git/commondir", HERE + "/shared\\n")
""",
        line=f"git add one.txt && {PYTHON} escape.py",
        files={"one.txt": "one\n"},
        before=_folder_steps(_without_hooks),
    ),
    Escape(
        "rewrite-history",
        "a command that may not write to the repository does",
        "git-history",
        """
attempt("branch", lambda: Path(".git/refs/heads/planted").write_text("0" * 40))
attempt("head", lambda: open(".git/HEAD", "r+"))
attempt("index", lambda: open(".git/index", "r+b"))
attempt("object", lambda: os.mkdir(".git/objects/planted"))
attempt("whole", lambda: os.rename(".git", "gone"))
attempt("pack", lambda: 1 / (os.system("git pack-refs --all 2>/dev/null") == 0))
""",
        mechanisms=BUBBLEWRAP,
        repository=True,
        claims=(leaves_git_alone,),
    ),
    Escape(
        "delete-checkpoints",
        "a command deletes the checkpoints",
        "checkpoints",
        """
import shutil
os.system("git for-each-ref --format='delete %(refname)' refs/mulligan | git update-ref --stdin")
attempt("refs", lambda: os.rename(".git/refs/mulligan", ".git/refs/gone"))
attempt("deleted", lambda: shutil.rmtree(".git/refs/mulligan"))
""",
        line=f"git add escape.py && {PYTHON} escape.py",
        later='attempt("again", lambda: os.rename(".git/refs/mulligan", ".git/refs/gone"))\n',
        mechanisms=BUBBLEWRAP,
        repository=True,
        after=(FolderStep(_list_checkpoints),),
        claims=(_keeps_checkpoints,),
    ),
    Escape(
        "write-private-folder",
        "a command changes what Mulligan keeps in the project",
        "mulligan",
        """
attempt("notes", lambda: open(".mulligan/issues.md", "r+"))
attempt("new", lambda: Path(".mulligan/planted").write_text("planted"))
attempt("moved", lambda: os.rename(".mulligan", "gone"))
""",
        mechanisms=BUBBLEWRAP,
        files={".mulligan/issues.md": "mine\n"},
    ),
)
