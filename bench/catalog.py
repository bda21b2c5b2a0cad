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
        f"What Mulligan itself costs: the installed command reads {overhead.READS} files, one a step, for a "
        "scripted model that answers at once. The bare client is Python's standard library with the same requests "
        f"and no agent at all. Medians of {overhead.RUNS} runs. Where goose is installed, it is started in turn with "
        "Mulligan.",
        overhead.measure,
        overhead.add_options,
    ),
    Bench(
        "startup",
        "Where a start goes",
        "The installed command with a home folder that was used before, and a scripted model that answers at once. Of "
        f"{startup.RUNS} runs the shortest counts: other work can only make a start longer.",
        startup.measure,
    ),
    Bench(
        "guards",
        "Guards",
        "The whole of `mulligan drill`: faults of a model played through the real command, each with its claims on "
        "exit code, requests, frames and files.",
        guards.measure,
    ),
    Bench(
        "edits",
        "Edits that drifted",
        "Edits cut from real files, then drifted as models do it, or made so that they must be refused; made from "
        "a seed. Right: the lines that were meant, and not a byte changed around them.",
        edits.measure,
        edits.add_options,
    ),
    Bench(
        "checkpoints",
        "Checkpoints and restore",
        f"A repository of {checkpoints.FILES:,} files, {checkpoints.CHANGES} of them changed between two "
        "checkpoints. git is timed in turn with it, in the same run. Then random histories of a small repository: "
        "a checkpoint, a restore, an undo, all compared with what was there.",
        checkpoints.measure,
        checkpoints.add_options,
    ),
    Bench(
        "codecontext",
        "The code index",
        f"{FILES:,} Python files of the standard library and of installed packages. Where other work slows the "
        "machine, the time of the processor counts, if it is the smaller one.",
        codecontext.measure,
    ),
    Bench(
        "index",
        "The code index of a very large project",
        f"{COPIES} copies of the standard library, 21,480 Python files and 7,920 others. A first look, one at which "
        "nothing has changed, searches in a process that goes on, and a first look that is given up.",
        large_index.measure,
        large_index.add_options,
    ),
    Bench(
        "synthesis",
        "What a synthesis pass reads",
        "Questions on how something flows through this project, the standard library's asyncio, Starlette and pytest, "
        "with the files that answer them. Of these, how many are among those that the pass reads, at most "
        f"{TOP_FILES} a question. Held out: nobody tuned the choosing on them.",
        synthesis.measure,
        synthesis.add_options,
    ),
    Bench(
        "compaction",
        "Compaction",
        "Random conversations, summed up again and again by a model that drops, invents, echoes and floods. Then "
        "what it costs to decide whether and how to make room.",
        compaction.measure,
    ),
    Bench(
        "delegate",
        "External agents",
        "A warm prompt of 3 calls and 40 pieces of text to a scripted agent that speaks ACP: driven directly and "
        f"through Mulligan, in turn, {delegate.RUNS} times each.",
        delegate.measure,
    ),
    Bench(
        "acp",
        "In an editor",
        "What `mulligan acp` costs an editor that asks for a session at once, then sends prompts to a scripted model. "
        "Where other work slows the machine, the time of the processor counts, if it is the smaller one: that of the "
        "whole turn.",
        acp.measure,
    ),
    Bench(
        "sandbox",
        "The sandbox",
        f"`bash -c true` in a repository of {sandbox.FILES} files, bare and under each way that works here, in turn, "
        f"{sandbox.RUNS} times each: what the sandbox adds, as the median of the differences.",
        sandbox.measure,
    ),
    Bench(
        "server",
        "The server under load",
        "Many chats stream at once to two pages, one of which keeps losing its connection. Every token says when "
        "it left the model. Then a very long chat is opened, and read back to its beginning.",
        server.measure,
        server.add_options,
    ),
    Bench(
        "grown",
        "A store that has grown",
        "A database of many chats, one of them very long, and gigabytes of results: how long what people do most "
        f"takes. Medians of {grown_store.RUNS}, straight from the store.",
        grown_store.measure,
        grown_store.add_options,
    ),
    Bench(
        "soak",
        "The server over a long time",
        "Many chats, each of which gets its next message as soon as it has answered, and makes room for another one "
        f"after {soak.TURNS} turns: what memory does once everything has been used, and whether a page that listens "
        "all the time gets every frame once and in order.",
        soak.measure,
        soak.add_options,
        takes_long=True,
    ),
    Bench(
        "proxy",
        "The proxy",
        f"What `mulligan proxy` adds to a reply of a scripted model that is asked directly and through it, in turn, "
        f"{proxy.RUNS} times each; then {proxy.STREAMS} streams at once. Where other work slows the machine, the time "
        "of the processor counts, if it is the smaller one.",
        proxy.measure,
    ),
    Bench(
        "agents",
        "Other agents, alone and through the proxy",
        "goose and opencode, as they are installed from npm, with a scripted model that does one thing wrong: alone, "
        "and with `mulligan proxy` in between. One run each.",
        agents.measure,
        needs_others=True,
    ),
    Bench(
        "fleet",
        "Fleets",
        "Workers with homes of their own and one PostgreSQL, on one machine. The scripted model takes "
        f"{fleet.CALL_SECONDS} s a call. {fleet.KILLED} workers are killed with -9 when some share of the jobs has "
        "ended, drawn from a seed, and are not replaced; PostgreSQL is stopped and started once. Plain runs are "
        "`mulligan fix`, as many at once as there are workers, measured on a few and counted up.",
        fleet.measure,
        fleet.add_options,
        needs_others=True,
    ),
    Bench(
        "page",
        "The page's first minute",
        "A browser that was never here opens the page on this machine, then with Chromium's slow 4G and a processor "
        f"{page.CPU_SLOWDOWN} times slower: what comes over the wire, and how long it takes until one can write.",
        page.measure,
        page.add_options,
    ),
    Bench(
        "prefix",
        "The prompt cache",
        f"A turn of {prefix.STEPS} steps, the next turn, and another chat in between, as the installed command sends "
        "them; read by the engine of the embedded model, which counts what it had in its cache.",
        prefix.measure,
        prefix.add_options,
        asks_model=True,
    ),
    Bench(
        "questions",
        "A small model answers questions",
        "Questions with known answers on small projects and on this one, asked of the embedded model: guided by "
        "Mulligan, the same without the code index, and as an agent that drives the tools itself. Fresh: written "
        "after the recipe was fixed.",
        questions.measure,
        questions.add_options,
        asks_model=True,
    ),
    Bench(
        "locate",
        "Where the fault is",
        "Bugs planted by a seed in real packages from PyPI, kept if some of the package's own tests fail and some "
        "pass, and the tuned tasks of the fix bench: the rank of the wrong function, as a fix run sees it after "
        "its baseline. Held out: packages that nobody looked at while the ranking was made.",
        locate.measure,
        locate.add_options,
        needs_others=True,
    ),
    Bench(
        "ranks",
        "Changes that are tried without a model",
        "The bugs of the next bench: where the cure stands among the changes that Mulligan makes by itself and tests "
        "one after the other. No model is asked.",
        ranks.measure,
        ranks.add_options,
    ),
    Bench(
        "fixes",
        "A small model fixes bugs",
        "Little projects with a bug and failing tests, given to `mulligan fix` with the embedded model. Fresh: not "
        "looked at by whoever made the recipe. Solved: all tests pass, and the verdict is `verified`.",
        fixes.measure,
        fixes.add_options,
        asks_model=True,
    ),
    Bench(
        "quixbugs",
        "A small model repairs known algorithms",
        "The Python programs of QuixBugs, one bug each, given to `mulligan fix` with the embedded model, and to the "
        "same model plainly: the file and what fails in, the whole file out, one retry. The model is loaded already. "
        "Solved: all tests pass. Tuned: looked at while the recipe was made.",
        writing.measure_quixbugs,
        writing.add_options,
        asks_model=True,
        needs_others=True,
    ),
    Bench(
        "write",
        "A small model writes what is missing",
        "Exercises of Exercism: instructions, a stub and its tests, given to `mulligan fix` with the embedded model, "
        "and to the same model plainly: instructions, stub and what fails in, the whole file out, one retry. The model "
        "is loaded already. Solved: all tests pass. Tuned: looked at while the recipe was made.",
        writing.measure_write,
        writing.add_options,
        asks_model=True,
        needs_others=True,
    ),
)
