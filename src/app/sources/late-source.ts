import { existsSync } from "node:fs";
import { watchPath } from "../../host/index.ts";
import type { SourceProblem } from "../../sources/index.ts";

/** What reads files that may change. */
export interface FileSource {
  start(): Promise<void>;
  problems(): readonly SourceProblem[];
  reload(): Promise<unknown>;
  close(): Promise<void>;
}

export interface LateSourceOptions<Kind extends FileSource> {
  /** The paths at which its files would be. */
  readonly paths: readonly string[];
  /** There is something to read, whatever is there. @default false */
  readonly isNeeded?: boolean;
  /** Open it as soon as one of the paths is there. */
  readonly follow: boolean;
  readonly open: () => Promise<Kind>;
  /** Told of a source that can't be opened; what it has of files is its own problem. */
  readonly onError: (error: unknown) => void;
}

/** A source that is opened once there is something to read: most installations have few kinds of files, and pay for no others. */
export class LateSource<Kind extends FileSource> {
  readonly #options: LateSourceOptions<Kind>;
  #opening: Promise<void> | undefined;
  #watches: readonly { close(): void }[] = [];
  #isClosed = false;
  /** Absent while there is nothing to read. */
  source: Kind | undefined;
  /** Why it could not be opened. */
  fault: unknown;

  constructor(options: LateSourceOptions<Kind>) {
    this.#options = options;
  }

  /** Resolves once what is there is read. Never rejects. */
  async start(): Promise<void> {
    const { paths, isNeeded = false, follow } = this.#options;
    if (isNeeded || this.#isThere()) return this.#open();
    if (!follow || this.#isClosed) return;
    this.#watches = paths.map((path) => watchPath(path, () => void (this.#isThere() && this.#open())));
    // What came before anybody watched is told by nobody.
    if (this.#isThere()) await this.#open();
  }

  problems(): readonly SourceProblem[] {
    return this.source?.problems() ?? [];
  }

  async reload(): Promise<void> {
    if (this.source !== undefined) await this.source.reload();
    else if (this.#isThere()) await this.#open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch();
    await this.#opening;
    await this.source?.close();
  }

  #isThere(): boolean {
    return this.#options.paths.some((path) => existsSync(path));
  }

  #open(): Promise<void> {
    this.#unwatch();
    this.#opening ??= this.#openOnce();
    return this.#opening;
  }

  async #openOnce(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const source = await this.#options.open();
      try {
        await source.start();
        this.source = source;
      } finally {
        if (this.source === undefined) await source.close();
      }
    } catch (error) {
      this.fault = error;
      this.#options.onError(error);
    }
  }

  #unwatch(): void {
    for (const watch of this.#watches) watch.close();
    this.#watches = [];
  }
}
