"""Whether somebody wrote into a person's checkout."""

import os
import subprocess
from pathlib import Path

import pytest

from mulligan.workspace.checkout_watch import differences, snapshot_checkout
from mulligan.workspace.git import NoRepository


def shell(folder: Path, command: str) -> None:
    identity = {f"GIT_{who}_{what}": "p@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["sh", "-c", command], cwd=folder, check=True, capture_output=True, env=os.environ | identity)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    (folder / "src").mkdir(parents=True)
    for name in ("a.py", "b.py", "src/c.py"):
        (folder / name).write_text("one\n")
    (folder / ".gitignore").write_text("*.log\n")
    shell(folder, "git init -q -b main && git add -A && git commit -qm first")
    (folder / "b.py").write_text("mine\n")
    (folder / "new").mkdir()
    (folder / "new" / "d.py").write_text("mine\n")
    return folder


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        pytest.param("true", (), id="nothing"),
        pytest.param("echo two >> a.py", ("a.py",), id="a clean file is edited"),
        pytest.param("echo more >> b.py", ("b.py",), id="a changed file is edited"),
        pytest.param("echo more >> new/d.py", ("new/d.py",), id="an untracked file is edited"),
        pytest.param("rm src/c.py", ("src/c.py",), id="a file is deleted"),
        pytest.param("echo x > 'new/ü e.py'", ("new/ü e.py",), id="a file is made"),
        pytest.param("git add b.py", ("b.py",), id="something is staged"),
        pytest.param("git branch other", ("refs/heads/other",), id="a branch"),
        pytest.param("git reset -q --hard", ("b.py",), id="work is thrown away"),
        pytest.param("git switch -q --detach", (), id="HEAD is where it was"),
        pytest.param("git stash -q", ("b.py", "refs/stash"), id="work is stashed"),
        pytest.param("git update-ref refs/mulligan/x HEAD", (), id="a ref of ours"),
        pytest.param("echo x > x.log", (), id="ignored files are not seen"),
    ],
)
async def test_what_changed_is_named(checkout: Path, command: str, seen: tuple[str, ...]) -> None:
    before = await snapshot_checkout(checkout)
    shell(checkout, command)
    assert differences(before, await snapshot_checkout(checkout)) == seen


async def test_a_folder_of_the_checkout_shows_all_of_it(checkout: Path) -> None:
    before = await snapshot_checkout(checkout / "src")
    shell(checkout, "echo two >> a.py")
    assert differences(before, await snapshot_checkout(checkout / "src")) == ("a.py",)


async def test_a_repository_without_a_commit_is_looked_at(tmp_path: Path) -> None:
    shell(tmp_path, "git init -q")
    before = await snapshot_checkout(tmp_path)
    shell(tmp_path, "echo x > a.py")
    assert differences(before, await snapshot_checkout(tmp_path)) == ("a.py",)


async def test_the_persons_index_is_not_written(checkout: Path) -> None:
    os.utime(checkout / "a.py", ns=(1, 1))  # git would refresh its index
    index = (checkout / ".git" / "index").read_bytes()
    await snapshot_checkout(checkout)
    assert (checkout / ".git" / "index").read_bytes() == index


async def test_without_a_repository_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoRepository):
        await snapshot_checkout(tmp_path)
