import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { Connector, HttpStream } from "../../host/index.ts";
import { PlainHeaders } from "./plain-headers.ts";

/** What {@link fetchOver} does with the answers that it gets. */
export interface FetchOverOptions {
  /** The only origin that is reached, whatever the package asks for: `https://api.example.com`. */
  readonly origin: string;
  /** Headers over those of the package, asked for before each request: the key. */
  readonly authorize: () => Promise<Readonly<Record<string, string>>>;
  /** The error for an answer with another status than 2xx. */
  readonly refuse: (answer: RefusedAnswer) => Error;
  /** The events of an answer that came whole, though a stream was asked for. Throws where it is none. */
  readonly split: (answer: RefusedAnswer) => string;
  /** The error for an address of another origin. */
  readonly elsewhere: (url: string) => Error;
  /** The error for an answer that is larger than is read. */
  readonly tooLarge: (url: string) => Error;
}

/** An answer that was read to its end, as an error can show it. */
export interface RefusedAnswer extends Pick<HttpStream, "url" | "status" | "statusText" | "headers"> {
  readonly body: string;
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A whole answer; a stream has some 250 bytes a token, and answers of 128,000 tokens are to be had. */
const maxWholeBytes = 8_000_000;
const maxStreamBytes = 64_000_000;
const maxShownBytes = 100_000;

/**
 * A function with the signature of `fetch` that sends through the connector, and so within its bounds. Its addresses
 * come from the configuration, and may be on this machine or network.
 */
export function fetchOver(connector: Pick<Connector, "origin" | "open">, options: FetchOverOptions): Fetch {
  return async (input, init = {}) => {
    const url = typeof input === "object" && "url" in input ? input.url : String(input);
    const signal = init.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    if (new URL(url).origin !== options.origin) throw options.elsewhere(url);
    const headers = { ...Object.fromEntries(new PlainHeaders(init.headers)), ...(await options.authorize()) };
    const body = typeof init.body === "string" ? init.body : undefined;
    const request = {
      url,
      isConfigured: true,
      method: init.method === "GET" ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body }),
    } as const;
    const effect = await connector.origin(url, { allowedHosts: [] }, request);
    const answer = await connector.open(request, { allowedHosts: [], effects: [effect], signal });
    if (answer.status < 200 || answer.status > 299) throw options.refuse(await readWhole(answer));
    if (Number(answer.headers["content-length"]) > maxWholeBytes) {
      drop(answer);
      throw options.tooLarge(url);
    }
    const { status } = answer;
    if (isJson(answer)) {
      const events = options.split(await readWhole(answer, maxWholeBytes));
      return new Response(events, { status, headers: { "content-type": "text/event-stream" } });
    }
    const bounded = boundBytes(answer.body, () => options.tooLarge(url));
    return new Response(Readable.toWeb(bounded) as NodeStream<Uint8Array> as ReadableStream<Uint8Array>, {
      status,
      headers: answer.headers,
    });
  };
}

function isJson({ headers }: HttpStream): boolean {
  return /^application\/json\b/i.test(headers["content-type"] ?? "");
}

async function readWhole(
  { body, ...answer }: HttpStream,
  maxBytes: number = maxShownBytes,
): Promise<RefusedAnswer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.byteLength;
    if (size >= maxBytes) break;
  }
  return { ...answer, body: Buffer.concat(parts).toString("utf8") };
}

/** Discards a body that nobody reads. */
function drop({ body }: HttpStream): void {
  body.on("error", () => undefined).destroy();
}

/** The same bytes up to the most that is read. */
function boundBytes(body: Readable, tooLarge: () => Error): Readable {
  let size = 0;
  return Readable.from(
    (async function* () {
      for await (const part of body as AsyncIterable<Uint8Array>) {
        size += part.byteLength;
        if (size > maxStreamBytes) throw tooLarge();
        yield part;
      }
    })(),
    { objectMode: false },
  );
}
