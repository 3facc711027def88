/** Something outside of a run that the run, or a call of it, waits for. */
export type Wait =
  /** An answer to a stored question. */
  | { readonly for: "approval"; readonly id: string }
  /** The end of another run. */
  | { readonly for: "run"; readonly id: string }
  /** The end of another run, or that it waits for a person. */
  | { readonly for: "halt"; readonly id: string }
  /** A time, in Unix ms. */
  | { readonly for: "time"; readonly at: number };

/** Writes a wait as entries and runs store it: `approval:<id>`, `run:<id>`, `halt:<id of a run>` or `time:<Unix ms>`. */
export function formatWait(wait: Wait): string {
  return wait.for === "time" ? `time:${wait.at}` : `${wait.for}:${wait.id}`;
}

/** Reads what a run waits for: several waits are separated by spaces, and any of them lets the run go on. */
export function readWaits(text: string | undefined): readonly Wait[] {
  return (text ?? "").split(" ").flatMap((one): readonly Wait[] => {
    const [, kind, id = ""] = /^(approval|run|halt|time):(\S+)$/.exec(one) ?? [];
    if (kind === "time") return Number.isFinite(Number(id)) ? [{ for: "time", at: Number(id) }] : [];
    return kind === "approval" || kind === "run" || kind === "halt" ? [{ for: kind, id }] : [];
  });
}
