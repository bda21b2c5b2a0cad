/** Some of the server's words, for tests. */
import { setWords } from "./words";

export function setSampleWords(): void {
  setWords({
    stops: {
      answered: {
        label: "Answered",
        exit_code: 0,
        sentence: "The model answered.",
        told_to_model: "",
        can_continue: false,
        status: "complete",
      },
    },
    sentinels: { mistake_recovery: { label: "It kept failing, so Mulligan stopped.", label_if_continued: "It kept failing.", tone: "stop", icon: "close" } },
    failures: {
      exec_error: "failed",
      tool_not_found: "no such tool",
      permission_denied: "not allowed",
      schema_reject: "arguments refused",
    },
    run_reasons: { passed: "the project's own commands pass", nothing_changed: "nothing was changed" },
    job_reasons: { time_limit: "it exceeded its time limit" },
    attempts: { discarded: "discarded" },
    nodes: { snitch: { name: "Snitch", task: "Report what still fails" } },
    purposes: { baseline: "before any change" },
    command_failures: { test_failure: "tests fail", tooling_error: "the command could not run", unknown: "failed" },
    exits: { exit_code: "exit code {}", signal: "ended by signal {}", timed_out: "stopped at its time limit" },
    checkpoints: { turn: "before a turn" },
  });
}
