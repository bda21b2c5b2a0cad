import pytest

from mulligan.core.reply_limits import MAX_CALLS
from mulligan.core.tool_calls import read_calls
from mulligan.types.tool_calls import RawCall, RejectedCall, ToolCall, ToolSpec


def test_a_well_formed_call_is_passed_on_untouched(specs: list[ToolSpec]) -> None:
    raw = RawCall("call-7", "view_file", '{"path": "a.py", "limit": 3, "numbered": false, "start_line": null}')

    assert read_calls([raw], specs, finish_reason="tool_calls") == [
        ToolCall("call-7", "view_file", {"path": "a.py", "limit": 3, "numbered": False, "start_line": None})
    ]


def test_results_keep_the_order_and_the_ids_of_the_calls(specs: list[ToolSpec]) -> None:
    raws = [RawCall("b", "view_file", '{"path": "a"}'), RawCall("a", "nonsense", "{}"), RawCall("c", "now", "{}")]

    results = read_calls(raws, specs, finish_reason="stop")

    assert [(each.id, type(each)) for each in results] == [("b", ToolCall), ("a", RejectedCall), ("c", ToolCall)]


def test_one_broken_call_does_not_spoil_its_neighbours(specs: list[ToolSpec]) -> None:
    raws = [RawCall("1", "view_file", '{"path": "a'), RawCall("2", "view_file", '{"path": "a"}')]

    broken, whole = read_calls(raws, specs, finish_reason="stop")

    assert isinstance(broken, RejectedCall)
    assert isinstance(whole, ToolCall)


@pytest.mark.parametrize(
    ("finish_reason", "words"),
    [
        pytest.param(None, "before its end", id="no finish reason"),
        pytest.param("length", "at the token limit", id="token limit"),
    ],
)
def test_no_call_of_a_reply_that_was_cut_off_runs(finish_reason: str | None, words: str, specs: list[ToolSpec]) -> None:
    raws = [RawCall("1", "View_File", '{"path": "a"}'), RawCall("2", "view_file", '{"path": "b')]

    results = read_calls(raws, specs, finish_reason=finish_reason)

    for result in results:
        assert isinstance(result, RejectedCall)
        assert (result.name, result.kind) == ("view_file", "schema_reject")
        assert words in result.message
        assert "nothing was run" in result.message
        assert "again, shorter" in result.message
    assert [result.arguments for result in results] == [{"path": "a"}, {}]


def test_a_call_without_tools_on_offer_is_not_found() -> None:
    (result,) = read_calls([RawCall("1", "view_file", "{}")], [], finish_reason="stop")

    assert isinstance(result, RejectedCall)
    assert result.kind == "tool_not_found"
    assert "No tools are available" in result.message


def test_no_calls_give_no_results(specs: list[ToolSpec]) -> None:
    assert read_calls([], specs, finish_reason=None) == []


def test_of_many_calls_the_first_are_run_and_the_others_refused(specs: list[ToolSpec]) -> None:
    raws = [RawCall(str(number), "view_file", f'{{"path": "{number}"}}') for number in range(MAX_CALLS + 3)]

    results = read_calls(raws, specs, finish_reason="tool_calls")

    assert [each.id for each in results] == [raw.id for raw in raws]
    assert all(isinstance(each, ToolCall) for each in results[:MAX_CALLS])
    for number, each in enumerate(results[MAX_CALLS:], MAX_CALLS):
        assert isinstance(each, RejectedCall)
        assert (each.name, each.arguments, each.kind) == ("view_file", {"path": str(number)}, "permission_denied")
        assert f"Only the first {MAX_CALLS} calls of a reply are run" in each.message
