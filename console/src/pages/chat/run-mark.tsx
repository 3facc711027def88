import type { VNode } from "preact";
import type { Run } from "./types.ts";

/** The states of runs, each with a sign, since colour alone means nothing. */
const marks: Readonly<Record<Run["state"], readonly [sign: string, word: string]>> = {
  pending: ["◌", "begins"],
  running: ["▸", "at work"],
  parked: ["●", "waits"],
  paused: ["●", "paused"],
  completed: ["✓", "done"],
  failed: ["✕", "failed"],
  stopped: ["◼", "stopped"],
};

const colours: Readonly<Partial<Record<Run["state"], string>>> = {
  running: "started",
  parked: "denied",
  paused: "denied",
  failed: "failed",
};

/** How the run of a session stands. */
export function RunMark({ run }: { readonly run: Run | null }): VNode | null {
  if (run === null) return null;
  const [sign, word] = marks[run.state];
  return (
    <span class="state" data-state={colours[run.state] ?? "completed"}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {word}
    </span>
  );
}
