"""A drill that can't fail shows nothing: whatever guard is broken, it has to notice."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import mulligan
from mulligan.drill.fault import Outcome
from mulligan.drill.gallery import GALLERY
from mulligan.drill.player import play_all
from tests.drill.mutations import Mutation, mutations

SOURCE = Path(mulligan.__file__).parent
ALL = tuple(mutations())


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, to be broken."""
    copied = tmp_path_factory.mktemp("broken") / "mulligan"
    # With what is compiled already: the times of the files are kept, so it is still good.
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("page"))
    return copied


@pytest.fixture
def broken(copy: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    mutation: Mutation = request.param
    file = copy / mutation.file
    whole = file.read_text(encoding="utf-8")
    assert whole.count(mutation.old) == 1, f"{mutation.file} does not hold once: {mutation.old}"
    times = file.stat()
    file.write_text(whole.replace(mutation.old, mutation.new), encoding="utf-8")
    yield copy
    file.write_text(whole, encoding="utf-8")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize(
    ("broken", "noticed_by"),
    [pytest.param(each, each.noticed_by, id=each.breaks.replace(" ", "-")) for each in ALL],
    indirect=["broken"],
)
async def test_the_drill_notices(broken: Path, noticed_by: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    # The commands run what is broken. What plays them and looks at them is whole.
    monkeypatch.setenv("PYTHONPATH", str(broken.parent))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    outcomes: list[Outcome] = []
    chosen = [fault for fault in GALLERY if fault.name in noticed_by]
    ended = await play_all(chosen, on_start=lambda _: None, on_end=outcomes.append)
    assert {each.name for each in outcomes if not each.holds} == set(noticed_by), outcomes
    assert ended.exit_code == 1


def test_every_fault_can_be_brought_to_fail() -> None:
    noticed = {name for mutation in ALL for name in mutation.noticed_by}
    assert noticed == {fault.name for fault in GALLERY}


def test_no_two_faults_have_one_name() -> None:
    assert len({fault.name for fault in GALLERY}) == len(GALLERY)
