import type { Clock } from "../base/index.ts";
import type { Connector, HttpResponse } from "../host/index.ts";
import { ModelError } from "../model/index.ts";
import type { ApiUse } from "./refused.ts";

export interface JsonPost {
  readonly connector: Pick<Connector, "origin" | "request">;
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly body: unknown;
  readonly maxAnswerBytes: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly use: ApiUse;
}

/**
 * Sends JSON to the one address that is named, through the connector; it may be of this machine or net, since the owner
 * named it.
 *
 * @throws {ModelError} MODEL_TIMEOUT; {@link ConnectError}, and the reason of the signal.
 */
export async function postJson(post: JsonPost): Promise<HttpResponse> {
  const { connector, url, apiKey, timeoutMs, clock, signal, use } = post;
  signal?.throwIfAborted();
  const end = new AbortController();
  const cancel = clock.after(timeoutMs, () => end.abort(tookTooLong(url, timeoutMs, use)));
  const request = {
    url,
    isConfigured: true,
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      ...(apiKey !== undefined && apiKey !== "" && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(post.body),
    maxBytes: post.maxAnswerBytes,
    oversize: "refuse",
  } as const;
  try {
    const effect = await connector.origin(url, { allowedHosts: [] }, request);
    return await connector.request(request, {
      allowedHosts: [],
      effects: [effect],
      signal: signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]),
    });
  } finally {
    cancel();
  }
}

/**
 * The address of one of an API's paths.
 *
 * @throws {ModelError} MODEL_SETUP for an address that is none, or holds credentials.
 */
export function toApiUrl(baseUrl: string, path: string, what: string): string {
  const url = URL.parse(baseUrl);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (isPlain && url.hash === "") {
    url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
    return url.href;
  }
  throw new ModelError(
    "MODEL_SETUP",
    `Cannot use the address of the ${what} API: it has to be http:// or https://, without a user name, a password or a fragment; correct the url, and give the key as apiKey`,
    { details: { retry: false } },
  );
}

function tookTooLong(url: string, timeoutMs: number, { task }: ApiUse): ModelError {
  return new ModelError(
    "MODEL_TIMEOUT",
    `Cannot ${task} at "${url}": there was no answer within ${timeoutMs} ms; see that the service runs, or try again later`,
    { details: { timeoutMs } },
  );
}
