import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { text as readText } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { isRecord, parseJson } from "../../src/base/index.ts";
import { openListener } from "../../src/host/index.ts";
import { Console, type ConsoleOptions } from "../../src/server/console/console.ts";
import type { BuiltFiles } from "../../src/server/console/static-files.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/index.ts";
import { Installation, type OpenInstallation } from "./installation.ts";

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The JSON of the answer. */
  readonly body: unknown;
}

export interface ConsoleMessage {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a text. */
  readonly body?: unknown;
}

/** Sends one request exactly so: nothing of the path is normalised. */
export function sendExactly(
  port: number,
  method: string,
  path: string,
  { token, headers, body }: ConsoleMessage = {},
): Promise<ConsoleAnswer> {
  const json = typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: "127.0.0.1",
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
      },
      (response) => {
        readText(response).then(
          (text) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              body: parseJson(text),
            }),
          reject,
        );
      },
    );
    request.on("error", reject).end(json);
  });
}

export const consoleApi = "/console/api/v1";

/** The built page, as small as can be. */
const pageFiles: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries({
    "index.html": "<!doctype html><title>haft</title>",
    "assets/app-1a2b3c4d.js": "export {};",
    "assets/app-1a2b3c4d.js.br": "brotli",
    "assets/app-1a2b3c4d.js.gz": "gzip",
  }).map(([name, text]) => [name, Buffer.from(text)]),
);

/** The console of an installation of its own, on a port of its own, with a clock that is moved by hand. */
export class ConsoleWorld {
  readonly place: Installation;
  readonly opened: OpenInstallation;
  readonly console: Console;
  readonly clock: FakeClock;
  readonly port: number;
  /** Host and port that the console is served at. */
  readonly host: string;
  /** What was no fault of a request. */
  readonly errors: readonly unknown[];

  private constructor(parts: Omit<ConsoleWorld, "send" | "ask" | "openSession">) {
    this.place = parts.place;
    this.opened = parts.opened;
    this.console = parts.console;
    this.clock = parts.clock;
    this.port = parts.port;
    this.host = parts.host;
    this.errors = parts.errors;
  }

  static async open(
    config = "",
    {
      files = pageFiles,
      ...options
    }: { readonly files?: BuiltFiles } & Pick<ConsoleOptions, "findUser"> = {},
  ): Promise<ConsoleWorld> {
    const place = new Installation();
    const opened = await place.open(config);
    const clock = createFakeClock();
    const errors: unknown[] = [];
    let made: Console | undefined;
    const listener = await openListener({
      port: 0,
      handler: (request, response) => made?.handle(request, response),
    });
    const { port } = listener;
    const host = `127.0.0.1:${port}`;
    const console = new Console({
      ...options,
      app: opened.app,
      host,
      version: "1.2.3",
      onError: (error) => errors.push(error),
      clock,
      files: async () => files,
    });
    made = console;
    onTestFinished(async () => {
      await console.close();
      await listener.close(0);
    });
    return new ConsoleWorld({ place, opened, console, clock, port, host, errors });
  }

  send(method: string, path: string, message: ConsoleMessage = {}): Promise<ConsoleAnswer> {
    return sendExactly(this.port, method, path, message);
  }

  /** Sends a request below the API's address. */
  ask(method: string, path: string, message: ConsoleMessage = {}): Promise<ConsoleAnswer> {
    return this.send(method, `${consoleApi}${path}`, message);
  }

  /** The token of a new session. */
  async openSession(): Promise<string> {
    const { code } = this.console.sessions.issueCode();
    const { body } = await this.ask("POST", "/session", { body: { code } });
    if (isRecord(body) && typeof body["token"] === "string") return body["token"];
    throw new Error(`No session was opened: ${JSON.stringify(body)}`);
  }
}
