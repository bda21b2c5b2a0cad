/** Some of the server's words, for tests. */
import { learnWords } from "./words";

export function learnSamples(): void {
  learnWords({
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
    sentinels: { mistake_recovery: { label: "It kept failing, so Mulligan stopped.", bent: "It kept failing.", tone: "stop", icon: "close" } },
    failures: {
      exec_error: "failed",
      tool_not_found: "no such tool",
      permission_denied: "not allowed",
      schema_reject: "arguments refused",
    },
    run_reasons: { passed: "the project's own commands pass", nothing_changed: "nothing was changed" },
    job_reasons: { time_limit: "it took longer than it may" },
    attempts: { thrown_away: "thrown away" },
    checkpoints: { turn: "before a turn" },
  });
}
