"""Repairs of calls, and what calls may reach, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "broken JSON is not read loosely",
        "core.tool_calls.parse:read_loosely",
        """def broken(text):
    raise Unreadable("they are no JSON", text)""",
        ("trailing-comma", "single-quotes", "missing-brace", "unquoted-key", "python-values"),
    ),
    Mutation(
        "what broken JSON most likely meant is not guessed",
        "core.tool_calls.parse:guess_json",
        "lambda text: None",
        ("bare-quotes",),
    ),
    Mutation(
        "fences around arguments stay",
        "core.tool_calls.parse:_without_fence",
        "lambda text: text.strip()",
        ("fenced-arguments",),
    ),
    Mutation(
        "arguments in a string are not decoded",
        "core.tool_calls.parse:_ENCODINGS",
        "0",
        ("encoded-twice",),
    ),
    Mutation(
        "a call within a call is not unwrapped",
        "core.tool_calls.unnest:_holder",
        "lambda *_: None",
        ("call-in-call",),
    ),
    Mutation(
        "arguments are not fitted to the schema",
        "core.tool_calls.read:_fit",
        """def broken(raw, spec, parsed):
    if fit_arguments(parsed.value, spec.parameters).repairs:
        return RejectedCall(raw.id, spec.name, parsed.value, kind="schema_reject", message="")
    return whole(raw, spec, parsed)""",
        ("true-as-text", "number-as-text", "lone-value", "extra-argument", "other-argument-name"),
    ),
    Mutation(
        "a tool has to be named to the letter",
        "core.tool_calls.names:resolve_tool",
        "lambda name, known: name if name in known else None",
        ("tool-in-capitals", "tool-misspelt"),
    ),
    Mutation(
        "calls in the text are taken for an answer",
        "models.protocols.calls_in_text:read_calls_in_text",
        "lambda reply, *_: reply",
        ("tool-call-tag", "invoke-tag", "fenced-call", "bare-call"),
    ),
    Mutation(
        "what is shown as an example is run",
        "core.text_calls.find:_EXAMPLE",
        're.compile("(?!)")',
        ("call-as-example",),
    ),
    Mutation(
        "a call that comes back does not bring the schema",
        "core.tool_calls.explain:_how_to_call",
        "lambda spec: []",
        ("unreadable-arguments", "wrong-value", "missing-argument"),
    ),
    Mutation(
        "the nearest names are not told",
        "core.tool_calls.explain:not_found",
        "lambda name, nearest, available: whole(name, (), available)",
        ("no-such-tool",),
    ),
    Mutation(
        "a broken call takes the others with it",
        "core.tool_calls.read:read_calls",
        """def broken(raws, specs, **given):
    read = whole(raws, specs, **given)
    spoilt = any(isinstance(each, RejectedCall) for each in read)
    return [_cut_off(raw, specs, at_limit=True) for raw in raws] if spoilt else read""",
        ("one-of-two-broken",),
    ),
    Mutation(
        "however many calls there are, all are run",
        "core.reply_limits:MAX_CALLS",
        "320",
        ("hundred-calls",),
    ),
    Mutation(
        "however many calls there are, all are listened to",
        "models.limited:MAX_CALLS_READ",
        "100 * whole",
        ("hundred-calls",),
    ),
    Mutation(
        "tools reach beyond the project",
        "workspace.files.paths:_is_inside",
        "lambda *_: True",
        ("path-outside",),
    ),
    Mutation(
        "no file is secret",
        "core.secrets:is_secret",
        "lambda path: False",
        ("secret-file", "secret-search"),
    ),
    Mutation(
        "values are not masked",
        "loop.tool_phase:run_call",
        "lambda call, tool, mask, log: whole(call, tool, lambda text: replace(mask(text), text=text), log)",
        ("secret-in-code",),
    ),
    Mutation(
        "a reader is told that there is no such tool",
        "core.tool_calls.read:wants_to_write",
        "lambda name, available: None",
        ("edit-by-a-reader",),
    ),
)
