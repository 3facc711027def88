import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";

/** Calls a method and resolves with the text of the answer. */
export interface ThinClient {
  readonly call: (method: string, params: Record<string, unknown>) => Promise<string>;
  close(): Promise<void>;
}

export type Era = "2025-11-25" | "2026-07-28";

const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "thin", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const initializeParams = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "thin", version: "1.0.0" },
};

/** Starts one of the programs beside this one. */
function start(file: string, mode: string): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return spawn(process.execPath, [path, mode], { stdio: ["pipe", "pipe", "inherit"] });
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** A client that does the least there is to do, so that what is measured is the server. */
export function connectStdio(file: string, era: Era): Promise<ThinClient> {
  return talkStdio(start(file, "stdio"), era);
}

/** As {@link connectStdio}, to a process that runs; it is ended with the client. */
export async function talkStdio(child: ChildProcess, era: Era): Promise<ThinClient> {
  const waiting = new Map<number, (text: string) => void>();
  let pieces: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => {
    let begin = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, begin)) {
      pieces.push(chunk.subarray(begin, end));
      const text = pieces.length === 1 ? (pieces[0] as Buffer).toString() : Buffer.concat(pieces).toString();
      pieces = [];
      begin = end + 1;
      const { id } = JSON.parse(text) as { id: number };
      waiting.get(id)?.(text);
      waiting.delete(id);
    }
    if (begin < chunk.length) pieces.push(chunk.subarray(begin));
  });
  let count = 0;
  let queue = "";
  const write = (text: string) => {
    if (queue === "") {
      process.nextTick(() => {
        child.stdin?.write(queue);
        queue = "";
      });
    }
    queue += `${text}\n`;
  };
  const call = (method: string, params: Record<string, unknown>) =>
    new Promise<string>((resolve) => {
      const id = ++count;
      waiting.set(id, resolve);
      write(JSON.stringify({ jsonrpc: "2.0", id, method, params: withMeta(params, era) }));
    });
  if (era === "2025-11-25") {
    await call("initialize", initializeParams);
    write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }
  return { call, close: () => stop(child) };
}

function withMeta(params: Record<string, unknown>, era: Era): Record<string, unknown> {
  return era === "2026-07-28" ? { ...params, _meta: modernMeta } : params;
}

export async function connectHttp(file: string, mode: string, era: Era): Promise<ThinClient> {
  const child = start(file, mode);
  const [said] = (await once(child.stdout as NonNullable<typeof child.stdout>, "data")) as [Buffer];
  const client = await talkHttp({
    url: `http://127.0.0.1:${Number(said.toString())}/mcp`,
    era,
    isSession: era === "2025-11-25" && mode !== "stateless",
  });
  return {
    call: client.call,
    async close() {
      await client.close();
      await stop(child);
    },
  };
}

export interface HttpTarget {
  readonly url: string;
  readonly era: Era;
  /** Begin with `initialize`. */
  readonly isSession: boolean;
  readonly token?: string;
}

/** As {@link connectHttp}, to a server that listens. The answer is given as it came: JSON, or a stream of events. */
export async function talkHttp({ url, era, isSession, token }: HttpTarget): Promise<ThinClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let session: string | undefined;
  let count = 0;
  const post = (method: string, params: Record<string, unknown>, notification = false) =>
    new Promise<string>((resolve, reject) => {
      const id = notification ? undefined : ++count;
      const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: withMeta(params, era) });
      const outgoing = httpRequest(
        url,
        {
          agent,
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "content-length": Buffer.byteLength(body),
            "mcp-protocol-version": era,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(session !== undefined && { "mcp-session-id": session }),
            ...(era === "2026-07-28" && { "mcp-method": method, "mcp-name": String(params["name"]) }),
          },
        },
        (response) => {
          session ??= response.headers["mcp-session-id"] as string | undefined;
          const pieces: Buffer[] = [];
          response.on("data", (piece: Buffer) => pieces.push(piece));
          response.on("end", () => resolve(Buffer.concat(pieces).toString()));
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  if (isSession) {
    await post("initialize", initializeParams);
    await post("notifications/initialized", {}, true);
  }
  return {
    call: post,
    close: async () => agent.destroy(),
  };
}
