"""Two real agents, goose and opencode, over faults of their model: with and without the proxy in between."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from argparse import Namespace
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import proxying, tell
from bench.results import BenchFailed, Figure, Table, Version, Yielded, at_least, at_most
from mulligan.models.scripted.script import Script
from mulligan.models.scripted.server import RunningServer, running

MODULES = Path(__file__).parents[1] / "requirements" / "agents" / "node_modules"
PROGRAMS = {
    "goose": MODULES / "@aaif" / "goose-binary-linux-x64" / "bin" / "goose",
    "opencode": MODULES / "opencode-linux-x64" / "bin" / "opencode",
}
MAX_REQUESTS = 60
"""After so many an agent is taken never to stop, and is ended."""
MAX_SECONDS = 100.0
"""And after so long."""
MAX_SAME, MAX_MIXED = 8, 12

Reply = dict[str, Any]


def _call(name: str, arguments: Any) -> Reply:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def _run(agent: str, command: str) -> Reply:
    if agent == "goose":
        return _call("shell", {"command": command})
    return _call("bash", {"command": command, "description": "a command"})


def _edit(agent: str, number: str) -> Reply:
    if agent == "goose":
        return _call("edit", {"path": f"missing-{number}.py", "before": "a", "after": "b"})
    return _call("edit", {"filePath": f"missing-{number}.py", "oldString": "a", "newString": "b"})


def _mixed(agent: str) -> list[Reply]:
    """A failing call of another kind each time, and never the same one twice."""
    name = "shell" if agent == "goose" else "bash"
    return [
        _run(agent, "ls /missing-$n"),
        _edit(agent, "$n"),
        _call("browse_$n", {}),
        _call(name, {"cmd": "$n"}),
        _run(agent, "cat missing-$n.py"),
    ]


def _malformed(agent: str) -> list[Reply]:
    """The malformed calls of the drill, one a reply. Each writes a file of its own, which shows whether it ran."""
    name = "shell" if agent == "goose" else "bash"
    more = "" if agent == "goose" else ', "description": "x"'
    quoted = "" if agent == "goose" else ", 'description': 'x'"
    plain = f'{{"command": "touch ran-%s"{more}}}'
    return [
        _call(name, (plain % "brace")[:-1]),
        _call(name, (plain % "comma")[:-1] + ",}"),
        _call(name, f"{{'command': 'touch ran-quotes'{quoted}}}"),
        _call(name, f"```json\n{plain % 'fence'}\n```"),
        _call(name, json.dumps(plain % "twice")),
        _call(name.upper(), plain % "name"),
        _call(name, json.dumps({"name": name, "arguments": json.loads(plain % "nested")})),
        {**_call(name, json.loads(plain % "text")), "calls_as": "text"},
        {"text": "Done."},
    ]


MALFORMED = 8
FAULTS = ("same call for ever", "failing calls, mixed", "unknown tool for ever", "empty replies", "stream cut twice")


def _script(fault: str, agent: str) -> Script:
    title = {"when": {"tools": False}, "text": "A title"}
    """Both ask for a title of the session, without tools."""
    replies: dict[str, tuple[list[Reply], str]] = {
        "same call for ever": ([_run(agent, "cat a.py")], "repeat_last"),
        "failing calls, mixed": (_mixed(agent), "loop"),
        "unknown tool for ever": ([_call("browse_web", {"n": "$n"})], "repeat_last"),
        "empty replies": ([{"text": ""}], "repeat_last"),
        "stream cut twice": (
            [{"text": "It is in the file that", "chunk_size": 4, "cut_after": 2}] * 2 + [{"text": "It is in a.py."}],
            "repeat_last",
        ),
        "malformed calls": (_malformed(agent), "repeat_last"),
        "a healthy answer": ([_run(agent, "cat a.py"), {"text": "It is one."}], "repeat_last"),
    }
    played, then = replies[fault]
    return Script.model_validate({"replies": [title, *played], "then": then})


@dataclass(frozen=True, slots=True)
class Met:
    """How an agent met a fault."""

    requests: int
    """With tools: titles are not counted."""
    exit_code: int | None
    """None: it had to be ended."""
    said: str
    ran: frozenset[str]
    """Which of the malformed calls were carried out."""

    @property
    def words(self) -> str:
        if self.exit_code is None:
            return f"{MAX_REQUESTS}+" if self.requests >= MAX_REQUESTS else f"{self.requests}+ in {MAX_SECONDS:.0f} s"
        return f"{self.requests}, exit {self.exit_code}"


def meet(agent: str, fault: str, *, proxied: bool) -> Met:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, running(_script(fault, agent)) as model:
        home, project = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        project.mkdir()
        (project / "a.py").write_text("x = 1\n")
        subprocess.run(["git", "init", "-q"], cwd=project, check=True)
        with _between(model, home, proxied=proxied) as base_url:
            return _driven(agent, base_url, home, project, model)


@contextmanager
def _between(model: RunningServer, home: Path, *, proxied: bool) -> Generator[str]:
    if not proxied:
        yield model.base_url
        return
    with proxying(model.base_url, home=home / "mulligan") as proxy:
        yield f"{proxy.url}/v1"


def _driven(agent: str, base_url: str, home: Path, project: Path, model: RunningServer) -> Met:
    out = home / "out"
    with out.open("wb") as stdout:
        process = subprocess.Popen(
            agent_command(agent), cwd=project, env=agent_environ(agent, base_url, home),
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT,
        )  # fmt: skip
        code: int | None = None
        until = time.monotonic() + MAX_SECONDS
        try:
            while time.monotonic() < until and _asked(model) < MAX_REQUESTS:
                try:
                    code = process.wait(0.2)
                    break
                except subprocess.TimeoutExpired:
                    continue
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    ran = frozenset(path.name.removeprefix("ran-") for path in project.glob("ran-*"))
    return Met(_asked(model), code, out.read_text(errors="replace"), ran)


def _asked(model: RunningServer) -> int:
    return sum(bool(seen["body"].get("tools")) for seen in model.requests())


def agent_command(agent: str) -> list[str]:
    program = str(PROGRAMS[agent])
    if agent == "goose":
        return [program, "run", "--text", "Look at a.py.", "--no-session"]
    return [program, "run", "Look at a.py."]


def agent_environ(agent: str, base_url: str, home: Path) -> dict[str, str]:
    """Little of the developer's own: no key and no login of theirs reaches an agent."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9")
    folders = {"CONFIG": ".config", "DATA": ".local/share", "STATE": ".local/state", "CACHE": ".cache"}
    environ = {
        **nowhere,
        **dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost"),
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in folders.items()},
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
    }
    if agent == "goose":
        settings = {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "scripted", "GOOSE_MODE": "auto"}
        settings |= {"GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false", "OPENAI_API_KEY": "none"}
        return environ | settings | {"OPENAI_HOST": base_url.removesuffix("/v1")}
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 8_000}}
    options = {"baseURL": base_url, "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": model}}
    chosen = {"model": "local/scripted", "small_model": "local/scripted", "autoupdate": False, "share": "disabled"}
    file = home / ".config" / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**chosen, "provider": {"local": provider}}))
    return environ


def measure(_asked_for: Namespace) -> Iterator[Yielded]:
    missing = [agent for agent, program in PROGRAMS.items() if not program.exists()]
    if missing or shutil.which("git") is None:
        raise BenchFailed(f"{' and '.join(missing)} must be installed first: `make test-agents` does it")
    pins = json.loads((MODULES.parent / "package.json").read_text())["dependencies"]
    yield Version("goose", pins["@aaif/goose-binary-linux-x64"])
    yield Version("opencode", pins["opencode-linux-x64"])
    rows: list[tuple[str, ...]] = []
    for agent in PROGRAMS:
        for fault in FAULTS:
            alone, through = meet(agent, fault, proxied=False), meet(agent, fault, proxied=True)
            rows.append((agent, fault, alone.words, through.words, _last_words(through)))
            tell(f"{agent}, {fault}: {alone.words}; through the proxy {through.words}")
            bound = {"same call for ever": MAX_SAME, "failing calls, mixed": MAX_MIXED}.get(fault)
            if bound:
                stopped = through.requests if through.exit_code is not None else MAX_REQUESTS
                yield Figure(f"{agent} through the proxy, {fault}: requests", stopped, "", at_most(bound))
        alone, through = (meet(agent, "malformed calls", proxied=proxied) for proxied in (False, True))
        rows.append((agent, "malformed calls", f"{len(alone.ran)} of {MALFORMED} ran", f"{len(through.ran)} ran", ""))
        yield Figure(
            f"{agent} through the proxy, malformed calls that ran", len(through.ran), f"of {MALFORMED}",
            at_least(MALFORMED),
        )  # fmt: skip
        alone, through = (meet(agent, "a healthy answer", proxied=proxied) for proxied in (False, True))
        rows.append((agent, "a healthy answer", alone.words, through.words, ""))
        yield Figure(
            f"{agent}, requests that the proxy adds to a healthy answer", through.requests - alone.requests, "",
            at_most(0),
        )  # fmt: skip
    columns = ("agent", "the model", "alone", "through the proxy", "what the user reads in the end")
    note = "Requests to the model and the exit code. With a plus sign: it had not stopped by then, and was ended."
    yield Table("The same agents, alone and through the proxy", columns, tuple(rows), note)


def _last_words(met: Met) -> str:
    marks = ("Stopped by Mulligan's proxy", "Mulligan's proxy:", "It is in a.py.")
    found = next((mark for mark in marks if mark in met.said), "")
    at = met.said.find(found) if found else -1
    return met.said[at:].split("\n", 1)[0].split(". ", 1)[0].strip()[:90] if at >= 0 else ""
