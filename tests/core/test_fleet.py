"""What a fleet decides: what a line asks for, who is next, how long to wait."""

import json
from typing import Any

import pytest

from mulligan.core.fleet.failed_calls import FailedCall, at_fault, pause_after
from mulligan.core.fleet.fair_order import SlotClaim, next_grants, priority_bounds, queue_numbers, queue_priority
from mulligan.core.fleet.pacing import crash_pause, server_pause, trouble_pause
from mulligan.core.fleet.server_choice import ServerChoice, WaitForServer, choose_server, server_address
from mulligan.core.fleet.submissions import read_jobs
from mulligan.types.errors import ConfigurationError
from mulligan.types.fleet import FleetServer, FleetStatus, JobCount, JobState

JOB = {"repository": "https://example.org/engine.git", "goal": "make the tests pass"}


def test_jobs_are_read_line_by_line_and_blank_lines_passed_over() -> None:
    lines = [json.dumps(JOB), "", json.dumps({**JOB, "labels": ["a", "b"], "verify": ["make test"], "priority": 3})]
    first, second = read_jobs(lines, source="jobs.jsonl")
    assert (first.label, first.profile, first.max_tries) == ("", "fast", 3)
    assert (second.label, second.verify, second.priority) == ("a", ("make test",), 3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param("{", "line 2 of jobs.jsonl is not JSON", id="no JSON"),
        pytest.param("[1]", "line 2 of jobs.jsonl is not an object", id="no object"),
        pytest.param('{"goal": "x"}', "repository is invalid: Field required", id="no repository"),
        pytest.param('{"repository": "/x"}', "there is no goal", id="no goal"),
        pytest.param(
            json.dumps({**JOB, "repo": "x"}), "repo is not a field of a job; these are: repository", id="unknown"
        ),
        pytest.param(json.dumps({**JOB, "priority": 10}), "priority is invalid", id="priority"),
        pytest.param(json.dumps({**JOB, "labels": [""]}), "a label has 1 to 60", id="label"),
        pytest.param(json.dumps({**JOB, "repository": "ext::sh -c id"}), "no option or helper of git", id="helper"),
        pytest.param(json.dumps({**JOB, "ref": "--upload-pack=id"}), "no option or helper of git", id="option"),
        pytest.param(
            json.dumps({**JOB, "repository": "https://me:secret@example.org/x"}),
            "it contains a password",
            id="password",
        ),
        pytest.param(json.dumps({**JOB, "verify": [" "]}), "verify contains an empty or invalid command", id="verify"),
    ],
)
def test_a_line_that_is_no_job_is_named(line: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said.replace("(", r"\(")):
        list(read_jobs([json.dumps(JOB), line], source="jobs.jsonl"))


def test_what_a_line_leaves_out_is_as_the_options_say() -> None:
    lines = [json.dumps(JOB), json.dumps({**JOB, "label": "own", "priority": 0})]
    first, second = read_jobs(lines, source="-", defaults={"labels": ["nightly"], "priority": 3, "verify": ["make"]})
    assert (first.labels, first.priority, first.verify) == (("nightly",), 3, ("make",))
    assert (second.labels, second.priority, second.verify) == (("own",), 0, ("make",))


def test_a_line_may_use_the_old_name_of_a_field_and_wins_over_the_options() -> None:
    (job,) = read_jobs([json.dumps({**JOB, "most_takes": 7})], source="-", defaults={"max_tries": 3})
    assert job.max_tries == 7


def test_an_issue_stands_for_a_goal() -> None:
    (job,) = read_jobs([json.dumps({"repository": "/x", "issue": "it crashes"})], source="-")
    assert job.wanted == "fix what the issue describes"


@pytest.mark.parametrize(
    ("labels", "last", "front", "numbers"),
    [
        pytest.param("aaa", {}, None, [0, 1, 2], id="an empty queue begins at nothing"),
        pytest.param("aaa", {"a": 7}, None, [0, 1, 2], id="whatever numbers were given before"),
        pytest.param("aab", {"a": 999}, 400, [1000, 1001, 400], id="a newcomer comes where the queue is now"),
        pytest.param("ab", {"a": 3, "b": 9}, 400, [400, 400], id="who did not wait gains nothing by it"),
    ],
)
def test_jobs_are_numbered_label_by_label(
    labels: str, last: dict[str, int], front: int | None, numbers: list[int]
) -> None:
    made, newest = queue_numbers(list(labels), last, front)
    assert made == numbers
    assert all(
        newest[label] == max(n for each, n in zip(labels, made, strict=True) if each == label) for label in newest
    )


def test_a_priority_comes_before_all_numbers_of_a_lower_one() -> None:
    low, high = priority_bounds(1)
    assert low <= queue_priority(1, 99_999_999) <= queue_priority(1, 0) == high
    assert queue_priority(0, 0) < low
    assert all(abs(bound) < 2**31 for priority in (-9, 9) for bound in priority_bounds(priority))


def claims(held: str, waiting: str) -> list[SlotClaim]:
    both = [(label, True) for label in held] + [(label, False) for label in waiting]
    return [SlotClaim(f"{place}{label}", label, granted) for place, (label, granted) in enumerate(both)]


@pytest.mark.parametrize(
    ("slots", "held", "waiting", "granted"),
    [
        pytest.param(2, "", "aaa", ["0a", "1a"], id="in the order in which they came"),
        pytest.param(2, "aa", "b", [], id="no slot, no grant"),
        pytest.param(3, "aa", "aab", ["4b"], id="the label that has none"),
        pytest.param(4, "", "aaaab", ["0a", "4b", "1a", "2a"], id="in turn, then who is left"),
        pytest.param(1, "ab", "c", [], id="slots were taken away meanwhile"),
    ],
)
def test_slots_are_shared_between_labels(slots: int, held: str, waiting: str, granted: list[str]) -> None:
    assert next_grants(slots, claims(held, waiting)) == granted


SILENCE, INTERNAL = FailedCall(answered=False), FailedCall(answered=True, status=500)


def server(name: str, **fields: Any) -> FleetServer:
    return FleetServer.model_validate({"url": name, "models": ("q",), "slots": 2, **fields})


DOWN = {"down_for": 7.0, "failures": 1}


@pytest.mark.parametrize(
    ("servers", "model", "allowed", "chosen"),
    [
        pytest.param([server("a", busy=1), server("b")], "q", (), ServerChoice("b", "q"), id="the least busy"),
        pytest.param(
            [server("a", busy=1, slots=4), server("b", busy=1)], "q", (), ServerChoice("a", "q"), id="by its slots"
        ),
        pytest.param(
            [server("a", models=("x",)), server("b")], "q", (), ServerChoice("b", "q"), id="that has the model"
        ),
        pytest.param([server("a", models=())], "q", (), ServerChoice("a", "q"), id="that tells no models"),
        pytest.param([server("a")], None, (), ServerChoice("a", "q"), id="any model"),
        pytest.param(
            [server("a"), server("b", busy=2)], "q", ("b",), ServerChoice("b", "q"), id="that the worker may use"
        ),
        pytest.param(
            [server("a", failures=2), server("b", busy=2)], "q", (), ServerChoice("b", "q"), id="not one that failed"
        ),
        pytest.param(
            [server("a", failures=1), server("b", busy=2, waiting=4)],
            "q",
            (),
            ServerChoice("a", "q"),
            id="unless others are full",
        ),
        pytest.param(
            [server("a", **DOWN), server("b", busy=9)], "q", (), ServerChoice("b", "q"), id="not one that is down"
        ),
        pytest.param(
            [server("a", **DOWN)], "q", (), WaitForServer(7.0, "all its model servers are down", 1.0), id="none is up"
        ),
        pytest.param(
            [server("a", **DOWN), server("b", models=("x",))],
            "q",
            (),
            WaitForServer(7.0, "all its model servers are down", 0.05),
            id="none of its own is up",
        ),
        pytest.param(
            [server("a")],
            "x",
            (),
            WaitForServer(15.0, "no model server for it: x (mulligan fleet servers add URL)", 0.05),
            id="none has it",
        ),
        pytest.param(
            [server("a")],
            "q",
            ("b",),
            WaitForServer(15.0, "no model server for it: q (mulligan fleet servers add URL)", 1.0),
            id="none that the worker may use",
        ),
    ],
)
def test_a_job_is_given_a_server(
    servers: list[FleetServer], model: str | None, allowed: tuple[str, ...], chosen: ServerChoice | WaitForServer
) -> None:
    assert choose_server(servers, model, allowed) == chosen


@pytest.mark.parametrize(
    ("call", "fields", "blamed"),
    [
        pytest.param(SILENCE, {"waits": 9}, "server", id="silence"),
        pytest.param(FailedCall(answered=True, status=503), {"waits": 9}, "server", id="it starts up"),
        pytest.param(FailedCall(answered=True, status=429), {"waits": 9}, "server", id="too many calls"),
        pytest.param(FailedCall(answered=True, status=502), {"waits": 9}, "server", id="its proxy answers for it"),
        pytest.param(INTERNAL, {"waits": 0}, "server", id="an internal error, for the first time"),
        pytest.param(INTERNAL, {"waits": 1, "server_works": False}, "server", id="an internal error for everybody"),
        pytest.param(INTERNAL, {"waits": 5, "server_works": False}, "job", id="an internal error, too often in a row"),
        pytest.param(INTERNAL, {"waits": 1}, "job", id="an internal error for this job alone, again"),
        pytest.param(FailedCall(answered=True), {"waits": 1}, "job", id="a reply that breaks off for it alone, again"),
    ],
)
def test_a_failed_call_is_the_servers_fault_unless_only_this_job_meets_it(
    call: FailedCall, fields: dict[str, Any], blamed: str
) -> None:
    given: dict[str, Any] = {"server_works": True, **fields}
    assert at_fault(call, **given) == blamed


def test_a_job_that_may_be_at_fault_lets_others_try_the_server_first() -> None:
    assert pause_after(INTERNAL, 5.0) > pause_after(SILENCE, 5.0) == 5.0


def test_pauses_grow_up_to_a_limit() -> None:
    assert [server_pause(failures) for failures in (1, 2, 3, 20)] == [5.0, 10.0, 20.0, 300.0]
    assert [crash_pause(tries) for tries in (1, 2, 20)] == [2.0, 4.0, 300.0]
    assert [trouble_pause(troubles) for troubles in (1, 2, 20)] == [1.0, 2.0, 30.0]


@pytest.mark.parametrize(
    ("counts", "ended", "left"),
    [
        pytest.param({"verified": 5}, 5, 0.0, id="nothing is left"),
        pytest.param({"queued": 5, "running": 1}, 0, None, id="nobody knows yet"),
        pytest.param({"queued": 5, "running": 1, "failed": 3}, 3, 200.0, id="at the pace of late"),
    ],
)
def test_how_long_a_fleet_will_take(counts: dict[JobState, int], ended: int, left: float | None) -> None:
    rows: Any = tuple(JobCount(label="", model="", state=state, jobs=jobs) for state, jobs in counts.items())
    status = FleetStatus(counts=rows, ended_lately=ended, window=100.0, workers=1, slots=1)
    assert status.seconds_left == left
    if left:
        assert status.model_copy(update={"workers": 0}).seconds_left is None, "nobody works"


@pytest.mark.parametrize("given", ["http://gpu-1:8080/v1", "https://gpu-1.example/v1/", " http://[::1]:8080/v1 "])
def test_a_server_has_one_address(given: str) -> None:
    assert server_address(given) == given.strip().rstrip("/")


@pytest.mark.parametrize("given", ["gpu-1", "ftp://gpu-1", "http://", "http:///v1", "http://g:x/v1", "http://a b/v1"])
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(ConfigurationError, match="not a server address"):
        server_address(given)


@pytest.mark.parametrize("given", ["http://me:secret@gpu-1/v1", "http://gpu-1/v1?key=secret"])
def test_an_address_that_holds_a_key_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(ConfigurationError, match="no key or password") as refused:
        server_address(given)
    assert "secret" not in str(refused.value)
