import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WorkerRecords } from "../../src/app/records/worker-records.ts";
import { type ThinClient, talkHttp } from "../mcp/thin-client.ts";
import { openHome, openProgram } from "../program.ts";
import { index, path, prepare } from "./million-rows.ts";

/** Started by whom it may be: a link is printed for people alone. */
const noParents = new URL("../../test/support/no-parents.mjs", import.meta.url).href;

/** A `haft serve` as installed, over a ledger of a million rows. */
export class Serving {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #token: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(child: ChildProcess, url: string, token: string, environment: NodeJS.ProcessEnv) {
    this.#child = child;
    this.#url = url;
    this.#token = token;
    this.#environment = environment;
  }

  static async start(): Promise<Serving> {
    const { folder, project, environment } = openHome("console");
    const store = join(folder, "haft", "haft.db");
    const marker = `${store}-calls`;
    if (!existsSync(marker)) {
      await prepare();
      const records = new WorkerRecords({ path });
      await records.listCalls({ text: "its index is filled, too", limit: 1 });
      await records.close();
      for (const end of ["-wal", "-shm"]) rmSync(`${store}${end}`, { force: true });
      copyFileSync(path, store);
      copyFileSync(index, marker);
    }
    const args = [openProgram().file, "serve", "--port", "0", "--json", "--expose", "all"];
    const child = spawn(process.execPath, [...args, "--folder", project], {
      cwd: project,
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise<string>((resolve) => lines.once("line", resolve));
    const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
    return new Serving(child, url, readFileSync(tokenFile, "utf8").trim(), environment);
  }

  get origin(): string {
    return new URL(this.#url).origin;
  }

  /** A link that opens the console once. */
  link(): string {
    const args = ["--import", noParents, openProgram().file, "console", "--print"];
    return execFileSync(process.execPath, [...args, "--port", new URL(this.#url).port], {
      env: this.#environment,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  }

  /** The token of a console, opened as its page opens it. */
  async openSession(): Promise<string> {
    const answer = await fetch(`${this.origin}/console/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: new URL(this.link()).hash.slice(1) }),
    });
    return ((await answer.json()) as { readonly token: string }).token;
  }

  /** Asks as an open page asks. */
  async ask(token: string, address: string): Promise<void> {
    const answer = await this.#fetch(token, address);
    if (!answer.ok) throw new Error(`Cannot measure ${address}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }

  /** Opens the stream of events, and reads it until the signal. */
  async follow(token: string, signal: AbortSignal): Promise<void> {
    const { body } = await this.#fetch(token, "/stream", signal);
    const reader = body?.getReader();
    await reader?.read();
    const readOn = async () => {
      while ((await reader?.read())?.done === false);
    };
    readOn().catch(() => {}); // It was ended.
  }

  #fetch(token: string, address: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.origin}/console/api/v1${address}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal !== undefined && { signal }),
    });
  }

  /** A client that calls tools. */
  connect(): Promise<ThinClient> {
    return talkHttp({ url: this.#url, era: "2025-11-25", isSession: true, token: this.#token });
  }

  /** Starts somebody who scrolls and filters, in a process of their own, until the returned function is called. */
  async watchFromElsewhere(): Promise<() => void> {
    const file = fileURLToPath(new URL("onlooker.ts", import.meta.url));
    const onlooker = spawn(process.execPath, [file, this.origin, await this.openSession()], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(onlooker.stdout, "data");
    return () => void onlooker.kill("SIGKILL");
  }

  /** Resident memory, in MiB. */
  readResident(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }
}
