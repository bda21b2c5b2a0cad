"""Errors of a model server, with messages that say what to do about them."""

import json
import os
import re
import socket
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Any
from urllib.parse import urlsplit

from mulligan.core.waiting import WaitLimit
from mulligan.models.wire.http_exchange import (
    CannotSend,
    ConnectFailed,
    ConnectTimedOut,
    HttpFailed,
    ProxyFailed,
    SendTimedOut,
)
from mulligan.runtime.late_pattern import late_pattern
from mulligan.runtime.lenient_json import as_count, as_list, as_object, as_text
from mulligan.types.errors import (
    ConfigurationError,
    ModelError,
    ModelOverloaded,
    ModelRejected,
    ModelUnreachable,
    PromptTooLong,
    ReplyCutOff,
)
from mulligan.types.frozen import frozen
from mulligan.types.tool_calls import JsonObject

MAX_MESSAGE = 300
"""Most characters of a server's own message."""
LOADING_WAIT = 5.0
"""A server that loads its model says so, but not how long it takes: a small one needs 3 to 5 seconds."""
_WORTH_WAITING = frozenset({408, 409, 425, 429})
"""Errors that are temporary, not about the request."""
_FINAL_CODES = frozenset({"insufficient_quota", "billing_not_active"})
"""Sent with 429 although waiting doesn't help."""
_REQUEST_AT_FAULT = late_pattern(r"invalid|context|unauthori|authentication|permission|not_?found|unsupported|quota")


@frozen
class Endpoint:
    """Where a request goes, as far as an error needs to know."""

    url: str
    model: str | None = None
    api_key: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The address without credentials and query."""
        try:
            parts = urlsplit(self.url)
        except ValueError:  # the address came from a server
            return "an address that can't be read"
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts.netloc else self.url


def error_for_status(status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint) -> ModelError:
    """What an HTTP status other than 200 means. Header names are lower case."""
    payload = _json_body(body)
    message = _shortened(_message(payload) if payload is not None else _plain_text(body), endpoint)
    quoted = _quoted(message)
    where = f"The model server at {endpoint.shown}"
    too_long = _too_long(f"{where} refused the request ({status}){quoted}", message, as_object(payload).get("error"))
    if too_long and status != 429:
        return too_long
    if status == 429 and _code(as_object(payload).get("error")) in _FINAL_CODES:
        return ModelRejected(f"{where} refused the request (429){quoted}")
    if status in _WORTH_WAITING or status >= 500:
        wait = retry_after_seconds(headers.get("retry-after", ""), now=time.time())
        if wait is None and status == 503 and "loading" in message.lower():
            wait = LOADING_WAIT
        return ModelOverloaded(f"{where} can't answer now ({status}){quoted}", retry_after=wait, status=status)
    if status in (401, 403):
        advice = "Check MULLIGAN_API_KEY." if endpoint.api_key else "It wants an API key: set MULLIGAN_API_KEY."
        return ModelRejected(f"{where} denied access ({status}){quoted} {advice}")
    if status == 404:
        what = f"the model {endpoint.model!r}" if endpoint.model else "that path"
        return ModelRejected(f"{where} does not know {what} (404){quoted} Check base_url, which often ends in /v1.")
    if status < 400:
        target = _shortened(Endpoint(headers.get("location", "elsewhere")).shown, endpoint)
        return ModelRejected(f"{where} points to {target} ({status}). Set base_url to the address it really has.")
    return ModelRejected(f"{where} refused the request ({status}){quoted}")


def error_in_reply(error: Any, endpoint: Endpoint) -> ModelError:
    """What an `error` object means that came instead of a part of the reply."""
    message = _shortened(_message({"error": error}), endpoint)
    text = f"The model server at {endpoint.shown} failed while it answered{_quoted(message)}"
    if too_long := _too_long(text, message, error):
        return too_long
    code = _code(error)
    number = int(code) if re.fullmatch("[1-5][0-9]{2}", code) else None
    if number is not None:
        rejected = 400 <= number < 500 and number not in _WORTH_WAITING
    else:
        rejected = bool(_REQUEST_AT_FAULT.search(f"{code} {as_text(as_object(error).get('type'))}".lower()))
    return ModelRejected(text) if rejected else ModelOverloaded(text, status=number)


def server_message(error: ModelError) -> str:
    """The server's own message, without our text around it."""
    return str(error).partition("): ")[2] or str(error)


@contextmanager
def translated(endpoint: Endpoint, *, idle_timeout: float, connect_timeout: float) -> Generator[None]:
    """Turns errors of the HTTP client into ours."""
    where = endpoint.shown
    try:
        yield
    except TimeoutError as error:
        did = f"{where} took more than {idle_timeout:g} s for an answer that it had begun."
        raise ModelUnreachable(f"{did} A slow model may need a longer idle_timeout.") from error
    except ConnectTimedOut as error:
        message = f"{where} took no connection within {connect_timeout:g} s. Is the model server running?"
        raise ModelUnreachable(message) from error
    except ConnectFailed as error:
        reason = _connect_failure(error)
        raise ModelUnreachable(f"No connection to {where}: {reason}. Is the model server running?") from error
    except ProxyFailed as error:
        raise ModelUnreachable(f"The proxy on the way to {where} failed: {_shortened(str(error), endpoint)}") from error
    except SendTimedOut as error:
        raise ModelUnreachable(f"{where} took no data for too long.") from error
    except CannotSend as error:
        raise ConfigurationError(f"A request to {where} can't be made: check base_url and the API key.") from error
    except HttpFailed as error:
        message = _shortened(str(error), endpoint) or "the connection was lost"
        raise ReplyCutOff(f"{where} broke off its answer: {message}") from error


def stalled(endpoint: Endpoint, limit: WaitLimit, *, signs_of_life: bool = False) -> ModelUnreachable:
    """The reply did not advance for that long, either silent or with keep-alives only."""
    how = "sent signs of life, but nothing of its reply, for" if signs_of_life else "was silent for"
    return ModelUnreachable(
        f"{endpoint.shown} {how} {limit.seconds:g} s, the limit for {limit.awaited}. "
        f"A slow model may need a longer {limit.setting}: set MULLIGAN_{limit.setting.upper()} in seconds."
    )


def retry_after_seconds(value: str, *, now: float) -> float | None:
    """How long a `Retry-After` asks to wait: seconds, or a date; None if it says neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", value):
        return float(value)
    from email.utils import parsedate_to_datetime

    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _too_long(text: str, message: str, error: Any) -> PromptTooLong | None:

    refusal = read_refusal(message, error)
    if refusal is None:
        return None
    return PromptTooLong(text, context_length=refusal.context_length, prompt_tokens=refusal.prompt_tokens)


def _json_body(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _message(payload: Any) -> str:
    """The message in an error body, wherever the server put it."""
    fields = as_object(payload)
    error = fields.get("error")
    details = [_detail(as_object(detail)) for detail in as_list(fields.get("detail"))]
    found = (as_object(error).get("message"), error, fields.get("message"), fields.get("detail"), "; ".join(details))
    return next((text for value in found if (text := as_text(value))), "")


def _detail(detail: JsonObject) -> str:
    """What is wrong with one field, and which one it is."""
    location = ".".join(as_text(each) for each in as_list(detail.get("loc")) if as_text(each))
    return ": ".join(words for words in (location, as_text(detail.get("msg"))) if words)


def _code(error: Any) -> str:
    code = as_object(error).get("code")
    return str(code) if isinstance(code, int | str) else ""


def _plain_text(body: bytes) -> str:
    text = body.decode("utf-8", "replace").strip()
    # A web page is useless in an error message.
    return "" if text.startswith("<") else text


def _shortened(text: str, endpoint: Endpoint) -> str:
    """One line, without the key, and without anything that a terminal would act on."""
    text = text[: 10 * MAX_MESSAGE]
    if endpoint.api_key:
        text = text.replace(endpoint.api_key, "[API key]")
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= MAX_MESSAGE else f"{line[:MAX_MESSAGE]}…"


def _quoted(message: str) -> str:
    """The end of a sentence that quotes the server's own message, if it had any."""
    return f": {message}" if message.endswith((".", "!", "?", "…")) else f": {message}." if message else "."


def _connect_failure(error: BaseException) -> str:
    """The system's own reason, from under the layers of the HTTP client."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "its host name is not known"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
        cause = cause.__cause__ or cause.__context__
    return str(error) or "the connection failed"


_ABOUT_LENGTH = late_pattern(
    r"context[ _](?:length|size|window)|exceed_context|prompt is too long|too many (?:input |prompt )?tokens",
    re.IGNORECASE,
)
_LIMITS = (
    late_pattern(r"maximum context length (?:is|of) (\d+)", re.IGNORECASE),
    late_pattern(r"context (?:length|size|window)\D{0,24}?(\d{3,})", re.IGNORECASE),
    late_pattern(r"> ?(\d{3,}) maximum"),
)
_COUNTS = (
    late_pattern(r"(\d+) in the (?:messages|prompt)"),
    late_pattern(r"(?:resulted in|request has|request \(|too long:|keep the first) ?(\d+)", re.IGNORECASE),
)


@frozen
class LengthRefused:
    context_length: int | None
    """Its context in tokens, if it said so."""
    prompt_tokens: int | None
    """Tokens that it counted in the prompt, if it said so."""


def read_refusal(message: str, error: Any) -> LengthRefused | None:
    """What an error says about the length. None if it is about something else."""
    fields = as_object(error)
    words = f"{message} {as_text(fields.get('type'))} {as_text(fields.get('code'))}"
    if not _ABOUT_LENGTH.search(words):
        return None
    return LengthRefused(
        as_count(fields.get("n_ctx")) or _first(_LIMITS, message),
        as_count(fields.get("n_prompt_tokens")) or _first(_COUNTS, message),
    )


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    found = (pattern.search(text) for pattern in patterns)
    return next((as_count(int(match[1])) or None for match in found if match), None)
