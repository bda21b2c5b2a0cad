"""One newcomer for all pages that a worker reads."""

from collections.abc import Generator

import pytest

from mulligan.models.scripted.script import Script
from tests.documents.installing import build_wheel, clone_tree, install
from tests.documents.newcomer import Newcomer
from tests.scripted_server import running


@pytest.fixture(scope="session")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Generator[Newcomer]:
    home = tmp_path_factory.mktemp("newcomer")
    clone = clone_tree(home / "mulligan")
    programs = install(build_wheel(clone, home / "dist"), home / "environment", "[fleet]")
    with running(Script(replies=())) as model:
        yield Newcomer(home, clone, programs, model)
