import type { Clock } from "../../base/index.ts";
import type { HttpResponse } from "../http/port.ts";
import type { OperatorAnswer, StreamLine } from "./operator-messages.ts";

const heartbeatMs = 15_000;
/** Maximum unsent bytes of a slow reader. Beyond, its connection is closed, which interrupts its query. */
const mostWaitingBytes = 16_777_216;

/** One answer as `text/event-stream`, which begins with its first event. */
export class AnswerStream {
  readonly #response: HttpResponse;
  readonly #clock: Clock;
  #endBeat: (() => void) | undefined;

  constructor(response: HttpResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    response.on("close", () => this.#endBeat?.());
  }

  readonly write = (line: StreamLine | OperatorAnswer): void => {
    if (this.#endBeat === undefined) this.#begin();
    this.#send(`event: ${line.type}\ndata: ${JSON.stringify(line)}\n\n`);
  };

  /** Ends the stream with the answer itself. False if it has not begun. */
  end(answer: OperatorAnswer): boolean {
    if (this.#endBeat === undefined) return false;
    this.write(answer);
    this.#endBeat();
    this.#response.end();
    return true;
  }

  #begin(): void {
    this.#response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-accel-buffering": "no",
    });
    const beat = () => {
      this.#send(": \n\n");
      this.#endBeat = this.#clock.after(heartbeatMs, beat);
    };
    this.#endBeat = this.#clock.after(heartbeatMs, beat);
  }

  #send(text: string): void {
    const response = this.#response;
    if (response.destroyed === true || response.writableEnded) return;
    if (response.writableLength > mostWaitingBytes) response.destroy();
    else response.write(text);
  }
}
