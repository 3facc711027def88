import { writeSync } from "node:fs";
import { FrameReader, toFrame } from "../frames.ts";
import type { FromWorker, ToWorker } from "../messages.ts";
import { mostFrameBytes } from "../messages.ts";

/** Not the standard output where there is a shell to arrange it: what a tool prints, or a program it starts, is no message. */
const output = Number(process.argv[2] ?? 1);
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Waits until it is written: what was said is not lost in a process that ends right after. */
export function send(message: FromWorker): void {
  const frame = toFrame(message, mostFrameBytes);
  for (let at = 0; at < frame.byteLength; ) {
    try {
      at += writeSync(output, frame, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(0);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

export function receive(onMessage: (message: ToWorker) => void): void {
  const reader = new FrameReader(mostFrameBytes);
  process.stdin.on("data", (chunk: Buffer) => {
    for (const text of reader.push(chunk)) onMessage(JSON.parse(text) as ToWorker);
  });
  process.stdin.on("close", () => process.exit(0));
}
