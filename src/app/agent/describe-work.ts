import { isAbsolute, relative } from "node:path";
import { findCameOff, findTool, listCalls, toFirstAttempt } from "../../agent/index.ts";
import { parseJson } from "../../base/index.ts";
import type { CallContext, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import type { ModelFacts } from "../../model/index.ts";
import type { Entry, Run } from "../../modules/sessions/index.ts";
import type { Store } from "../store/open-store.ts";
import { describeTasks } from "../tasks/open-tasks.ts";
import { readArguments } from "./read-arguments.ts";

/** What the facts of a summary are read from. */
export interface WorkServices {
  readonly store: Pick<Store, "sessions" | "taskRuns" | "changes" | "approvals">;
  readonly executor: Pick<ToolExecutor, "foresee">;
  readonly registry: Pick<ToolRegistry, "get" | "resolveName" | "fromLLMArguments">;
  readonly facts: Pick<ModelFacts, "dialect">;
  /** How the gate knows the agent's calls. */
  readonly context: CallContext;
  /** The folder that the run works in. */
  readonly folder: string;
}

/** Maximum numbers of calls, of their runs and of calls that read, the newest first, and of characters of one list of files. */
const mostCalls = 1_000;
const mostRuns = 100;
const mostReads = 200;
const mostChars = 800;

/**
 * Facts about the work of a conversation from the store, one a line, for a summary: files that its calls read and
 * changed, questions that wait for an answer, tasks under way, and where what it sums up can be read.
 */
export async function describeWork(services: WorkServices, run: Run): Promise<readonly string[]> {
  const { store } = services;
  const calls = listCalled(await store.sessions.entries(run.scope, run.sessionId));
  const own = new Set(calls.map(({ callId }) => callId));
  return [
    ...(await describeRead(services, calls)),
    ...(await describeChanged(services, run, { calls, own })),
    ...(await describeQuestions(services, run, own)),
    ...(await describeTasks(store, run)),
  ];
}

/** A call of the conversation. */
interface MadeCall {
  readonly callId: string;
  readonly runId: string;
  readonly name: string;
  readonly input: string;
  /** Whether its result is no failure; false while it has none. */
  readonly cameOff: boolean;
}

/** The calls of a conversation, the newest first. */
function listCalled(entries: readonly Entry[]): readonly MadeCall[] {
  const cameOff = findCameOff(entries);
  return entries
    .flatMap((entry) =>
      entry.kind === "answer"
        ? listCalls(entry, entry.runId).map((call) => ({ ...call, runId: entry.runId }))
        : [],
    )
    .map((call) => ({ ...call, cameOff: cameOff.has(call.callId) }))
    .reverse()
    .slice(0, mostCalls);
}

/** The files that calls read, as the effects of the tools say. */
async function describeRead(
  { executor, registry, facts, context, folder }: WorkServices,
  calls: readonly MadeCall[],
): Promise<readonly string[]> {
  const reading = calls.filter(
    ({ name, cameOff }) => cameOff && findTool(registry, name)?.annotations.readOnly === true,
  );
  const asked = Map.groupBy(reading, ({ name, input }) => `${name} ${input}`);
  const read = await Promise.all(
    Array.from(asked.values(), ([call]) => call as MadeCall)
      .slice(0, mostReads)
      .map(async ({ name, input }) => {
        const params = readArguments(registry, name, parseJson(input), facts);
        // A tool that was removed since, or takes other arguments now, tells nothing.
        const foreseen = await executor.foresee(name, params, context).catch(() => undefined);
        return foreseen?.effects ?? [];
      }),
  );
  const paths = read
    .flat()
    .flatMap(({ kind, target }) => (kind === "read" && isAbsolute(target) ? [target] : []));
  return listFiles("Files and folders read", paths, folder);
}

/** The files that calls changed, as the record for undo has them. What was undone is left out. */
async function describeChanged(
  { store, folder }: WorkServices,
  { scope }: Run,
  { calls, own }: { readonly calls: readonly MadeCall[]; readonly own: ReadonlySet<string> },
): Promise<readonly string[]> {
  const runIds = [...new Set(calls.map(({ runId }) => runId))].slice(0, mostRuns);
  const changed = await Promise.all(
    runIds.map((runId) => store.changes.list(scope, { callPrefix: `${runId}.`, limit: mostCalls })),
  );
  // A call is recorded by the id of the attempt that was made.
  const paths = changed
    .flat()
    .flatMap(({ callId, paths, undone }) => (undone || !own.has(toFirstAttempt(callId)) ? [] : paths));
  return listFiles("Files changed", paths, folder);
}

/** The questions about calls of the conversation that nobody has answered. */
async function describeQuestions(
  { store }: WorkServices,
  { scope }: Run,
  own: ReadonlySet<string>,
): Promise<readonly string[]> {
  const open = await store.approvals.list({ scope, state: "pending" });
  return open
    .filter(({ callId }) => own.has(toFirstAttempt(callId)))
    .map(({ id, toolName }) => `The question ${id}, whether ${toolName} may be called, waits for an answer.`);
}

/** One line with paths, the newest first, each as it is called in the folder. */
function listFiles(title: string, paths: readonly string[], folder: string): readonly string[] {
  const names = Array.from(new Set(paths), (path) => {
    const within = relative(folder, path);
    return within === "" ? "." : within.startsWith("..") ? path : within;
  });
  let left = mostChars;
  const shown = names.filter((name) => (left -= name.length + 2) >= 0);
  if (shown.length === 0) return [];
  const more = names.length - shown.length;
  return [`${title}, the newest first: ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`];
}
