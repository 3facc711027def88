import { parentPort, workerData } from "node:worker_threads";
import { CodedError, getErrorMessage } from "../../base/index.ts";
import { RecordReader } from "./record-reader.ts";
import type { RecordsAnswer, RecordsFault, RecordsMessage, RecordsRequest } from "./worker-messages.ts";

const path = workerData as string;
let opened: Promise<RecordReader> | undefined;
const running = new Map<number, AbortController>();

parentPort?.on("message", (message: RecordsMessage) => {
  if ("cancel" in message) running.get(message.cancel)?.abort();
  else void answer(message);
});

async function answer({ id, request }: Extract<RecordsMessage, { readonly id: number }>): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const result = await read(request, controller.signal, (rows, of) => post({ id, progress: { rows, of } }));
    post({ id, result });
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
    default:
      return request satisfies never;
  }
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

function post(said: RecordsAnswer): void {
  parentPort?.postMessage(said);
}
