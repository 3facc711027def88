import type { ArtifactStore } from "../../kernel/index.ts";
import type { ClaimedRun, Runs, SessionChange, Sessions } from "../../modules/sessions/index.ts";
import { mostResultChars } from "../../modules/tasks/index.ts";
import { readProgress, withProgress } from "./task-settings.ts";

/** What is needed to keep the progress of a task. */
export interface ProgressParts {
  readonly runs: Runs;
  readonly sessions: Pick<Sessions, "shownTrust">;
  readonly artifacts: Pick<ArtifactStore, "put">;
  /** How long this process has worked on the run. */
  readonly workedMs: () => number;
}

/**
 * Stores with the run of a task how long it has worked, and all of a result that is too long to be shown, whenever it is
 * left.
 */
export function withTaskProgress({ runs, sessions, artifacts, workedMs }: ProgressParts): Runs {
  const keep = async (run: ClaimedRun, change: SessionChange): Promise<SessionChange> => {
    const { state, result = "" } = change.run ?? {};
    if (change.run === undefined || state === undefined || state === "running") return change;
    const resultArtifact = result.length > mostResultChars ? await put(run, result) : undefined;
    const settings = withProgress(run, {
      workedMs: (readProgress(run).workedMs ?? 0) + workedMs(),
      ...(resultArtifact !== undefined && { resultArtifact }),
    });
    return { ...change, run: { ...change.run, settings } };
  };
  const put = async (run: ClaimedRun, data: string): Promise<string> => {
    const { id, scope } = run;
    const artifact = {
      scope,
      callId: `${id}.result`,
      kind: "output",
      mimeType: "text/markdown",
      data,
    } as const;
    // What an agent says may be made of all that it was shown.
    return (await artifacts.put({ ...artifact, trust: await sessions.shownTrust(run) })).id;
  };
  return {
    begin: (run) => runs.begin(run),
    get: (scope, id) => runs.get(scope, id),
    list: (query) => runs.list(query),
    claim: (scope, id, leaseMs) => runs.claim(scope, id, leaseMs),
    renew: (run, leaseMs) => runs.renew(run, leaseMs),
    write: async (run, change) => runs.write(run, await keep(run, change)),
    release: (run) => runs.release(run),
    stop: (scope, id, why) => runs.stop(scope, id, why),
  };
}
