import type { LeftBehind } from "./stop.ts";
import type { Confinement } from "./tree.ts";

/** One process to start, as it goes over the wire. */
export interface RunRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Absent: the process reads an empty stream. */
  readonly stdin: Uint8Array | undefined;
  /** Given to the process as file descriptor 3, or 4 if it is supervised. */
  readonly script: Uint8Array | undefined;
  /** A word in the environment that nothing else has; see {@link ProcessTree}. */
  readonly cookie: string;
  /** Bytes from the beginning of each output, handed over as they come. */
  readonly headBytes: number;
  /** Bytes kept from the end of the rest of each output. */
  readonly tailBytes: number;
  /** Absent: by its group, its session and its parents alone. */
  readonly confinement?: Confinement | undefined;
  /** The waiting shell that is to become this process. If it is gone, the process is started like any other. */
  readonly launch?: Launch | undefined;
}

export interface Launch {
  /** The `id` of the {@link WaitRequest}. */
  readonly id: string;
  /** The text that the shell is sent. */
  readonly text: string;
}

/** A shell to start, which reads on its standard input what it is to become. */
export interface WaitRequest {
  readonly id: string;
  readonly file: string;
  readonly args: readonly string[];
}

/** The first line that a supervisor says; without it, no command was started. */
export const beginSign = "begin";
/** What a line of a supervisor begins with that names a new file in a folder which is gone with the command. */
export const goneSign = "gone ";

/** One of the two outputs of a process. */
export type OutputName = "stdout" | "stderr";

export interface RunEvents {
  started(pid: number): void;
  /** The first `headBytes` of an output, as they come. */
  output(name: OutputName, bytes: Buffer): void;
}

export interface RunEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: OutputEnd;
  readonly stderr: OutputEnd;
  readonly leftBehind: LeftBehind;
  /** False: what was to keep the process in ended before it began. */
  readonly begun: boolean;
  /** New files in folders that are gone with the command, as far as their names are plain. */
  readonly vanished: readonly string[];
}

export interface OutputEnd {
  /** Size of the whole output. */
  readonly totalBytes: number;
  readonly tail: Uint8Array;
}

export interface Run {
  /** Resolves when nothing of it is left and its output is read. Rejects with a HostError where nothing was started. */
  readonly ended: Promise<RunEnd>;
  /** Ends all of it; `ended` then resolves as usual. */
  stop(): void;
}
