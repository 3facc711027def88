import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { readName, readStatus, toMcpError } from "../faults.ts";
import { fillSecrets } from "../fill-secrets.ts";
import { Link } from "../link.ts";
import type { ServerAuth, ServerWays } from "../ports.ts";
import { Wire } from "../wire.ts";
import type { Era, Opening } from "./opening.ts";
import { createServerFetch } from "./server-fetch.ts";

type HttpTransport = NonNullable<ServerWays["transport"]>;

/** How long the farewell to a session may take. */
const farewellMs = 1000;
/** A stream that broke is asked for again no sooner. */
const soonestRetryMs = 200;
const latestRetryMs = 60_000;

interface Attempt {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly auth: ServerAuth | undefined;
}

/** Tries Streamable HTTP and then SSE, or first what worked before. Only an answer that says "not here" leads on. */
export async function openHttpLink(opening: Opening, url: string): Promise<Link> {
  const { server, services, deadline } = opening;
  const headers = await fillSecrets(
    server.name,
    server.headers ?? {},
    services.secrets,
    services.learnSecret,
  );
  const auth = await services.auth?.(server);
  const attempt: Attempt = { url, headers, auth };
  let first: unknown;
  for (const transport of transportsFor(opening)) {
    try {
      return await tryTransport(opening, attempt, transport);
    } catch (error) {
      first ??= error;
      if (deadline.failure !== undefined || !saysNotHere(error)) break;
    }
  }
  throw deadline.failure ?? toMcpError(server.name, "the connection", first);
}

function transportsFor({ server, remembered }: Opening): readonly HttpTransport[] {
  if (server.type === "streamable-http") return ["streamable-http"];
  return remembered.transport === "sse" ? ["sse", "streamable-http"] : ["streamable-http", "sse"];
}

async function tryTransport(opening: Opening, attempt: Attempt, way: HttpTransport): Promise<Link> {
  const { server, services, clock, pace, remembered } = opening;
  const life = new AbortController();
  let wire: Wire | undefined;
  const { fetch, done } = createServerFetch({
    name: server.name,
    url: attempt.url,
    connector: services.connector,
    hosts: attempt.auth?.hosts ?? [],
    pace,
    clock,
    signal: life.signal,
    onEnd: (end) => {
      // Without its one stream an SSE session is dead, though the package would open another.
      if (way === "sse") void wire?.close();
      else wire?.exchangeEnded(end);
    },
  });
  const transport = makeTransport(opening, attempt, way, fetch);
  wire = new Wire(server.name, transport, () => clock.now());
  wire.onDone = done;
  const isRemembered = remembered.transport === undefined || remembered.transport === way;
  const era: Era = way === "sse" ? "legacy" : ((isRemembered ? remembered.era : undefined) ?? "auto");
  try {
    const client = await opening.connect(wire, era);
    return new Link(server.name, {
      client,
      wire,
      clock,
      callResult: opening.sdk.specTypeSchemas.CallToolResult,
      ways: { transport: way, era: client.getProtocolEra() === "modern" ? "modern" : "legacy" },
      close: async () => {
        await farewell(transport, clock);
        await client.close();
        life.abort();
      },
    });
  } catch (error) {
    life.abort();
    throw error;
  }
}

function makeTransport(
  { sdk, clock }: Opening,
  { url, headers, auth }: Attempt,
  way: HttpTransport,
  fetch: FetchLike,
): Transport {
  const options = {
    fetch,
    requestInit: { headers },
    ...(auth !== undefined && { authProvider: auth.provider }),
  };
  if (way === "sse") return new sdk.SSEClientTransport(new URL(url), options);
  return new sdk.StreamableHTTPClientTransport(new URL(url), {
    ...options,
    reconnectionScheduler: (reconnect, delayMs) =>
      clock.after(Math.min(Math.max(delayMs, soonestRetryMs), latestRetryMs), reconnect),
  });
}

/** 401 and the like are about who asks, 5xx and 429 about now: the other transport would meet the same. */
function saysNotHere(error: unknown): boolean {
  const status = readStatus(error);
  if (status !== undefined)
    return status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status);
  const code: unknown = Object(error).code;
  return (
    typeof code === "number" ||
    code === "CLIENT_HTTP_UNEXPECTED_CONTENT" ||
    code === "INVALID_RESULT" ||
    readName(error) === "SyntaxError"
  );
}

async function farewell(transport: Transport, clock: Opening["clock"]): Promise<void> {
  if (!("terminateSession" in transport) || typeof transport.terminateSession !== "function") return;
  let endWait: (() => void) | undefined;
  const waited = new Promise<void>((done) => {
    endWait = clock.after(farewellMs, done);
  });
  await Promise.race([(transport.terminateSession() as Promise<void>).catch(() => undefined), waited]);
  endWait?.();
}
