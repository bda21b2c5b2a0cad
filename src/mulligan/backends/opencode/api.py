"""The endpoints of opencode's server. Errors become `BackendError`."""

import ssl
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mulligan.runtime.lenient_json import as_object, as_objects, as_text, parsed_object
from mulligan.types.errors import BackendError
from mulligan.types.tool_calls import JsonObject

if TYPE_CHECKING:
    import httpx2

USER = "opencode"
NEWEST = 50
"""Messages to check. A turn makes one per step; those without missed events are known anyway."""
_NOBODY_ANSWERS = [
    {"permission": permission, "pattern": "*", "action": "deny"}
    for permission in ("question", "plan_enter", "plan_exit")
]
"""Tools that wait for a user to choose among answers. There is nobody to ask that way."""
DENIED = "The user refused this. Continue without it, or say why you need it."
"""With text, the agent continues; without, the turn ends."""


class RequestRefused(BackendError):
    """The server reported that it did not carry out a request."""


class OpencodeApi:
    """One server. Each request names a folder: the server serves many."""

    def __init__(self, url: str, password: str, *, timeout: float, quiet: float) -> None:
        """`quiet`: how long the event stream may be silent before it counts as lost."""
        import httpx2  # 80 ms, spent while the server starts

        self._quiet = quiet
        self._client = httpx2.AsyncClient(
            base_url=url,
            auth=(USER, password),
            timeout=timeout,
            headers={"accept-encoding": "identity"},
            # Plain http on our own machine: no certificates to load, and no proxy that could reach it.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            trust_env=False,
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def is_healthy(self) -> bool:
        return bool(as_object(await self._ask("GET", "/global/health")).get("healthy"))

    async def create_session(self, folder: Path) -> str:
        made = as_object(await self._ask("POST", "/session", folder, {"permission": _NOBODY_ANSWERS}))
        session = as_text(made.get("id"))
        if not session:
            raise BackendError("opencode's server made a session without an id.")
        return session

    async def folder_of(self, folder: Path, session: str) -> str | None:
        """A session's folder; None if there is no such session."""
        found = as_object(await self._ask("GET", f"/session/{session}", folder, or_missing=True))
        return as_text(found.get("directory")) or None

    async def prompt(self, folder: Path, session: str, text: str, model: JsonObject | None) -> None:
        """The server queues it, and works on it when it can."""
        body: JsonObject = {"parts": [{"type": "text", "text": text}]}
        await self._ask("POST", f"/session/{session}/prompt_async", folder, body | ({"model": model} if model else {}))

    async def abort(self, folder: Path, session: str) -> None:
        await self._ask("POST", f"/session/{session}/abort", folder)

    async def is_busy(self, folder: Path, session: str) -> bool:
        status = as_object(as_object(await self._ask("GET", "/session/status", folder)).get(session))
        return as_text(status.get("type")) not in ("", "idle")

    async def messages(self, folder: Path, session: str) -> list[JsonObject]:
        """The newest messages of a session, each as `info` and `parts`, in order."""
        return as_objects(await self._ask("GET", f"/session/{session}/message", folder, limit=NEWEST))

    async def permissions(self, folder: Path) -> list[JsonObject]:
        """Open requests of all sessions in the folder."""
        return as_objects(await self._ask("GET", "/permission", folder))

    async def reply(self, folder: Path, permission: str, *, allow: bool) -> None:
        """Answer a permission request. If that was already done, it is no error: a denial also answers other requests
        of the session."""
        body = {"reply": "once"} if allow else {"reply": "reject", "message": DENIED}
        await self._ask("POST", f"/permission/{permission}/reply", folder, body, or_missing=True)

    @asynccontextmanager
    async def events(self, folder: Path) -> AsyncGenerator["httpx2.Response"]:
        """The event stream. Reading it raises `httpx2.HTTPError` if it breaks, or is quiet for too long."""
        import httpx2

        timeout = httpx2.Timeout(self._client.timeout.connect, read=self._quiet)
        with self._translated():
            request = self._client.build_request("GET", "/event", params=_query(folder), timeout=timeout)
            response = await self._client.send(request, stream=True)
        try:
            if not response.is_success:
                raise RequestRefused(f"opencode's server answered {response.status_code} when asked for its events.")
            yield response
        finally:
            await response.aclose()

    async def _ask(
        self,
        method: str,
        path: str,
        folder: Path | None = None,
        body: JsonObject | None = None,
        *,
        or_missing: bool = False,
        **query: int,
    ) -> Any:
        """The server's response; None if it is empty, or if the resource may be missing, and is."""
        with self._translated():
            response = await self._client.request(method, path, params={**_query(folder), **query}, json=body)
            if or_missing and response.status_code == 404:
                return None
            if not response.is_success:
                raise RequestRefused(_words_for(response))
            return response.json() if response.content else None

    @contextmanager
    def _translated(self) -> Generator[None]:
        import httpx2

        if self._client.is_closed:
            raise BackendError("opencode's server was ended.")
        try:
            yield
        except httpx2.TimeoutException as error:
            raise BackendError("opencode's server did not answer in time.") from error
        except httpx2.HTTPError as error:
            raise BackendError(f"opencode's server could not be reached: {error or type(error).__name__}") from error
        except ValueError as error:
            raise BackendError("opencode's server answered with what is no JSON.") from error


def _query(folder: Path | None) -> dict[str, str]:
    return {"directory": str(folder)} if folder else {}


def _words_for(response: "httpx2.Response") -> str:
    problem = as_object((parsed_object(response.content) or {}).get("data"))
    reason = as_text(problem.get("message")) or response.text[:200].strip()
    return f"opencode's server answered {response.status_code}: {reason}"
