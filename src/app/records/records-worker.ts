import { parentPort, workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { CodedError, getErrorMessage, isRecord } from "../../base/index.ts";
import { giveWay, runInBackground } from "../../host/index.ts";
import { createRedactor, redactValue } from "../../kernel/index.ts";
import { RecordReader } from "./record-reader.ts";
import type {
  LatestEvents,
  RecordsAnswer,
  RecordsFault,
  RecordsMessage,
  RecordsRequest,
  TransferredJson,
} from "./worker-messages.ts";

/** Size in bytes from which an answer is compressed: a smaller one is sent as quickly without that. */
const leastZipped = 4096;
const path = workerData as string;
let opened: Promise<RecordReader> | undefined;
const running = new Map<number, AbortController>();
const redact = createRedactor(new Map());

runInBackground();

parentPort?.on("message", (message: RecordsMessage) => {
  if ("cancel" in message) running.get(message.cancel)?.abort();
  else void answer(message);
});

async function answer({
  id,
  request,
  json,
}: Extract<RecordsMessage, { readonly id: number }>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  for (const [name, value] of json?.secrets ?? []) redact.learn(name, value);
  try {
    const result = await read(request, controller.signal, (rows, of) => post({ id, progress: { rows, of } }));
    const sent =
      json === undefined || result === undefined ? result : toJson(redactValue(result, redact), json.gzip);
    post({ id, result: sent }, listTransfers(sent));
  } catch (error) {
    post({ id, fault: describeFault(error) });
  } finally {
    running.delete(id);
  }
}

async function read(
  request: RecordsRequest,
  signal: AbortSignal,
  onProgress: (rows: number, of: number) => void,
): Promise<unknown> {
  const reader = await open();
  switch (request.do) {
    case "list":
      return reader.listCalls(request.query, signal);
    case "find":
      return reader.findCall(request.callId);
    case "count":
      return reader.countCalls(request.query, request.by, signal);
    case "trace":
      return reader.trace(request.of, signal);
    case "trace-columns":
      return reader.traceColumns(request.of, signal);
    case "view-tasks":
      return reader.viewTasks(request.scope, request.tasks);
    case "verify":
      return reader.verify({ all: request.all, onProgress }, signal);
    case "erase":
      return reader.erase();
    case "rebuild":
      return reader.rebuild(signal);
    case "end":
      return reader.findEnd();
    case "events":
      return reader.nextEvents(request.after, signal);
    case "latest-events": {
      const { events, ...rest } = await reader.nextLatest(request.after, signal);
      return { ...rest, ...toJson(events, false) } satisfies LatestEvents;
    }
    default:
      return request satisfies never;
  }
}

function toJson(value: unknown, gzip: boolean): TransferredJson {
  giveWay();
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  if (!gzip || bytes.length < leastZipped) return { bytes };
  giveWay();
  return { bytes: new Uint8Array(gzipSync(bytes, { level: 1 })), encoding: "gzip" };
}

/** Lists the memory of a result's bytes, which is transferred to the other thread, not copied. */
function listTransfers(result: unknown): readonly ArrayBuffer[] {
  const bytes = isRecord(result) ? result["bytes"] : undefined;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function open(): Promise<RecordReader> {
  opened ??= RecordReader.open(path, {
    onIndexProgress: (indexing) => post({ indexing }),
  });
  const opening = opened;
  opening.catch(() => {
    if (opened === opening) opened = undefined;
  });
  return opening;
}

function describeFault(error: unknown): RecordsFault {
  return {
    name: error instanceof Error ? error.name : "",
    code: error instanceof CodedError ? error.code : undefined,
    message: getErrorMessage(error),
  };
}

function post(said: RecordsAnswer, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(said, transfer);
}
