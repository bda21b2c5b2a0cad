from collections.abc import Callable

import pytest

from mulligan.types.tool_calls import RejectedCall, ToolCall

Read = Callable[..., ToolCall | RejectedCall]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("VIEW_FILE", id="upper case"),
        pytest.param("View_File", id="title case"),
        pytest.param("viewFile", id="camel case"),
        pytest.param("view-file", id="hyphen"),
        pytest.param("view file", id="space"),
        pytest.param("functions.view_file", id="namespace"),
        pytest.param("functions.view_file:0", id="namespace and index"),
        pytest.param("view_file()", id="parentheses"),
        pytest.param(' "view_file" ', id="quotes and spaces"),
        pytest.param("view_file<|channel|>commentary", id="left-over template marks"),
        pytest.param("view_files", id="a letter too many"),
        pytest.param("veiw_file", id="letters swapped"),
        pytest.param("viw_file", id="a letter too few"),
    ],
)
def test_a_tool_name_is_mended(name: str, read: Read) -> None:
    assert read('{"path": "a"}', name) == ToolCall("call-1", "view_file", {"path": "a"}, ("tool_name",))


def test_letters_swapped_in_a_short_name_are_one_slip(read: Read) -> None:
    assert read('{"pattern": "x"}', "gerp") == ToolCall("call-1", "grep", {"pattern": "x"}, ("tool_name",))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("read_file", id="another word for it"),
        pytest.param("delete_file", id="another tool altogether"),
        pytest.param("view_file or grep", id="two tools at once"),
        pytest.param("rite_fl", id="too far from everything"),
        pytest.param("", id="empty"),
        pytest.param("_" * 10, id="no letters"),
        pytest.param("view_file" * 100_000, id="very long"),
    ],
)
def test_a_name_that_is_not_clear_is_not_found(name: str, read: Read) -> None:
    result = read('{"path": "a"}', name)

    assert isinstance(result, RejectedCall)
    assert result.kind == "tool_not_found"
    assert result.arguments == {"path": "a"}


def test_an_unknown_tool_is_answered_with_the_nearest_names_and_all_there_are(read: Read) -> None:
    result = read("{}", "read_file")

    assert isinstance(result, RejectedCall)
    assert result.message.splitlines() == [
        'There is no tool named "read_file", so nothing was run.',
        "The nearest names: edit_file, write_file, view_file.",
        "Available tools: edit_file, grep, list_dir, now, view_file, write_file.",
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        pytest.param("read_file", "read_file", id="harmless"),
        pytest.param("read file!\n", "read_file", id="odd characters"),
        pytest.param("", "unknown", id="empty"),
        pytest.param("x" * 1000, "x" * 64, id="too long"),
    ],
)
def test_the_name_in_the_history_is_one_that_servers_accept(name: str, shown: str, read: Read) -> None:
    assert read("{}", name).name == shown
