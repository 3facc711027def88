import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import type { HttpResponse } from "../http/port.ts";
import { AnswerStream } from "./answer-stream.ts";

/** A response whose reader has taken all but `writableLength` bytes. */
class FakeResponse implements HttpResponse {
  readonly headersSent: boolean = false;
  readonly written: string[] = [];
  writableEnded = false;
  writableLength = 0;
  destroyed = false;
  writeHead(status: number): void {
    this.written.push(String(status));
  }
  write(text: string): boolean {
    this.written.push(text);
    return true;
  }
  end(): void {
    this.writableEnded = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
  on(): void {}
}

const line = { type: "text", sessionID: "s", content: "Hello" } as const;

test("a stream begins with its first event, says now and then that it lives, and ends with the answer", async () => {
  const [response, clock] = [new FakeResponse(), createFakeClock()];
  const stream = new AnswerStream(response, clock);
  const answer = { type: "error", error: "no", code: "INVALID_REQUEST" } as const;
  expect(stream.end(answer)).toBe(false);
  expect(response.written).toEqual([]);
  stream.write(line);
  await clock.advance(15_000);
  expect(stream.end(answer)).toBe(true);
  expect(response.written).toEqual([
    "200",
    `event: text\ndata: ${JSON.stringify(line)}\n\n`,
    ": \n\n",
    `event: error\ndata: ${JSON.stringify(answer)}\n\n`,
  ]);
  expect(response.writableEnded).toBe(true);
  await clock.advance(60_000);
  expect(response.written.length).toBe(4);
});

test("a reader that does not read what it is sent is cut off", () => {
  const response = new FakeResponse();
  const stream = new AnswerStream(response, createFakeClock());
  stream.write(line);
  response.writableLength = 16_777_217;
  stream.write(line);
  expect([response.destroyed, response.written.length]).toEqual([true, 2]);
  stream.write(line);
  expect(response.written.length).toBe(2);
});
