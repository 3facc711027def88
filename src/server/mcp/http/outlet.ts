import type { Clock } from "../../../base/index.ts";
import { sendJson } from "../../http/json.ts";
import type { HttpResponse } from "../../http/port.ts";
import type { Outlet } from "../calls/call.ts";

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** A client that leaves this much unread is let go: it can't be waited for with the memory of everybody. */
const mostUnread = 64 * 1024 * 1024;

export interface EventStreamOptions {
  readonly clock: Clock;
  /** A comment is sent that often, so that nothing in between takes a quiet stream for a dead one. */
  readonly keepAliveMs: number;
  readonly headers?: Record<string, string>;
}

/** A stream of server-sent events, one message each. */
export class EventStream {
  readonly #response: HttpResponse;
  readonly #options: EventStreamOptions;
  #cancelTimer: () => void = () => {};

  constructor(response: HttpResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    response.writeHead(200, { ...streamHeaders, ...options.headers });
    response.on("close", () => this.#cancelTimer());
    this.#planComment();
  }

  send(message: string): void {
    this.#write(`event: message\ndata: ${message}\n\n`);
  }

  /** Lets the client see that the stream is open, before there is anything to say. */
  open(): void {
    this.#write(": open\n\n");
  }

  end(): void {
    this.#cancelTimer();
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#response.writableEnded) return;
    this.#response.write(text);
    if (this.#response.writableLength > mostUnread) this.#response.destroy();
  }

  #planComment(): void {
    this.#cancelTimer = this.#options.clock.after(this.#options.keepAliveMs, () => {
      this.#write(": still here\n\n");
      this.#planComment();
    });
  }
}

/** Answers one POST: in JSON, or as a stream from the moment that something else has to be said before the answer. */
export class HttpOutlet implements Outlet {
  readonly #response: HttpResponse;
  readonly #options: EventStreamOptions;
  readonly #headers: Record<string, string> = {};
  #stream: EventStream | undefined;
  #open = true;

  constructor(response: HttpResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
  }

  get open(): boolean {
    return this.#open;
  }

  /** Goes out with the head of the answer. */
  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  send(message: string): void {
    if (!this.#open) return;
    this.#stream ??= new EventStream(this.#response, { ...this.#options, headers: this.#headers });
    this.#stream.send(message);
  }

  end(message: string, httpStatus: number): void {
    if (!this.#open) return;
    this.#open = false;
    if (this.#stream === undefined)
      sendJson(this.#response, { status: httpStatus, text: message, headers: this.#headers });
    else {
      this.#stream.send(message);
      this.#stream.end();
    }
  }

  /** A stream without an answer: the client knows why. */
  abandon(): void {
    if (!this.#open) return;
    this.#open = false;
    (this.#stream ?? new EventStream(this.#response, this.#options)).end();
  }

  /** The client is gone. */
  close(): void {
    this.#open = false;
  }
}
