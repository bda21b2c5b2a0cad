"""Whom a worker's API key is sent to, seen from the model servers."""

from pathlib import Path

import pytest

from tests.cli.test_key_and_address import KEY, Listener, listeners
from tests.fleet.small_fleet import SmallFleet
from tests.patience import PATIENCE

__all__ = ["listeners"]


@pytest.mark.parametrize(
    ("own", "listed", "in_file", "sent"),
    [
        pytest.param(0, None, False, True, id="to its own server, from the environment"),
        pytest.param(None, 0, True, True, id="to a listed one, if it has no server of its own"),
        pytest.param(0, 0, False, True, id="to its own server, which is listed"),
        pytest.param(1, 0, True, False, id="to no listed one that is not its own"),
    ],
)
def test_a_workers_key_goes_to_its_own_server(
    fleet: SmallFleet,
    listeners: list[Listener],
    tmp_path: Path,
    own: int | None,
    listed: int | None,
    *,
    in_file: bool,
    sent: bool,
) -> None:
    environ = {} if own is None else {"MULLIGAN_BASE_URL": listeners[own].url}
    home = tmp_path / "home of only"
    home.mkdir()
    if in_file:
        (home / "mulligan.toml").write_text(f'api_key = "{KEY}"\n')
    else:
        environ["MULLIGAN_API_KEY"] = KEY
    fleet.submit(server=None if listed is None else listeners[listed].url, model="scripted", profile="smoke")
    fleet.start("only", "--until-empty", environ=environ)
    assert fleet.workers["only"].code.result(PATIENCE) == 0, fleet.told("only")
    asked = [each for each in listeners[0].heard if each.startswith("POST")]
    assert asked, fleet.told("only")
    assert all((f"Bearer {KEY}" in each) == sent for each in asked)
    assert all(KEY not in each for each in listeners[1].heard)
