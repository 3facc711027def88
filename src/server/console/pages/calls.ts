import { type CallGroup, type RecordedCallQuery, replayCall, replayTask } from "../../../app/index.ts";
import { CodedError, withoutUndefined } from "../../../base/index.ts";
import { callStates } from "../../../modules/ledger/index.ts";
import type { FileChange } from "../../../modules/undo/index.ts";
import type { CallDetail, CallsApi } from "../api/index.ts";
import type { ConsoleContext, Handlers } from "../route.ts";
import { callOutputHandlers } from "./call-output.ts";
import {
  badInput,
  notFound,
  readInput,
  readList,
  readSegment,
  readWhole,
  readWord,
  toCallContext,
} from "./input.ts";

const groups = [
  "hour",
  "day",
  "tool",
  "agent",
  "client",
  "state",
  "code",
] as const satisfies readonly CallGroup[];
/** Rows of one page, and inner calls of a detail. */
const mostRows = 500;

/** The tool that undoes calls; its own calls can be undone too. */
const undoTool = "undo_changes";

const verifySchema = {
  type: "object",
  properties: { all: { type: "boolean" } },
  additionalProperties: false,
} as const;

export const callsHandlers: Handlers<CallsApi> = {
  ...callOutputHandlers,

  "GET /calls": async ({ json }, { query, signal }) => json.listCalls(readQuery(query), signal),

  "GET /calls/count": async ({ json }, { query, signal }) => {
    const by = readWord(query, "by", groups);
    if (by === undefined) throw badInput(`"by" must be one of ${groups.join(", ")}`);
    const rest = new Map([...query].filter(([name]) => name !== "by"));
    return json.countCalls(readQuery(rest), by, signal);
  },

  "GET /indexing": async ({ records }) => withoutUndefined({ indexing: records.indexing }),

  "GET /calls/:id": async (context, request) => {
    const id = readSegment(request, "id");
    return readDetail(context, id, request.signal);
  },

  "POST /calls/:id/undo": async (context, request) => {
    const call_id = readSegment(request, "id");
    const { executor } = context.app;
    // If undoing asks a question, it is stored, and answered on its own page.
    const bounds = { ...toCallContext(context), signal: request.signal, personMs: 0 };
    const result = await executor.run(undoTool, { call_id }, bounds);
    if (!result.success) throw new CodedError(result.code, result.error, { details: result.details });
    return { text: result.text };
  },

  "POST /calls/:id/replay": async (context, request) => {
    const id = readSegment(request, "id");
    const { app, records } = context;
    const call = await records.findCall(id, request.signal);
    if (call === undefined) throw notFound("the call", id, "`haft audit` lists them");
    const [{ ledger }] = await Promise.all([app.store(), app.sources.listed()]);
    const taskId = replayTask(call.callId);
    const { registry, executor } = app;
    const options = {
      registry,
      executor,
      ledger,
      context: toCallContext(context),
      signal: request.signal,
    };
    return {
      replayed: await replayCall(call, taskId, options),
      taskId,
      command: `haft replay ${call.callId}`,
    };
  },

  "POST /verify": async ({ records }, request) => {
    const { all } = await readInput(verifySchema, request);
    return records.verify(all === undefined ? {} : { all }, request.signal);
  },
};

async function readDetail(
  { app, records }: ConsoleContext,
  id: string,
  signal: AbortSignal,
): Promise<CallDetail> {
  const call = await records.findCall(id, signal);
  if (call === undefined) throw notFound("the call", id, "`haft audit` lists them");
  const { changes } = await app.store();
  const rootCallId = call.rootCallId ?? call.callId;
  const [led, changed] = await Promise.all([
    records.listCalls({ rootCallId, after: 0, limit: mostRows }, signal),
    changes.ofCall(call.scope, call.callId),
  ]);
  return {
    call,
    inner: led.rows.filter(({ parent }) => parent?.callId === call.callId),
    undoable: changed.map((change) => ({ path: change.path, change: nameChange(change) })),
    command: `haft audit ${call.callId}`,
  };
}

function nameChange({ before, afterHash }: FileChange): string {
  if (before === null) return "made";
  return afterHash === null ? "deleted" : "changed";
}

const wholeNumber = { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 };
const texts = [
  "scope",
  "taskId",
  "runId",
  "agentId",
  "project",
  "client",
  "session",
  "rootCallId",
  "text",
] as const;
const lists = ["callIds", "tools", "codes"] as const;
const numbers = ["minMs", "since", "until", "before", "after"] as const;
const names: readonly string[] = [...texts, ...lists, ...numbers, "states", "limit"];

/** @throws {ConsoleFault} CONSOLE_INPUT */
function readQuery(query: ReadonlyMap<string, string>): RecordedCallQuery {
  const strange = [...query.keys()].find((name) => !names.includes(name));
  if (strange !== undefined) throw badInput(`"${strange.slice(0, 50)}" is not among ${names.join(", ")}`);
  if (query.has("before") && query.has("after")) throw badInput('give "before" or "after", one of them');
  const states = readList(query, "states")?.map((text) => {
    const state = callStates.find((one) => one === text);
    if (state === undefined) throw badInput(`"states" must be of ${callStates.join(", ")}`);
    return state;
  });
  const read = <Name extends string, Value>(all: readonly Name[], of: (name: Name) => Value) =>
    Object.fromEntries(all.map((name) => [name, of(name)])) as { [Key in Name]: Value };
  return {
    ...withoutUndefined({
      states,
      ...read(texts, (name) => query.get(name)),
      ...read(lists, (name) => readList(query, name)),
      ...read(numbers, (name) => (query.has(name) ? readWhole(query, name, wholeNumber) : undefined)),
    }),
    limit: readWhole(query, "limit", { least: 1, most: mostRows, fallback: 80 }),
  };
}
