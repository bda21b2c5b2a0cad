"""Whatever an agent stages and a person does meanwhile: nothing that the person wrote is ever lost."""

import re
import tempfile
from itertools import count
from pathlib import Path
from typing import Literal

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mulligan.types.changes import PendingChange
from mulligan.types.edits import TextEdit
from mulligan.types.errors import CallRejected
from mulligan.workspace.changes.pending import ChangeOutcome
from tests.examples import examples
from tests.workspace.change_bench import ChangeBench, open_bench

NAMES = ("a.py", "b.py", "src/c.py")

Act = tuple[
    Literal["edit", "create", "delete", "apply", "revert", "reject", "person edits", "person adds", "person removes"],
    int,
    int,
]
"""Who does what, to which file or change, and at which line."""

acts = st.lists(
    st.tuples(
        st.sampled_from(
            (
                *("edit", "edit", "edit", "create", "delete"),
                *("apply", "apply", "revert", "revert", "reject"),
                *("person edits", "person adds", "person removes"),
            )
        ),
        st.integers(0, 20),
        st.integers(0, 20),
    ),
    max_size=25,
)


class Story:
    """One agent and one person at the same few files."""

    def __init__(self, bench: ChangeBench) -> None:
        self.bench = bench
        self.editing = bench.editing()
        self.numbers = count(1)

    async def act(self, kind: str, which: int, line: int) -> None:
        path = NAMES[which % len(NAMES)]
        if kind.startswith("person"):
            self.person(kind, self.bench.root / path, line)
        elif kind in {"edit", "create", "delete"}:
            before = self.bench.tree()
            await self.stage(kind, path, line)
            assert self.bench.tree() == before
        else:
            await self.settle(kind, which)

    async def stage(self, kind: str, path: str, line: int) -> None:
        number = next(self.numbers)
        try:
            if kind == "create":
                await self.editing.create(path, "".join(f"made {number} in line {each}\n" for each in range(9)))
            elif kind == "delete":
                await self.editing.delete(path)
            else:
                lines = (await self.bench.files().read_text(path)).lines
                old = lines[line % len(lines)]
                await self.editing.edit(path, [TextEdit(f"{old}\n", f"agent {number} wrote this\n")])
        except (CallRejected, ZeroDivisionError):
            return  # there is no such file, or it is there already, or it is empty

    async def settle(self, kind: str, which: int) -> None:
        status = "applied" if kind == "revert" else "pending"
        changes = await self.bench.store.changes.list(self.bench.project, statuses=[status])
        if not changes:
            return
        change = changes[which % len(changes)]
        before = self.bench.tree()
        (outcome,) = await getattr(self.bench.pending, kind)([change])
        self.check(before, change, outcome, kind)

    def check(self, before: dict[str, bytes], change: PendingChange, outcome: ChangeOutcome, kind: str) -> None:
        after = self.bench.tree()
        touched = {path for path in before | after if before.get(path) != after.get(path)}
        if not outcome.success or kind == "reject":
            assert not touched
            return
        assert touched <= {change.path}
        if change.path not in after:
            taken = change.before if kind == "apply" else change.after
            was = before.get(change.path)
            assert was is None or (taken and taken.data == was), "what was deleted was not what was to be deleted"
        else:
            # Lines that an agent read and replaced are its own affair; those that came later are not.
            goal = change.after if kind == "apply" else change.before
            known = change.before if kind == "apply" else change.after
            assert goal
            gone = persons(before.get(change.path, b"")) - persons(after[change.path])
            assert gone <= persons(known.data if known else b"") - persons(goal.data)

    def person(self, kind: str, file: Path, line: int) -> None:
        if kind == "person removes":
            file.unlink(missing_ok=True)
            return
        lines = file.read_text().splitlines(keepends=True) if file.exists() else []
        mine = f"person wrote {next(self.numbers)}\n"
        place = line % (len(lines) + 1)
        lines[place : place + (kind == "person edits")] = [mine]
        file.write_text("".join(lines))


def persons(data: bytes) -> set[bytes]:
    return set(re.findall(rb"person wrote \d+", data))


@settings(max_examples=examples(60), deadline=None)
@given(acts)
@example([("delete", 0, 0), ("person removes", 0, 0), ("apply", 0, 0), ("revert", 0, 0)])
async def test_nothing_that_a_person_wrote_is_lost_and_what_is_applied_can_be_rewound(todo: list[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        (root / "src").mkdir(parents=True)
        for name in NAMES:
            (root / name).write_text("".join(f"{name} in line {number}\n" for number in range(12)))
        bench = await open_bench(root, Path(folder) / "mulligan.db")
        try:
            story = Story(bench)
            for act in todo:
                await story.act(*act)
            await reverted_all_is_as_before(bench)
        finally:
            await bench.store.close()


async def reverted_all_is_as_before(bench: ChangeBench) -> None:
    before = bench.tree()
    outcomes = await bench.pending.apply(await bench.store.changes.list(bench.project, statuses=["pending"]))
    applied = [outcome.change for outcome in outcomes if outcome.success and "already" not in outcome.message]
    reverted = await bench.pending.revert(applied)
    assert [outcome.message for outcome in reverted if not outcome.success] == []
    assert bench.tree() == before
