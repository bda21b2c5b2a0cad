"""One request of a client, read top down: judge the conversation, check the context, ask, judge the reply, answer."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from mulligan.core.proxy.context import hide_old_results, too_long
from mulligan.core.proxy.conversation import AddNote, EndTurn, MaskTools, judge_conversation
from mulligan.core.proxy.replies import AskAgain, PassOn, Rewrite
from mulligan.core.proxy.switches import Switches
from mulligan.models.wire.chat_request import compact_json
from mulligan.models.wire.retrying import MAX_WAIT_SECONDS, backoff_seconds
from mulligan.models.wire.server_errors import Endpoint, error_for_status
from mulligan.proxy.client_response import Answer, ClientResponse
from mulligan.proxy.dialects import Dialect
from mulligan.proxy.final_answer import final_calls
from mulligan.proxy.journal import Account, Journal
from mulligan.proxy.openai_wire import read_steps, read_tools, with_note, with_rejected, without_tools
from mulligan.proxy.relay import Relay
from mulligan.proxy.stream_chunks import Refusal, StreamChunk
from mulligan.proxy.upstream import Upstream
from mulligan.runtime.lenient_json import as_list, as_object
from mulligan.types.errors import ModelError, ModelOverloaded, ModelRejected, PromptTooLong
from mulligan.types.model_io import Usage
from mulligan.types.tool_calls import JsonObject

ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class ClientRequest:
    dialect: Dialect
    body: JsonObject
    """The request as a chat completion, whatever the client speaks."""
    raw: bytes | None
    """The original body, if the client speaks that."""
    stream: bool
    switches: Switches
    key: Mapping[str, str]
    """Headers with the client's own key, if it is forwarded."""
    shorten: bool = False
    failed: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Results that the client marked as errors, by the ids of their calls."""


class Exchange:
    def __init__(
        self,
        request: ClientRequest,
        upstream: Upstream,
        journal: Journal,
        account: Account,
        response: ClientResponse,
    ) -> None:
        self._request = request
        self._upstream = upstream
        self._journal = journal
        self._account = account
        self._out = response
        self._switches = request.switches
        self._specs = read_tools(request.body)
        self._body = request.body
        self._raw = request.raw
        self._asked_again = False
        self._failures = 0
        self._had = ""
        self._began = time.monotonic()

    async def run(self) -> None:
        """Always answers the client. Cancel it if the client disconnects."""
        wanted = self._body.get("model")
        try:
            model = await self._upstream.model_for(wanted if isinstance(wanted, str) else "")
        except ModelError:
            model = wanted if isinstance(wanted, str) else ""
        self._account.model, self._account.stream = model, self._request.stream
        if model != wanted:
            self._change({**self._body, "model": model})
        self._writer = self._request.dialect.writer(model, stream=self._request.stream)
        if await self._apply_guards() or await self._fit_context(model):
            return
        await self._ask_until_it_holds(model)

    async def _apply_guards(self) -> bool:
        if not self._specs:
            return False
        steps = read_steps(as_list(self._body.get("messages")), self._request.failed)
        decided = judge_conversation(steps, {spec.name for spec in self._specs}, self._switches)
        match decided:
            case EndTurn(why, text):
                self._journal.note(self._account, f"ended_{why}", after=text)
                calls = final_calls(self._specs, text)
                content = self._writer.calls(calls, first=0) if calls else self._writer.text(text)
                out = content + self._writer.finish("tool_calls" if calls else "stop") + self._writer.close()
                await self._out.reply(out)
                return True
            case MaskTools(why, note, tools):
                self._journal.note(self._account, f"masked_{why}", before=", ".join(sorted(tools)), after=note)
                self._change(with_note(without_tools(self._body, tools), note))
            case AddNote(why, note):
                self._journal.note(self._account, f"noted_{why}", after=note)
                self._change(with_note(self._body, note))
            case _:
                pass
        self._failures = decided.failures
        return False

    async def _fit_context(self, model: str) -> bool:
        if not self._switches.on("context"):
            return False
        profile = await self._upstream.profile(model)
        cut = too_long(self._text(), profile)
        if cut and self._request.shorten:
            excess = int((cut.tokens - 0.9 * cut.limit) * len(self._text()) / cut.tokens)
            shorter = hide_old_results(as_list(self._body.get("messages")), excess)
            self._change({**self._body, "messages": shorter})
            cut = too_long(self._text(), profile)
            self._journal.note(self._account, "shortened", after=f"about {excess:,} characters of old results hidden")
        if cut is None:
            return False
        words = (
            f"This prompt has about {cut.tokens:,} tokens, but the server accepts {cut.limit:,} for {model}: it would "
            "silently cut the beginning. Give the model a larger context (Ollama: OLLAMA_CONTEXT_LENGTH or "
            "num_ctx), or shorten the conversation."
        )
        self._journal.note(self._account, "refused_too_long", after=words)
        answer = self._request.dialect.prompt_too_long(words, cut.tokens, cut.limit)
        self._account.status = answer.status
        await self._out.answer(answer)
        return True

    async def _ask_until_it_holds(self, model: str) -> None:
        attempt = 1
        while True:
            profile = await self._upstream.profile(model)
            may_constrain = bool(self._specs) and self._switches.on("constrained")
            native = self._upstream.native(profile) or not may_constrain
            raw = native and self._upstream.server is not None
            writes = not raw or self._raw is None
            relay = Relay(self._specs, self._switches, self._writer, writes=writes, had=self._had)
            self._account.asked += 1
            try:
                if await self._one_reply(relay, self._chunks(model, raw=raw), model):
                    return None
            except Refusal as refusal:
                error = error_for_status(refusal.status, refusal.headers, refusal.body, Endpoint("", model))
                if native and may_constrain and isinstance(error, ModelRejected) and _refuses_tools(refusal):
                    self._upstream.no_native_tools(model)
                    self._journal.note(self._account, "constrained", before=str(error))
                    continue
                if not await self._again_after(error, attempt, relay):
                    return await self._refuse(refusal, error)
                attempt += 1
            except ModelError as error:
                if not await self._again_after(error, attempt, relay):
                    return await self._fail(error)
                attempt += 1

    def _chunks(self, model: str, *, raw: bool) -> AsyncGenerator[StreamChunk]:
        if not raw:
            return self._upstream.stream_translated(self._body, model)
        return self._upstream.stream_raw(self._bytes(), model, self._request.key)

    async def _one_reply(self, relay: Relay, chunks: AsyncGenerator[StreamChunk], model: str) -> bool:
        """Whether the client has its answer now."""
        settled = False
        async with aclosing(chunks):
            async for chunk in chunks:
                self._learn(chunk, model)
                out = relay.hear(chunk)
                if out:
                    await self._send(out)
                if settled:
                    continue
                if relay.repeats:
                    return await self._handle_unusable(relay, relay.verdict())
                if relay.finish:
                    verdict = relay.verdict()
                    if isinstance(verdict, AskAgain) and not await self._passes_all_the_same(relay, verdict):
                        return await self._handle_unusable(relay, verdict)
                    await self._settle(relay, verdict)
                    settled = True
        if not settled:
            await self._settle(relay, PassOn())
        await self._send(self._writer.close())
        return True

    async def _settle(self, relay: Relay, verdict: PassOn | Rewrite | AskAgain) -> None:
        if isinstance(verdict, Rewrite):
            reply = relay.reply()
            before = reply.text if verdict.spans else "\n".join(f"{c.name} {c.arguments}" for c in reply.calls)
            after = "\n".join(f"{call.name} {call.arguments}" for call in verdict.calls)
            for repair in verdict.repairs:
                self._journal.note(self._account, repair, before, after)
            await self._send(relay.rewrite(verdict))
        else:
            await self._send(relay.pass_on())

    async def _passes_all_the_same(self, relay: Relay, verdict: AskAgain) -> bool:
        """Whether to forward a call unchanged that the client itself will refuse: yes, if the model was told before, or
        the client already has a part of the reply."""
        if not verdict.harmless:
            return False
        may_ask = self._switches.on("second_ask") and not self._asked_again and self._failures == 0
        if may_ask and not relay.sent_calls:
            return False
        self._journal.note(self._account, "passed_unrepaired", before=verdict.note)
        return True

    async def _handle_unusable(self, relay: Relay, verdict: Any) -> bool:
        """Ask once more and say why; after that, tell the client."""
        assert isinstance(verdict, AskAgain)  # noqa: S101 - others are settled
        reply = relay.reply()
        shown = reply.text or "\n".join(f"{call.name} {call.arguments}" for call in reply.calls)
        self._journal.note(self._account, verdict.why, shown, verdict.note)
        if not self._asked_again:
            self._asked_again = True
            self._change(with_rejected(self._body, reply.text, verdict.calls, verdict.note))
            return False
        reason = "length" if verdict.why == "cut_off" else "stop"
        await self._send(relay.end_with(_GIVEN_UP[verdict.why], reason) + self._writer.close())
        return True

    async def _again_after(self, error: ModelError, attempt: int, relay: Relay) -> bool:
        """Whether to try again. Waits before it returns True."""
        asked = error.retry_after if isinstance(error, ModelOverloaded) else None
        hopeless = not error.worth_retrying or attempt >= ATTEMPTS or (asked or 0) > MAX_WAIT_SECONDS
        if hopeless or not self._switches.on("retry") or relay.sent_calls:
            return False
        self._had = relay.sent_text
        self._journal.note(self._account, "retried", before=str(error))
        await asyncio.sleep(asked or backoff_seconds(attempt))
        return True

    async def _refuse(self, refusal: Refusal, error: ModelError) -> None:
        """Send the server's own error, in the client's format if it is about the length."""
        if self._out.started:
            return await self._fail(error)
        self._account.status = refusal.status
        if isinstance(error, PromptTooLong):
            answer = self._request.dialect.prompt_too_long(str(error), error.prompt_tokens, error.context_length)
        elif self._request.raw is not None:
            kept = ("content-type", "retry-after")
            headers = {name: refusal.headers[name] for name in kept if name in refusal.headers}
            answer = Answer(refusal.status, refusal.body, headers)
        else:
            answer = Answer(refusal.status, self._request.dialect.error(refusal.status, str(error)))
        await self._out.answer(answer)
        return None

    async def _fail(self, error: ModelError) -> None:
        self._journal.note(self._account, "failed", after=str(error))
        if self._out.started:
            await self._out.reply(self._request.dialect.stream_error(str(error)))
            return
        self._account.status = 502
        if isinstance(error, PromptTooLong):
            answer = self._request.dialect.prompt_too_long(str(error), error.prompt_tokens, error.context_length)
            self._account.status = answer.status
        else:
            answer = Answer(502, self._request.dialect.error(502, str(error)))
        await self._out.answer(answer)

    async def _send(self, out: bytes) -> None:
        if not out:
            return
        if self._account.first_byte_ms is None:
            self._account.first_byte_ms = round((time.monotonic() - self._began) * 1000, 2)
        await self._out.reply(out)

    def _learn(self, chunk: StreamChunk, model: str) -> None:
        for payload in chunk.payloads:
            counts = as_object(as_object(payload).get("usage"))
            tokens = counts.get("prompt_tokens")
            if isinstance(tokens, int):
                self._upstream.learn_rate(model, len(self._text()), Usage(prompt_tokens=tokens))

    def _change(self, body: JsonObject) -> None:
        self._body = body
        self._raw = None if self._request.raw is None else compact_json(body).encode("utf-8", "replace")
        self._text_of_body = ""

    def _bytes(self) -> bytes:
        return self._raw if self._raw is not None else compact_json(self._body).encode("utf-8", "replace")

    _text_of_body: str = ""

    def _text(self) -> str:
        self._text_of_body = self._text_of_body or compact_json(
            {key: self._body.get(key) for key in ("messages", "tools")}
        )
        return self._text_of_body


_GIVEN_UP = {
    "empty": "Mulligan's proxy: the model gave an empty reply, and another one when asked again. "
    "Rephrase the question, or use another model.",
    "repeated": "Mulligan's proxy: the model repeats itself endlessly, and did so again when asked once more.",
    "cut_off": "Mulligan's proxy: the model's tool call was cut off before its end, twice, and was not passed on. "
    "Allow the model a longer reply, or ask for a smaller step.",
    "call_rejected": "Mulligan's proxy: the model's tool call could not be read.",
}


def _refuses_tools(refusal: Refusal) -> bool:
    message = refusal.body.decode("utf-8", "replace").lower()
    return "does not support tools" in message or "--jinja" in message or "tools param" in message
