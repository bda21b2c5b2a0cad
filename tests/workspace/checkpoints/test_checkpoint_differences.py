from mulligan.workspace.checkpoints import FileChange, changes_between, diff_text, disk_use, drop, list_refs
from tests.workspace.checkpoints.repositories import Repository


async def test_changes_tell_what_happened_to_each_file(repository: Repository) -> None:
    repository.write("edited", "1\n")
    repository.write("deleted", "1\n")
    repository.write("program", "1\n")
    repository.write("relinked", "1\n")
    before = await repository.checkpoint()
    repository.write("edited", "22\n")
    (repository.root / "deleted").unlink()
    (repository.root / "program").chmod(0o755)
    (repository.root / "relinked").unlink()
    (repository.root / "relinked").symlink_to("edited")
    repository.write("new\nfile", "333\n")
    assert await changes_between(repository.root, before) == [
        FileChange("deleted", "deleted", 2, None),
        FileChange("edited", "modified", 2, 3),
        FileChange("new\nfile", "added", None, 4),
        FileChange("program", "mode", 2, 2),
        FileChange("relinked", "link", 2, 6),
    ]
    assert list(await list_refs(repository.root)) == ["c"]


async def test_a_diff_replaces_what_is_no_text(repository: Repository) -> None:
    before = await repository.checkpoint("before")
    repository.write("a", "one\n")
    repository.write("*", b"\xff two\n")
    after = await repository.checkpoint("after")
    diff = await diff_text(repository.root, before, after)
    assert "+one" in diff
    assert "+\N{REPLACEMENT CHARACTER} two" in diff


async def test_a_dropped_checkpoint_is_gone_and_the_others_stay(repository: Repository) -> None:
    repository.write("a")
    for name in ("one", "two", "three"):
        await repository.checkpoint(name)
    assert await drop(repository.root, ["one", "three", "never"]) == ["one", "three"]
    assert list(await list_refs(repository.root)) == ["two"]


async def test_disk_use_counts_what_only_checkpoints_hold(repository: Repository) -> None:
    assert await disk_use(repository.root) == 0
    repository.commit(a="committed\n" * 1000)
    empty = await disk_use(repository.root)
    repository.write("b", bytes(range(256)) * 4000)
    await repository.checkpoint()
    assert empty == 0
    assert await disk_use(repository.root) > 1000
    await drop(repository.root, ["c"])
    assert await disk_use(repository.root) == 0
