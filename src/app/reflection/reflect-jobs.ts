import { cutHead } from "../../base/index.ts";
import type { CallContext } from "../../kernel/index.ts";
import type { JobHandlers } from "../../modules/jobs/index.ts";
import type { MemoryService } from "../../modules/memory/module.ts";
import { liveStates, type Run, reflectJobKind } from "../../modules/sessions/index.ts";
import type { AgentHost } from "../agent/agent-host.ts";
import { findAgentMemory } from "../agent/memory-scope.ts";
import { reflectionChannel, reflectionLimits } from "../agent/reflection.ts";
import { driveInBackground } from "../agent/run-jobs.ts";
import { readSettings } from "../agent/turn-settings.ts";
import type { Agents } from "../availability/agents.ts";
import type { Models } from "../models/models.ts";
import type { Store } from "../store/open-store.ts";
import { findReflectionRun } from "./find-reflection.ts";
import { isTrivial } from "./is-trivial.ts";
import { listKnownMemory } from "./known-memory.ts";
import { writeReflectionMessage } from "./reflection-message.ts";

/** Services of an installation that the reflection on tasks uses. */
export interface ReflectServices {
  readonly folder: string;
  readonly context: CallContext;
  readonly agents: Pick<Agents, "isKnown">;
  readonly memory: Pick<MemoryService, "filed">;
  readonly models: Pick<Models, "open">;
  readonly store: () => Promise<Store>;
  agent(): Promise<AgentHost>;
}

const hourMs = 3_600_000;
/** Delay before a reflection that waits, or that another process has, is looked at again. */
const againMs = 15_000;
/** The share of a model's window that the message may have. */
const windowShare = 0.6;
const mostTitleChars = 60;
/** Maximum length of a note of a task, in characters. */
const mostNoteChars = 50_000;

/** Jobs that reflect on the tasks of this project folder that have ended, in a program that works in the background. */
export function reflectJobs(app: ReflectServices): JobHandlers {
  return {
    [reflectJobKind(app.folder)]: async (job, signal, progressed) => {
      const { runs, jobs } = await app.store();
      const task = await runs.get(job.scope, job.key);
      if (task === undefined) return;
      const begun = await begin(app, task, signal);
      if (begun === undefined) return;
      // A parked run has its own job, which resumes it once the model can be asked.
      if (begun.state === "pending" || begun.state === "running")
        await driveInBackground(await app.agent(), begun, {
          job,
          signal,
          progressed: progressed ?? (() => {}),
        });
      const { id, scope } = begun;
      const left = await runs.get(scope, id);
      if (left !== undefined && liveStates.includes(left.state)) {
        const { kind, key } = job;
        await jobs.enqueue({ kind, scope, key, runAt: Date.now() + againMs });
      } else if (left !== undefined) await noteOnTask(await app.store(), task, left);
    },
  };
}

/**
 * The run that reflects on a task: the one that an earlier process began, else a new one. Undefined for a task that is too
 * small. One that would go over the limit of the hour is stopped before it begins.
 */
async function begin(app: ReflectServices, task: Run, signal: AbortSignal): Promise<Run | undefined> {
  const store = await app.store();
  const there = await findReflectionRun(store, task);
  if (there !== undefined) return there;
  const { sessions, runs } = store;
  const { scope, agentId, id } = task;
  const entries = await sessions.entries(scope, task.sessionId, { runId: id });
  if (isTrivial(task, entries)) return undefined;
  const { model: modelName, mode } = readSettings(task);
  const { facts } = await app.models.open(modelName);
  const known = await listKnownMemory(app.memory, findAgentMemory(app, agentId), signal);
  // Each round sends the whole message again.
  const tokens = Math.min(
    facts.contextTokens * windowShare,
    reflectionLimits.tokens / reflectionLimits.steps,
  );
  const text = writeReflectionMessage({ run: task, entries, known, tokens });
  const trust = await sessions.shownTrust(task);
  const title = `Reflection on ${id}`.slice(0, mostTitleChars);
  const session = await sessions.open({ scope, agentId, channel: reflectionChannel, address: id, title });
  await sessions.post({
    scope,
    sessionId: session.id,
    sender: "task",
    parts: [{ type: "text", text }],
    trust,
    external: { channel: reflectionChannel, id },
  });
  const run = await runs.begin({
    scope,
    kind: "reflect",
    sessionId: session.id,
    project: app.folder,
    settings: {
      model: modelName,
      maxSteps: reflectionLimits.steps,
      limits: { tokens: reflectionLimits.tokens },
      reflectsOn: id,
      ...(mode !== undefined && { mode }),
      folder: app.folder,
    },
  });
  if (!(await isOverHour(store, scope))) return run;
  await runs.stop(scope, run.id, "breaker");
  return undefined;
}

/** Whether the reflections of the last hour, of all processes, have used up their tokens. */
async function isOverHour({ usage }: Pick<Store, "usage">, scope: string): Promise<boolean> {
  const since = Date.now() - hourMs;
  const [total] = await usage.totals({ scope, since, source: reflectionChannel });
  return (total?.inputTokens ?? 0) + (total?.outputTokens ?? 0) >= reflectionLimits.hourTokens;
}

/** Adds what was learnt to the notes of the task that the run worked on, once. */
async function noteOnTask(
  { tasks, sessions }: Pick<Store, "tasks" | "sessions">,
  { scope, id }: Pick<Run, "scope" | "id">,
  reflection: Run,
): Promise<void> {
  const { id: label, state, result = "" } = reflection;
  const task = await tasks.findByRun(scope, id);
  if (task === undefined || state !== "completed" || result.trim() === "") return;
  const notes = await tasks.notes(scope, task.id);
  if (notes.some((note) => note.kind === "reflection" && note.label === label)) return;
  const text = cutHead(result, mostNoteChars);
  // The run may have read memories that came from outside.
  const trust = await sessions.shownTrust(reflection);
  await tasks.addNote(scope, task.id, { kind: "reflection", label, text, trust });
}
