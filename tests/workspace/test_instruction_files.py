"""Where instructions are looked for, and what is not read."""

from pathlib import Path

import pytest

from mulligan.core.secrets import BY_LOOKS
from mulligan.types.instructions import InstructionFile
from mulligan.workspace.files.instruction_files import InstructionFiles


@pytest.fixture
def source(tmp_path: Path) -> InstructionFiles:
    for folder in ("project/api/cart", "project/web", "project/node_modules/left-pad", "home"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "AGENTS.md").write_text(f"of {folder}\n")
    (tmp_path / "project" / "AGENTS.md").write_text("of project\n")
    (tmp_path / "project" / "api" / "MULLIGAN.md").write_text("of api\n")
    return InstructionFiles(tmp_path / "project", tmp_path / "home", BY_LOOKS)


def told(files: tuple[InstructionFile, ...]) -> list[str]:
    return [file.text for file in files]


async def test_the_projects_own_come_before_the_persons(source: InstructionFiles) -> None:
    files = await source.at_top()
    assert told(files) == ["of project", "of home"]
    assert [file.personal for file in files] == [False, True]


async def test_those_of_a_files_folders_are_found_from_the_nearest_on(source: InstructionFiles) -> None:
    found = await source.on_the_way_to(["./api/cart/new.py"])
    assert [(file.path, file.text) for file in found] == [
        ("api/cart/AGENTS.md", "of project/api/cart"),
        ("api/MULLIGAN.md", "of api"),
    ]
    assert await source.on_the_way_to(["main.py", "../outside.py", "/etc/passwd"]) == ()


async def test_packages_from_elsewhere_have_no_say(source: InstructionFiles) -> None:
    assert await source.on_the_way_to(["node_modules/left-pad/index.js"]) == ()


async def test_secrets_are_masked_and_what_is_no_text_is_told(source: InstructionFiles, tmp_path: Path) -> None:
    (tmp_path / "project" / "AGENTS.md").write_text("Use the key ghp_abcdefghijklmnopqrstuvwxyz0123456789 to push.\n")
    (tmp_path / "project" / "MULLIGAN.md").write_bytes(b"\0\1\2")
    (tmp_path / "home" / "AGENTS.md").write_bytes("Grüße".encode("cp1252"))
    binary, masked, personal = await source.at_top()
    assert "binary file" in binary.problem
    assert "abcdefghijklmnop" not in masked.text
    assert personal.text == "Grüße"


async def test_a_huge_file_is_read_in_part(source: InstructionFiles, tmp_path: Path) -> None:
    (tmp_path / "project" / "AGENTS.md").write_text("rule\n" * 1_000_000)
    (tmp_path / "home" / "AGENTS.md").write_text("rule\n" * 1_000_000)
    project, personal = await source.at_top()
    assert 0 < len(project.text) < 100_000
    assert "larger than 1 MB" in personal.problem
