"""What is done about servers that fail, broken."""

from tests.drill.mutations import Mutation

RETRYING = "models/wire/retrying.py"
ADAPTIVE = "models/protocols/adaptive.py"

MUTATIONS = (
    Mutation(
        "nothing is tried again",
        RETRYING,
        "        attempts: int = 3,",
        "        attempts: int = 1,",
        ("two-errors", "cut-twice", "silent-server", "cut-for-ever", "errors-for-ever", "dead-server"),
    ),
    Mutation(
        "a refusal is tried again",
        RETRYING,
        "        if not error.worth_retrying:\n            return None\n",
        "",
        ("web-page", "refused-request", "refused-access"),
    ),
    Mutation(
        "nobody waits as long as the server asks",
        RETRYING,
        "        return asked or self._backoff(attempt)",
        "        return self._backoff(attempt)",
        ("busy-server",),
    ),
    Mutation(
        "a server that wants too long a wait is asked again at once",
        RETRYING,
        'which is too long: try again later.",)\n            return None',
        'which is too long: try again later.",)\n            return 0.0',
        ("hour-of-waiting",),
    ),
    Mutation(
        "signs of life stand for a reply",
        "models/wire/event_stream.py",
        '        self._total += len(chunk or b"")',
        '        self._watch.restart(self._idle_timeout)\n        self._total += len(chunk or b"")',
        ("signs-of-life",),
    ),
    Mutation(
        "reading the prompt is no sign that a reply will come",
        "models/wire/chat_reply.py",
        "        return counted or self._prompt_read > read",
        "        return counted",
        ("slow-prompt",),
    ),
    Mutation(
        "an event may be as long as it likes",
        "runtime/sse.py",
        "MAX_EVENT_BYTES = 4 * 1024 * 1024",
        "MAX_EVENT_BYTES = 64 * 1024 * 1024",
        ("endless-event",),
    ),
    Mutation(
        "the address is not told",
        "models/wire/server_errors.py",
        'f"No connection to {where}: {reason}.',
        'f"No connection: {reason}.',
        ("dead-server",),
    ),
    Mutation(
        "a web page is quoted",
        "models/wire/server_errors.py",
        '    return "" if text.startswith("<") else text',
        "    return text",
        ("web-page",),
    ),
    Mutation(
        "a refused protocol ends the turn",
        ADAPTIVE,
        "if not request.tools or not _refuses(error, self._protocol):",
        "if not request.tools or _refuses(error, self._protocol):",
        ("no-tools", "no-schema"),
    ),
    Mutation(
        "an ignored schema is not learnt from",
        ADAPTIVE,
        "    def _schema_was_ignored(self) -> None:\n        self._know(json_schema=False)",
        "    def _schema_was_ignored(self) -> None:\n        self._know(json_schema=True)",
        ("no-schema",),
    ),
)
