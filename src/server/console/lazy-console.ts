import type { App } from "../../app/index.ts";
import type { Clock } from "../../base/index.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import type { Console } from "./console.ts";
import type { ConsoleSession } from "./sessions.ts";

export interface ConsoleDoorOptions {
  readonly app: App;
  /** Host and port that the server listens on; asked for once it does. */
  readonly host: () => string;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** A link to the console, which works once. */
export interface ConsoleLink {
  readonly url: string;
  /** Unix ms. */
  readonly endsAt: number;
}

/** The console of a server, which is loaded when somebody asks for it. */
export class ConsoleDoor {
  readonly #options: ConsoleDoorOptions;
  #loading: Promise<Console> | undefined;
  #console: Console | undefined;

  constructor(options: ConsoleDoorOptions) {
    this.#options = options;
  }

  readonly handle = async (request: HttpRequest, response: HttpResponse): Promise<void> =>
    (await this.#open()).handle(request, response);

  /** Whether a request shows the token of a session. Nobody has one before the console is loaded. */
  readonly isIdentified = (request: Pick<HttpRequest, "headers">): boolean =>
    this.#console?.isIdentified(request) === true;

  async issueLink(): Promise<ConsoleLink> {
    return (await this.#open()).issueLink();
  }

  /** The open sessions, the latest used first. */
  sessions(): readonly ConsoleSession[] {
    return this.#console?.sessions.list() ?? [];
  }

  /** Ends a session. False if there is none of that id. */
  endSession(id: string): boolean {
    return this.#console?.sessions.end(id) === true;
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }

  #open(): Promise<Console> {
    this.#loading ??= import("./console.ts").then(({ Console }) => {
      const { host, ...options } = this.#options;
      this.#console = new Console({ ...options, host: host() });
      return this.#console;
    });
    return this.#loading;
  }
}
