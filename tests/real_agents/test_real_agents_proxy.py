"""goose and opencode as they are installed, with a model that goes wrong, through `mulligan proxy`."""

import pytest

from bench.agents import MALFORMED, MAX_MIXED, MAX_SAME, PROGRAMS, meet

pytestmark = pytest.mark.real_agents


@pytest.fixture(autouse=True, params=PROGRAMS)
def agent(request: pytest.FixtureRequest) -> str:
    if not PROGRAMS[request.param].exists():
        pytest.fail("the agents are not installed: `make test-agents` does it")
    return request.param


@pytest.mark.parametrize(
    ("fault", "most"), [("same call for ever", MAX_SAME), ("failing calls, mixed", MAX_MIXED)], ids=["same", "mixed"]
)
def test_a_loop_ends_with_a_reason(agent: str, fault: str, most: int) -> None:
    met = meet(agent, fault, proxied=True)
    assert met.requests <= most
    assert met.exit_code is not None
    assert "Stopped by Mulligan's proxy" in met.said


def test_every_malformed_call_is_carried_out(agent: str) -> None:
    assert len(meet(agent, "malformed calls", proxied=True).ran) == MALFORMED


def test_a_stream_cut_twice_is_survived(agent: str) -> None:
    assert "It is in a.py." in meet(agent, "stream cut twice", proxied=True).said
