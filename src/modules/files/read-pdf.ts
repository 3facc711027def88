import type { OpenedFile } from "../../host/index.ts";
import { runInWorker } from "../../host/index.ts";
import type { PdfPages } from "./documents/pdf-pages.ts";
import { FileToolError } from "./errors.ts";
import { maxFileBytes } from "./limits.ts";
import type { PdfTask } from "./pdf-worker.ts";

/** More than anybody reads of one document. */
const maxTextChars = 5_000_000;
/** Below the deadline of `read`, so that it can say what went wrong. */
const extractMs = 9000;

const entry = new URL("./pdf-worker.ts", import.meta.url);

let last: { readonly version: string; readonly text: string } | undefined;

/** Reads the text of a PDF. The last document is kept, so the next window of it costs nothing. */
export async function readPdf(file: OpenedFile, signal: AbortSignal): Promise<string> {
  const { version } = file.status;
  if (last?.version === version) return last.text;
  const text = await extractPdfText(await file.bytes(maxFileBytes, signal), file.path, signal);
  last = { version, text };
  return text;
}

/**
 * Takes the text out of a PDF, page by page under a line of its own. It is done in a worker with a limit of time and
 * memory: a document can keep a parser busy for ever.
 *
 * @param path what errors call the document
 * @throws {FileToolError} PDF_UNREADABLE
 */
export async function extractPdfText(pdf: Uint8Array, path: string, signal: AbortSignal): Promise<string> {
  const bytes = Uint8Array.from(pdf);
  const data: PdfTask = { bytes, maxChars: maxTextChars };
  const outcome = await runInWorker<PdfPages>(
    { entry, data, transfer: [bytes.buffer] },
    { signal, timeoutMs: extractMs },
  );
  if (outcome.status === "failed") throw unreadable(path, outcome.reason);
  const { pages, totalPages } = outcome.result;
  if (pages.every((page) => page.trim() === "")) {
    throw unreadable(path, `its ${totalPages} pages hold no text, so they are probably scanned images`);
  }
  return pages.map((page, at) => `--- page ${at + 1} of ${totalPages} ---\n${page.trimEnd()}\n`).join("");
}

function unreadable(path: string, why: string): FileToolError {
  return new FileToolError(
    "PDF_UNREADABLE",
    `Cannot read "${path}" as a PDF: ${why}; convert it with a command, or read another form of it`,
    { details: { path } },
  );
}
