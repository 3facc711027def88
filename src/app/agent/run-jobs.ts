import { Interrupts } from "../../agent/index.ts";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import type { Approver } from "../../kernel/index.ts";
import type { Job, JobHandlers } from "../../modules/jobs/index.ts";
import { liveStates, maxRunAttempts, type Run, runJobKind, toRunJob } from "../../modules/sessions/index.ts";
import { agentSetupErrorCodes } from "../errors.ts";
import { isHeldUp } from "../tasks/held-up.ts";
import type { AgentHost, AgentServices } from "./agent-host.ts";

/** How soon a run is tried again while another run of its session is under way. */
const againMs = 5_000;

/** What the jobs of runs need of an installation. */
export interface RunJobServices extends Pick<AgentServices, "folder" | "store"> {
  agent(): Promise<RunDriver>;
}

/** The part of {@link AgentHost} that drives runs for jobs. */
export type RunDriver = Pick<AgentHost, "drive" | "abandon" | "hasWaiting" | "fail">;

/**
 * Drives the queued and parked runs of this project folder, in a program that works in the background.
 *
 * @param approver Who is asked about their calls. By default nobody is: a call that asks is parked.
 */
export function runJobs(app: RunJobServices, approver?: Approver): JobHandlers {
  return {
    [runJobKind(app.folder)]: async (job, signal, progressed) => {
      const { runs, jobs, tasks } = await app.store();
      const find = () => runs.get(job.scope, job.key);
      const run = await find();
      if (run === undefined || !liveStates.includes(run.state)) return;
      if (await isHeldUp(tasks, run)) return;
      const host = await app.agent();
      if (await driveInBackground(host, run, { job, signal, progressed: progressed ?? (() => {}), approver }))
        return;
      const left = await find();
      if (left === undefined || (left.state !== "pending" && left.state !== "parked")) return;
      // Another run of its session is under way, and may have read the message that this one was for.
      if (left.state === "pending" && !(await host.hasWaiting(left.sessionId))) await host.abandon(left);
      else await jobs.enqueue(toRunJob(left, Date.now() + againMs));
    },
  };
}

/** Drives a run for a job. False if another process has the run, or another run of its session. */
export async function driveInBackground(
  host: RunDriver,
  run: Run,
  {
    job,
    signal,
    progressed,
    approver,
  }: {
    readonly job: Job;
    readonly signal: AbortSignal;
    readonly progressed: () => void;
    readonly approver?: Approver | undefined;
  },
): Promise<boolean> {
  try {
    const end = await host.drive(run, {
      emit: ({ type }) => {
        if (type === "answer.ended" || type === "call.ended") progressed();
      },
      interrupts: new Interrupts(),
      leave: signal,
      inBackground: true,
      ...(approver !== undefined && { approver }),
    });
    return end !== undefined;
  } catch (thrown) {
    const code = getErrorCode(thrown);
    // Whoever has the run now goes on with it.
    if (code === "RUN_LOST") return true;
    const isHopeless = agentSetupErrorCodes.some((one) => one === code) || job.attempts >= maxRunAttempts;
    if (signal.aborted || !isHopeless) throw thrown;
    await host.fail(run, { code: code ?? "UNKNOWN", text: getErrorMessage(thrown) });
    return true;
  }
}
