import pytest

from tests.core.command_policy.command_tables import read_table


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture in ("allowed", "asked", "denied", "hostile", "honest"):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, read_table(fixture), ids=lambda case: case[0])
