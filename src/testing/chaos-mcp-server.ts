import { isRecord, parseJson } from "../base/index.ts";

/**
 * What a call of the chaos server's tool of that name meets. `echo` works; `drip` tells of progress for ever and never
 * answers, `flood` does so as fast as it can; `half` stops in the middle of its answer; `wrong_id` answers another
 * request, `twice` this one two times; `huge` answers with 100 MB; `lie` with a result that is not in its promised
 * form; `nonsense` with what is no result; `garbage` writes what is no message before its answer; `storm` says 10,000
 * times that the list has changed.
 */
export const chaosTools = [
  "echo",
  "hang",
  "drip",
  "flood",
  "crash",
  "half",
  "wrong_id",
  "twice",
  "huge",
  "lie",
  "nonsense",
  "garbage",
  "storm",
  "fail",
] as const;

/** One of {@link chaosTools}. */
export type ChaosTool = (typeof chaosTools)[number];

/** How the server misbehaves. */
export interface ChaosOptions {
  /**
   * How it lists its tools: `endless` has always one page more, `circle` the same few pages; `many` are 10,000 more
   * tools; `drift` changes the schema of `echo` each time; `broken` has tools without a name or schema, and one twice;
   * `hang` never lists.
   * @default "plain"
   */
  readonly listing?: "plain" | "endless" | "circle" | "many" | "drift" | "broken" | "hang";
  /** What it does with the very first request. @default "answer" */
  readonly start?: "answer" | "hang" | "crash" | "garbage";
  /** Bytes of a huge result. @default 100,000,000 */
  readonly hugeBytes?: number;
}

/** What the server talks to. */
export interface ChaosClient {
  readonly write: (text: string) => void;
  /** Ends the connection in the middle of whatever it was doing. */
  readonly crash: () => void;
  /** Whether the client takes more just now. */
  readonly isOpen: () => boolean;
}

type Id = string | number;
type Say = (message: Readonly<Record<string, unknown>>) => void;

const version = "2025-11-25";
const pageSize = 5;

/**
 * An MCP server (2025-11-25) that does what no server should, for those who have to survive it.
 *
 * @example
 * ```ts
 * const server = new ChaosMcpServer({ listing: "many" });
 * const sent: string[] = [];
 * const client = { write: (text: string) => void sent.push(text), crash: () => undefined, isOpen: () => true };
 * server.receive({ jsonrpc: "2.0", id: 1, method: "tools/list" }, client, (json) => json);
 * await new Promise((done) => setTimeout(done, 10));
 * server.lists; // → 1
 * ```
 */
export class ChaosMcpServer {
  readonly #options: ChaosOptions;
  /** How often each tool was called. */
  readonly calls: Map<string, number> = new Map();
  /** How often its tools were listed. */
  lists = 0;

  constructor(options: ChaosOptions = {}) {
    this.#options = options;
  }

  /** Takes one message. `frame` makes of an answer what goes over the wire. */
  receive(message: unknown, client: ChaosClient, frame: (json: string) => string): void {
    if (!isRecord(message)) return;
    const { id, method, params } = message;
    if (typeof id !== "string" && typeof id !== "number") return;
    const say: Say = (answer) => client.write(frame(JSON.stringify({ jsonrpc: "2.0", ...answer })));
    const given = isRecord(params) ? params : {};
    switch (method) {
      case "initialize":
        return this.#initialize(id, given, client, say);
      case "tools/list":
        return this.#list(id, given, say);
      case "tools/call":
        return this.#call(id, given, client, say, frame);
      case "ping":
        return say({ id, result: {} });
      default:
        return say({ id, error: { code: -32601, message: `there is no "${String(method)}"` } });
    }
  }

  #initialize(id: Id, params: Readonly<Record<string, unknown>>, client: ChaosClient, say: Say): void {
    const { start = "answer" } = this.#options;
    if (start === "hang") return;
    if (start === "crash") return client.crash();
    if (start === "garbage") client.write("npm warn this is no protocol\n{{{\n[1,2]\n\u0000\n");
    const asked = params["protocolVersion"];
    say({
      id,
      result: {
        protocolVersion: typeof asked === "string" && asked < version ? asked : version,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "chaos", version: "1.0.0" },
      },
    });
  }

  #list(id: Id, { cursor }: Readonly<Record<string, unknown>>, say: Say): void {
    const { listing = "plain" } = this.#options;
    this.lists++;
    const page = typeof cursor === "string" ? Number(cursor) : 0;
    const plain = chaosTools.map((name) => toolNamed(name));
    const result = (tools: readonly unknown[], nextCursor?: string) =>
      say({ id, result: { tools, ...(nextCursor !== undefined && { nextCursor }) } });
    switch (listing) {
      case "hang":
        return;
      case "endless":
        return result(numbered(page * pageSize, pageSize), String(page + 1));
      case "circle":
        return result(page === 0 ? plain : numbered(page * pageSize, pageSize), String((page + 1) % 3));
      case "many":
        return result([...plain, ...numbered(0, 10_000)]);
      case "drift":
        return result([{ ...toolNamed("echo"), description: `Version ${this.lists}.` }, ...plain.slice(1)]);
      case "broken":
        return result([{ name: 7 }, { name: "no_schema" }, toolNamed("echo"), toolNamed("echo"), "hello"]);
      case "plain":
        return result(plain);
    }
  }

  #call(
    id: Id,
    params: Readonly<Record<string, unknown>>,
    client: ChaosClient,
    say: Say,
    frame: (json: string) => string,
  ): void {
    const name = String(params["name"]);
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1);
    const answer = (text: string) => ({ id, result: { content: [{ type: "text", text }] } });
    switch (isChaosTool(name) ? name : "echo") {
      case "hang":
        return;
      case "drip":
        return drip(params, client, say);
      case "flood":
        return flood(params, client, say);
      case "crash":
        return client.crash();
      case "half": {
        const whole = frame(JSON.stringify({ jsonrpc: "2.0", ...answer("x".repeat(1000)) }));
        client.write(whole.slice(0, whole.length / 2));
        return client.crash();
      }
      case "wrong_id":
        return say({ ...answer("not yours"), id: `not-${id}` });
      case "twice":
        say(answer("first"));
        return say(answer("second"));
      case "huge":
        return say(answer("x".repeat(this.#options.hugeBytes ?? 100_000_000)));
      case "lie":
        return say({ id, result: { content: [], structuredContent: { count: "many" } } });
      case "nonsense":
        return say({ id, result: "fine" });
      case "garbage":
        client.write("this is a line of a log\n{]\n");
        return say(answer("after the garbage"));
      case "storm":
        for (let count = 0; count < 10_000; count++) say({ method: "notifications/tools/list_changed" });
        return say(answer("changed"));
      case "fail":
        return say({ id, result: { content: [{ type: "text", text: "it can't be done" }], isError: true } });
      case "echo":
        return say(answer(JSON.stringify(params["arguments"] ?? {})));
    }
  }
}

/**
 * Serves chaos over the streams of a process. `crash` ends the process.
 *
 * @example
 * ```ts
 * import { PassThrough } from "node:stream";
 * const [input, output] = [new PassThrough(), new PassThrough()];
 * const served = serveChaosStdio(new ChaosMcpServer(), input, output, () => undefined);
 * input.end('{ "jsonrpc": "2.0", "id": 1, "method": "ping" }\n');
 * await served;
 * JSON.parse(String(output.read())).id; // → 1
 * ```
 */
export function serveChaosStdio(
  server: ChaosMcpServer,
  input: AsyncIterable<Uint8Array>,
  output: { write(text: string): boolean },
  crash: () => void,
): Promise<void> {
  const client: ChaosClient = { write: (text) => void output.write(text), crash, isOpen: () => true };
  const decoder = new TextDecoder();
  return (async () => {
    let rest = "";
    for await (const chunk of input) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) server.receive(parseJson(line), client, (json) => `${json}\n`);
    }
  })();
}

/** What the handler needs of Node's own request and response. */
export interface ChaosHttpRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
}

/** The part of `ServerResponse` of node:http that the server answers by. */
export interface ChaosHttpResponse {
  readonly destroyed: boolean;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(text: string): boolean;
  end(text?: string): unknown;
  destroy(): unknown;
}

/**
 * Serves chaos over Streamable HTTP: every answer is a stream of events.
 *
 * @example
 * ```ts
 * const handler = createChaosHttpHandler(new ChaosMcpServer());
 * const listener = await openListener({ port: 0, handler });
 * const message = { jsonrpc: "2.0", id: 1, method: "ping" };
 * const answer = await fetch(listener.url, { method: "POST", body: JSON.stringify(message) });
 * answer.status; // → 200
 * await listener.close(0);
 * ```
 */
export function createChaosHttpHandler(
  server: ChaosMcpServer,
): (request: ChaosHttpRequest, response: ChaosHttpResponse) => void {
  return (request, response) => void answerHttp(server, request, response);
}

async function answerHttp(
  server: ChaosMcpServer,
  request: ChaosHttpRequest,
  response: ChaosHttpResponse,
): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(405, {});
    response.end();
    return;
  }
  let body = "";
  const decoder = new TextDecoder();
  for await (const chunk of request) body += decoder.decode(chunk, { stream: true });
  const message = parseJson(body);
  if (!isRecord(message) || message["id"] === undefined || message["method"] === undefined) {
    response.writeHead(202, {});
    response.end();
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const client: ChaosClient = {
    write: (text) => void response.write(text),
    crash: () => void setTimeout(() => response.destroy(), 10),
    isOpen: () => !response.destroyed,
  };
  server.receive(message, client, (json) => `event: message\ndata: ${json}\n\n`);
}

function isChaosTool(name: string): name is ChaosTool {
  return (chaosTools as readonly string[]).includes(name);
}

function toolNamed(name: string): Readonly<Record<string, unknown>> {
  return {
    name,
    description: `Chaos: ${name}.`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    ...(name === "lie" && {
      outputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
    }),
  };
}

function numbered(from: number, count: number): Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, index) => toolNamed(`tool_${from + index}`));
}

function toProgress(params: Readonly<Record<string, unknown>>, progress: number): Parameters<Say>[0] {
  const meta = params["_meta"];
  const progressToken = isRecord(meta) ? meta["progressToken"] : undefined;
  return { method: "notifications/progress", params: { progressToken, progress } };
}

function drip(params: Readonly<Record<string, unknown>>, client: ChaosClient, say: Say): void {
  let progress = 0;
  const timer = setInterval(() => {
    if (client.isOpen()) say(toProgress(params, ++progress));
    else clearInterval(timer);
  }, 20);
  timer.unref();
}

function flood(params: Readonly<Record<string, unknown>>, client: ChaosClient, say: Say): void {
  let progress = 0;
  const more = () => {
    for (let count = 0; count < 500; count++) say(toProgress(params, ++progress));
    if (client.isOpen() && progress < 100_000) setImmediate(more);
  };
  more();
}
