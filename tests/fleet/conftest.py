from collections.abc import Generator
from pathlib import Path

import pytest

from tests.fleet.small_fleet import SmallFleet
from tests.store.postgres_server import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture
def fleet(postgres_url: str, tmp_path: Path) -> Generator[SmallFleet]:
    fleet = SmallFleet(postgres_url, tmp_path)
    yield fleet
    fleet.stop()
