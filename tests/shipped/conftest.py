"""One installation for all tests of what is shipped."""

import pytest

from mulligan.server.routes.page import BUILT
from tests.documents.installing import ROOT, build_wheel, install, made_once
from tests.shipped.installed import Installed


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    if not (BUILT / "index.html").exists():
        pytest.fail("the page is not built, and the wheel is to hold it: run `make web` first", pytrace=False)
    made = made_once(
        tmp_path_factory, "shipped", lambda place: install(build_wheel(ROOT, place / "dist"), place / "environment")
    )
    (wheel,) = (made / "dist").glob("*.whl")
    return Installed(wheel, made / "environment" / "bin", tmp_path_factory.mktemp("elsewhere"))
