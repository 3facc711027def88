import { Worker } from "node:worker_threads";
import type { OpenedFile } from "../../host/index.ts";
import { FileToolError } from "./errors.ts";
import { maxFileBytes } from "./limits.ts";
import type { PdfAnswer, PdfTask } from "./pdf-worker.ts";

/** More than anybody reads of one document. */
const maxTextChars = 5_000_000;
const maxHeapMb = 512;
/** Below the deadline of `read`, so that it can say what went wrong. */
const extractMs = 9000;

/** The sources run as they are in development and as JavaScript when installed. */
const workerFile = new URL(
  `./pdf-worker${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`,
  import.meta.url,
);

let last: { readonly version: string; readonly text: string } | undefined;

/**
 * The text of a PDF, page by page under a line of its own. It is taken out in a worker with a limit of time and memory:
 * a document can keep a parser busy for ever. The last document is kept, so the next window of it costs nothing.
 */
export async function readPdf(file: OpenedFile, signal: AbortSignal): Promise<string> {
  const { version } = file.status;
  if (last?.version === version) return last.text;
  const bytes = Uint8Array.from(await file.bytes(maxFileBytes, signal));
  const answer = await ask({ bytes, maxChars: maxTextChars }, signal);
  if ("fault" in answer) throw unreadable(file.path, answer.fault);
  const { pages, totalPages } = answer;
  if (pages.every((page) => page.trim() === "")) {
    throw unreadable(file.path, `its ${totalPages} pages hold no text, so they are probably scanned images`);
  }
  const text = pages
    .map((page, at) => `--- page ${at + 1} of ${totalPages} ---\n${page.trimEnd()}\n`)
    .join("");
  last = { version, text };
  return text;
}

function ask(task: PdfTask, signal: AbortSignal): Promise<PdfAnswer> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, {
      workerData: task,
      transferList: [task.bytes.buffer as ArrayBuffer],
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      stderr: true,
      stdout: true,
    });
    const settle = (done: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      void worker.terminate();
      done();
    };
    const cancel = () => settle(() => reject(signal.reason));
    const timer = setTimeout(
      () => settle(() => resolve({ fault: `it took longer than ${extractMs} ms` })),
      extractMs,
    );
    signal.addEventListener("abort", cancel, { once: true });
    worker.once("message", (answer: PdfAnswer) => settle(() => resolve(answer)));
    worker.once("error", (error) => settle(() => resolve({ fault: error.message })));
  });
}

function unreadable(path: string, why: string): FileToolError {
  return new FileToolError(
    "PDF_UNREADABLE",
    `Cannot read "${path}" as a PDF: ${why}; convert it with a command, or read another form of it`,
    { details: { path } },
  );
}
