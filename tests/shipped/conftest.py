"""One installation for all tests of what is shipped that a worker runs."""

import pytest

from mulligan.server.routes.page import BUILT
from tests.documents.installing import ROOT, build_wheel, install
from tests.shipped.installed import Installed


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    if not (BUILT / "index.html").exists():
        pytest.fail("the page is not built, and the wheel is to hold it: run `make web` first", pytrace=False)
    place = tmp_path_factory.mktemp("shipped")
    (place / "elsewhere").mkdir()
    wheel = build_wheel(ROOT, place / "dist")
    return Installed(wheel, install(wheel, place / "environment"), place / "elsewhere")
