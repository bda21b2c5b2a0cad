"""The checks of `mulligan doctor`. Each is a small function that says what it found and what to do about it."""

import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mulligan.types.base import Record
from mulligan.types.errors import CallRejected, ConfigurationError, ModelError, StoreError
from mulligan.types.profiles import FoundServer
from mulligan.types.settings import Settings

if TYPE_CHECKING:
    from mulligan.app.configuration import Configuration
    from mulligan.models.embedded.catalog import Catalog
    from mulligan.models.embedded.download import ModelFiles
    from mulligan.models.embedded.machine import Machine

Verdict = Literal["ok", "note", "problem"]
"""`note`: it works, but could be better. `problem`: it can't work until this is fixed."""

LITTLE_DISK = 2_000_000_000
"""Bytes. The default embedded model needs a little more than half of it."""
LITTLE_MEMORY = 2_000_000_000


class DoctorCheck(Record):
    name: str
    verdict: Verdict
    found: str
    advice: str = ""
    """What to do about it."""


def check_machine(machine: "Machine", home: Path) -> DoctorCheck:
    free, total, disk = machine.free_memory(), machine.total_memory(), shutil.disk_usage(_existing(home)).free
    memory = "memory unknown" if free is None else f"{_gb(free)} of {_gb(total or free)} memory free"
    cores = machine.cores()
    found = f"{cores} {'core' if cores == 1 else 'cores'}, {memory}, {_gb(disk)} of disk free for {home}"
    if disk < LITTLE_DISK:
        advice = "Free some disk space, or set MULLIGAN_HOME to another folder: a model does not fit."
        return DoctorCheck(name="machine", verdict="note", found=found, advice=advice)
    if free is not None and free < LITTLE_MEMORY:
        advice = "Close some programs before you use an embedded model, or choose the smallest."
        return DoctorCheck(name="machine", verdict="note", found=found, advice=advice)
    return DoctorCheck(name="machine", verdict="ok", found=found)


def check_python() -> DoctorCheck:
    version = ".".join(map(str, sys.version_info[:3]))
    return DoctorCheck(name="python", verdict="ok", found=f"{version} at {sys.executable}")


async def check_git(project: Path) -> DoctorCheck:
    """Git is needed to change files, not to ask questions."""
    try:
        version = (await _git(project, "--version")).removeprefix("git version ")
    except CallRejected:
        advice = "Install git: without it there are no checkpoints and no work trees."
        return DoctorCheck(name="git", verdict="note", found="not found", advice=advice)
    top = await _git(project, "rev-parse", "--show-toplevel")
    if not top:
        advice = f"Run `git init` in {project} before agents change files there."
        return DoctorCheck(name="git", verdict="note", found=f"{version}; {project} is not a repository", advice=advice)
    return DoctorCheck(name="git", verdict="ok", found=f"{version}; repository {top}")


def check_sandbox(settings: Settings) -> DoctorCheck:
    """How commands are confined. Without a sandbox, every command needs approval."""
    from mulligan.workspace.sandbox import find_sandbox

    status = find_sandbox(settings.sandbox)
    if status.mechanism == "none":
        found = "none: every command needs your approval"
        return DoctorCheck(name="sandbox", verdict="note", found=found, advice=_sentence(status.missing))
    advice = "; ".join(each for each in (status.missing, *status.partial) if each)
    return DoctorCheck(
        name="sandbox", verdict="note" if advice else "ok", found=status.mechanism, advice=_sentence(advice)
    )


def check_ripgrep(project: Path) -> DoctorCheck:
    from mulligan.workspace.files.ripgrep import find_ripgrep

    try:
        return DoctorCheck(name="ripgrep", verdict="ok", found=find_ripgrep(project))
    except ConfigurationError as error:
        return DoctorCheck(name="ripgrep", verdict="problem", found="not found", advice=str(error))


def check_configuration(files: Sequence[Path]) -> DoctorCheck:
    """The settings files that were read, if they exist."""
    there = [str(file) for file in files if file.is_file()]
    found = ", ".join(there) or f"no file; yours would be {files[-1]}"
    return DoctorCheck(name="configuration", verdict="ok", found=found)


def check_rules(settings: Settings) -> DoctorCheck:
    """The user's permissions, hooks and formatters, and whether their programs are installed."""
    import shlex

    hooks, formatters = settings.hooks, settings.formatters
    counts = {"permission": len(settings.permissions), "hook": len(hooks), "formatter": len(formatters)}
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count]
    missing: list[str] = []
    for row in (*hooks, *formatters):
        try:
            program = shlex.split(row.command)[0]
        except (ValueError, IndexError):  # for the shell to say
            continue
        path = settings.project / Path(program).expanduser()
        if not shutil.which(program) and not path.exists() and not set(program) & set("$`=(){}"):
            missing.append(program)
    found = ", ".join(parts) or "none"
    if missing:
        file, programs = settings.home / "mulligan.toml", ", ".join(dict.fromkeys(missing))
        advice = f"Not found: {programs}. Install it, or set its path in {file}."
        return DoctorCheck(name="permissions and hooks", verdict="note", found=found, advice=advice)
    return DoctorCheck(name="permissions and hooks", verdict="ok", found=f"{found}; see `mulligan permissions`")


async def check_instructions(settings: Settings) -> DoctorCheck:
    """Which instruction files models get, and how much of them."""
    from mulligan.core.context_budget import ASSUMED_CONTEXT
    from mulligan.core.instructions import OWN, instruction_char_limit, left_out, system_instructions
    from mulligan.core.secrets import BY_LOOKS
    from mulligan.workspace.files.instruction_files import InstructionFiles
    from mulligan.workspace.files.project_files import ProjectFiles

    name = "instructions"
    if not settings.instructions:
        return DoctorCheck(name=name, verdict="ok", found="not sent: the setting `instructions` is off")
    source = InstructionFiles(settings.project, settings.home, BY_LOOKS)
    length = settings.context_length or ASSUMED_CONTEXT
    top = system_instructions(await source.at_top(), instruction_char_limit(length)).sent
    below: tuple[str, ...] = ()
    # No ripgrep, which has its own check; or a folder with too many files to list in time.
    with suppress(ConfigurationError, CallRejected):
        below = (await ProjectFiles(settings.project).find_files("*", ".", sys.maxsize)).paths
    folders = [path for path in below if path.rpartition("/")[2] in OWN]
    inner = [file for file in await source.on_the_way_to(folders) if not file.problem]
    listed = [f"{file.path} ({file.of:,} tokens)" for file in top if not file.problem]
    listed += [f"{len(inner)} in subfolders: {_listed([file.path for file in inner])}"] if inner else []
    if trouble := left_out(top, to=f"a model with {length:,} tokens of context"):
        advice = f"{'; '.join(trouble)}. Shorten it, or fix what can't be read."
        return DoctorCheck(name=name, verdict="note", found="; ".join(listed) or "none to send", advice=advice)
    if not listed:
        advice = "`mulligan init` writes a first AGENTS.md, which every agent gets."
        return DoctorCheck(name=name, verdict="ok", found="no AGENTS.md", advice=advice)
    return DoctorCheck(name=name, verdict="ok", found="; ".join(listed))


def check_mcp(configuration: "Configuration") -> DoctorCheck:
    """Which MCP servers are declared, and whether they may be used. Starts none."""
    from mulligan.app.tool_servers import declared_servers
    from mulligan.mcp_client.sdk import install_words, sdk_installed

    name = "MCP servers"
    declared = declared_servers(configuration)
    counting = [each for each in declared.found if each.state != "hidden"]
    found = ", ".join(f"{each.server.name} ({each.state})" for each in counting) or "none declared"
    wrong = [*declared.problems, *(f"{each.server.name}: {each.why}" for each in counting if each.why)]
    if not sdk_installed() and declared.ready:
        return DoctorCheck(name=name, verdict="problem", found=found, advice=f"They need a package: {install_words()}")
    if wrong:
        return DoctorCheck(name=name, verdict="note", found=found, advice="; ".join(wrong))
    if any(each.state == "not trusted" for each in counting):
        advice = "`mulligan mcp trust` shows what they run, and allows Mulligan to start them."
        return DoctorCheck(name=name, verdict="note", found=found, advice=advice)
    return DoctorCheck(name=name, verdict="ok", found=found)


async def check_database(settings: Settings) -> DoctorCheck:
    from mulligan.store.store import open_store

    url = settings.database_url.get_secret_value() if settings.database_url else None
    location = f"PostgreSQL at {_host(url)}" if url else str(settings.home / "mulligan.db")
    try:
        store = await open_store(url or settings.home / "mulligan.db")
    except (StoreError, ConfigurationError) as error:
        return DoctorCheck(name="database", verdict="problem", found=f"{location} can't be opened", advice=str(error))
    await store.close()
    return DoctorCheck(name="database", verdict="ok", found=location)


def check_server(settings: Settings, answer: "Sequence[FoundServer] | ModelError | ConfigurationError") -> DoctorCheck:
    """The model server, or its error. Without one, the embedded model is used."""
    match answer:
        case ModelError() | ConfigurationError():
            where = settings.base_url or "this machine"
            return DoctorCheck(
                name="model server", verdict="problem", found=f"none usable at {where}", advice=str(answer)
            )
        case []:
            advice = "Start Ollama, llama.cpp, LM Studio or vLLM, or set MULLIGAN_BASE_URL, for a larger model."
            found = "none; an embedded model answers"
            return DoctorCheck(name="model server", verdict="note", found=found, advice=advice)
        case servers:
            found = "; ".join(f"{server.base_url} ({server.kind}): {_listed(server.models)}" for server in servers)
            return _with_model(settings.model, servers, found)


def check_key(settings: Settings) -> DoctorCheck:
    if settings.key_withheld:
        from mulligan.app.model_selection import key_withheld_words

        return DoctorCheck(name="API key", verdict="note", found="not used", advice=key_withheld_words(settings))
    return DoctorCheck(name="API key", verdict="ok", found="set" if settings.api_key else "none set")


def check_embedded(version: str | None, *, needed: bool, offline: bool = False) -> DoctorCheck:
    if version:
        return DoctorCheck(name="embedded engine", verdict="ok", found=f"xllamacpp {version}")
    from mulligan.models.embedded.engine import install_command

    advice = f"{install_command(offline=offline)} (`make embedded` in a clone) for a model that needs no server."
    verdict: Verdict = "problem" if needed else "note"
    return DoctorCheck(name="embedded engine", verdict=verdict, found="xllamacpp is not installed", advice=advice)


def check_models(catalog: "Catalog", files: "ModelFiles") -> DoctorCheck:
    here = [entry.name for entry in catalog.entries if files.present(entry)]
    if here:
        return DoctorCheck(name="embedded models", verdict="ok", found=", ".join(here))
    size = _gb(catalog.find(catalog.default).size)
    advice = f"`mulligan models pull {catalog.default}` downloads {size}; the first question offers it too."
    return DoctorCheck(name="embedded models", verdict="note", found="none downloaded yet", advice=advice)


def check_terminal() -> DoctorCheck:
    encoding = (sys.stdout.encoding or "unknown").lower()
    colour = "no colour (NO_COLOR)" if os.environ.get("NO_COLOR") else "colour"
    found = f"{os.environ.get('TERM') or 'unknown'}, {colour}" if sys.stdout.isatty() else "none: the output is plain"
    if encoding not in ("utf-8", "utf8"):
        advice = "Set LANG to a UTF-8 locale; otherwise some characters show as `?`."
        return DoctorCheck(name="terminal", verdict="note", found=f"{found}, {encoding}", advice=advice)
    return DoctorCheck(name="terminal", verdict="ok", found=f"{found}, {encoding}")


def _with_model(wanted: str | None, servers: Sequence[FoundServer], found: str) -> DoctorCheck:
    names = [name for server in servers for name in server.models]
    if wanted and not wanted.startswith("embedded:") and names and wanted not in names:
        advice = f"The model {wanted} is set, but no server lists it. Check --model, MULLIGAN_MODEL or mulligan.toml."
        return DoctorCheck(name="model server", verdict="problem", found=found, advice=advice)
    if not names:
        advice = "It lists no model. Load one there, or name one with MULLIGAN_MODEL."
        return DoctorCheck(name="model server", verdict="note", found=found, advice=advice)
    return DoctorCheck(name="model server", verdict="ok", found=found)


def _listed(models: Sequence[str]) -> str:
    more = f" and {len(models) - 5} more" if len(models) > 5 else ""
    return ", ".join(models[:5]) + more if models else "no models"


async def _git(project: Path, *arguments: str) -> str:
    """Git's output; empty if it fails."""
    from mulligan.runtime.search_path import own_path
    from mulligan.workspace.git import environment
    from mulligan.workspace.process import run_process

    env = {**environment(user_config=True), "PATH": own_path(project)}
    end = await run_process(["git", *arguments], cwd=project, env=env, time_limit=10, output_cap=10_000)
    return end.stdout.decode("utf-8", "replace").strip() if end.code == 0 else ""


def _host(url: str) -> str:
    """Without user and password."""
    return url.partition("://")[2].rpartition("@")[2].partition("?")[0] or "an unknown host"


def _existing(folder: Path) -> Path:
    return next(parent for parent in (folder, *folder.parents) if parent.exists())


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""
