import type { App } from "../../app/index.ts";
import type { Clock } from "../../base/index.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import type { Console } from "./console.ts";
import type { ConsoleSession } from "./sessions.ts";

export interface LazyConsoleOptions {
  readonly app: App;
  /** Gives the host and port of the server. Called after it has begun to listen. */
  readonly host: () => string;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** A link that opens the console once. */
export interface ConsoleLink {
  readonly url: string;
  /** The time at which the link stops working, in Unix ms. */
  readonly endsAt: number;
}

/** Loads the console of a server at the first request for it. */
export class LazyConsole {
  readonly #options: LazyConsoleOptions;
  #loading: Promise<Console> | undefined;
  #console: Console | undefined;

  constructor(options: LazyConsoleOptions) {
    this.#options = options;
  }

  readonly handle = async (request: HttpRequest, response: HttpResponse): Promise<void> =>
    (await this.#open()).handle(request, response);

  /** Whether a request has the token of a session. There are no sessions before the console is loaded. */
  readonly isIdentified = (request: Pick<HttpRequest, "headers">): boolean =>
    this.#console?.isIdentified(request) === true;

  async issueLink(): Promise<ConsoleLink> {
    return (await this.#open()).issueLink();
  }

  /** The open sessions, most recently used first. */
  sessions(): readonly ConsoleSession[] {
    return this.#console?.sessions.list() ?? [];
  }

  /** Ends a session. False if no session has that id. */
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
