import type { ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import type { PipePool } from "./pipes.ts";
import type { WaitRequest } from "./request.ts";
import { spawnWith } from "./run.ts";
import { closeStreams, openStreams, type StandardStreams } from "./streams.ts";

/** A shell that has entered what limits a command, and waits on its input for what it is to become. */
export interface WaitingShell {
  readonly child: ChildProcess;
  readonly streams: StandardStreams;
}

/**
 * Shells that wait for the next command. To enter a control group takes the kernel up to some 10 ms on an idle machine;
 * so a shell does so ahead of time. It is outside any sandbox, in a group with nothing else in it, and ends with its input.
 */
export class WaitingShells {
  readonly #pipes: PipePool;
  readonly #shells = new Map<string, Promise<WaitingShell | undefined>>();

  constructor(pipes: PipePool) {
    this.#pipes = pipes;
  }

  start({ id, file, args }: WaitRequest): void {
    this.#shells.set(
      id,
      this.#open(file, args).catch(() => undefined),
    );
  }

  /** Hands over that shell, if it still waits. The caller owns it then. */
  async take(id: string): Promise<WaitingShell | undefined> {
    const opening = this.#shells.get(id);
    this.#shells.delete(id);
    const shell = await opening;
    if (shell === undefined || (shell.child.exitCode === null && shell.child.signalCode === null))
      return shell;
    closeOwnEnds(shell);
    return undefined;
  }

  async end(id: string): Promise<void> {
    const shell = await this.take(id);
    if (shell !== undefined) closeOwnEnds(shell);
  }

  async #open(file: string, args: readonly string[]): Promise<WaitingShell | undefined> {
    const request = {
      file,
      args,
      cwd: "/",
      environment: {},
      stdin: new Uint8Array(),
      script: undefined,
      confinement: { supervised: true },
    };
    const streams = await openStreams(request, this.#pipes);
    const { stdin, stdout, stderr, status } = streams;
    // If there are no such pipes, no shell waits.
    if ([stdin, stdout, stderr, status].includes(undefined)) {
      closeStreams(streams);
      return undefined;
    }
    return { child: await spawnWith(streams, request), streams };
  }
}

function closeOwnEnds({ streams: { stdin, stdout, stderr, status } }: WaitingShell): void {
  for (const fd of [stdin?.writeEnd, stdout?.readEnd, stderr?.readEnd, status?.readEnd])
    if (fd !== undefined) closeSync(fd);
}
