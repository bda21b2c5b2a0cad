"""Repairs of calls, and what calls may reach, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "broken JSON is not read loosely",
        "core/tool_calls/parse.py",
        "        value, repairs = read_loosely(text)",
        '        raise Unreadable("they are no JSON", text) from None',
        ("trailing-comma", "single-quotes", "missing-brace", "unquoted-key", "python-values"),
    ),
    Mutation(
        "what broken JSON most likely meant is not guessed",
        "core/tool_calls/parse.py",
        "        guessed = None if unreadable.cut_off else guess_json(text)",
        "        guessed = None",
        ("bare-quotes",),
    ),
    Mutation(
        "arguments are not unwrapped",
        "core/tool_calls/parse.py",
        "    for _ in range(_ENCODINGS + 1):\n        inner = _without_fence(text)",
        "    for _ in range(1):\n        inner = text.strip()",
        ("fenced-arguments", "encoded-twice"),
    ),
    Mutation(
        "a call within a call is not unwrapped",
        "core/tool_calls/unnest.py",
        "    if holder is None:",
        "    if holder or not holder:",
        ("call-in-call",),
    ),
    Mutation(
        "arguments are not fitted to the schema",
        "core/tool_calls/read.py",
        "    if fitted.problems:",
        "    if fitted.problems or fitted.repairs:",
        ("true-as-text", "number-as-text", "lone-value", "extra-argument", "other-argument-name"),
    ),
    Mutation(
        "a tool has to be named to the letter",
        "core/tool_calls/names.py",
        "    return ignoring_form(name, known) or _typo(name, known)",
        "    return None",
        ("tool-in-capitals", "tool-misspelt"),
    ),
    Mutation(
        "calls in the text are taken for an answer",
        "models/protocols/calls_in_text.py",
        "        if request.tools:",
        "        if not request.tools:",
        ("tool-call-tag", "invoke-tag", "fenced-call", "bare-call"),
    ),
    Mutation(
        "what is shown as an example is run",
        "core/text_calls/find.py",
        "if piece.calls and not _EXAMPLE.search(_line_before(text, piece))]",
        "if piece.calls]",
        ("call-as-example",),
    ),
    Mutation(
        "a call that comes back does not bring the schema",
        "core/tool_calls/explain.py",
        "    if not own:",
        "    if own:",
        ("unreadable-arguments", "wrong-value", "missing-argument"),
    ),
    Mutation(
        "the nearest names are not told",
        "core/tool_calls/explain.py",
        "    if nearest:",
        "    if not nearest:",
        ("no-such-tool",),
    ),
    Mutation(
        "a broken call takes the others with it",
        "core/tool_calls/read.py",
        "    return [_read(raw, specs) if place",
        "    read = [_read(raw, specs) for raw in raws]\n"
        "    broken = any(isinstance(each, RejectedCall) for each in read)\n"
        "    if broken:\n        return [_cut_off(raw, specs, at_limit=True) for raw in raws]\n"
        "    return [_read(raw, specs) if place",
        ("one-of-two-broken",),
    ),
    Mutation(
        "however many calls there are, all are run",
        "core/reply_limits.py",
        "MOST_CALLS = 32",
        "MOST_CALLS = 320",
        ("hundred-calls",),
    ),
    Mutation(
        "however many calls there are, all are listened to",
        "models/limited.py",
        "if index >= HEARD_CALLS:",
        "if index >= 100 * HEARD_CALLS:",
        ("hundred-calls",),
    ),
    Mutation(
        "tools reach beyond the project",
        "workspace/files/paths.py",
        "            inside = _is_inside(real, root)",
        "            inside = True",
        ("path-outside",),
    ),
    Mutation(
        "no file is secret",
        "core/secrets.py",
        "    names = _copied_names(name)",
        "    return False",
        ("secret-file", "secret-search"),
    ),
    Mutation(
        "values are not masked",
        "loop/tool_phase.py",
        "    outcome = replace(outcome, content=shown.text)",
        "    pass",
        ("secret-in-code",),
    ),
)
