"""Compaction and synthesis, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "room is never made",
        "core/context_budget.py",
        "        return self.tokens(messages, tools) > self.most_tokens(reply_tokens)",
        "        return self.tokens(messages, tools) > 100 * self.most_tokens(reply_tokens)",
        ("small-context", "silent-cut"),
    ),
    Mutation(
        "a context counts as long as the model was trained for",
        "models/known/metadata.py",
        "    length = _loaded_length(profile.model, running) or _length_to_load(show, trained)",
        "    length = trained",
        ("silent-cut",),
    ),
    Mutation(
        "a refusal for length is final",
        "loop/turn.py",
        '            if not await self._make_room(note or ""):',
        "            if refused:",
        ("untold-context", "long-question"),
    ),
    Mutation(
        "the files read are forgotten",
        "core/compaction/summary.py",
        r'''    return f"{write_sections(sections, room)}\n\n{write_ledger(ledger)}"''',
        r'''    return f"{write_sections(sections, room)}\n\n{write_ledger(Ledger())}"''',
        ("small-context", "useless-summary"),
    ),
    Mutation(
        "any summary will do",
        "core/compaction/summary.py",
        "    if not _holds_goal(said, [*prompts, earlier]):",
        "    if not said:",
        ("useless-summary",),
    ),
    Mutation(
        "a glance is left at that",
        "core/next_move.py",
        "    return Synthesize(finding, otherwise=guarded) if finding else guarded",
        "    return guarded",
        ("glance", "made-up-sources", "failing-synthesis"),
    ),
    Mutation(
        "the files behind a glance are not read",
        "core/synthesis.py",
        "TOP_FILES, FILE_LINES, DOCUMENT_LINES = 5, 200, 500",
        "TOP_FILES, FILE_LINES, DOCUMENT_LINES = 0, 200, 500",
        ("glance",),
    ),
    Mutation(
        "citations are not compared",
        "loop/synthesis.py",
        "    if note:\n",
        "    if not answer:\n",
        ("made-up-sources",),
    ),
    Mutation(
        "a failed synthesis passes for an answer",
        "loop/synthesis.py",
        "        await _finish(_give_up(turn, found, record, why))\n        return None\n",
        '        await _finish(_give_up(turn, found, record, why))\n        return End("synthesized")\n',
        ("failing-synthesis",),
    ),
)
