import { CodedError, getErrorMessage, isRecord, parseJson } from "../../base/index.ts";
import { ModelError, type ModelErrorCode } from "../../model/index.ts";
import { mostPatientMs, saidIn } from "../refused.ts";
import type { RefusedAnswer } from "./fetch-over.ts";

/** Which model was asked, in the words of an error. */
export interface AskedModel {
  readonly model: string;
  readonly url: string;
  /** What the API's address has behind the configured one: `/chat/completions`. */
  readonly path: string;
  /** The setting that names it: `models.main`. */
  readonly setting: string;
  /** The key that was sent, which no message repeats. */
  readonly key: () => string | undefined;
  /** What to do about a key that is not taken. */
  readonly keyRemedy?: string;
}

/** A provider's own description of an error, wherever its answer has it. */
interface Fault {
  readonly status?: number | undefined;
  /** Its `type`, `code` and `status` in one, in lower case. */
  readonly kind: string;
  readonly message: string;
  readonly retryMs?: number | undefined;
}

/** The error for an answer with an error status. */
export function toRefusal(answer: RefusedAnswer, asked: AskedModel): ModelError {
  const { status, statusText, headers, url } = answer;
  const fault = { ...readFault(parseJson(answer.body), answer.body), status };
  const wait = readWait(headers) ?? fault.retryMs;
  const location = status >= 300 && status < 400 ? headers["location"] : undefined;
  const what = [
    `${status} ${statusText}`.trim(),
    location && `it leads to ${location}`,
    saidIn(answer.body, asked.key()),
  ]
    .filter((part) => part !== undefined && part !== "")
    .join(": ");
  return makeError(classify(fault, wait), { fault, wait, said: `the server answered ${what}`, url, asked });
}

/** The error for an answer of status 200 that reports an error, at its beginning or in the middle of the stream. */
function toStreamFault(value: unknown, asked: AskedModel): ModelError {
  const fault = readFault(value, "");
  const said = saidIn(fault.message || JSON.stringify(value) || "nothing of it", asked.key());
  return makeError(classify(fault, fault.retryMs), {
    fault,
    wait: fault.retryMs,
    said: `the answer is an error: ${said}`,
    url: asked.url,
    asked,
  });
}

/** Converts whatever the package throws, or reports in its stream, to an error of haft. */
export function toModelError(thrown: unknown, asked: AskedModel): Error {
  const own = findCoded(thrown);
  if (own !== undefined) return own;
  if (!(thrown instanceof Error)) return toStreamFault(thrown, asked);
  const fault = findFault(thrown);
  if (fault !== undefined) return toStreamFault(fault, asked);
  const message = getErrorMessage(thrown);
  if (/without a finish reason|failed to process successful response|terminated|aborted/i.test(message))
    return cutOff(asked, thrown);
  const isRequest = /^AI_(Unsupported|InvalidPrompt|InvalidArgument)/.test(thrown.name);
  return new ModelError(
    isRequest ? "MODEL_BAD_REQUEST" : "MODEL_ANSWER",
    isRequest
      ? `Cannot ask the model "${asked.model}" this: ${saidIn(message, asked.key())}`
      : `Cannot use what "${asked.url}" answered for the model "${asked.model}": ${saidIn(message, asked.key())}; see that the url and the model are those of a chat API`,
    { cause: thrown, ...(isRequest && { details: { retry: false } }) },
  );
}

/** The error of a provider that stands in one of a package: in a chunk of no known form, in a body, behind a status. */
function findFault(thrown: Error): Record<string, unknown> | undefined {
  const { value, responseBody, statusCode } = thrown as Error & Record<string, unknown>;
  const part = value ?? responseBody;
  const said = typeof part === "string" ? parseJson(part) : part;
  const fault = isRecord(said) ? said : undefined;
  if (typeof statusCode === "number" && statusCode >= 400)
    return { message: thrown.message, ...fault, statusCode };
  return fault?.["error"] !== undefined || fault?.["type"] === "error" ? fault : undefined;
}

/** The error for an answer that stopped before its end. */
export function cutOff({ model, url }: AskedModel, cause?: unknown): ModelError {
  return new ModelError(
    "MODEL_CUT",
    `Cannot use what "${url}" answered for the model "${model}": it is cut off before its end; try again`,
    cause === undefined ? {} : { cause },
  );
}

/** An error of ours, which the package may have wrapped. */
function findCoded(thrown: unknown): CodedError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth++)
    if (error instanceof CodedError) return error;
  return undefined;
}

const contextWords =
  /context[ _]?(length|window|size)|maximum context|prompt is too long|input is too long|input length and .{0,40} exceed|too many (input )?tokens|input token count|reduce the length|exceeds? the (model's |maximum |available )*(number of tokens|token limit)/;
const quotaWords = /insufficient_quota|billing|credit|exceeded your current quota|payment|spending limit/;
const refusalWords =
  /content_policy|content_filter|content management policy|responsible ai|safety system|usage polic|flagged|moderation/;
const unknownWords =
  /model_not_found|no such model|(not a valid|unknown|invalid) model|model\b.{0,120}\b(does not exist|not found|not exist|is not available|is not supported)/;

/** Finds the error code. The order matters: the message of a rate limit may mention tokens too. */
function classify({ status, kind, message }: Fault, wait: number | undefined): ModelErrorCode {
  const words = `${kind} ${message.toLowerCase()}`;
  if (status === 402 || kind.includes("insufficient_quota") || kind.includes("billing")) return "MODEL_QUOTA";
  if (status === 429 || /rate_?limit|resource_exhausted|too_many_requests|throttl/.test(kind))
    return wait === undefined && quotaWords.test(words) ? "MODEL_QUOTA" : "MODEL_RATE_LIMIT";
  if (status === 529 || status === 503 || /overloaded|unavailable/.test(kind)) return "MODEL_OVERLOADED";
  if (status === 401 || /authentication|invalid_api_key|unauthenticated/.test(kind)) return "MODEL_AUTH";
  const isRequest = status === undefined || (status >= 400 && status < 500) || status === 500;
  if (isRequest && contextWords.test(words)) return "MODEL_CONTEXT";
  if (status === 413 || kind.includes("request_too_large")) return "MODEL_CONTEXT";
  if (status !== 500 && refusalWords.test(words)) return "MODEL_REFUSED";
  if (status === 403 || /permission/.test(kind)) return "MODEL_AUTH";
  if (status === 400 && quotaWords.test(words)) return "MODEL_QUOTA";
  if (status === 404 || /not_found/.test(kind) || (status === 400 && unknownWords.test(words)))
    return "MODEL_UNKNOWN";
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) return "MODEL_BAD_REQUEST";
  if (/invalid_request|invalid_argument|failed_precondition/.test(kind)) return "MODEL_BAD_REQUEST";
  return "MODEL_STATUS";
}

const inVain: ReadonlySet<ModelErrorCode> = new Set([
  "MODEL_AUTH",
  "MODEL_UNKNOWN",
  "MODEL_CONTEXT",
  "MODEL_REFUSED",
  "MODEL_BAD_REQUEST",
]);

interface ErrorParts {
  readonly fault: Fault;
  readonly wait: number | undefined;
  readonly said: string;
  readonly url: string;
  readonly asked: AskedModel;
}

function makeError(code: ModelErrorCode, { fault, wait, said, url, asked }: ErrorParts): ModelError {
  const { status } = fault;
  const isRedirect = status !== undefined && status < 400;
  return new ModelError(
    code,
    `Cannot ask the model "${asked.model}" at "${url}": ${said}; ${remedy(code, said, status, asked)}`,
    {
      details: {
        ...(status !== undefined && { status }),
        ...(inVain.has(code) || isRedirect ? { retry: false } : wait !== undefined && { retryAfterMs: wait }),
      },
    },
  );
}

/** How APIs and templates of Mistral's models refuse messages in the form that others take. */
const templateWords =
  /tool call ids? .{0,80}length (of )?9|unexpected role '?\w+'? after role '?tool|extra_forbidden.{0,200}reasoning_content/i;

function remedy(
  code: ModelErrorCode,
  said: string,
  status = 500,
  { setting, path, keyRemedy }: AskedModel,
): string {
  const remedies: Partial<Record<ModelErrorCode, string>> = {
    MODEL_AUTH:
      status === 403
        ? "see what the key may be used for"
        : (keyRemedy ?? `give it the right apiKey in ${setting}`),
    MODEL_UNKNOWN: `check the url, which ends before ${path}, and the name of the model`,
    MODEL_CONTEXT: "send less, or choose a model that reads longer texts",
    MODEL_RATE_LIMIT: "try again later, or raise the limits of the account",
    MODEL_QUOTA: "see the plan and the credits of the account, or choose another model",
    MODEL_REFUSED: "its provider does not answer this; say it in other words, or choose another model",
    MODEL_OVERLOADED: "try again later",
    ...(templateWords.test(said) && {
      MODEL_BAD_REQUEST: `set \`template: mistral\` in ${setting}, whose form of messages the API takes`,
    }),
  };
  return remedies[code] ?? (status < 500 ? "check the url and the model" : "try again later");
}

/** Looks for the error in an answer: at its root, in `error`, in a list of one, in what a package put around it. */
function readFault(value: unknown, text: string): Fault {
  const outer = Array.isArray(value) ? (value[0] as unknown) : value;
  if (!isRecord(outer)) return { kind: "", message: typeof outer === "string" ? outer : text };
  const { error, data, response } = outer;
  if (isRecord(error) || typeof error === "string") {
    const inner = readFault(error, text);
    return { ...inner, status: inner.status ?? readStatus(outer) };
  }
  if (isRecord(response) && isRecord(response["error"])) return readFault(response["error"], text);
  if (typeof outer["message"] !== "string" && isRecord(data)) return readFault(data, text);
  const kind = [outer["type"], outer["code"], outer["status"]]
    .filter((part) => typeof part === "string")
    .join(" ")
    .toLowerCase();
  const message = typeof outer["message"] === "string" ? outer["message"] : text;
  return { status: readStatus(outer), kind, message, retryMs: readRetryInfo(outer["details"]) };
}

function readStatus({ statusCode, code, status }: Record<string, unknown>): number | undefined {
  return [statusCode, code, status]
    .map((each) => (typeof each === "string" && /^\d{3}$/.test(each) ? Number(each) : each))
    .find((each) => typeof each === "number" && each >= 400 && each <= 599) as number | undefined;
}

/** Google says in the body how long to wait: `{ "@type": "…RetryInfo", "retryDelay": "34.07s" }`. */
function readRetryInfo(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const part of details as unknown[]) {
    const delay = isRecord(part) ? part["retryDelay"] : undefined;
    const seconds = typeof delay === "string" ? /^([\d.]+)s$/.exec(delay)?.[1] : undefined;
    if (seconds !== undefined) return bound(Number(seconds) * 1000);
  }
  return undefined;
}

/** `retry-after` in seconds or as a date, or `retry-after-ms`. */
function readWait(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (exact >= 0) return bound(exact);
  const said = headers["retry-after"];
  if (said === undefined) return undefined;
  const seconds = Number(said);
  if (Number.isFinite(seconds)) return seconds >= 0 ? bound(seconds * 1000) : undefined;
  // A date is compared with the server's own clock, if the answer has it.
  const until = Date.parse(said);
  const now = Date.parse(headers["date"] ?? "");
  return Number.isNaN(until) || Number.isNaN(now) ? undefined : bound(Math.max(0, until - now));
}

function bound(ms: number): number {
  return Math.min(Math.ceil(ms), mostPatientMs);
}
