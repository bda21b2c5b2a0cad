"""The model garbles its calls, or calls what it must not."""

import json
from typing import Any

from mulligan.drill.claims import (
    asks_exactly,
    calls,
    calls_nothing,
    ends,
    fails,
    holds,
    leaves_files_alone,
    never_tells_the_model,
    raises,
    raises_none,
    repairs,
    says,
    says_only,
    tells_the_model,
)
from mulligan.drill.fault import FILES, Claim, Fault
from mulligan.drill.scripting import ANSWER, ask, call, code, edit, say, script, together, view
from mulligan.models.scripted.script import ScriptedCall, ScriptedReply

ONE: dict[str, Any] = {"path": "one.py"}
SEARCH: dict[str, Any] = {"pattern": "RETURN", "ignore_case": True}
CALL = json.dumps({"name": "view_file", "arguments": ONE})
OUTSIDE = "what stands outside of the project"
TOKEN = "hunter2-of-the-drill"  # noqa: S105 - nobody's
PASSWORD = "q7Zp2Lw9Xc4V"  # noqa: S105 - nobody's


def _repaired(name: str, title: str, wrong: ScriptedReply, *kinds: str, runs: tuple[str, dict[str, Any]]) -> Fault:
    """The call runs as it was meant, and each repair is reported."""
    claims = (ends("answered", 0), asks_exactly(2), calls(*runs), repairs(*kinds), says(ANSWER), leaves_files_alone())
    return Fault(name, title, (ask(script(wrong, say())),), claims)


def _view(name: str, title: str, arguments: str, *kinds: str) -> Fault:
    return _repaired(name, title, call("view_file", arguments), *kinds, runs=("view_file", ONE))


def _written(name: str, title: str, text: str) -> Fault:
    """The call runs, and its text is not shown to the user."""
    claims = (ends("answered", 0), asks_exactly(2), calls("view_file", ONE), says_only(ANSWER), leaves_files_alone())
    return Fault(name, title, (ask(script(say(text), say())),), claims)


def _sent_back(name: str, title: str, wrong: ScriptedReply, failure: str, *feedback: str) -> Fault:
    """Nothing runs, the model is told how to fix the call, and its next call runs."""
    claims: tuple[Claim, ...] = (
        ends("answered", 0),
        asks_exactly(3),
        fails(failure),
        repairs(),
        *map(tells_the_model, feedback),
        calls("view_file", ONE),
        leaves_files_alone(),
    )
    return Fault(name, title, (ask(script(wrong, view("one.py"), say())),), claims)


def _denied(name: str, title: str, wrong: ScriptedReply, hidden: str, files: dict[str, str], *claims: Claim) -> Fault:
    """Nothing hidden reaches the model."""
    always = (ends("answered", 0), asks_exactly(2), never_tells_the_model(hidden), leaves_files_alone())
    return Fault(name, title, (ask(script(wrong, say())),), (*always, *claims), files={**FILES, **files})


_REPAIRED = (
    _view("trailing-comma", "a comma too many in the arguments", '{"path": "one.py",}', "trailing_comma"),
    _view("single-quotes", "single quotes in the arguments", "{'path': 'one.py'}", "single_quotes"),
    _view("missing-brace", "the last brace is missing", '{"path": "one.py"', "missing_brace"),
    _view("unquoted-key", "a key without quotes", '{path: "one.py"}', "unquoted_keys"),
    _repaired(
        "python-values",
        "Python's True and None for JSON's",
        call("grep", '{"pattern": "RETURN", "ignore_case": True, "glob": None}'),
        "python_literals",
        "dropped_null",
        runs=("grep", SEARCH),
    ),
    _repaired(
        "bare-quotes",
        "quotes inside a text are not escaped",
        call("grep", '{"pattern": "return "one""}'),
        "json_repair",
        runs=("grep", {"pattern": 'return "one"'}),
    ),
    _view("fenced-arguments", "a code fence around the arguments", '```json\n{"path": "one.py"}\n```', "code_fence"),
    _view("encoded-twice", "arguments encoded twice", json.dumps(json.dumps(ONE)), "encoded_twice"),
    _view("call-in-call", "a whole call for the arguments", CALL, "nested_call"),
    _repaired(
        "true-as-text",
        '"True" for a boolean',
        call("grep", {"pattern": "RETURN", "ignore_case": "True"}),
        "coerced_boolean",
        runs=("grep", SEARCH),
    ),
    _repaired(
        "number-as-text",
        '"2" for a number',
        call("view_file", {"path": "one.py", "start_line": "2"}),
        "coerced_number",
        runs=("view_file", {"path": "one.py", "start_line": 2}),
    ),
    Fault(
        "lone-value",
        "a lone value for a list",
        (
            code(
                script(
                    call("edit_file", {"path": "one.py", "edits": {"old": "'one'", "new": "'first'"}}), say("Done.")
                ),
                "--yes",
            ),
        ),
        (
            ends("answered", 0),
            asks_exactly(2),
            calls("edit_file", {"path": "one.py", "edits": [{"old": "'one'", "new": "'first'"}]}),
            repairs("wrapped_in_list"),
            holds("one.py", FILES["one.py"].replace("'one'", "'first'")),
            leaves_files_alone(but=("one.py",)),
        ),
    ),
    _view(
        "extra-argument", "an argument that nobody asked for", '{"path": "one.py", "why": "to see"}', "dropped_argument"
    ),
    _view("other-argument-name", "an argument under another name", '{"file_path": "one.py"}', "renamed_argument"),
    _repaired(
        "tool-in-capitals", "a tool's name in capitals", call("VIEW_FILE", ONE), "tool_name", runs=("view_file", ONE)
    ),
    _repaired("tool-misspelt", "a tool's name misspelt", call("veiw_file", ONE), "tool_name", runs=("view_file", ONE)),
)

_IN_TEXT = (
    _written("tool-call-tag", "a call written as <tool_call>", f"<tool_call>\n{CALL}\n</tool_call>"),
    _written(
        "invoke-tag",
        "a call written as <invoke>",
        '<invoke name="view_file"><parameter name="path">one.py</parameter></invoke>',
    ),
    _written("fenced-call", "a call written as JSON in a fence", f"```json\n{CALL}\n```"),
    _written("bare-call", "a call written as bare JSON", CALL),
    Fault(
        "call-as-example",
        "a call that is shown, not made",
        (ask(script(say(f"A call of view_file looks like this:\n{CALL}"))),),
        (ends("answered", 0), asks_exactly(1), calls_nothing, says(CALL), leaves_files_alone()),
    ),
)

_BEYOND_REPAIR = (
    _sent_back(
        "unreadable-arguments",
        "arguments that nobody can read",
        call("view_file", '{"path": one.py and two.py}'),
        "schema_reject",
        "can't be read",
        "one.py and two.py",
        "- path: string, required",
    ),
    _sent_back(
        "wrong-value",
        "a word where a number belongs",
        call("view_file", {"path": "one.py", "start_line": "the second"}),
        "schema_reject",
        'start_line must be integer, got "the second"',
        "- path: string, required",
    ),
    _sent_back(
        "missing-argument",
        "an argument left out",
        call("view_file", {"start_line": 2}),
        "schema_reject",
        "path is missing",
        "- path: string, required",
    ),
    _sent_back(
        "no-such-tool",
        "a name that no tool has",
        call("open_file", ONE),
        "tool_not_found",
        "no tool named",
        "The nearest names: ",
    ),
    Fault(
        "one-of-two-broken",
        "two calls at once, one of them broken",
        (
            ask(
                script(
                    ScriptedReply(
                        tool_calls=(
                            ScriptedCall(name="view_file", arguments='{"path": "two.p'),
                            ScriptedCall(name="view_file", arguments=ONE),
                        )
                    ),
                    view("two.py"),
                    say(),
                )
            ),
        ),
        (
            ends("answered", 0),
            asks_exactly(3),
            fails("schema_reject"),
            tells_the_model("end inside a string"),
            calls("view_file", ONE),
            calls("view_file", {"path": "two.py"}),
            leaves_files_alone(),
        ),
    ),
)

_DENIED = (
    _denied(
        "path-outside",
        "a file outside of the project",
        view("../beside.txt"),
        OUTSIDE,
        {"../beside.txt": f"{OUTSIDE}\n"},
        fails("permission_denied"),
    ),
    _denied(
        "secret-file",
        "a file with passwords",
        view(".env"),
        TOKEN,
        {".env": f"TOKEN={TOKEN}\n"},
        fails("permission_denied"),
    ),
    _denied(
        "secret-search",
        "a search for passwords",
        call("grep", {"pattern": "TOKEN|def one"}),
        TOKEN,
        {".env.local": f"TOKEN={TOKEN}\n", "deploy/prod.env": f"TOKEN={TOKEN}\n"},
        tells_the_model("one.py:1: def one():"),
    ),
    _denied(
        "secret-in-code",
        "a password in the middle of code",
        view("settings.py"),
        PASSWORD,
        {"settings.py": f'HOST = "db"\nPASSWORD = "{PASSWORD}"\n'},
        tells_the_model('PASSWORD = "[masked: password]"'),
    ),
)

_TOO_MANY = Fault(
    "hundred-calls",
    "a hundred calls in one reply",
    (ask(script(together(*(call("grep", {"pattern": f"word_{number}"}) for number in range(100))), say())),),
    (
        ends("answered", 0),
        asks_exactly(2),
        calls("grep", {"pattern": "word_31"}),
        calls("grep", {"pattern": "word_32"}, times=0),
        # Another 32 are read but not run; each of them gets an answer.
        fails("permission_denied", times=32),
        raises_none("mistake_recovery"),
        tells_the_model("Only the first 32 calls of a reply are run"),
        says(ANSWER),
    ),
)

CALLS = (
    Fault(
        "edit-by-a-reader",
        "an edit by an agent that only reads",
        (ask(script(edit("one.py", "'one'", "1"), say())),),
        (
            ends("answered", 4),
            asks_exactly(2),
            fails("permission_denied"),
            tells_the_model("This agent only reads"),
            raises("only_reads", tool="edit_file"),
            leaves_files_alone(),
        ),
    ),
    *_REPAIRED,
    *_IN_TEXT,
    *_BEYOND_REPAIR,
    *_DENIED,
    _TOO_MANY,
)
