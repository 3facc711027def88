import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Why there can be no server here. */
export function whyNoRedis(): string | undefined {
  try {
    execFileSync("redis-server", ["--version"]);
    return undefined;
  } catch {
    return "no redis-server on this machine: apt-get install redis-server";
  }
}

/** A Redis of one's own in a temporary folder, on a socket there. It writes each change to disk before it answers. */
export class RedisServer implements AsyncDisposable {
  readonly #folder = join(tmpdir(), `haft-redis-${randomUUID()}`);
  #process: ChildProcess | undefined;

  get url(): string {
    return `unix://${join(this.#folder, "redis.sock")}`;
  }

  async start(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const settings = "--port 0 --unixsocket redis.sock --save '' --appendonly yes --appendfsync always";
    const server = spawn("redis-server", settings.split(" "), {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#process = server;
    for await (const line of createInterface(server.stdout)) if (line.includes("eady to accept")) break;
    server.stdout.resume();
  }

  /** As a crash would: nothing is written any more. */
  async kill(): Promise<void> {
    if (this.#process?.kill("SIGKILL") === true) await once(this.#process, "close");
    this.#process = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
