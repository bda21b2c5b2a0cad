"""Guards against useless and half replies, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "nothing counts as an answer",
        "core.replies:read_reply",
        """def broken(reply, **given):
    read = whole(reply, **given)
    return Answer(reply.text) if read == Unusable("empty") else read""",
        ("empty-replies", "only-thinking", "one-empty-reply"),
    ),
    Mutation(
        "repeated text is not seen",
        "core.repetition:_is_too_much",
        "lambda *given, count, length: whole(*given, count=100 * count, length=length)",
        ("one-sentence", "one-paragraph", "numbered-sentence"),
    ),
    Mutation(
        "a reply that repeats itself is listened to",
        "core.gathered_reply:GatheredReply.add",
        """def broken(self, event):
    whole(self, event)
    if isinstance(event, TextDelta):
        self.repeated = None""",
        ("one-sentence",),
    ),
    Mutation(
        "a reply may be as long as it likes",
        "core.reply_limits:longest_reply",
        "lambda length: 100 * whole(length)",
        ("endless-reply",),
    ),
    Mutation(
        "lines with other numbers count as the same",
        "core.repetition:_ORDINAL",
        r're.compile(r"\d+")',
        ("long-list",),
    ),
    Mutation(
        "a call at the token limit is run",
        "core.tool_calls.read:read_calls",
        'lambda *given, finish_reason: whole(*given, finish_reason=finish_reason and "tool_calls")',
        ("call-at-the-limit",),
    ),
    Mutation(
        "an open string is closed",
        "core.tool_calls.almost_json:read_loosely",
        """def broken(text):
    try:
        return whole(text)
    except Unreadable:
        return whole(text + '"}')""",
        ("call-in-a-string",),
    ),
    Mutation(
        "a reply without an end passes for whole",
        "models.wire.chat_reply:ReplyReader.read",
        """def broken(self, payload):
    events = whole(self, payload)
    self.finish_reason = self.finish_reason or "stop"
    return events""",
        ("call-without-an-end",),
    ),
    Mutation(
        "a claim passes for a change",
        "loop.open_turn:OpenTurn.owes_change",
        "lambda self: False",
        ("claims-without-work", "claims-after-stop"),
    ),
)
