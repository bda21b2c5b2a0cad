"""The process of opencode's server."""

import asyncio
import os
import re
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from mulligan.backends.opencode.api import USER, OpencodeApi
from mulligan.backends.time_limits import AgentTimeouts, format_duration
from mulligan.core.external_commands import command_of
from mulligan.runtime.child_process import ChildProcess, describe_exit
from mulligan.runtime.uninterrupted import UnfinishedWork
from mulligan.types.agents import ExternalAgent
from mulligan.types.errors import BackendError

_LISTENS = re.compile(rb"listening on (http://[^\s/]+)")
POLL_SECONDS = 0.1


class OpencodeServer:
    """A listening server. `start` makes one."""

    def __init__(self, name: str, child: ChildProcess, api: OpencodeApi, limits: AgentTimeouts) -> None:
        self.child = child
        self.api = api
        self._name = name
        self._limits = limits
        # We ignore its output from now on, but must drain it so that the server doesn't block.
        self._draining = asyncio.create_task(_drain(child))

    @classmethod
    async def start(
        cls, agent: ExternalAgent, *, mark: str, stderr: Path, limits: AgentTimeouts, clearing: UnfinishedWork
    ) -> "OpencodeServer":
        """Start one, on a port of its choice. Only we know its password. Raises `BackendError`."""
        command, password, folder = command_of(agent, None), token_hex(16), stderr.parent
        access = {"OPENCODE_SERVER_USERNAME": USER, "OPENCODE_SERVER_PASSWORD": password, "PWD": str(folder)}
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        env = {**os.environ, **command.env, **access}
        child = await ChildProcess.start(
            command.argv, name=agent.name, install=agent.install, cwd=folder, env=env, mark=mark, stderr=stderr
        )
        api = None
        try:
            async with asyncio.timeout(limits.start):
                url = await _address(agent.name, child)
                api = OpencodeApi(url, password, timeout=limits.session, quiet=limits.quiet)
                await _healthy(agent.name, child, api)
        except BaseException as error:
            await clearing.run(_end(child, api, limits))
            if isinstance(error, TimeoutError):
                raise BackendError(_too_late(agent.name, limits.start, child.stderr_tail())) from error
            raise
        return cls(agent.name, child, api, limits)

    @property
    def has_ended(self) -> str | None:
        """How the server ended, in a sentence; None while it runs."""
        code = self.child.exit_code
        return None if code is None else _ended(self._name, code, self.child.stderr_tail())

    async def end(self) -> None:
        """End the server and everything it started."""
        self._draining.cancel()
        await _end(self.child, self.api, self._limits)


async def _end(child: ChildProcess, api: OpencodeApi | None, limits: AgentTimeouts) -> None:
    await child.end(end_of_input=0, terminate=limits.terminate)
    if api:
        await api.aclose()


async def _address(name: str, child: ChildProcess) -> str:
    while (line := await child.line()) is not None:
        if found := _LISTENS.search(line):
            return found[1].decode()
    code = await child.exited()
    raise BackendError(_ended(name, code or 0, child.stderr_tail()))


async def _healthy(name: str, child: ChildProcess, api: OpencodeApi) -> None:
    while child.exit_code is None:
        with suppress(BackendError):  # the server may not be ready yet
            if await api.is_healthy():
                return
        await asyncio.sleep(POLL_SECONDS)
    raise BackendError(_ended(name, child.exit_code, child.stderr_tail()))


async def _drain(child: ChildProcess) -> None:
    while await child.line() is not None:
        pass


def _ended(name: str, code: int, tail: str) -> str:
    return f"{name}'s server ended ({describe_exit(code)}){': ' if tail else '.'}{tail}"


def _too_late(name: str, seconds: float, tail: str) -> str:
    return f"{name}'s server was not ready within {format_duration(seconds)}{': ' if tail else '.'}{tail}"
