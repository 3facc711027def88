import { spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownSearchPath } from "../sandbox/program-search.ts";

/** Both ends of a pipe, as file descriptors that no child inherits by itself. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

// A batch costs one short process, and a command takes three or more; below the low mark the next batch is made beside
// the running commands.
const batch = 64;
const lowMark = 8;

/**
 * Real pipes for the standard streams of commands. Node gives a child sockets, and those cannot be opened by
 * path: `echo x > /dev/stderr` or `tee /dev/stdout` would fail in every script.
 */
export class PipePool {
  readonly #pipes: Pipe[] = [];
  #filling: Promise<void> | undefined;
  #available: boolean = process.platform !== "win32";

  /** Undefined where this machine makes no named pipes. */
  async take(): Promise<Pipe | undefined> {
    while (this.#available) {
      const pipe = this.#pipes.pop();
      if (this.#pipes.length < lowMark) {
        this.#filling ??= this.#fill().finally(() => {
          this.#filling = undefined;
        });
      }
      if (pipe !== undefined) return pipe;
      await this.#filling;
    }
    return this.#pipes.pop();
  }

  close(): void {
    this.#available = false;
    for (const pipe of this.#pipes.splice(0)) closePipe(pipe);
  }

  async #fill(): Promise<void> {
    let folder: string | undefined;
    try {
      // Only this user may enter the folder; a command of another user opens its outputs by what it was given.
      folder = mkdtempSync(join(tmpdir(), "haft-pipes-"));
      const paths = Array.from({ length: batch }, (_, index) => join(folder as string, String(index)));
      await makeNamedPipes(paths);
      for (const path of paths) if (this.#available) this.#pipes.push(openPipe(path));
    } catch {
      this.#available = false;
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
}

export function closePipe(pipe: Pipe): void {
  closeSync(pipe.readEnd);
  closeSync(pipe.writeEnd);
}

function makeNamedPipes(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("mkfifo", ["-m", "666", ...paths], {
      stdio: "ignore",
      env: { ...process.env, PATH: ownSearchPath() },
    });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}

/** Opens both ends in blocking mode, as programs expect them; a third, short-lived end keeps the opens from waiting. */
function openPipe(path: string): Pipe {
  const both = openSync(path, constants.O_RDWR);
  try {
    return { readEnd: openSync(path, constants.O_RDONLY), writeEnd: openSync(path, constants.O_WRONLY) };
  } finally {
    closeSync(both);
  }
}
