import { cutHead, isRecord, oneLine, parseJson, showInvisible } from "../base/index.ts";
import type { HttpResponse } from "../host/index.ts";
import { ModelError } from "../model/index.ts";

const longestDelayMs = 60_000;
const firstDelayMs = 1000;
/** A server that wants to be left alone for longer is asked once a day all the same. */
export const mostPatientMs = 86_400_000;

/** What an API is used for, in the words of an error. */
export interface ApiUse {
  /** "embed texts" */
  readonly task: string;
  /** `/embeddings` */
  readonly path: string;
  /** The setting that names it: `tools.search`. */
  readonly setting: string;
}

/** How long to wait before the same is asked again; undefined where that would change nothing. */
export function findRetryDelay({ status, headers }: HttpResponse, attempt: number): number | undefined {
  if (!isPassing(status)) return undefined;
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : firstDelayMs * 2 ** (attempt - 1);
  // Who sends us away for longer means it.
  return delayMs <= longestDelayMs ? Math.max(0, delayMs) : undefined;
}

/** The error for an answer that is none. What the API says of it may repeat the key. */
export function refused(
  response: HttpResponse,
  apiKey: string | undefined,
  { task, path, setting }: ApiUse,
): ModelError {
  const { status, statusText, url, location } = response;
  const remedies: Readonly<Record<number, string>> = {
    401: `give it the right apiKey in ${setting}`,
    403: "see what the key may be used for",
    404: `check the url, which ends before ${path}, and the name of the model`,
    413: "choose a model that reads longer texts",
    429: "try again later, or raise the limits of the account",
  };
  const remedy = remedies[status] ?? (status >= 500 ? "try again later" : "check the url and the model");
  const said = saidIn(new TextDecoder().decode(response.body.subarray(0, 10_000)), apiKey);
  const what = [`${status} ${statusText}`.trim(), location && `it leads to ${location}`, said]
    .filter((part) => part !== undefined && part !== "")
    .join(": ");
  return new ModelError(
    "MODEL_STATUS",
    `Cannot ${task} at "${url}": the server answered ${what}; ${remedy}`,
    { details: { status, ...toRetry(response) } },
  );
}

/** What JobHandler says of trying again: whether, and not before when. */
function toRetry({ status, headers }: HttpResponse): object {
  if (!isPassing(status)) return { retry: false };
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  return seconds >= 0 && Number.isFinite(seconds)
    ? { retryAfterMs: Math.min(seconds * 1000, mostPatientMs) }
    : {};
}

function isPassing(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

/** What an API says in the body of an error, on one line and without the key. */
export function saidIn(text: string, apiKey: string | undefined): string {
  const said = messageIn(text) ?? text;
  const clean = apiKey === undefined || apiKey === "" ? said : said.replaceAll(apiKey, "[the key]");
  return showInvisible(cutHead(oneLine(clean), 300));
}

function messageIn(text: string): string | undefined {
  const answer = parseJson(text);
  const error = isRecord(answer) ? (answer["error"] ?? answer["message"]) : undefined;
  const message = isRecord(error) ? error["message"] : error;
  return typeof message === "string" ? message : undefined;
}
