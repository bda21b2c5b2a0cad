"""The full probe: a few small requests that measure what a model on a server can really do.

At most 16 requests, each with a limit on its reply. What could not be measured keeps its old value, and the report says
why.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from mulligan.core.protocols import choose_protocol
from mulligan.core.replies import Reply
from mulligan.core.reply_limits import longest_reply
from mulligan.core.text_calls import find_text_calls
from mulligan.models.known.exercises import EXERCISES, TOOLS, Exercise, agency_for, read_answer
from mulligan.models.known.probe_image import COLORS, two_colored_image
from mulligan.models.known.reply_timing import Clock, ReplyTiming
from mulligan.models.known.truncation import (
    MARKER,
    MAX_TOKENS,
    Trial,
    affordable,
    cut_length,
    filler,
    judge,
    longest_whole,
    marked_prompt,
    next_size,
)
from mulligan.models.limited import LimitedModel
from mulligan.models.protocols.constrained import ConstrainedProtocol
from mulligan.models.protocols.text_protocol import TextProtocol
from mulligan.models.whole_reply import whole_reply
from mulligan.ports.models import Model
from mulligan.runtime.lenient_json import as_object
from mulligan.types.errors import ModelError, ModelRejected, ModelUnreachable
from mulligan.types.model_io import ModelEvent, ModelRequest, SystemText, UserText
from mulligan.types.profiles import ModelProfile
from mulligan.types.tool_calls import JsonObject, ToolSpec

PROBE_SECONDS = 300.0
"""Seconds after which no further check starts. A busy machine may write less than a token a second."""
CHECK_TIMEOUT = 1200.0
"""Seconds that one check may take: six short replies on a machine that writes a token a second."""
SHORT_REPLY = 120
THINKING_REPLY = 1_200
"""Tokens a reply may take: a model that thinks first needs more before it says anything."""
SPEED_CHARACTERS = 1_600
"""Enough to measure, and read within a quarter of a minute at 30 tokens a second."""
SPEED_REPLY = 48
PROBE_CHARS_PER_TOKEN = 4
"""If nothing was measured. Rather too many than too few: a short prompt would look truncated."""

_WEATHER = ToolSpec(
    "get_weather",
    "The weather in a city now.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
_MOOD: JsonObject = {
    "type": "object",
    "properties": {"mood": {"type": "string", "enum": ["calm", "wild"]}},
    "required": ["mood"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """One line of the report."""

    check: str
    found: str


Progress = Callable[[ProbeFinding], None]
ToolUse = Literal["native", "text", "none"]


async def probe(
    model: Model, profile: ModelProfile, *, progress: Progress, clock: Clock = time.monotonic
) -> ModelProfile:
    """The profile with what was measured. `model` has no protocol around it; one that retries is best, since servers
    drop idle connections.

    Raises `ModelError` only if the model does not answer the first, simplest request.
    """
    started = clock()
    run = _Probe(model, profile, clock)
    try:
        async with asyncio.timeout(CHECK_TIMEOUT):
            await run.wake()
    except TimeoutError as error:
        raise ModelUnreachable(f"{model.name} did not end its first reply within {CHECK_TIMEOUT:.0f} s.") from error
    checks: tuple[tuple[str, Callable[[], Awaitable[str]]], ...] = (
        ("speed", run.check_speed),
        ("native tools", run.check_tools),
        ("parallel calls", run.check_parallel_calls),
        ("JSON schema", run.check_schema),
        ("images", run.check_images),
        ("long prompts", run.check_truncation),
        ("ability", run.check_ability),
    )
    for name, check in checks:
        try:
            late = clock() - started > PROBE_SECONDS
            async with asyncio.timeout(CHECK_TIMEOUT):
                found = f"not tried: the probe has run for {PROBE_SECONDS:.0f} s" if late else await check()
        except ModelError as error:
            found = f"not known: {error}"
        except TimeoutError:
            found = f"not known: it took more than {CHECK_TIMEOUT:.0f} s"
        progress(ProbeFinding(name, found))
    return run.profile.model_copy(update={"probed": True})


def tool_use(reply: Reply) -> ToolUse:
    """How the model called the tool that it was told to call."""
    if any(call.name for call in reply.calls):
        return "native"
    return "text" if find_text_calls(reply.text, [_WEATHER.name]) else "none"


def fits_mood(text: str) -> bool:
    """Whether a reply to a prompt that invites prose still matches the schema."""
    try:
        value = as_object(json.loads(text))
    except (ValueError, RecursionError):
        return False
    return set(value) == {"mood"} and value["mood"] in ("calm", "wild")


class _Probe:
    def __init__(self, model: Model, profile: ModelProfile, clock: Clock) -> None:
        self.profile = profile
        self._model = LimitedModel(model, lambda: longest_reply(self.profile.context_length))
        self._clock = clock
        self._reply_limit = SHORT_REPLY
        self._first: tuple[int, Reply] | None = None
        """The characters of the first prompt, and its result."""
        self._found_marker: bool | None = None

    async def wake(self) -> None:
        """Load the model, so that later times are its own."""
        prompt = "Reply with the word ready."
        reply = await self._ask(UserText(prompt), limit=16)
        if reply.reasoning:
            self._reply_limit = THINKING_REPLY
        self._first = len(prompt), reply

    async def check_speed(self) -> str:
        # The time at the start keeps an earlier probe's prompt out of the server's cache.
        prompt = f"{time.time_ns() % 1_000_000}\n{filler(SPEED_CHARACTERS)}\nCount from 1 to 40, separated by commas."
        timing = ReplyTiming(self._clock)
        reply = await self._ask(UserText(prompt), limit=SPEED_REPLY, see=timing.see)
        per_token = self._characters_per_token(len(prompt), reply)
        reads, writes = timing.reading_speed(reply.usage), timing.writing_speed(reply.usage)
        self._learn(reads_per_second=_rounded(reads), writes_per_second=_rounded(writes), chars_per_token=per_token)
        if reads is None and writes is None:
            return "not known: the server does not count tokens"
        return (
            f"reads {_shown(reads)} and writes {_shown(writes)} tokens a second, {_shown(per_token)} characters a token"
        )

    async def check_tools(self) -> str:
        try:
            reply = await self._ask(UserText("What is the weather in Lisbon? Call the tool."), tools=(_WEATHER,))
        except ModelError as error:
            if not _refuses(error, "tool", "function"):
                raise
            self._learn(native_tools=False)
            return f"no: {error}"
        use = tool_use(reply)
        self._learn(native_tools=use == "native")
        return {"native": "yes", "text": "no: it writes the call as text", "none": "no: it did not call the tool"}[use]

    async def check_parallel_calls(self) -> str:
        if not self.profile.native_tools:
            self._learn(parallel_calls=False)
            return "no: there are no native calls"
        prompt = "What is the weather in Lisbon and in Oslo? Call the tool for both cities at once."
        reply = await self._ask(UserText(prompt), tools=(_WEATHER,))
        several = len([call for call in reply.calls if call.name]) > 1
        self._learn(parallel_calls=several)
        return "yes" if several else "no"

    async def check_schema(self) -> str:
        prompt = "Write one short sentence about the sea. Plain words, no JSON."
        try:
            reply = await self._ask(UserText(prompt), schema=_MOOD)
        except ModelError as error:
            if not _refuses(error, "response_format", "schema", "grammar"):
                raise
            self._learn(json_schema=False)
            return f"no: {error}"
        forced = fits_mood(reply.text)
        self._learn(json_schema=forced)
        return "yes: the reply was forced into it" if forced else "no: it was ignored"

    async def check_images(self) -> str:
        """A server may silently drop images, so the model has to say what it sees."""
        prompt = "Which two colors are in the image, the upper and the lower one? Reply with two words."
        try:
            reply = await self._ask(UserText(prompt, (two_colored_image(),)))
        except ModelError as error:
            if not _refuses(error, "image", "vision", "multimodal", "mmproj", "content"):
                raise
            self._learn(images=False)
            return f"no: {error}"
        text = reply.text.lower()
        seen = all(color in text for color in COLORS)
        self._learn(images=seen)
        return "yes" if seen else f"no: it sees {reply.text.strip()[:60] or 'nothing'}"

    async def check_truncation(self) -> str:
        believed, speed = self.profile.context_length, self.profile.reads_per_second
        trials: list[Trial] = []
        while (size := next_size(trials, believed)) and affordable(size, trials, speed):
            trials.append(await self._try_prompt(size))
        if not trials:
            return _skipped(size or 0, speed)
        return self._learn_length(trials, skipped=size)

    async def check_ability(self) -> str:
        model = self._with_protocol()
        failed: list[Exercise] = []
        for exercise in EXERCISES:
            request = ModelRequest(exercise.messages, tools=TOOLS, max_tokens=self._reply_limit, temperature=0.0)
            if not exercise.solved(read_answer(await whole_reply(model, request))):
                failed.append(exercise)
        ability = round(1 - len(failed) / len(EXERCISES), 2)
        agency = agency_for(failed)
        self._learn(ability=ability, agency=agency)
        solved = f"{agency}: solved {len(EXERCISES) - len(failed)} of {len(EXERCISES)}"
        missed = ", ".join(exercise.name for exercise in failed)
        return f"{solved}, not: {missed}" if failed else solved

    def _with_protocol(self) -> Model:
        match choose_protocol(self.profile):
            case "native":
                return self._model
            case "constrained":
                return ConstrainedProtocol(self._model)
            case "text":
                return TextProtocol(self._model)

    async def _try_prompt(self, tokens: int) -> Trial:
        characters = int(tokens * (self.profile.chars_per_token or PROBE_CHARS_PER_TOKEN))
        try:
            reply = await self._ask(UserText(marked_prompt(characters)))
        except ModelRejected:
            return Trial(tokens, "refused")
        trial = judge(reply, tokens)
        if trial.verdict == "cut" and not trial.read:
            return trial if await self._finds_marker() else Trial(tokens, "unclear")
        return trial

    async def _finds_marker(self) -> bool:
        """Only if a model finds the marker in a short prompt does losing it show that a long one was truncated."""
        if self._found_marker is None:
            control = await self._ask(UserText(marked_prompt(400)))
            self._found_marker = MARKER in control.text.lower()
        return self._found_marker

    def _learn_length(self, trials: list[Trial], *, skipped: int | None) -> str:
        cut, whole, believed = cut_length(trials), longest_whole(trials), self.profile.context_length
        if cut:
            self._learn(context_length=cut, truncates_at=cut)
            return f"silently truncated at about {cut:,} tokens"
        last = trials[-1]
        if last.verdict == "unclear":
            return f"not known: it does not find a word at the beginning of {last.tokens:,} tokens"
        length = max(whole or 0, believed or 0) or None
        self._learn(context_length=length)
        if last.verdict == "refused":
            self.profile = self.profile.model_copy(update={"truncates_at": None})
            return f"refused with an error from {last.tokens:,} tokens"
        if self.profile.truncates_at:
            # The server is known to truncate, only later than assumed.
            self._learn(truncates_at=length)
        rest = f"; {_skipped(skipped, self.profile.reads_per_second)}" if skipped else ""
        return f"{whole or 0:,} tokens arrive complete{rest}"

    def _characters_per_token(self, characters: int, reply: Reply) -> float | None:
        """From the difference of two prompts, so that the template around them does not count."""
        if self._first is None or not reply.usage.prompt_tokens:
            return None
        first_characters, first = self._first
        tokens = reply.usage.prompt_tokens - first.usage.prompt_tokens
        return round((characters - first_characters) / tokens, 2) if tokens > 0 else None

    async def _ask(
        self,
        message: UserText,
        *,
        tools: tuple[ToolSpec, ...] = (),
        schema: JsonObject | None = None,
        limit: int | None = None,
        see: Callable[[ModelEvent], None] | None = None,
    ) -> Reply:
        messages = (SystemText("You are a careful assistant."), message)
        limit = limit or self._reply_limit
        request = ModelRequest(messages, tools=tools, schema=schema, max_tokens=limit, temperature=0.0)
        return await whole_reply(self._model, request, see)

    def _learn(self, **facts: bool | float | str | None) -> None:
        """None means not measured, and overwrites nothing."""
        known = {name: value for name, value in facts.items() if value is not None}
        self.profile = self.profile.model_copy(update=known)


def _refuses(error: ModelError, *words: str) -> bool:
    """The plain request was answered, so a rejected one failed because of what was added. Some servers say 500 for
    it."""
    text = str(error).lower()
    return isinstance(error, ModelRejected) or any(word in text for word in words)


def _skipped(size: int, speed: float | None) -> str:
    if size <= MAX_TOKENS:
        return f"not tried with {size:,} tokens: that would take too long at {_shown(speed)} tokens a second"
    return f"not tried with {size:,} tokens: more than this check may read"


def _rounded(value: float | None) -> float | None:
    return round(value, 1) if value is not None else None


def _shown(value: float | None) -> str:
    return f"{value:,.3g}" if value is not None else "an unknown number of"
