import type { ChildProcess, StdioOptions } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { readInPlace } from "./in-place-reader.ts";
import { TailBytes } from "./kept-bytes.ts";
import { closePipe, type Pipe, type PipePool } from "./pipes.ts";
import {
  beginSign,
  goneSign,
  type OutputEnd,
  type OutputName,
  type RunEvents,
  type RunRequest,
} from "./request.ts";

/** The pipes of one process: file descriptors 0 to 4. Where there is none, Node makes a socket or, for input, nothing is given. */
export interface StandardStreams {
  readonly stdin: Pipe | undefined;
  readonly stdout: Pipe | undefined;
  readonly stderr: Pipe | undefined;
  /** The pipe on which a supervisor reports what was left behind. */
  readonly status: Pipe | undefined;
  readonly script: Pipe | undefined;
}

export async function openStreams(
  { stdin, script, confinement }: Pick<RunRequest, "stdin" | "script" | "confinement">,
  pipes: PipePool,
): Promise<StandardStreams> {
  return {
    stdin: stdin === undefined ? undefined : await pipes.take(),
    stdout: await pipes.take(),
    stderr: await pipes.take(),
    status: confinement?.supervised === true ? await pipes.take() : undefined,
    script: script === undefined ? undefined : await pipes.take(),
  };
}

export function closeStreams(streams: StandardStreams): void {
  for (const pipe of Object.values(streams) as (Pipe | undefined)[]) if (pipe !== undefined) closePipe(pipe);
}

/** What `spawn` is told. */
export function toStdio(
  streams: StandardStreams,
  request: Pick<RunRequest, "stdin" | "script" | "confinement">,
): StdioOptions {
  const { stdin, stdout, stderr, status, script } = streams;
  return [
    request.stdin === undefined ? "ignore" : (stdin?.readEnd ?? "pipe"),
    stdout?.writeEnd ?? "pipe",
    stderr?.writeEnd ?? "pipe",
    ...(request.confinement?.supervised === true ? [status?.writeEnd ?? ("pipe" as const)] : []),
    ...(request.script === undefined ? [] : [script?.readEnd ?? ("pipe" as const)]),
  ];
}

/** Closes the ends that the child has now, so that the streams end when the child's copies are closed. */
export function closeChildEnds({ stdin, stdout, stderr, status, script }: StandardStreams): void {
  for (const fd of [stdin?.readEnd, stdout?.writeEnd, stderr?.writeEnd, status?.writeEnd, script?.readEnd]) {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Writes stdin and the script. A process that reads neither to its end is no fault. Returns what closes them. */
export function feedInputs(child: ChildProcess, streams: StandardStreams, request: RunRequest): () => void {
  const inputs: Writable[] = [];
  const feed = (bytes: Uint8Array | undefined, pipe: Pipe | undefined, fd: number) => {
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
  feed(request.script, streams.script, request.confinement?.supervised === true ? 4 : 3);
  return () => {
    for (const input of inputs) input.destroy();
  };
}

/** Somebody who holds a stream may go on writing: it is given up then. */
const mostWaits = 20;

/** Waits for the end of a stream, and gives it up once nothing has come for `graceMs`. */
async function whenEnded(stream: Readable, closed: Promise<void>, graceMs: number): Promise<void> {
  let came = false;
  let waits = 0;
  const hear = () => {
    came = true;
  };
  // A busy program comes to its timers before it has read what is there: it reads once more, and then looks.
  const look = () =>
    setImmediate(() => {
      if (!came || ++waits === mostWaits) return void stream.destroy();
      came = false;
      timer = setTimeout(look, graceMs);
    });
  stream.on("data", hear);
  let timer = setTimeout(look, graceMs);
  await closed;
  clearTimeout(timer);
  stream.off("data", hear);
}

/** What a supervisor has said by its end. */
export interface Said {
  readonly begun: boolean;
  readonly leftBehind: number;
  readonly vanished: readonly string[];
}

/** Waits `graceMs` at most for what a supervisor says. Without a supervisor the process began, and left nothing. */
export function readSupervisor(
  child: ChildProcess,
  { status }: Pick<StandardStreams, "status">,
  { confinement }: Pick<RunRequest, "confinement">,
): (graceMs: number) => Promise<Said> {
  if (confinement?.supervised !== true)
    return () => Promise.resolve({ begun: true, leftBehind: 0, vanished: [] });
  const stream: Readable =
    status === undefined
      ? (child.stdio[3] as Readable)
      : new Socket({ fd: status.readEnd, readable: true, writable: false });
  let said = "";
  stream.on("data", (chunk: Buffer) => {
    // The command could write here too, if it tried: a number and plain paths are taken from it, nothing else.
    if (said.length < mostSaid) said += chunk.toString("latin1");
  });
  stream.on("error", () => {});
  const closed = new Promise<void>((resolve) => stream.on("close", resolve));
  return async (graceMs) => {
    await whenEnded(stream, closed, graceMs);
    const [first, second = "", ...rest] = said.split("\n");
    return {
      begun: first === beginSign,
      leftBehind: /^\d{1,9}$/.test(second) ? Number(second) : 0,
      vanished: [second, ...rest].flatMap((line) =>
        line.startsWith(goneSign) && plainPath.test(line.slice(goneSign.length))
          ? [line.slice(goneSign.length)]
          : [],
      ),
    };
  };
}

const mostSaid = 2000;
const plainPath = /^\/[\w@./+-]{1,200}$/;

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
  const stream: Readable = pipe === undefined ? (child[name] as Readable) : readInPlace(pipe.readEnd);
  const tail = new TailBytes(request.tailBytes);
  let totalBytes = 0;
  stream.on("data", (chunk: Buffer) => {
    const room = Math.max(0, request.headBytes - totalBytes);
    totalBytes += chunk.byteLength;
    if (room > 0) events.output(name, Buffer.from(chunk.subarray(0, room)));
    if (room < chunk.byteLength) tail.push(chunk.subarray(room));
  });
  const closed = new Promise<void>((resolve) => {
    stream.on("error", () => {});
    stream.on("close", resolve);
  });
  return {
    async end(graceMs) {
      await whenEnded(stream, closed, graceMs);
      return { totalBytes, tail: tail.bytes() };
    },
  };
}
