"""The PostgreSQL of our own, for people who are not root. As whoever runs the tests, `fleet database` has a test."""

import importlib.util
import os
import pwd
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from mulligan.store.embedded_postgres import PACKAGE, EmbeddedPostgres, others_can_reach
from mulligan.types.errors import StoreError
from tests.plain_user import PLAIN, told_by_plain_user

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@pytest.fixture
def folder() -> Generator[Path]:
    made = Path(tempfile.mkdtemp(prefix="mulligan-", dir="/tmp"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def start_and_stop(home: Path) -> str:
    server = EmbeddedPostgres.of_home(home)
    url = server.start()
    return f"{url} {server.data.stat().st_uid} {server.pid is not None} {server.stop()}"


def test_a_plain_user_has_it_under_the_home_folder_and_runs_it(folder: Path) -> None:
    spec = importlib.util.find_spec(PACKAGE)
    assert spec
    assert spec.origin
    if not others_can_reach(Path(spec.origin).with_name("pginstall") / "bin" / "postgres"):
        pytest.skip("the packages here are root's alone")
    user = pwd.getpwnam(PLAIN).pw_uid
    os.chown(folder, user, -1)
    url = f"postgresql://postgres@/postgres?host={folder / 'home' / 'fleet' / 'postgres'}"
    assert told_by_plain_user(lambda: start_and_stop(folder / "home")) == f"{url} {user} True True"


def test_a_folder_of_somebody_without_a_name_is_refused(folder: Path) -> None:
    own = folder / "postgres"
    own.mkdir()
    os.chown(own, 54321, 54321)
    with pytest.raises(StoreError, match="belongs to somebody else"):
        EmbeddedPostgres(own, folder / "lock").start()
