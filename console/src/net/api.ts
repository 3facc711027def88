import { getErrorMessage } from "../../../src/base/index.ts";
import type { ApiFault, ConsoleApi, Endpoint } from "../../../src/server/console/api/index.ts";
import { authorize, endSession } from "./session.ts";

type Api = { readonly [Key in keyof ConsoleApi]: ConsoleApi[Key] & Endpoint };
export type EndpointName = keyof ConsoleApi;
export type AnswerTo<Key extends EndpointName> = Api[Key]["answer"];
type SegmentName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | SegmentName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Query, body and path segments of a request to an endpoint. */
export interface Given<Key extends EndpointName> {
  /** Values of the `:name` segments of the path. */
  readonly segments?: { readonly [Name in SegmentName<Key>]: string };
  readonly query?: Api[Key]["query"];
  readonly body?: Api[Key]["body"];
}

/** A request that failed. */
export class RequestFault extends Error implements ApiFault {
  readonly error: string;
  readonly code: string | undefined;
  constructor(error: string, code: string | undefined) {
    super(error);
    this.error = error;
    this.code = code;
  }
}

/** Turns any error into a fault that a page can show. */
export function toFault(error: unknown): RequestFault {
  return error instanceof RequestFault ? error : new RequestFault(getErrorMessage(error), undefined);
}

export const apiRoot = "/console/api/v1";

/**
 * Sends a request to the server.
 *
 * @throws {RequestFault} The server refused, or can't be reached.
 */
export async function ask<Key extends EndpointName>(
  endpoint: Key,
  given: Given<Key> = {},
  signal?: AbortSignal,
): Promise<AnswerTo<Key>> {
  const response = await send(endpoint, given, signal);
  const answer: unknown = await response.json().catch(() => undefined);
  return answer as AnswerTo<Key>;
}

/** Endpoints that answer with a file. */
type FileEndpoint = Extract<EndpointName, `${string}/file`>;

/**
 * Has the browser save the file that an endpoint answers with.
 *
 * @returns the name that the server gave it
 * @throws {RequestFault} The server refused, or can't be reached.
 */
export async function saveFile<Key extends FileEndpoint>(endpoint: Key, given: Given<Key>): Promise<string> {
  const response = await send(endpoint, given);
  const header = response.headers.get("content-disposition") ?? "";
  const name = /^attachment; filename="([\w.-]+)"$/.exec(header)?.[1] ?? "haft.txt";
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return name;
}

/** Sends a request, and gives the answer to it if it is a success. */
async function send<Key extends EndpointName>(
  endpoint: Key,
  given: Given<Key>,
  signal?: AbortSignal,
): Promise<Response> {
  const [method = "GET", path = ""] = endpoint.split(" ");
  const segments = new Map<string, string>(Object.entries(given.segments ?? {}));
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(segments.get(name) ?? ""),
  );
  const query = new URLSearchParams(
    Object.entries(given.query ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  ).toString();
  let response: Response;
  try {
    response = await fetch(`${apiRoot}${filled}${query === "" ? "" : `?${query}`}`, {
      method,
      headers: { ...authorize(), ...(method !== "GET" && { "content-type": "application/json" }) },
      body: method === "GET" ? null : JSON.stringify(given.body ?? {}),
      cache: "no-store",
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestFault(
      "Cannot reach haft: it has stopped or is busy. Start it with `haft serve`.",
      "CONSOLE_OFFLINE",
    );
  }
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status === 401) endSession();
  throw readFault(answer, response.status);
}

function readFault(answer: unknown, status: number): RequestFault {
  if (typeof answer === "object" && answer !== null && "error" in answer && typeof answer.error === "string")
    return new RequestFault(
      answer.error,
      "code" in answer && typeof answer.code === "string" ? answer.code : undefined,
    );
  return new RequestFault(`haft answered with status ${status} and no reason.`, undefined);
}
