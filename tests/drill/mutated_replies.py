"""Guards against useless and half replies, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "nothing counts as an answer",
        "core/replies.py",
        "    if not reply.text.strip():",
        "    if reply.text is None:",
        ("empty-replies", "only-thinking", "one-empty-reply"),
    ),
    Mutation(
        "repeated text is not seen",
        "core/repetition.py",
        "    return found.count >= count and len(unit) * found.count >= length",
        "    return found.count >= 100 * count and len(unit) * found.count >= length",
        ("one-sentence", "one-paragraph", "numbered-sentence"),
    ),
    Mutation(
        "a reply that repeats itself is listened to",
        "loop/stream.py",
        "            if gathered.repeated:\n                break\n",
        "",
        ("one-sentence",),
    ),
    Mutation(
        "a reply may be as long as it likes",
        "models/limited.py",
        "                if heard > self._longest():",
        "                if heard > 100 * self._longest():",
        ("endless-reply",),
    ),
    Mutation(
        "lines with other numbers count as the same",
        "core/repetition.py",
        r"""_ORDINAL = re.compile(r"\n\d+(?=[.):])")""",
        r"""_ORDINAL = re.compile(r"\d+")""",
        ("long-list",),
    ),
    Mutation(
        "a call at the token limit is run",
        "core/tool_calls/read.py",
        '    if finish_reason is None or finish_reason == "length":',
        "    if finish_reason is None:",
        ("call-at-the-limit",),
    ),
    Mutation(
        "an open string is closed",
        "core/tool_calls/lenient_json.py",
        '                raise self._cut("they end inside a string")',
        "                self._put(self.text[self.at + 1 :])\n                break",
        ("call-in-a-string",),
    ),
    Mutation(
        "a reply without an end passes for whole",
        "models/wire/chat_reply.py",
        'as_text(choice.get("finish_reason")) or self.finish_reason',
        'as_text(choice.get("finish_reason")) or "stop"',
        ("call-without-an-end",),
    ),
)
