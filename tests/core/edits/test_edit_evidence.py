"""Old text with mistakes in it: placed where the evidence is, refused where it might mean something else."""

import pytest

from mulligan.core.edits import EditRefused, apply_edit, apply_edits, were_applied
from mulligan.types.edits import RefusalReason, TextEdit

DISKS = """def mount_disk(path, options):
    target = resolve(path)
    if target in mounted:
        raise AlreadyMounted(target)
    mount(target, options)
    mounted.add(target)
    return target


def check_disk(path):
    report = fsck(path)
    log.info("checked %s", path)
    return report.errors
"""
SIBLING = """

def attach_queue(name, settings):
    target = lookup(name)
    if target in attached:
        raise AlreadyAttached(target)
    attach(target, settings)
    attached.add(target)
    return target
"""
MOUNT = """    if target in mounted:
        raise AlreadyMounted(target)
    mount(target, options)
    mounted.add(target)
"""
MOUNT_NEW = MOUNT.replace("options)", "options, retries=2)")
MOUNTED = DISKS.replace("mount(target, options)", "mount(target, options, retries=2)")
NOTES = """# Setup

```sh
make setup
```

Then run `make check`.

```sh
make check
```
"""


def misspelt(text: str, *pairs: tuple[str, str]) -> str:
    for right, wrong in pairs:
        assert right in text
        text = text.replace(right, wrong, 1)
    return text


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param([("raise", "rise")], id="one letter left out"),
        pytest.param([("mount(", "mout(")], id="one letter in the line that changes"),
        pytest.param([("AlreadyMounted", "AlreadyMxunted")], id="one letter in a long name"),
        pytest.param([("raise", "raiqse"), ("options", "optoins"), ("add", "adq")], id="three letters"),
        pytest.param([("target)\n    mount(", "target\n    mount(")], id="a bracket left out"),
        pytest.param([("mounted.add(", "mounted.add((")], id="a bracket too many"),
        pytest.param([("raise", "RAISE")], id="other capitals"),
        pytest.param([("    mount(", "    verify(target, deep=True)\n    mount(")], id="a line made up"),
        pytest.param([("    if target in mounted:\n", "    if (\n        target in mounted\n    ):\n")], id="reflowed"),
    ],
)
def test_mistakes_of_the_old_text_do_not_get_into_the_file(pairs: list[tuple[str, str]]) -> None:
    content = DISKS.replace("if target in mounted", "if (target in mounted)") if "(\n" in pairs[0][1] else DISKS
    expected = content.replace("mount(target, options)", "mount(target, options, retries=2)")
    for around in ("", SIBLING):
        assert apply_edit(content + around, misspelt(MOUNT, *pairs), misspelt(MOUNT_NEW, *pairs)) == expected + around


def test_two_wrong_letters_and_a_deeper_indent_are_one_place() -> None:
    pairs = ("raise", "riase"), ("mounted:", "muonted:")
    old, new = (f"        {text}".replace("\n", "\n        ").rstrip(" ") for text in (MOUNT, MOUNT_NEW))
    assert apply_edit(DISKS, misspelt(old, *pairs), misspelt(new, *pairs)) == MOUNTED


def test_a_word_misspelt_in_old_and_new_is_right_in_lines_that_are_added() -> None:
    old = '    log.info("checked %s", path)\n    return repotr.errors\n'
    new = '    log.info("checked %s", path)\n    if repotr.errors:\n        alarm()\n    return repotr.errors\n'
    expected = DISKS.replace(
        "    return report.errors\n", "    if report.errors:\n        alarm()\n    return report.errors\n"
    )
    assert apply_edit(DISKS, old, new) == expected


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        pytest.param("n = i+1\nm = 2\n", "i + 1", "i + 2", "n = i+2\nm = 2\n", id="a short part, spaced otherwise"),
        pytest.param(
            DISKS, "fsck(pahth)", "fsck(path, deep)", DISKS.replace("fsck(path)", "fsck(path, deep)"), id="part"
        ),
        pytest.param(DISKS, "heck_disk", "check_all", DISKS.replace("check_disk", "check_all"), id="first letter lost"),
        pytest.param(
            "def a(x):\n    go(x)\n    stop()\n\n\ndef a(x):\n    run(x)\n    return 1\n",
            "def a(x):\n    ...\n    return 1\n",
            "def a(x):\n    ...\n    return 2\n",
            "def a(x):\n    go(x)\n    stop()\n\n\ndef a(x):\n    run(x)\n    return 2\n",
            id="a head that stands twice",
        ),
        pytest.param(
            DISKS,
            "def check_disk(path):\n    ...\n    return report.errors\n",
            "def check_disk(path):\n    report = scan(path)\n    return report.errors\n",
            DISKS.replace('    report = fsck(path)\n    log.info("checked %s", path)\n', "    report = scan(path)\n"),
            id="elided lines replaced",
        ),
        pytest.param(
            NOTES,
            "```\nThen run `make check`.\n\n```sh\nmake check\n```\n```",
            "```\nThen run `make test`.\n\n```sh\nmake test\n```\n```",
            NOTES.replace("make check", "make test"),
            id="a fence around fences",
        ),
        pytest.param(DISKS, f'"{MOUNT}"', f'"{MOUNT_NEW}"', MOUNTED, id="quotes around the whole"),
    ],
)
def test_what_can_only_be_meant_for_one_place_goes_there(content: str, old: str, new: str, expected: str) -> None:
    assert apply_edit(content, old, new) == expected


@pytest.mark.parametrize(
    ("content", "old", "reason"),
    [
        pytest.param(DISKS, MOUNT.replace("options", "reports"), "not_found", id="another name"),
        pytest.param(DISKS, MOUNT.replace("mount", "count"), "not_found", id="the same mistake all over"),
        pytest.param(DISKS + "rise = 1\n", misspelt(MOUNT, ("raise", "rise")), "not_found", id="a name of the file"),
        pytest.param(DISKS, misspelt(MOUNT, ("target", "target2")), "not_found", id="another number"),
        pytest.param(DISKS, misspelt(MOUNT, (" in ", " not in ")), "not_found", id="the opposite"),
        pytest.param(DISKS, misspelt(MOUNT, ("add", "pop")), "not_found", id="the opposite of a name"),
        pytest.param(
            DISKS, misspelt(MOUNT, ("    mount(", "    a()\n    b()\n    mount(")), "not_found", id="two made up"
        ),
        pytest.param(DISKS + MOUNT, misspelt(MOUNT, ("raise", "rsise")), "ambiguous", id="two copies"),
        pytest.param(
            DISKS + MOUNT.replace("raise", "rbise"), misspelt(MOUNT, ("raise", "rcise")), "ambiguous", id="between two"
        ),
        pytest.param(
            "a(1)\nb(2)\nc(3)\nb(2)\n", "a(1)\n...\nb(2)\n", "ambiguous", id="a tail that stands twice after the head"
        ),
    ],
)
def test_what_might_mean_something_else_is_refused(content: str, old: str, reason: RefusalReason) -> None:
    with pytest.raises(EditRefused) as refused:
        apply_edit(content, old, "x\n")
    assert refused.value.report.reason == reason


def test_a_change_amidst_lines_that_the_file_breaks_otherwise_is_refused() -> None:
    old = "def mount_disk(\n    path,\n    options,\n):\n    target = resolve(path)\n".replace(",\n)", "\n)")
    with pytest.raises(EditRefused) as refused:
        apply_edit(DISKS, old, old.replace("    path,\n", "    path,\n    retries,\n"))
    assert refused.value.report.reason == "unsafe"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            misspelt(MOUNT, ("mount(", "mout(")),
            misspelt(MOUNT_NEW, ("mount(", "mout(")),
            "Placed at lines 3-6, 99% alike: `mout` read as `mount`.",
            id="a word",
        ),
        pytest.param(
            misspelt(MOUNT, ("    mount(", "    verify(1)\n    mount(")),
            MOUNT_NEW,
            "Placed at lines 3-6, 100% alike: `verify(1)` is not in the file.",
            id="a line",
        ),
        pytest.param(
            misspelt(MOUNT, ("mounted:", "mounted")),
            misspelt(MOUNT_NEW, ("mounted:", "mounted")),
            "Placed at lines 3-6, 99% alike: `:` added.",
            id="a mark",
        ),
    ],
)
def test_what_was_overlooked_is_told(old: str, new: str, said: str) -> None:
    applied = apply_edits(DISKS, [TextEdit(old, new)])
    assert applied.text == MOUNTED
    assert applied.notes == (said,)


def test_white_space_is_not_worth_a_note() -> None:
    assert apply_edits(DISKS, [TextEdit(MOUNT.replace("    ", "\t"), MOUNT_NEW.replace("    ", "\t"))]).notes == ()


@pytest.mark.parametrize(
    ("old", "line"),
    [
        pytest.param("x = 9", "2: x = 8", id="another number"),
        pytest.param("i + 3", "1: n = i + 1", id="a part of a line"),
        pytest.param("totals[i]", "1: n = i + 1", id="hardly alike"),
    ],
)
def test_a_refusal_shows_the_nearest_line(old: str, line: str) -> None:
    with pytest.raises(EditRefused, match="Nearest to it") as refused:
        apply_edit("n = i + 1\nx = 8\n", old, "y")
    assert line in str(refused.value)


def test_an_edit_with_a_typo_that_was_made_is_already_applied() -> None:
    old, new = misspelt(MOUNT, ("raise", "rsise")), misspelt(MOUNT_NEW, ("raise", "rsise")) + "    log.info(target)\n"
    once = apply_edit(DISKS, old, new)
    with pytest.raises(EditRefused) as refused:
        apply_edit(once, old, new)
    assert refused.value.report.reason == "already_applied"


@pytest.mark.parametrize(
    ("before", "after", "landed"),
    [
        pytest.param("i + 1\n", "i - 1\n", True, id="these very edits"),
        pytest.param("i + 1\n", "i - 2\n", False, id="others"),
        pytest.param("j + 1\n", "i - 1\n", False, id="edits of something else"),
    ],
)
def test_edits_have_landed_if_they_make_one_text_of_the_other(before: str, after: str, landed: bool) -> None:
    assert were_applied(before, after, [TextEdit("i + 1", "i - 1")]) is landed
