import type { ChildProcess, StdioOptions } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { TailBytes } from "./kept-bytes.ts";
import { closePipe, type Pipe, type PipePool } from "./pipes.ts";
import type { OutputEnd, OutputName, RunEvents, RunRequest } from "./request.ts";

/** The pipes of one process: file descriptors 0 to 3. Where there is none, Node makes a socket or, for input, nothing is given. */
export interface StandardStreams {
  readonly stdin: Pipe | undefined;
  readonly stdout: Pipe | undefined;
  readonly stderr: Pipe | undefined;
  readonly script: Pipe | undefined;
}

export async function openStreams({ stdin, script }: RunRequest, pipes: PipePool): Promise<StandardStreams> {
  return {
    stdin: stdin === undefined ? undefined : await pipes.take(),
    stdout: await pipes.take(),
    stderr: await pipes.take(),
    script: script === undefined ? undefined : await pipes.take(),
  };
}

export function closeStreams({ stdin, stdout, stderr, script }: StandardStreams): void {
  for (const pipe of [stdin, stdout, stderr, script]) if (pipe !== undefined) closePipe(pipe);
}

/** What `spawn` is told. */
export function toStdio(streams: StandardStreams, request: RunRequest): StdioOptions {
  const { stdin, stdout, stderr, script } = streams;
  const standard = [
    request.stdin === undefined ? "ignore" : (stdin?.readEnd ?? "pipe"),
    stdout?.writeEnd ?? "pipe",
    stderr?.writeEnd ?? "pipe",
  ] as const;
  return request.script === undefined ? [...standard] : [...standard, script?.readEnd ?? "pipe"];
}

/** Closes the ends that the child has now, so that the streams end when the child's copies are closed. */
export function closeChildEnds({ stdin, stdout, stderr, script }: StandardStreams): void {
  for (const fd of [stdin?.readEnd, stdout?.writeEnd, stderr?.writeEnd, script?.readEnd]) {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Writes stdin and the script. A process that reads neither to its end is no fault. Returns what closes them. */
export function feedInputs(child: ChildProcess, streams: StandardStreams, request: RunRequest): () => void {
  const inputs: Writable[] = [];
  const feed = (bytes: Uint8Array | undefined, pipe: Pipe | undefined, fd: 0 | 3) => {
    if (bytes === undefined) return;
    const input =
      pipe === undefined
        ? (child.stdio[fd] as Writable)
        : new Socket({ fd: pipe.writeEnd, readable: false, writable: true });
    input.on("error", () => {});
    input.end(bytes);
    inputs.push(input);
  };
  feed(request.stdin, streams.stdin, 0);
  feed(request.script, streams.script, 3);
  return () => {
    for (const input of inputs) input.destroy();
  };
}

/** An output being read: the head goes to `events` as it comes, the tail and the count are had at the end. */
export interface OutputReader {
  /** Waits for the end of the stream for at most `graceMs`, then gives it up. */
  end(graceMs: number): Promise<OutputEnd>;
}

export function readOutput(
  child: ChildProcess,
  name: OutputName,
  { pipe, request, events }: { pipe: Pipe | undefined; request: RunRequest; events: RunEvents },
): OutputReader {
  const stream: Readable =
    pipe === undefined
      ? (child[name] as Readable)
      : new Socket({ fd: pipe.readEnd, readable: true, writable: false });
  const tail = new TailBytes(request.tailBytes);
  let totalBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = Math.max(0, request.headBytes - totalBytes);
    totalBytes += chunk.byteLength;
    if (room > 0) events.output(name, chunk.subarray(0, room));
    if (room < chunk.byteLength) tail.push(chunk.subarray(room));
  });
  const closed = new Promise<void>((resolve) => {
    stream.on("error", () => {});
    stream.on("close", resolve);
  });
  return {
    async end(graceMs) {
      const timer = setTimeout(() => stream.destroy(), graceMs);
      await closed;
      clearTimeout(timer);
      return { totalBytes, tail: tail.bytes() };
    },
  };
}
