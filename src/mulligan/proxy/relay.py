"""One reply on its way to the client: forwarded as it came, held back if a call may have started, or rewritten."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mulligan.core.gathered_reply import GatheredReply
from mulligan.core.proxy.checked_calls import FineCall, check_call
from mulligan.core.proxy.replies import ReplyDecision, Rewrite, judge_reply
from mulligan.core.proxy.switches import Switches
from mulligan.core.replies import Reply
from mulligan.models.protocols.held_text import HeldText
from mulligan.models.wire.chat_reply import WrittenObject
from mulligan.proxy.openai_wire import ReplyWriter
from mulligan.proxy.stream_chunks import StreamChunk
from mulligan.types.model_io import CallDelta, ReasoningDelta, Retrying, TextDelta, TextWasReasoning
from mulligan.types.tool_calls import RawCall, ToolSpec


@dataclass(frozen=True, slots=True)
class _Held:
    chunk: StreamChunk
    shown: str
    """The part of its text, and of held text, that turned out to be prose."""
    reasoning: str


@dataclass(slots=True)
class _Call:
    name: str = ""
    pieces: list[str] = field(default_factory=list[str])
    written: WrittenObject = field(default_factory=WrittenObject)


class Relay:
    """The chunks of one reply in, bytes for the client out.

    As long as nothing has to change, the bytes are the server's own. A call is held back until its arguments are
    complete: nobody can run it earlier, and only then is it clear whether it needs repair.
    """

    def __init__(
        self,
        specs: Sequence[ToolSpec],
        switches: Switches,
        writer: ReplyWriter,
        *,
        writes: bool,
        had: str = "",
    ) -> None:
        """`writes`: the client speaks another API than the server. `had` is the text that the client already has of a
        reply that broke off."""
        self._specs = specs
        self._switches = switches
        self._writer = writer
        self._writes = writes or bool(had)
        self._had = had
        self._repeated = ""
        """The new reply's text so far, while it repeats `had`."""
        self._gathered = GatheredReply()
        self._text = HeldText([spec.name for spec in specs]) if specs and switches.on("text_calls") else None
        self._held: list[_Held] = []
        self._calls: dict[int, _Call] = {}
        self._unsettled: set[int] = set()
        """Calls not known to be valid, by number."""
        self.sent_calls = 0
        self.finish: str | None = None
        self.sent_text = had
        self.began = bool(had)
        """The client has some of this reply."""

    @property
    def repeats(self) -> bool:
        return self._gathered.repeated is not None and self._switches.on("repetition")

    def reply(self) -> Reply:
        return replace(self._gathered.reply(), finish_reason=self.finish)

    def hear(self, chunk: StreamChunk) -> bytes:
        """What can be sent now. From the end of the reply on, everything waits for the verdict."""
        self._writer.see(chunk)
        if self.finish:
            return self._after_the_end(chunk)
        shown, reasoning = self._gather(chunk)
        self.finish = chunk.finish
        self._held.append(_Held(chunk, shown, reasoning))
        if chunk.split and not self._writes and self._switches.on("thinking"):
            self._writes = True
        if self._writes:
            return self._write_held()
        undecided = (self._text is not None and self._text.undecided) or self._unsettled or chunk.holds
        return b"" if undecided or self.finish else self._release()

    def verdict(self) -> ReplyDecision:
        """Judges the whole reply, including calls that were already forwarded: those are valid."""
        switches = self._switches
        if self._text is None or not self._text.held:
            switches = switches.without(["text_calls"])
        return judge_reply(self.reply(), self._specs, switches)

    def pass_on(self) -> bytes:
        """The rest, unchanged."""
        if not self._writes:
            return self._release()
        rest = self._text.release() if self._text else ""
        return self._written(rest, self.reply().calls, self.finish or "stop")

    def rewrite(self, verdict: Rewrite) -> bytes:
        """The rest with these calls instead of what was written."""
        self._writes = True
        out = self._write_held()
        if self._text is None:
            rest = ""
        elif verdict.spans:
            rest = self._text.left_over(verdict.spans)
        else:
            rest = self._text.release()
        return out + self._written(rest, verdict.calls, "tool_calls")

    def end_with(self, words: str, reason: str) -> bytes:
        """The end of a reply whose rest is dropped."""
        self._held, self._writes = [], True
        before = "\n\n" if self.sent_text.strip() else ""
        return self._written(before + words, (), reason)

    def _gather(self, chunk: StreamChunk) -> tuple[str, str]:
        shown: list[str] = []
        reasoning: list[str] = []
        for event in chunk.events:
            self._gathered.add(event)
            match event:
                case TextDelta(text):
                    shown.append(self._text.feed(text) if self._text else text)
                case ReasoningDelta(text):
                    reasoning.append(text)
                case CallDelta():
                    if self._text and self._text.undecided:
                        shown.append(self._text.release())
                    self._add_call(event)
                case TextWasReasoning():
                    self._forget_text()
                case Retrying():
                    self._forget_text()
                    self._calls, self._unsettled = {}, set()
                    self._had, self._repeated = self.sent_text, ""
                case _:
                    pass
        return "".join(shown), "".join(reasoning)

    def _forget_text(self) -> None:
        if self._text:
            self._text = HeldText([spec.name for spec in self._specs])

    def _add_call(self, event: CallDelta) -> None:
        call = self._calls.setdefault(event.index, _Call())
        call.name += event.name or ""
        call.pieces.append(event.arguments)
        call.written.add(event.arguments)
        self._unsettled.add(event.index)
        if call.written.is_whole:
            whole = RawCall("", call.name, "".join(call.pieces))
            if not self._specs or isinstance(check_call(whole, self._specs, self._switches), FineCall):
                self._unsettled.discard(event.index)

    def _after_the_end(self, chunk: StreamChunk) -> bytes:
        if chunk.raw is None or not self._writer.passes(chunk):
            return b""
        return chunk.raw

    def _release(self) -> bytes:
        held, self._held = self._held, []
        for each in held:
            self._writer.passes(each.chunk)
            self.sent_text += each.shown
        self.began = True
        self.sent_calls = len(self._calls)
        return b"".join(each.chunk.raw or b"" for each in held)

    def _write_held(self) -> bytes:
        held, self._held = self._held, []
        out = [self._writer.reasoning(each.reasoning) + self._say(each.shown) for each in held]
        return b"".join(out)

    def _say(self, text: str) -> bytes:
        if not text:
            return b""
        if self._had:
            self._repeated += text
            if self._had.startswith(self._repeated):
                return b""
            goes_on = self._repeated.startswith(self._had)
            text = self._repeated[len(self._had) :] if goes_on else f"\n\n{self._repeated}"
            self._had = ""
        self.sent_text += text
        self.began = True
        return self._writer.text(text)

    def _written(self, rest: str, calls: Sequence[RawCall], reason: str) -> bytes:
        out = self._write_held() + self._say(rest)
        out += self._writer.calls(calls[self.sent_calls :], first=self.sent_calls)
        self.began = True
        return out + self._writer.finish(reason)
