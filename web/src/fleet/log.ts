import type { Envelope } from "../api/types";
import { fleetActions } from "./actions";

export interface JobFrames {
  envelopes: readonly Envelope[];
  /** Nothing more will come. */
  ended: boolean;
}

/** The frames of a job since it started: each request adds those since the last one. */
export class LogReader {
  private envelopes: readonly Envelope[] = [];
  private after = 0;

  constructor(
    private readonly jobId: string,
    /** A job that is queued again has another log. */
    readonly startedAt: number | null,
  ) {}

  async read(): Promise<JobFrames> {
    for (;;) {
      const piece = await fleetActions.log(this.jobId, this.after);
      if (piece.after === this.after) return { envelopes: this.envelopes, ended: piece.ended };
      this.envelopes = [...this.envelopes, ...piece.envelopes];
      this.after = piece.after;
    }
  }
}
