"""What stands below the options in `--help`: examples, exit codes, what else to look at.

Lines are kept as they are, so none may be longer than a terminal is wide. A test parses every example.
"""

from collections.abc import Mapping


def epilog(*examples: str, exit_codes: Mapping[int, str] | None = None, see: tuple[str, ...] = ()) -> str:
    """A line of `examples` that begins with `#` says what the next one is for; `see` names other commands."""
    blocks: list[list[str]] = []
    if examples:
        blocks.append(["Examples:", *(f"  {line}" for line in examples)])
    if exit_codes:
        blocks.append(["Exit codes:", *(f"  {code:<3}  {words}" for code, words in exit_codes.items())])
    if see:
        blocks.append([f"See also: {', '.join(f'mulligan {name}' for name in see)}"])
    # The mark keeps click from joining the lines of a block.
    return "\n\n".join("\n".join(["\b", *block]) for block in blocks)


_OURS = {1: "a fault in Mulligan", 2: "wrong usage or configuration"}
_ABORTED = {130: "aborted"}

MULLIGAN = epilog(
    "# See that this machine has what is needed, and what Mulligan does",
    "mulligan doctor",
    "mulligan drill",
    "# Ask about the project in this folder; let its tests be made to pass",
    'mulligan ask "where is the configuration read?"',
    'mulligan fix "make the tests pass"',
    exit_codes={
        0: "done: answered, or verified and applied",
        **_OURS,
        3: "stopped by a guard",
        4: "ended, but the work is not done",
        5: "the model or the agent can't be reached, or fails",
        6: "a person has to answer, or changes are pending",
        **_ABORTED,
    },
)
ASK = epilog(
    'mulligan ask "where is the turn loop?"',
    "# Go on in the chat whose id begins with ab12",
    'mulligan ask --chat ab12 "and who calls it?"',
    "# A longer question from a file, an answer for a program",
    "mulligan ask --json - < question.txt",
    exit_codes={
        0: "answered",
        **_OURS,
        3: "stopped by a guard; --continue goes on",
        5: "the model can't be reached, or fails",
        6: "the model asks you something",
        **_ABORTED,
    },
    see=("chat", "code", "agents"),
)
CHAT = epilog(
    "mulligan chat",
    "mulligan chat -C ../other --agent reviewer",
    "# Go on with a chat of yesterday",
    "mulligan chat --chat ab12",
    exit_codes={0: "you left", **_OURS},
    see=("chats", "ask"),
)
CODE = epilog(
    'mulligan code "rename load_config to read_config"',
    "# Do not ask: apply what can be applied, run what may be run",
    'mulligan code --yes "add a test for the empty list"',
    "# A guard stopped it: go on, with a fresh budget",
    "mulligan code --chat ab12 --continue",
    exit_codes={
        0: "done",
        **_OURS,
        3: "stopped by a guard; --continue goes on",
        4: "an edit was refused and not made good",
        5: "the model can't be reached, or fails",
        6: "changes are pending, or the model asks something",
        **_ABORTED,
    },
    see=("changes", "restore", "fix"),
)
FIX = epilog(
    'mulligan fix "make the tests pass"',
    "# Say which commands judge the result, and take it over if they pass",
    "mulligan fix \"sort names without case\" --verify 'python -m pytest -q' --yes",
    "# What an issue describes; a traceback",
    "mulligan fix --issue ISSUE.md",
    "mulligan fix - < traceback.txt",
    "# Go on with a run that was interrupted",
    "mulligan fix --resume ab12",
    exit_codes={
        0: "verified and applied",
        **_OURS,
        4: "unverified or failed; .mulligan/issues.md says why",
        5: "the model can't be reached, or fails",
        6: "verified, and the changes are pending",
        **_ABORTED,
    },
    see=("runs", "changes"),
)
DELEGATE = epilog(
    'mulligan delegate "add a --quiet flag" --agent opencode',
    "# Go on with the same agent, in the same work tree",
    'mulligan delegate --chat ab12 "and document it"',
    exit_codes={
        0: "done, and nothing was changed",
        **_OURS,
        3: "the agent said and did nothing",
        5: "the agent can't be started, or fails",
        6: "changes are pending",
        **_ABORTED,
    },
    see=("agents", "changes", "restore"),
)
COMMIT = epilog(
    "git add parser.py",
    "mulligan commit",
    "# All changes of tracked files; the message in your editor first",
    "mulligan commit --all --edit",
    "# For a script: the message, and whether it was committed",
    "mulligan commit --yes --json",
    exit_codes={
        0: "committed",
        1: _OURS[1],
        2: "nothing is staged, no repository, or wrong usage",
        4: "no message that can be used, or git said no",
        5: "the model can't be reached, or fails",
        6: "not committed: you said no, or there was nobody to ask and no --yes",
        **_ABORTED,
    },
    see=("review", "code"),
)
REVIEW = epilog(
    "mulligan review",
    "# What is staged; a branch since it left main; one folder of the last commit",
    "mulligan review --staged",
    "mulligan review main...",
    "mulligan review HEAD~1 src",
    "# In a pipeline",
    "mulligan review origin/main... --json --fail-on error",
    exit_codes={
        0: "reviewed; with --fail-on, nothing so bad was found",
        1: _OURS[1],
        2: "no repository, no such range, or wrong usage",
        4: "found what --fail-on names, or an answer could not be read",
        5: "the model can't be reached, or fails",
        **_ABORTED,
    },
    see=("commit", "ask"),
)
RESTORE = epilog(
    "# See what would change, then do it",
    "mulligan restore ab12 --preview",
    "mulligan restore ab12",
    "# Take that back",
    "mulligan restore --undo",
    exit_codes={
        0: "restored, or shown by --preview",
        **_OURS,
        6: "not done: you said no, or there was nobody to ask and no --yes",
        **_ABORTED,
    },
    see=("checkpoints",),
)
OVERVIEW = epilog("mulligan overview", "mulligan overview -C ../other", "mulligan overview --json", see=("ask",))
INIT = epilog(
    "# See what it would say; then write it",
    "mulligan init --print",
    "mulligan init",
    exit_codes={
        0: "written, or printed",
        1: _OURS[1],
        2: "there is an AGENTS.md already, or wrong usage",
        6: "not replaced: you said no, or there was nobody to ask and no --yes",
    },
    see=("overview", "doctor"),
)
SERVE = epilog(
    "mulligan serve --open",
    "# Two projects on one page",
    "mulligan serve -C ~/one -C ~/two",
    "# For other machines: a token is made, shown once, and asked for",
    "mulligan serve --host 0.0.0.0 --allow-host box.example",
    exit_codes={0: "ended by you", **_OURS},
)
ACP = epilog(
    "# What an editor is told to start",
    "mulligan acp",
    "# Sessions that only read at first, with one model",
    "mulligan acp --mode ask --model qwen2.5-coder:7b",
    exit_codes={0: "the editor left", **_OURS, **_ABORTED},
    see=("serve", "delegate"),
)
PROXY = epilog(
    "# In front of the server that is found here; then tell an agent about it",
    "mulligan proxy",
    "mulligan proxy setup opencode",
    "# In front of another server, without one of the guards, with a log",
    "mulligan proxy --upstream http://127.0.0.1:11434/v1 --off loops --json",
    exit_codes={0: "ended by you", **_OURS},
    see=("delegate", "serve"),
)
PROXY_SETUP = epilog(
    "mulligan proxy setup goose",
    "# Write its settings, after a yes",
    "mulligan proxy setup opencode --write",
    exit_codes={0: "shown, or written", **_OURS},
)
AGENTS = epilog("mulligan agents", "mulligan agents --json", see=("ask", "delegate"))
DOCTOR = epilog(
    "mulligan doctor",
    "mulligan doctor -C ../other --json",
    "# On a machine without the internet",
    "mulligan doctor --offline",
    exit_codes={0: "Mulligan can work here", 1: _OURS[1], 2: "something must be set right first"},
    see=("drill", "models"),
)
DRILL = epilog(
    "mulligan drill",
    "# What there is to play; one group of it; two faults",
    "mulligan drill --list",
    "mulligan drill --only loops",
    "mulligan drill --only same-call --only cycle-of-two",
    exit_codes={0: "everything holds", 1: "something does not", 2: _OURS[2], **_ABORTED},
    see=("doctor",),
)

CHANGES = epilog(
    "# What is pending, as a list and as diffs; then yes to one, no to the rest",
    "mulligan changes",
    "mulligan changes show",
    "mulligan changes apply ab12",
    "mulligan changes reject",
    see=("code", "restore"),
)
_PARTLY = {**_OURS, 4: "not all of it could be done; the rest was"}
CHANGES_LIST = epilog("mulligan changes list --all", "mulligan changes list --chat ab12")
CHANGES_SHOW = epilog("mulligan changes show", "mulligan changes show ab12")
CHANGES_APPLY = epilog(
    "mulligan changes apply", "mulligan changes apply ab12 cd34", exit_codes={0: "all were written", **_PARTLY}
)
CHANGES_REJECT = epilog("mulligan changes reject ab12")
CHANGES_REWIND = epilog(
    "mulligan changes rewind ab12",
    "mulligan changes rewind --all",
    exit_codes={0: "all were taken back", **_PARTLY},
    see=("restore",),
)
CHANGES_IMPORT = epilog(
    "mulligan changes import",
    "mulligan changes import ../project-worktree",
    exit_codes={0: "all of it is pending", **_PARTLY},
    see=("worktrees",),
)

CHATS = epilog("mulligan chats", "mulligan chats show ab12", 'mulligan ask --chat ab12 "go on"', see=("chat", "ask"))
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
    "# A place for another tool; then what it did there, as pending changes",
    "mulligan worktrees make experiment",
    "mulligan changes import",
    "mulligan worktrees remove ab12",
    see=("changes import", "delegate"),
)
WORKTREES_LIST = epilog("mulligan worktrees list --json")
WORKTREES_MAKE = epilog("mulligan worktrees make experiment", see=("changes import",))
WORKTREES_REMOVE = epilog("mulligan worktrees remove ab12", "mulligan worktrees remove ab12 --force")

RUNS = epilog("mulligan runs", "mulligan runs show", "mulligan fix --resume ab12", see=("fix",))
RUNS_LIST = epilog("mulligan runs list --json")
RUNS_SHOW = epilog("# The newest, and another", "mulligan runs show", "mulligan runs show ab12")

_JOBS = {**_OURS, **_ABORTED}
FLEET = epilog(
    "# Two jobs, a worker, and what came of them",
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
    exit_codes={0: "it was stopped, or no job is left", **_JOBS},
    see=("fleet servers", "sandbox"),
)
FLEET_STATUS = epilog("mulligan fleet status", "mulligan fleet status --watch")
FLEET_LIST = epilog("mulligan fleet list --state failed", "mulligan fleet list --label nightly --json")
FLEET_SHOW = epilog("mulligan fleet show ab12")
FLEET_LOGS = epilog("mulligan fleet logs ab12", "mulligan fleet logs ab12 --follow")
FLEET_CANCEL = epilog("mulligan fleet cancel ab12 cd34")
FLEET_RETRY = epilog("mulligan fleet retry ab12")
FLEET_FETCH = epilog(
    "# As pending changes of this checkout, as a branch, and as a patch",
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
    "mulligan models pull qwen2.5-coder-1.5b", exit_codes={0: "it is here", 1: "it could not be had", 2: _OURS[2]}
)
MODELS_REMOVE = epilog("mulligan models remove qwen2.5-coder-0.5b")
MODELS_SHOW = epilog(
    "mulligan models show qwen3:8b", "mulligan models show gpt-oss:20b --json", exit_codes={0: "shown", **_OURS}
)
MODELS_PROBE = epilog(
    "mulligan models probe",
    "mulligan models probe --base-url http://127.0.0.1:8080/v1 --model qwen3",
    exit_codes={0: "it was probed", **_OURS, 5: "the model can't be reached, or fails"},
)
PERMISSIONS = epilog(
    "# What is allowed, asked about and denied here, and where that is set",
    "mulligan permissions",
    "# What would become of a command, or of an edit",
    'mulligan permissions check "make deploy"',
    "mulligan permissions check --tool edit_file --path migrations/0001.sql",
    exit_codes={0: "shown", **_OURS},
    see=("sandbox", "doctor"),
)
PERMISSIONS_CHECK = epilog(
    'mulligan permissions check "git push --force"',
    "mulligan permissions check --tool view_file --path notes/private.md --json",
    exit_codes={0: "allowed", **_OURS, 4: "denied", 6: "you would be asked, or the change would be pending"},
    see=("permissions",),
)
SANDBOX = epilog(
    "# How commands are confined here, and what is open for this project",
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
    exit_codes={0: "opened", **_OURS},
    see=("sandbox",),
)
SANDBOX_FORGET = epilog("mulligan sandbox forget", exit_codes={0: "closed", **_OURS}, see=("sandbox",))
MCP = epilog(
    "# What an MCP client runs; at a terminal, how to set that up",
    "mulligan mcp",
    "# The servers that Mulligan's own agents use",
    "mulligan mcp list",
    exit_codes={0: "the client left", **_OURS},
    see=("agents", "sandbox"),
)
MCP_LIST = epilog("mulligan mcp list", "mulligan mcp list --json")
MCP_CHECK = epilog(
    "mulligan mcp check",
    "mulligan mcp check github",
    exit_codes={0: "all answered", **_OURS, 5: "one can't be started, or does not answer"},
)
MCP_TRUST = epilog(
    "mulligan mcp trust github",
    "mulligan mcp trust --yes",
    exit_codes={0: "trusted", **_OURS, 6: "not trusted: you said no, or there was nobody to ask and no --yes"},
)
MCP_DISTRUST = epilog("mulligan mcp distrust github")
