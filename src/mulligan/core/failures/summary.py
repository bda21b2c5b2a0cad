"""A failure in one line."""

import re

from mulligan.core.failures.locations import FOREIGN
from mulligan.core.failures.report import read_report
from mulligan.core.failures.text import exception_in, readable_lines, short_line
from mulligan.core.failures.tooling_errors import tooling_error_in

MAX_SUMMARY_CHARS = 160
TIMED_OUT = 124
"""The exit code of `timeout`."""
SHELL_SIGNALS = range(129, 160)
"""A shell's exit codes if a signal ended its command: 128 plus the signal."""

ERROR_LINE = re.compile(
    r"(?:\S{1,200}: )?(?:fatal |uncaught )?error\b|panic: |fatal: |E  |\w*(?:Error|Exception)\b"
    r"|thread '[^']{0,300}' (?:\(\d+\) )?panicked at |Exception in thread |.{0,200}Fatal Python error: |\[ERROR\] \S"
    r"|npm (?:ERR!|error) \S|\s*cause: |(?:PHP )?Fatal error: |\*\* \(\w|\S{1,400}:\d+:in .{1,400} \([\w:]+\)$",
    re.IGNORECASE,
)
RUBY_FRAME = re.compile(r"(\S{1,400}):\d+:in .{1,200}?': ")
NOISE = re.compile(
    r"npm (?:warn|notice|(?:ERR!|error) (?:code|syscall|path|errno)\b)|make(?:\[\d+\])?: |> |\(node:\d+\)|Node\.js v"
    r"|rake aborted!|Command failed with status|Tasks: TOP|\(See full trace|exit status \d|\W*$",
    re.IGNORECASE,
)
"""Lines around every failure, or that say only that there was one."""


def summarize_failure(command: str, exit_code: int | None, stdout: str, stderr: str) -> str:
    """The first failing test or error line. Never empty, unless the command passed."""
    if exit_code == 0:
        return ""
    lines = readable_lines(stdout, stderr)
    summary = _summary(command, exit_code, lines, (stdout, stderr))
    return short_line(summary, MAX_SUMMARY_CHARS)


def _summary(command: str, exit_code: int | None, lines: list[str], outputs: tuple[str, str]) -> str:
    last = _last_line(lines)
    if exit_code is None or (exit_code == TIMED_OUT and "timeout " in command):
        return f"stopped after its time limit, at: {last}" if last else "stopped after its time limit"
    failing = read_report(command, exit_code, *outputs).failing
    if failing:
        message = failing[0].message
        return failing[0].id if not message or message in failing[0].id else f"{failing[0].id}: {message}"
    error = _without_foreign_frame(tooling_error_in(lines) or exception_in(lines) or _error_line(lines))
    signal = _signal(exit_code)
    if signal:
        return f"killed by signal {signal}: {error}" if error else f"killed by signal {signal}"
    return error or last or _any_line(lines) or f"exit code {exit_code} and no output"


def _without_foreign_frame(error: str) -> str:
    """Ruby prints the innermost frame before the error: it is removed if it is not the project's."""
    frame = RUBY_FRAME.match(error)
    return error[frame.end() :] if frame and FOREIGN.search(frame[1]) else error


def _error_line(lines: list[str]) -> str:
    return next((line.strip() for line in lines if ERROR_LINE.match(line) and not NOISE.match(line)), "")


def _last_line(lines: list[str]) -> str:
    return next((line.strip("= ") for line in reversed(lines) if not NOISE.match(line)), "")


def _any_line(lines: list[str]) -> str:
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _signal(exit_code: int) -> int | None:
    if exit_code < 0:
        return -exit_code
    return exit_code - 128 if exit_code in SHELL_SIGNALS else None
