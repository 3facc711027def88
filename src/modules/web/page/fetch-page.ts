import { cutHead, formatBytes } from "../../../base/index.ts";
import type { HttpResponse } from "../../../host/index.ts";
import type { ToolContext } from "../../../kernel/index.ts";
import { readBodyText, readMediaType } from "../body-text.ts";
import { NetworkError } from "../errors.ts";
import type { Send } from "../network-tool.ts";
import type { PageJob } from "./page-job.ts";
import { htmlToText } from "./plain-text.ts";
import type { ReadPage } from "./read-html.ts";
import { sendPageJob } from "./send-page-job.ts";

/** A page as it is read, or where it has gone. */
export type Page =
  | { readonly movedTo: string; readonly url: string }
  | {
      readonly url: string;
      readonly title: string;
      readonly text: string;
      /** What was lost on the way. */
      readonly notes: readonly string[];
    };

/** Tells of a page that is cut; more than this is no reading. */
export const maxPageChars = 2_000_000;
const maxExtractMs = 8_000;
const wanted = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";

/** Gets a page from its own server and reads it here. */
export async function fetchPage(url: string, send: Send, context: ToolContext): Promise<Page> {
  const response = await send({ url, headers: { accept: wanted }, oversize: "refuse" });
  if (response.location !== undefined) return { movedTo: response.location, url: response.url };
  checkStatus(url, response);
  const read = await readResponse(response, context);
  const notes = [
    response.truncated ? `The page was cut at ${formatBytes(response.body.length)}` : undefined,
    read.note,
    read.text.length > maxPageChars ? `Only the first ${maxPageChars} characters are kept` : undefined,
  ];
  return {
    url: response.url,
    title: read.title,
    text: cutHead(read.text, maxPageChars),
    notes: notes.filter((note) => note !== undefined),
  };
}

/** @throws {NetworkError} PAGE_STATUS */
export function checkStatus(url: string, { status, statusText, headers }: HttpResponse): void {
  if (status >= 200 && status < 300) return;
  const retry = headers["retry-after"];
  const remedies: Readonly<Record<number, string>> = {
    401: "it wants credentials; use http_get with an Authorization header",
    403: "it does not let programs in; look for another source",
    404: "check the address",
    410: "the page is gone; look for another source",
    429: retry === undefined ? "try again later" : `try again after ${retry.slice(0, 40)} seconds`,
  };
  const remedy = remedies[status] ?? (status >= 500 ? "try again later" : "check the address");
  throw new NetworkError(
    "PAGE_STATUS",
    `Cannot read "${url}": the server answered ${`${status} ${statusText}`.trim()}; ${remedy}`,
    { details: { status, url } },
  );
}

type Read = Pick<ReadPage, "title" | "text"> & { readonly note?: string };

async function readResponse(response: HttpResponse, context: ToolContext): Promise<Read> {
  const type = readMediaType(response);
  if (isPdf(type, response.body)) return readPdf(response, context);
  const text = readBodyText(response);
  if (text === undefined) throw notText(response, type);
  const isHtml =
    type === "text/html" ||
    type === "application/xhtml+xml" ||
    (type === "" && /^\s*(?:<!doctype html|<html)/i.test(text));
  return isHtml ? readHtml(text, response.url, context) : { title: "", text };
}

function isPdf(type: string, body: Uint8Array): boolean {
  return (
    type === "application/pdf" ||
    (!type.startsWith("text/") && new TextDecoder("latin1").decode(body.subarray(0, 5)) === "%PDF-")
  );
}

async function readHtml(html: string, url: string, context: ToolContext): Promise<Read> {
  const outcome = await extract({ kind: "html", html, url }, context);
  if (outcome.status === "done") {
    const { title, text, isPlain } = outcome.result;
    return isPlain
      ? { title, text, note: "Shown as plain text: the page is too intricate to convert" }
      : { title, text };
  }
  // Twice what is kept, so that this cannot hold up everything else.
  const plain = htmlToText(cutHead(html, 2 * maxPageChars));
  return { ...plain, note: `Shown as plain text: the page could not be converted (${outcome.reason})` };
}

async function readPdf(response: HttpResponse, context: ToolContext): Promise<Read> {
  const { url, body } = response;
  if (response.truncated) {
    throw new NetworkError(
      "PAGE_UNREADABLE",
      `Cannot read "${url}": the PDF is larger than the ${formatBytes(body.length)} that are read; get it with a command`,
    );
  }
  const outcome = await extract({ kind: "pdf", bytes: body, maxChars: maxPageChars }, context);
  if (outcome.status === "failed") {
    throw new NetworkError(
      "PAGE_UNREADABLE",
      `Cannot read "${url}": its PDF could not be read: ${outcome.reason}; look for another form of it`,
    );
  }
  const { pages, totalPages } = outcome.result;
  const shown = pages.map((page, index) => `[Page ${index + 1} of ${totalPages}]\n\n${page.trim()}`);
  return { title: "", text: shown.join("\n\n") };
}

/** Leaves enough of the call's time to fall back on something simpler. */
function extract<Job extends PageJob>(
  job: Job,
  { signal, deadline }: ToolContext,
): ReturnType<typeof sendPageJob<Job>> {
  const timeoutMs = Math.max(100, Math.min(maxExtractMs, deadline - Date.now() - 1_000));
  return sendPageJob(job, { signal, timeoutMs });
}

function notText({ url, body, encoding }: HttpResponse, type: string): NetworkError {
  const what =
    encoding === undefined ? type || "data of an unknown type" : `${type} in the unknown coding ${encoding}`;
  return new NetworkError(
    "PAGE_NOT_TEXT",
    `Cannot read "${url}" as text: it is ${what}, ${formatBytes(body.length)}; web_read takes HTML, text, JSON, Markdown and PDF`,
    { details: { type, bytes: body.length } },
  );
}
