import { cutHead } from "../../base/index.ts";
import type { CallContext, Trust } from "../../kernel/index.ts";
import type { JobHandlers } from "../../modules/jobs/index.ts";
import type { MemoryEntry, Turn } from "../../modules/memory/index.ts";
import type { MemoryService } from "../../modules/memory/module.ts";
import type { Entry, Run, Session } from "../../modules/sessions/index.ts";
import { recordJobKind } from "../../modules/sessions/index.ts";
import type { Agents } from "../availability/agents.ts";
import type { Store } from "../store/open-store.ts";
import { findAgentMemory } from "./memory-scope.ts";

/** What the recording of turns needs of an installation. */
export interface RecordServices {
  readonly folder: string;
  readonly context: CallContext;
  readonly agents: Pick<Agents, "isKnown">;
  readonly memory: Pick<MemoryService, "record">;
  readonly store: () => Promise<Store>;
}

/** The longest text that memory takes. */
const mostChars = 1_000_000;
const leaseMs = 60_000;

/**
 * Jobs that record in memory what was said in the turns of this project folder: what the user wrote and what the agent
 * answered, not what its calls returned.
 */
export function recordJobs(app: RecordServices): JobHandlers {
  return { [recordJobKind(app.folder)]: ({ scope, key }) => record(app, scope, key) };
}

/**
 * Does the jobs of {@link recordJobs} that are due, for a program that does not work in the background. What fails is left
 * to one that does.
 */
export async function recordDueTurns(app: RecordServices): Promise<void> {
  const { jobs } = await app.store();
  const kinds = [recordJobKind(app.folder)];
  for (let job = await jobs.claim({ kinds, leaseMs }); job !== undefined; ) {
    await record(app, job.scope, job.key).catch(async (thrown: unknown) => {
      await jobs.release(job as NonNullable<typeof job>);
      throw thrown;
    });
    await jobs.complete(job);
    job = await jobs.claim({ kinds, leaseMs });
  }
}

/** Records what one run said, once: a second time only what came since. */
async function record(app: RecordServices, scope: string, runId: string): Promise<void> {
  const { sessions, runs, memory } = await app.store();
  const run = await runs.get(scope, runId);
  const session = run && (await sessions.get(scope, run.sessionId));
  if (run === undefined || session === undefined) return;
  const entries = await sessions.entries(scope, session.id, { runId });
  const said = listTurns(entries, { run, session, shown: await sessions.shownTrust(run) });
  const [first] = said;
  if (first === undefined) return;
  const place = findAgentMemory(app, run.agentId);
  const { entries: known } = await memory.list(place, {
    kinds: ["message"],
    session: session.id,
    afterPosition: first.position - 1,
    order: "position",
    with: ["deleted", "superseded", "invalid"],
    limit: 1_000,
  });
  const fresh = said.filter(({ position }) => !isAt(known, position));
  if (fresh.length === 0) return;
  await app.memory.record(place, fresh, { by: `agent:${run.agentId}`, channel: session.channel });
}

function isAt(known: readonly MemoryEntry[], position: number): boolean {
  return known.some(({ place }) => place?.position === position);
}

/** A turn at the place of its entry in the session. */
type PlacedTurn = Turn & { readonly position: number };

function listTurns(
  entries: readonly Entry[],
  { run, session, shown }: { readonly run: Run; readonly session: Session; readonly shown: Trust },
): readonly PlacedTurn[] {
  const place = { session: session.id, channel: session.channel };
  const turns: PlacedTurn[] = entries.flatMap((entry): readonly PlacedTurn[] => {
    if (entry.kind !== "user" || entry.sender !== undefined) return [];
    const text = entry.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    const { seq, at, trust } = entry;
    return [{ ...place, text: cutHead(text, mostChars), role: "user", position: seq, at, trust }];
  });
  const answer = entries.findLast(({ kind }) => kind === "answer");
  if (answer !== undefined && hasSaid(run))
    turns.push({
      ...place,
      text: cutHead(run.result ?? "", mostChars),
      role: "assistant",
      position: answer.seq,
      at: answer.at,
      trust: shown,
    });
  return turns.filter(({ text }) => text.trim() !== "").sort((a, b) => a.position - b.position);
}

/** Whether the result of a run is what its agent said. That of others says why they ended. */
function hasSaid({ state, why }: Run): boolean {
  if (state === "paused") return why === "steps" || why === "repetition";
  return state === "completed" || state === "stopped";
}
