"""One newcomer for all pages that a worker reads, and one installation for all of them."""

from collections.abc import Generator

import pytest

from mulligan.models.scripted.script import Script
from tests.documents.installing import build_wheel, clone_tree, install, made_once
from tests.documents.newcomer import Newcomer
from tests.scripted_server import running


@pytest.fixture(scope="session")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Generator[Newcomer]:
    home = tmp_path_factory.mktemp("newcomer")
    clone = clone_tree(home / "mulligan")
    made = made_once(
        tmp_path_factory,
        "of-a-newcomer",
        lambda place: install(build_wheel(clone, place / "dist"), place / "environment", "[fleet]"),
    )
    with running(Script(replies=())) as model:
        yield Newcomer(home, clone, made / "environment" / "bin", model)
