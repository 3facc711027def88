/** A run that this process drives. */
export interface DrivenRun {
  /** Whether it parks while it waits, so that no process is kept for it. */
  readonly parks: boolean;
  /** Leaves the run: its request and its calls are ended, and nothing more is written. */
  readonly leave: (reason: Error) => void;
}

/** The runs that this process drives, for the tools that their models call. */
export class DrivenRuns {
  readonly #runs = new Map<string, DrivenRun>();

  /** Until the returned function is called. */
  add(runId: string, run: DrivenRun): () => void {
    this.#runs.set(runId, run);
    return () => {
      if (this.#runs.get(runId) === run) this.#runs.delete(runId);
    };
  }

  /** Undefined where another process drives it, or none does. */
  find(runId: string): DrivenRun | undefined {
    return this.#runs.get(runId);
  }
}
