"""What the proxy does for other agents, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "the proxy sees no loop",
        "core.proxy.conversation:_Replay._about_repetition",
        "lambda self, run: None",
        ("proxy-same-call", "proxy-circle"),
    ),
    Mutation(
        "the proxy does not count mistakes",
        "core.proxy.conversation:_Replay._about_mistakes",
        "lambda self, run: None",
        ("proxy-failures", "proxy-unknown-tool"),
    ),
    Mutation(
        "the proxy takes all text for text",
        "core.proxy.replies:judge_reply",
        'lambda reply, specs, switches: whole(reply, specs, switches.without(["text_calls"]))',
        ("proxy-text-call", "proxy-fenced-call"),
    ),
    Mutation(
        "the proxy repairs no arguments",
        "core.proxy.checked_calls:check_call",
        'lambda raw, specs, switches: whole(raw, specs, switches.without(["arguments"]))',
        (
            "proxy-trailing-comma",
            "proxy-single-quotes",
            "proxy-missing-brace",
            "proxy-encoded-twice",
            "proxy-boolean-as-text",
        ),
    ),
    Mutation(
        "the proxy corrects no names",
        "core.proxy.checked_calls:check_call",
        'lambda raw, specs, switches: whole(raw, specs, switches.without(["names"]))',
        ("proxy-wrong-case",),
    ),
    Mutation(
        "the proxy passes empty replies on",
        "core.proxy.replies:judge_reply",
        'lambda reply, specs, switches: whole(reply, specs, switches.without(["empty"]))',
        ("proxy-empty-reply",),
    ),
    Mutation(
        "the proxy takes a call that was cut off for a whole one",
        "core.proxy.replies:_judge_calls",
        'lambda reply, *given, **more: whole(dataclasses.replace(reply, finish_reason="tool_calls"), *given, **more)',
        ("proxy-cut-call",),
    ),
    Mutation(
        "the proxy tries nothing again",
        "proxy.exchange:ATTEMPTS",
        "1",
        ("proxy-cut-twice", "proxy-two-errors"),
    ),
    Mutation(
        "the proxy writes every reply anew",
        "proxy.relay:Relay.__init__",
        """def broken(self, *given, writes, **more):
    whole(self, *given, writes=True, **more)""",
        ("proxy-healthy",),
    ),
    Mutation(
        "the proxy compares calls by their names alone",
        "core.proxy.conversation:_arguments",
        "lambda text: {}",
        ("proxy-tests-again",),
    ),
)
