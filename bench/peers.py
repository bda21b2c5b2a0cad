"""What others were measured at: once, in November 2026. Quoted beside our own figures, and not measured again."""

from bench.results import Table

QUOTED = "quoted as measured once, in November 2026, on a two-core machine, against a scripted model server"

STEPS = Table(
    "Overhead of others",
    (
        "agent",
        "gap between steps, median ms",
        "CPU a step, ms",
        "first request, s",
        "memory, MB",
        "first request, tokens",
    ),
    (
        ("goose 1.52", "11", "10", "0.34", "130", "4.5k"),
        ("gemini-cli 0.61", "16", "23", "3.1", "422", "12.4k"),
        ("mini-swe-agent 2.4", "24 to 61", "25 to 31", "5.8", "243", "0.85k"),
        ("qwen-code 0.24", "40", "71", "3.7", "305", "19.7k"),
        ("claude-code 2.1", "43", "43", "1.0", "318", "20.1k"),
        ("codex 0.166", "89", "66", "0.48", "226", "9.9k"),
        ("cline 3.0", "92", "182", "2.4", "780", "5.5k"),
        ("opencode 1.18", "205", "309", "6.0", "736", "7.7k"),
    ),
    f"Not measured in this run: {QUOTED}.",
)

FAULTS = (
    "same call for ever",
    "failing calls, mixed",
    "unknown tool",
    "failing edits, varied",
    "failing test again and again",
    "empty replies",
    "stream cut twice",
)

GUARDS: dict[str, tuple[str, ...]] = {
    "opencode": ("60+", "60+", "60+", "60+", "60+", "1, exit 0, silent", "recovers"),
    "qwen-code": ("5, exit 1", "60+", "60+", "60+", "5", "5, exit 1", "recovers"),
    "codex": ("60+", "60+", "60+", "60+", "60+", "1, exit 0", "recovers"),
    "cline": ("5, exit 0", "60+", "3, exit 0", "60+", "5, exit 0", "3", "dies"),
    "gemini-cli": ("6, exit 0", "60+", "60+", "60+", "6, exit 0", "4, exit 0", "dies"),
    "claude-code": ("60+", "60+", "60+", "60+", "60+", "2, exit 0", "dies"),
    "goose": ("60+", "60+", "60+", "60+", "60+", "4, exit 0", "exit 0"),
    "mini-swe-agent": ("60+", "60+", "3, exit 0", "60+", "58+", "3, exit 0", "recovers"),
}
"""By agent: requests spent on each of `FAULTS` before it stopped, and the exit code. 60+ says that it never did."""
