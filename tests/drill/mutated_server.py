"""What is done about servers that fail, broken."""

from tests.drill.mutations import Mutation

MUTATIONS = (
    Mutation(
        "nothing is tried again",
        "models.wire.retrying:RetryingModel.__init__",
        'lambda self, model, **given: whole(self, model, **{"attempts": 1, **given})',
        ("two-errors", "cut-twice", "silent-server", "cut-for-ever", "errors-for-ever", "dead-server"),
    ),
    Mutation(
        "a refusal is tried again",
        "types.errors:ModelError.worth_retrying",
        "True",
        ("web-page", "refused-request", "refused-access"),
    ),
    Mutation(
        "nobody waits as long as the server asks",
        "models.wire.retrying:RetryingModel._delay",
        "lambda self, error, attempt: whole(self, error, attempt) and self._backoff(attempt)",
        ("busy-server",),
    ),
    Mutation(
        "a server that wants too long a wait is asked again at once",
        "models.wire.retrying:RetryingModel._delay",
        """def broken(self, error, attempt):
    asked = getattr(error, "retry_after", None) or 0.0
    return 0.0 if asked > MAX_WAIT_SECONDS else whole(self, error, attempt)""",
        ("hour-of-waiting",),
    ),
    Mutation(
        "signs of life stand for a reply",
        "models.wire.event_stream:ReplyBytes.next",
        """async def broken(self, **given):
    chunk = await whole(self, **given)
    self._watch.restart(self._limit.seconds)
    return chunk""",
        ("signs-of-life",),
    ),
    Mutation(
        "reading the prompt is no sign that a reply will come",
        "models.wire.chat_reply:ReplyReader._read_progress",
        "lambda self, told: []",
        ("slow-prompt", "slow-prompt-asked"),
    ),
    Mutation(
        "no server is asked to tell how far it has read",
        "models.wire.openai_chat:OpenAIChat._llama_fields",
        "lambda self, request: {}",
        ("slow-prompt-asked", "progress-refused"),
    ),
    Mutation(
        "the first token may take no longer than the next",
        "core.waiting:first_token_seconds",
        "lambda *_: 0.0",
        ("silent-prompt",),
    ),
    Mutation(
        "the limit that struck is not told",
        "models.wire.server_errors:stalled",
        'lambda endpoint, limit, **_: ModelUnreachable("It took too long.")',
        ("silent-for-ever",),
    ),
    Mutation(
        "an event may be as long as it likes",
        "runtime.sse:SseDecoder.__init__",
        "lambda self, longest=0: whole(self, 64 * 1024 * 1024)",
        ("endless-event",),
    ),
    Mutation(
        "thinking is never switched",
        "core.tuning:thinking_fields",
        "lambda tuning, kind: {}",
        ("thinking-off",),
    ),
    Mutation(
        "a field that is refused is not understood",
        "core.tuning:refused_fields",
        "lambda said, sent: frozenset()",
        ("refused-sampling",),
    ),
    Mutation(
        "the address is not told",
        "models.wire.server_errors:Endpoint.shown",
        '"the server"',
        ("dead-server",),
    ),
    Mutation(
        "a web page is quoted",
        "models.wire.server_errors:_plain_text",
        'lambda body: body.decode("utf-8", "replace").strip()',
        ("web-page",),
    ),
    Mutation(
        "a refused protocol ends the turn",
        "models.protocols.adaptive:_refuses",
        "lambda *_: False",
        ("no-tools", "no-schema"),
    ),
    Mutation(
        "an ignored schema is not learnt from",
        "models.protocols.adaptive:AdaptiveModel._schema_was_ignored",
        "lambda self: self._know(json_schema=True)",
        ("no-schema",),
    ),
    Mutation(
        "roles are sent as they come",
        "core.roles:alternating",
        "lambda messages: tuple(messages)",
        ("strict-roles-after-silence", "strict-roles-after-failure", "strict-roles-in-recovery"),
    ),
)
