"""Whom the user's API key is sent to, seen from the server that a project names."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Run

KEY = "a-key-of-the-user"
REPLY = b'data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@dataclass
class Listener:
    """A model server that writes down all headers it gets."""

    heard: list[str] = field(default_factory=list[str])
    redirect: str = ""
    url: str = ""


@pytest.fixture
def listeners() -> Iterator[list[Listener]]:
    made = [Listener(), Listener()]
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler(each)) for each in made]
    for listener, server in zip(made, servers, strict=True):
        listener.url = f"http://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    for server in servers:
        server.shutdown()
        server.server_close()


def handler(listener: Listener) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listener.heard.append(f"{self.requestline}\n{self.headers}")
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if listener.redirect:
                self.send_response(307)
                self.send_header("Location", listener.redirect + self.path.removeprefix("/v1"))
                body = b""
            elif self.command == "POST":
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                body = REPLY
            else:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                body = b'{"data":[{"id":"m"}]}'
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  the name is the library's

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as above
            pass

    return Handler


@pytest.mark.parametrize("command", [("ask", "hi"), ("doctor",), ("models", "probe")], ids=lambda words: words[0])
def test_a_server_that_the_project_chose_never_sees_the_key(
    run: Run, project: Path, environment: dict[str, str], listeners: list[Listener], command: tuple[str, ...]
) -> None:
    environment |= {"MULLIGAN_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    (project / "mulligan.toml").write_text(
        f'base_url = "{listeners[0].url}"\n[agents.own]\nprompt = "Answer."\nmodel = "other"\n'
    )
    done = run(*command)
    assert listeners[0].heard
    assert not [each for each in listeners[0].heard if KEY in each]
    told = " ".join((done.stdout + done.stderr).split())
    assert "API key was not sent" in told or "not used" in told
    assert "MULLIGAN_BASE_URL" in told


def test_an_agent_with_a_model_of_its_own_changes_nothing(
    run: Run, project: Path, environment: dict[str, str], listeners: list[Listener]
) -> None:
    environment["MULLIGAN_API_KEY"] = KEY
    (project / "mulligan.toml").write_text(
        f'base_url = "{listeners[0].url}"\n[agents.own]\nprompt = "Answer."\nmodel = "other"\n'
    )
    run("ask", "--agent", "own", "hi")
    assert any("POST" in each for each in listeners[0].heard)
    assert not [each for each in listeners[0].heard if KEY in each]


def test_a_server_that_the_user_named_too_gets_it(
    run: Run, project: Path, environment: dict[str, str], listeners: list[Listener]
) -> None:
    environment |= {"MULLIGAN_API_KEY": KEY, "MULLIGAN_BASE_URL": listeners[0].url}
    (project / "mulligan.toml").write_text(f'base_url = "{listeners[0].url}"\n')
    done = run("ask", "hi")
    assert any(f"Bearer {KEY}" in each for each in listeners[0].heard)
    assert "was not sent" not in done.stderr


def test_a_redirect_takes_the_key_nowhere(run: Run, environment: dict[str, str], listeners: list[Listener]) -> None:
    named, elsewhere = listeners
    named.redirect = elsewhere.url
    environment |= {"MULLIGAN_API_KEY": KEY, "MULLIGAN_BASE_URL": named.url, "MULLIGAN_MODEL": "m"}
    assert run("ask", "hi").returncode != 0
    assert named.heard
    assert not elsewhere.heard
