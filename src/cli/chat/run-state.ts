import { isRecord } from "../../base/index.ts";
import { type Run, readWaits, type Wait } from "../../modules/sessions/index.ts";
import { toLocalTime } from "../text/local-time.ts";
import { formatSpan } from "../text/span.ts";

/** One sentence for each thing that a parked run waits for, and how it can come. */
export function describeWaits(waitFor: string | undefined, now: number): readonly string[] {
  return readWaits(waitFor).map((wait) => describeWait(wait, now));
}

function describeWait(wait: Wait, now: number): string {
  switch (wait.for) {
    case "approval":
      return `waits for an answer: \`haft approvals show ${wait.id}\`, then approve or deny`;
    case "run":
    case "halt":
      return `waits for the run ${wait.id}`;
    case "time": {
      const left = wait.at > now ? `${formatSpan(wait.at - now)} more, ` : "";
      return `waits ${left}until ${toLocalTime(wait.at)}, since its model can't be asked before`;
    }
    default:
      return wait satisfies never;
  }
}

/** The name that the configuration has for the model of a run. */
export function readModelName({ settings }: Pick<Run, "settings">): string | undefined {
  const name = isRecord(settings) ? settings["model"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** The state of a run in a few words, as `haft sessions` lists it. */
export function describeState(run: Run | undefined, now: number): string {
  if (run === undefined) return "";
  const { state, why, leaseUntil } = run;
  switch (state) {
    case "pending":
      return "waits to be begun";
    case "running":
      return (leaseUntil ?? 0) > now ? "under way" : "left by its process";
    case "parked":
      return why === "approval"
        ? "waits for an answer"
        : `waits for its ${why === "task" ? "tasks" : "model"}`;
    case "paused":
    case "failed":
    case "stopped":
      return why === undefined ? state : `${state} (${why})`;
    case "completed":
      return "done";
    default:
      return state satisfies never;
  }
}

/** A sentence about a run that goes on only with `/resume`; undefined for any other. */
export function describeLeftOff(run: Run | undefined): string | undefined {
  if (run?.state === "stopped") return "It was interrupted: /resume goes on with it, or say what is next";
  if (run?.state !== "failed") return undefined;
  return `It ${describeState(run, Date.now())}: /resume tries again, or say what is next`;
}

/** Lines that tell the state of a run, and what can be done about it. */
export function describeRun(run: Run, now: number): readonly string[] {
  const { id, kind, state, why, result } = run;
  const resume = `\`haft run --resume ${id}\` goes on with it`;
  switch (state) {
    case "pending":
      return [
        `${id} waits to be begun by a \`haft serve\` of ${run.project ?? "its folder"}; ${resume} here`,
      ];
    case "running":
      return [`${id} is ${describeState(run, now)}${(run.leaseUntil ?? 0) > now ? "" : `; ${resume}`}`];
    case "parked":
      return [
        ...describeWaits(run.waitFor, now).map((wait) => `${id} ${wait}`),
        `\`haft serve\` in ${run.project ?? "its folder"} then goes on with it; ${resume} here, now`,
      ];
    case "paused":
      return [`${id} is ${describeState(run, now)}; ${resume}`];
    case "failed":
      return [
        `${id} has ${describeState(run, now)}${result === undefined ? "" : `: ${result}`}`,
        ...(kind === "turn" ? [`\`haft run --resume ${id}\` tries again, once that is put right`] : []),
      ];
    case "stopped":
      return kind === "turn" && why === "interrupted" ? [`${id} was interrupted; ${resume}`] : [];
    case "completed":
      return [];
    default:
      return state satisfies never;
  }
}
