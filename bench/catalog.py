"""All benches, in the order of the page."""

from bench import (
    acp,
    agents,
    compaction,
    delegate,
    fleet,
    grown_store,
    guards,
    overhead,
    page,
    prefix,
    proxy,
    questions,
    sandbox,
    server,
    soak,
    startup,
    synthesis,
)
from bench.checkpoints import run as checkpoints
from bench.codecontext import large as large_index
from bench.codecontext import run as codecontext
from bench.codecontext.tree import COPIES, FILES
from bench.edits import run as edits
from bench.fixes import ranks
from bench.fixes import run as fixes
from bench.locate import run as locate
from bench.results import Bench
from bench.writing import run as writing
from mulligan.core.synthesis import TOP_FILES

BENCHES = (
    Bench(
        "overhead",
        "Start and overhead",
        f"What Mulligan itself costs: the installed command reads {overhead.READS} files, one per step, for a "
        "scripted model that answers immediately. The bare client is Python's standard library with the same requests "
        f"and no agent. Medians of {overhead.RUNS} runs. If goose is installed, its runs alternate with those of "
        "Mulligan.",
        overhead.measure,
        overhead.add_options,
    ),
    Bench(
        "startup",
        "Where a start goes",
        "The installed command with a home folder that was used before, and a scripted model that answers immediately. "
        f"The shortest of {startup.RUNS} runs counts, since other work can only make a start longer.",
        startup.measure,
    ),
    Bench(
        "guards",
        "Guards",
        "All of `mulligan drill`: a model's faults run against the real command, each with claims about exit code, "
        "requests, frames and files.",
        guards.measure,
    ),
    Bench(
        "edits",
        "Edits that drifted",
        "Edits cut from real files and then changed the way models drift, or built so that they must be refused; "
        "generated from a seed. Right: the intended lines, and not a byte changed around them.",
        edits.measure,
        edits.add_options,
    ),
    Bench(
        "checkpoints",
        "Checkpoints and restore",
        f"A repository of {checkpoints.FILES:,} files, {checkpoints.CHANGES} of them changed between two "
        "checkpoints. Plain git is timed alternately in the same run. Then random histories of a small repository: "
        "a checkpoint, a restore, an undo, each compared with the original state.",
        checkpoints.measure,
        checkpoints.add_options,
    ),
    Bench(
        "codecontext",
        "The code index",
        f"{FILES:,} Python files of the standard library and of installed packages. On a busy machine, CPU time "
        "counts if it is smaller than wall time.",
        codecontext.measure,
    ),
    Bench(
        "index",
        "The code index of a very large project",
        f"{COPIES} copies of the standard library, 21,480 Python files and 7,920 others. A first indexing, one with "
        "nothing changed, searches in a running process, and a first indexing that is interrupted.",
        large_index.measure,
        large_index.add_options,
    ),
    Bench(
        "synthesis",
        "What a synthesis pass reads",
        "Questions on how something flows through this project, the standard library's asyncio, Starlette and pytest, "
        "with the files that answer them: how many of these the pass reads, with at most "
        f"{TOP_FILES} files per question. Held out: the selection was not tuned on them.",
        synthesis.measure,
        synthesis.add_options,
    ),
    Bench(
        "compaction",
        "Compaction",
        "Random conversations, summarized over and over by a model that drops, invents, echoes and floods. Then the "
        "cost of deciding whether and how to compact.",
        compaction.measure,
    ),
    Bench(
        "delegate",
        "External agents",
        "A warm prompt with 3 calls and 40 text chunks to a scripted ACP agent, alternately directly and through "
        f"Mulligan, {delegate.RUNS} times each.",
        delegate.measure,
    ),
    Bench(
        "acp",
        "In an editor",
        "What `mulligan acp` costs an editor that immediately asks for a session, then sends prompts to a scripted "
        "model. On a busy machine, CPU time counts if it is smaller than wall time: that of the "
        "whole turn.",
        acp.measure,
    ),
    Bench(
        "sandbox",
        "The sandbox",
        f"`bash -c true` in a repository of {sandbox.FILES} files, alternately bare and in each sandbox that works "
        f"here, {sandbox.RUNS} times each: what the sandbox adds, as the median of the differences.",
        sandbox.measure,
    ),
    Bench(
        "server",
        "The server under load",
        "Many chats stream at once to two pages, one of which keeps losing its connection. Every token carries the "
        "time it left the model. Then a page opens a very long chat and reads back to its beginning.",
        server.measure,
        server.add_options,
    ),
    Bench(
        "grown",
        "A store that has grown",
        "A database with many chats, one of them very long, and gigabytes of results: how long the most common "
        f"operations take. Medians of {grown_store.RUNS}, directly on the store.",
        grown_store.measure,
        grown_store.add_options,
    ),
    Bench(
        "soak",
        "The server over a long time",
        "Many chats, each of which gets its next message as soon as it has answered, and is replaced by another one "
        f"after {soak.TURNS} turns: how memory develops once everything has been used, and whether a page that "
        "listens all the time gets every frame once and in order.",
        soak.measure,
        soak.add_options,
        takes_long=True,
    ),
    Bench(
        "proxy",
        "The proxy",
        f"What `mulligan proxy` adds to a reply of a scripted model, asked alternately directly and through the proxy, "
        f"{proxy.RUNS} times each; then {proxy.STREAMS} streams at once. On a busy machine, CPU time counts if it is "
        "smaller than wall time.",
        proxy.measure,
    ),
    Bench(
        "agents",
        "Other agents, alone and through the proxy",
        "goose and opencode, as installed from npm, with a scripted model that does one thing wrong: alone, and with "
        "`mulligan proxy` in between. One run each.",
        agents.measure,
        needs_others=True,
    ),
    Bench(
        "fleet",
        "Fleets",
        "Workers with separate homes and one PostgreSQL, on one machine. The scripted model takes "
        f"{fleet.CALL_SECONDS} s per call. {fleet.KILLED} workers are killed with -9 after a random (seeded) share of "
        "the jobs, and are not replaced; PostgreSQL is stopped and started once. Plain runs are `mulligan fix`, as "
        "many at once as there are workers, measured on a few and extrapolated.",
        fleet.measure,
        fleet.add_options,
        needs_others=True,
    ),
    Bench(
        "page",
        "The page's first minute",
        "A browser without a cache opens the page on this machine, then with Chromium's slow 4G and a processor "
        f"{page.CPU_SLOWDOWN} times slower: the bytes transferred, and the time until you can type.",
        page.measure,
        page.add_options,
    ),
    Bench(
        "prefix",
        "The prompt cache",
        f"A turn of {prefix.STEPS} steps, the next turn, and another chat in between, as sent by the installed "
        "command. The engine of the embedded model reads them and counts what was in its cache.",
        prefix.measure,
        prefix.add_options,
        asks_model=True,
    ),
    Bench(
        "questions",
        "A small model answers questions",
        "Questions with known answers about small projects and about this one, for the embedded model: guided by "
        "Mulligan, the same without the code index, and as an agent that drives the tools itself. Fresh: written "
        "after the method was fixed.",
        questions.measure,
        questions.add_options,
        asks_model=True,
    ),
    Bench(
        "locate",
        "Where the fault is",
        "Random (seeded) bugs in real packages from PyPI, kept if some of the package's own tests fail and some pass, "
        "and the tuned tasks of the fix bench: the rank of the faulty function, as a fix run sees it after its "
        "baseline. Held out: packages that nobody looked at while the ranking was developed.",
        locate.measure,
        locate.add_options,
        needs_others=True,
    ),
    Bench(
        "ranks",
        "Changes that are tried without a model",
        "The bugs of the next bench: the rank of the right fix among the changes that Mulligan generates and tests "
        "one after the other, without a model.",
        ranks.measure,
        ranks.add_options,
    ),
    Bench(
        "fixes",
        "A small model fixes bugs",
        "Small projects with a bug and failing tests, given to `mulligan fix` with the embedded model. Fresh: not seen "
        "by the authors of the method. Solved: all tests pass, and the verdict is `verified`. Right: hidden "
        "tests, written into the project after the run, pass too.",
        fixes.measure,
        fixes.add_options,
        asks_model=True,
    ),
    Bench(
        "quixbugs",
        "A small model repairs known algorithms",
        "The Python programs of QuixBugs, one bug each, given to `mulligan fix` with the embedded model, and to the "
        "same model directly: the file and the failure in, the whole file out, one retry. The model is already loaded. "
        "Solved: all tests pass. Tuned: seen while the method was developed.",
        writing.measure_quixbugs,
        writing.add_options,
        asks_model=True,
        needs_others=True,
    ),
    Bench(
        "write",
        "A small model writes what is missing",
        "Exercises of Exercism: instructions, a stub and its tests, given to `mulligan fix` with the embedded model, "
        "and to the same model directly: instructions, stub and failures in, the whole file out, one retry. The model "
        "is already loaded. Solved: all tests pass. Tuned: seen while the method was developed.",
        writing.measure_write,
        writing.add_options,
        asks_model=True,
        needs_others=True,
    ),
)
