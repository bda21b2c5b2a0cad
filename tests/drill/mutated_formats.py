"""The readers of calls and thinking in a text, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "arguments in elements are not read",
        "core.text_calls.readers:_read_elements",
        "lambda *given: None",
        tuple(
            f"call-of-{family}"
            for family in ("qwen-coder", "seed", "glm", "cline", "minimax", "deepseek-v3-2", "step-3")
        ),
    ),
    Mutation(
        "arguments after a name are not read",
        "core.text_calls.readers:_bracketed",
        "lambda source, at: (LEFT_OPEN, len(source.text))",
        tuple(
            f"call-of-{family}" for family in ("gpt-oss", "deepseek-v3", "deepseek-v3-1", "kimi", "mistral", "react")
        ),
    ),
    Mutation(
        "arguments of Python and Gemma are not read",
        "core.text_calls.readers:as_json",
        "lambda text: text",
        tuple(f"call-of-{family}" for family in ("llama-4", "pythonic", "lfm2", "gemma-3", "gemma-4", "olmo-3")),
    ),
    Mutation(
        "no mark announces a call",
        "core.text_calls.find:grammar_for",
        'lambda names: dataclasses.replace(whole(names), opening="(?!)")',
        tuple(
            f"call-of-{family}"
            for family in ("mistral-list", "llama-3", "phi", "granite", "command-r", "internlm", "nemotron", "longcat")
        ),
    ),
    Mutation("calls in fences are made", "core.text_calls.find:FENCE", '"(?!)"', ("calls-as-examples",)),
    Mutation(
        "an element needs no end",
        "core.text_calls.readers:_read_elements",
        """def broken(source, at, name, form):
    read = whole(source, at, name, form)
    return CallSequence((RawCall("", name, '{"path": "two.py"}'),), read.end)""",
        ("element-cut-off",),
    ),
    Mutation(
        "no thinking is known by its marks",
        "core.thinking:MARKS",
        "()",
        tuple(f"thinking-of-{family}" for family in ("think", "thought", "magistral", "seed", "gemma", "gpt-oss")),
    ),
    Mutation(
        "thinking needs an opening mark", "core.thinking:_UNOPENED_END", 're.compile("(?!)")', ("thinking-of-unopened",)
    ),
    Mutation(
        "thinking has no budget",
        "core.thinking_budget:is_over",
        "lambda *given, **more: False",
        ("thinks-too-long", "thinks-for-ever"),
    ),
    Mutation(
        "thinking in circles is listened to",
        "core.gathered_reply:GatheredReply.add",
        """def broken(self, event):
    whole(self, event)
    if isinstance(event, ReasoningDelta):
        self.repeated = None""",
        ("thinks-in-circles",),
    ),
    Mutation(
        "an announcement is an answer",
        "core.replies:_only_announces",
        "lambda text: False",
        ("announced-once", "announced-for-ever"),
    ),
    Mutation(
        "an offer is an announcement", "core.announcements:_NOT_AT_ONCE", 're.compile("(?!)")', ("offer-to-go-on",)
    ),
)
