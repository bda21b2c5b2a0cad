import pytest

from tests.core.failures.recorded import recorded


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", [pytest.param(case, id=case.name) for case in recorded()])
