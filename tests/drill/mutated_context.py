"""Compaction and synthesis, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "room is never made",
        "core.context_budget:ContextBudget.is_full",
        "lambda self, messages, tools, reply: self.tokens(messages, tools) > 100 * self.most_tokens(reply)",
        ("small-context", "silent-cut"),
    ),
    Mutation(
        "a context counts as long as the model was trained for",
        "models.known.metadata:from_ollama",
        'lambda profile, show, running, num_ctx=None: whole(profile, {**show, "remote_host": "elsewhere"}, {})',
        ("silent-cut",),
    ),
    Mutation(
        "a refusal for length is final",
        "loop.turn:_Steps._ask",
        "lambda self, note: next_reply(self._turn, tools=self._specs, masked=self._guards.repeated, note=note)",
        ("untold-context", "long-question"),
    ),
    Mutation(
        "the files read are forgotten",
        "core.compaction.summary:write_summary",
        "lambda sections, ledger, room: whole(sections, Ledger(), room)",
        ("small-context", "useless-summary"),
    ),
    Mutation(
        "any summary will do",
        "core.compaction.summary:_holds_goal",
        "lambda *_: True",
        ("useless-summary",),
    ),
    Mutation(
        "a glance is left at that",
        "core.guards:_finding",
        "lambda calls: None",
        ("glance", "made-up-sources", "failing-synthesis"),
    ),
    Mutation(
        "the files behind a glance are not read",
        "core.synthesis:TOP_FILES",
        "0",
        ("glance",),
    ),
    Mutation(
        "citations are not compared",
        "loop.synthesis:citation_note",
        'lambda *_, **__: ""',
        ("made-up-sources",),
    ),
    Mutation(
        "a failed synthesis passes for an answer",
        "loop.synthesis:synthesize",
        """async def broken(*given):
    return await whole(*given) or End("synthesized")""",
        ("failing-synthesis",),
    ),
)
