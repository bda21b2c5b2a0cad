"""The text below the options in `--help`: examples, exit codes, related commands.

Lines are not wrapped, so none may be wider than a terminal. A test parses every example.
"""

from collections.abc import Mapping


def epilog(*examples: str, exit_codes: Mapping[int, str] | None = None, see: tuple[str, ...] = ()) -> str:
    """A line of `examples` that starts with `#` describes the next one; `see` names other commands."""
    blocks: list[list[str]] = []
    if examples:
        blocks.append(["Examples:", *(f"  {line}" for line in examples)])
    if exit_codes:
        blocks.append(["Exit codes:", *(f"  {code:<3}  {words}" for code, words in exit_codes.items())])
    if see:
        blocks.append([f"See also: {', '.join(f'mulligan {name}' for name in see)}"])
    # \b keeps click from joining the lines of a block.
    return "\n\n".join("\n".join(["\b", *block]) for block in blocks)


_OURS = {1: "an error in Mulligan", 2: "wrong usage or configuration"}
_ABORTED = {130: "aborted"}

MULLIGAN = epilog(
    "# Check this machine, and see how Mulligan handles faults",
    "mulligan doctor",
    "mulligan drill",
    "# Ask about the project in this folder; make its tests pass",
    'mulligan ask "where is the configuration read?"',
    'mulligan fix "make the tests pass"',
    exit_codes={
        0: "done: answered, or verified and applied",
        **_OURS,
        3: "stopped by a guard",
        4: "ended, but the work is not done",
        5: "the model or the agent is unreachable or fails",
        6: "Mulligan needs your answer, or changes are pending",
        **_ABORTED,
    },
)
ASK = epilog(
    'mulligan ask "where is the turn loop?"',
    "# Continue the chat whose id starts with ab12",
    'mulligan ask --chat ab12 "and who calls it?"',
    "# A longer question from a file, an answer for a program",
    "mulligan ask --json - < question.txt",
    exit_codes={
        0: "answered",
        **_OURS,
        3: "stopped by a guard; --continue continues it",
        5: "the model is unreachable or fails",
        6: "the model asks you a question",
        **_ABORTED,
    },
    see=("chat", "code", "agents"),
)
CHAT = epilog(
    "mulligan chat",
    "mulligan chat -C ../other --agent reviewer",
    "# Continue an earlier chat",
    "mulligan chat --chat ab12",
    exit_codes={0: "you left", **_OURS},
    see=("chats", "ask"),
)
CODE = epilog(
    'mulligan code "rename load_config to read_config"',
    "# Don't ask: apply edits, and run commands that are not denied",
    'mulligan code --yes "add a test for the empty list"',
    "# Continue after a guard stopped it, with a fresh budget",
    "mulligan code --chat ab12 --continue",
    exit_codes={
        0: "done",
        **_OURS,
        3: "stopped by a guard; --continue continues it",
        4: "an edit was refused and not corrected",
        5: "the model is unreachable or fails",
        6: "changes are pending, or the model asks a question",
        **_ABORTED,
    },
    see=("changes", "restore", "fix"),
)
FIX = epilog(
    'mulligan fix "make the tests pass"',
    "# Choose the commands that judge the result; apply it if they pass",
    "mulligan fix \"sort names without case\" --verify 'python -m pytest -q' --yes",
    "# From an issue; from a traceback",
    "mulligan fix --issue ISSUE.md",
    "mulligan fix - < traceback.txt",
    "# Resume an interrupted run",
    "mulligan fix --resume ab12",
    exit_codes={
        0: "verified and applied",
        **_OURS,
        4: "unverified or failed; .mulligan/issues.md says why",
        5: "the model is unreachable or fails",
        6: "verified; the changes are pending",
        **_ABORTED,
    },
    see=("runs", "changes"),
)
DELEGATE = epilog(
    'mulligan delegate "add a --quiet flag" --agent opencode',
    "# Continue with the same agent, in the same work tree",
    'mulligan delegate --chat ab12 "and document it"',
    exit_codes={
        0: "done, with no changes",
        **_OURS,
        3: "the agent said and did nothing",
        5: "the agent does not start, or fails",
        6: "changes are pending",
        **_ABORTED,
    },
    see=("agents", "changes", "restore"),
)
COMMIT = epilog(
    "git add parser.py",
    "mulligan commit",
    "# All changes to tracked files; edit the message first",
    "mulligan commit --all --edit",
    "# For a script: the message, and whether it was committed",
    "mulligan commit --yes --json",
    exit_codes={
        0: "committed",
        1: _OURS[1],
        2: "nothing is staged, no repository, or wrong usage",
        4: "no usable message, or git refused",
        5: "the model is unreachable or fails",
        6: "not committed: you said no, or there was no terminal and no --yes",
        **_ABORTED,
    },
    see=("review", "code"),
)
REVIEW = epilog(
    "mulligan review",
    "# Staged changes; a branch since it left main; one folder of a commit",
    "mulligan review --staged",
    "mulligan review main...",
    "mulligan review HEAD~1 src",
    "# In a pipeline",
    "mulligan review origin/main... --json --fail-on error",
    exit_codes={
        0: "reviewed; with --fail-on, no finding that severe",
        1: _OURS[1],
        2: "no repository, no such range, or wrong usage",
        4: "a finding that --fail-on names, or an unreadable answer",
        5: "the model is unreachable or fails",
        **_ABORTED,
    },
    see=("commit", "ask"),
)
RESTORE = epilog(
    "# Show what would change, then restore",
    "mulligan restore ab12 --preview",
    "mulligan restore ab12",
    "# Undo that",
    "mulligan restore --undo",
    exit_codes={
        0: "restored, or previewed",
        **_OURS,
        6: "not restored: you said no, or there was no terminal and no --yes",
        **_ABORTED,
    },
    see=("checkpoints",),
)
OVERVIEW = epilog("mulligan overview", "mulligan overview -C ../other", "mulligan overview --json", see=("ask",))
INIT = epilog(
    "# Print it; then write it",
    "mulligan init --print",
    "mulligan init",
    exit_codes={
        0: "written, or printed",
        1: _OURS[1],
        2: "AGENTS.md already exists, or wrong usage",
        6: "not replaced: you said no, or there was no terminal and no --yes",
    },
    see=("overview", "doctor"),
)
SERVE = epilog(
    "mulligan serve --open",
    "# Two projects on one page",
    "mulligan serve -C ~/one -C ~/two",
    "# For other machines: creates a token, and shows it once",
    "mulligan serve --host 0.0.0.0 --allow-host box.example",
    exit_codes={0: "stopped by you", **_OURS},
)
ACP = epilog(
    "# The command for your editor's settings",
    "mulligan acp",
    "# New sessions are read-only, and use this model",
    "mulligan acp --mode ask --model qwen2.5-coder:7b",
    exit_codes={0: "the editor disconnected", **_OURS, **_ABORTED},
    see=("serve", "delegate"),
)
PROXY = epilog(
    "# In front of the server found here; then set up an agent",
    "mulligan proxy",
    "mulligan proxy setup opencode",
    "# In front of another server, without one guard, with a log",
    "mulligan proxy --upstream http://127.0.0.1:11434/v1 --off loops --json",
    exit_codes={0: "stopped by you", **_OURS},
    see=("delegate", "serve"),
)
PROXY_SETUP = epilog(
    "mulligan proxy setup goose",
    "# Write its settings, after asking",
    "mulligan proxy setup opencode --write",
    exit_codes={0: "shown, or written", **_OURS},
)
AGENTS = epilog("mulligan agents", "mulligan agents --json", see=("ask", "delegate"))
DOCTOR = epilog(
    "mulligan doctor",
    "mulligan doctor -C ../other --json",
    "# On a machine without internet access",
    "mulligan doctor --offline",
    exit_codes={0: "Mulligan can work here", 1: _OURS[1], 2: "you have to fix something first"},
    see=("drill", "models"),
)
DRILL = epilog(
    "mulligan drill",
    "# List the faults; run one group; run two faults",
    "mulligan drill --list",
    "mulligan drill --only loops",
    "mulligan drill --only same-call --only cycle-of-two",
    exit_codes={0: "everything holds", 1: "something does not", 2: _OURS[2], **_ABORTED},
    see=("doctor",),
)

CHANGES = epilog(
    "# Pending changes as a list and as diffs; apply one, reject the rest",
    "mulligan changes",
    "mulligan changes show",
    "mulligan changes apply ab12",
    "mulligan changes reject",
    see=("code", "restore"),
)
_PARTLY = {**_OURS, 4: "some of it failed; the rest was done"}
CHANGES_LIST = epilog("mulligan changes list --all", "mulligan changes list --chat ab12")
CHANGES_SHOW = epilog("mulligan changes show", "mulligan changes show ab12")
CHANGES_APPLY = epilog(
    "mulligan changes apply", "mulligan changes apply ab12 cd34", exit_codes={0: "all applied", **_PARTLY}
)
CHANGES_REJECT = epilog("mulligan changes reject ab12")
CHANGES_REVERT = epilog(
    "mulligan changes revert ab12",
    "mulligan changes revert --all",
    exit_codes={0: "all reverted", **_PARTLY},
    see=("restore",),
)
CHANGES_IMPORT = epilog(
    "mulligan changes import",
    "mulligan changes import ../project-worktree",
    exit_codes={0: "all of it imported", **_PARTLY},
    see=("worktrees",),
)

CHATS = epilog("mulligan chats", "mulligan chats show ab12", 'mulligan ask --chat ab12 "continue"', see=("chat", "ask"))
CHATS_LIST = epilog("mulligan chats list --all --limit 10")
CHATS_SHOW = epilog("mulligan chats show ab12")
CHATS_EXPORT = epilog(
    "mulligan chats export ab12 --output chat.md", "mulligan chats export ab12 --format json --output chat.json"
)

CHECKPOINTS = epilog(
    'mulligan checkpoints create --label "before the upgrade"',
    "mulligan checkpoints",
    "mulligan checkpoints show ab12",
    "mulligan restore ab12",
    see=("restore",),
)
CHECKPOINTS_CREATE = epilog('mulligan checkpoints create --label "before the upgrade"')
CHECKPOINTS_LIST = epilog("mulligan checkpoints list --json")
CHECKPOINTS_SHOW = epilog("mulligan checkpoints show ab12", see=("restore",))
CHECKPOINTS_RESTORE = epilog("mulligan checkpoints restore ab12 --preview", see=("restore",))
CHECKPOINTS_PRUNE = epilog("mulligan checkpoints prune --keep 10")

WORKTREES = epilog(
    "# A work tree for another tool; then import what it did there",
    "mulligan worktrees make experiment",
    "mulligan changes import",
    "mulligan worktrees remove ab12",
    see=("changes import", "delegate"),
)
WORKTREES_LIST = epilog("mulligan worktrees list --json")
WORKTREES_MAKE = epilog("mulligan worktrees make experiment", see=("changes import",))
WORKTREES_REMOVE = epilog("mulligan worktrees remove ab12", "mulligan worktrees remove ab12 --force")

PRUNE = epilog(
    "mulligan prune --dry-run",
    "mulligan prune --yes",
    exit_codes={0: "done, or nothing to delete", 6: "you have to approve it"},
    see=("checkpoints prune", "worktrees remove"),
)

RUNS = epilog("mulligan runs", "mulligan runs show", "mulligan fix --resume ab12", see=("fix",))
RUNS_LIST = epilog("mulligan runs list --json")
RUNS_SHOW = epilog("# The newest, and another", "mulligan runs show", "mulligan runs show ab12")

_JOBS = {**_OURS, **_ABORTED}
FLEET = epilog(
    "# Submit jobs, run a worker, look at the results",
    'mulligan fleet submit ../engine "make the tests pass"',
    "mulligan fleet submit --file jobs.jsonl",
    "mulligan fleet work --slots 2 --until-empty",
    "mulligan fleet status",
    "mulligan fleet fetch ab12",
    see=("fix",),
)
FLEET_SUBMIT = epilog(
    'mulligan fleet submit ../engine "make the tests pass"',
    "mulligan fleet submit --file jobs.jsonl",
    "mulligan fleet submit - < jobs.jsonl",
    exit_codes={0: "all are queued", **_JOBS},
)
FLEET_WORK = epilog(
    "mulligan fleet work --slots 2",
    "mulligan fleet work --label nightly --until-empty",
    "mulligan fleet work --database postgresql://fleet@db.example/fleet",
    exit_codes={0: "stopped, or no job is left", **_JOBS},
    see=("fleet servers", "sandbox"),
)
FLEET_STATUS = epilog("mulligan fleet status", "mulligan fleet status --watch")
FLEET_LIST = epilog("mulligan fleet list --state failed", "mulligan fleet list --label nightly --json")
FLEET_SHOW = epilog("mulligan fleet show ab12")
FLEET_LOGS = epilog("mulligan fleet logs ab12", "mulligan fleet logs ab12 --follow")
FLEET_CANCEL = epilog("mulligan fleet cancel ab12 cd34")
FLEET_RETRY = epilog("mulligan fleet retry ab12")
FLEET_FETCH = epilog(
    "# As pending changes, as a branch, and as a patch",
    "mulligan fleet fetch ab12",
    "mulligan fleet fetch ab12 --branch fix/engine",
    "mulligan fleet fetch ab12 --patch",
    see=("changes",),
)
FLEET_PRUNE = epilog("mulligan fleet prune --days 7")
FLEET_WORKERS = epilog("mulligan fleet workers")
FLEET_DATABASE = epilog("mulligan fleet database", "mulligan fleet database --stop")
FLEET_SERVERS = epilog(
    "mulligan fleet servers",
    "mulligan fleet servers add http://gpu-1:8080/v1 --slots 4 --model qwen3",
    "mulligan fleet servers remove http://gpu-1:8080/v1",
)
FLEET_SERVERS_LIST = epilog("mulligan fleet servers list --json")
FLEET_SERVERS_ADD = epilog("mulligan fleet servers add http://gpu-1:8080/v1 --slots 4 --model qwen3")
FLEET_SERVERS_REMOVE = epilog("mulligan fleet servers remove http://gpu-1:8080/v1")

MODELS = epilog(
    "mulligan models",
    "mulligan models pull qwen2.5-coder-1.5b",
    'mulligan ask --model embedded:qwen2.5-coder-1.5b "what is this?"',
    see=("models probe", "doctor"),
)
MODELS_LIST = epilog("mulligan models list --json")
MODELS_PULL = epilog(
    "mulligan models pull qwen2.5-coder-1.5b", exit_codes={0: "downloaded", 1: "the download failed", 2: _OURS[2]}
)
MODELS_REMOVE = epilog("mulligan models remove qwen2.5-coder-0.5b")
MODELS_SHOW = epilog(
    "mulligan models show qwen3:8b", "mulligan models show gpt-oss:20b --json", exit_codes={0: "shown", **_OURS}
)
MODELS_PROBE = epilog(
    "mulligan models probe",
    "mulligan models probe --base-url http://127.0.0.1:8080/v1 --model qwen3",
    exit_codes={0: "probed", **_OURS, 5: "the model is unreachable or fails"},
)
PERMISSIONS = epilog(
    "# What is allowed, asked about and denied, and where that is set",
    "mulligan permissions",
    "# What would happen to a command, or to an edit",
    'mulligan permissions check "make deploy"',
    "mulligan permissions check --tool edit_file --path migrations/0001.sql",
    exit_codes={0: "shown", **_OURS},
    see=("sandbox", "doctor"),
)
PERMISSIONS_CHECK = epilog(
    'mulligan permissions check "git push --force"',
    "mulligan permissions check --tool view_file --path notes/private.md --json",
    exit_codes={0: "allowed", **_OURS, 4: "denied", 6: "Mulligan would ask, or the change would be pending"},
    see=("permissions",),
)
SANDBOX = epilog(
    "# How commands are confined, and what this project may access",
    "mulligan sandbox",
    "# Let the project's commands use the network, and see its .env",
    "mulligan sandbox allow --network --read .env",
    "mulligan sandbox forget",
    exit_codes={0: "done", **_OURS},
    see=("doctor", "code"),
)
SANDBOX_ALLOW = epilog(
    "mulligan sandbox allow --network",
    "mulligan sandbox allow --read .env --write ../shared-build",
    exit_codes={0: "allowed", **_OURS},
    see=("sandbox",),
)
SANDBOX_FORGET = epilog("mulligan sandbox forget", exit_codes={0: "revoked", **_OURS}, see=("sandbox",))
MCP = epilog(
    "# Run by an MCP client; at a terminal, shows how to set that up",
    "mulligan mcp",
    "# The servers that Mulligan's own agents use",
    "mulligan mcp list",
    exit_codes={0: "the client disconnected", **_OURS},
    see=("agents", "sandbox"),
)
MCP_LIST = epilog("mulligan mcp list", "mulligan mcp list --json")
MCP_CHECK = epilog(
    "mulligan mcp check",
    "mulligan mcp check github",
    exit_codes={0: "all answered", **_OURS, 5: "one does not start or answer"},
)
MCP_TRUST = epilog(
    "mulligan mcp trust github",
    "mulligan mcp trust --yes",
    exit_codes={0: "trusted", **_OURS, 6: "not trusted: you said no, or there was no terminal and no --yes"},
)
MCP_DISTRUST = epilog("mulligan mcp distrust github")
