"""The shipped fake: a model that follows a script, without a server."""

import asyncio
import time
from collections.abc import AsyncGenerator

from mulligan.models.scripted.playback import Playback, ScriptedRequest
from mulligan.models.scripted.reply import error_body, streamed_reply, timestamped
from mulligan.models.scripted.script import Script, ScriptedCall, ScriptedReply, ServerStyle, When
from mulligan.models.wire.chat_reply import ReplyReader
from mulligan.models.wire.chat_request import wire_messages
from mulligan.models.wire.server_errors import Endpoint, error_for_status
from mulligan.ports.callbacks import Sleep
from mulligan.runtime.sse import SseDecoder
from mulligan.types.errors import ReplyCutOff
from mulligan.types.model_io import ModelEvent, ModelRequest

__all__ = ["Script", "ScriptedCall", "ScriptedModel", "ScriptedReply", "ServerStyle", "When"]


class ScriptedModel:
    """Plays a script in process. Implements `ports.Model`."""

    def __init__(self, script: Script, *, sleep: Sleep = asyncio.sleep) -> None:
        self._script = script
        self._playback = Playback(script)
        self._sleep = sleep
        self.requests: list[ModelRequest] = []
        """The requests so far."""

    @property
    def name(self) -> str:
        return self._script.model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Yield the next reply of the script, or raise what a client of the scripted server would."""
        self.requests.append(request)
        number = len(self.requests)
        asked = ScriptedRequest(
            wire_messages(request.messages),
            tools=bool(request.tools),
            json_schema=request.schema is not None,
            fields=request.options.keys(),
            progress=self._script.server_style.progress == "taken",
        )
        scene = self._playback.play(number, asked)
        reply = scene.reply
        endpoint = Endpoint("the script", self._script.model)
        await self._pause(reply.delay + (0.0 if scene.progress else reply.reading))
        if reply.status is not None:
            headers = {name.lower(): value for name, value in reply.headers.items()}
            raise error_for_status(reply.status, headers, error_body(reply), endpoint)

        played = streamed_reply(reply, number, self._script.model, scene.messages)
        reader, decoder = ReplyReader(endpoint), SseDecoder()
        for sent in scene.progress:
            await self._pause(reply.reading / len(scene.progress))
            for payload in decoder.feed(sent.encode()):
                for event in reader.read(payload):
                    yield event
        for index, sent in enumerate(played.in_order()):
            if index:
                await self._pause(reply.chunk_delay)
            for payload in decoder.feed(timestamped(reply, sent, time.monotonic()).encode()):
                for event in reader.read(payload):
                    yield event
        if played.ending == "hang":
            await asyncio.Event().wait()
        if played.ending == "drop":
            raise ReplyCutOff("The script broke off the reply.")
        for event in reader.close():
            yield event

    async def _pause(self, seconds: float) -> None:
        if seconds:
            await self._sleep(seconds)
