"""Looking for words in all files of an index at once."""

from tests.codecontext.conftest import Project


async def test_every_file_with_code_is_told_with_what_holds_one_of_the_words(project: Project) -> None:
    project.write(
        {
            "scale.py": '"""Weighs."""\n\n\ndef weigh(parcel):\n    """Of a ParcelBox."""\n    return parcel\n',
            "desk.py": "from scale import weigh\n\n\ndef take_in(box):\n    return weigh(box)\n",
            "README.md": "About a parcel.\n",
        }
    )
    desk, scale = await project.index().code_files(["parcel"])
    assert (desk.path, desk.lines, desk.symbols, dict(desk.names)) == ("desk.py", 5, (), {})
    assert dict(desk.uses) == {"scale.py": 1.0}
    assert (scale.doc, [each.name for each in scale.symbols], dict(scale.names)) == (
        "Weighs.",
        ["weigh"],
        {"parcel": 2},
    )


async def test_words_with_signs_of_patterns_are_looked_for_as_they_are(project: Project) -> None:
    project.write({"a.py": "def total():\n    pass\n"})
    (file,) = await project.index().code_files(["to.al", "tot%", "("])
    assert (file.path, file.symbols, dict(file.names)) == ("a.py", (), {})
