import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { Home } from "../../src/app/home.ts";
import { isRecord, parseJson } from "../../src/base/index.ts";
import { lendProof } from "../support/lent-proof.ts";

const programs = join(import.meta.dirname, "node_modules");

/** True where the clients were installed, each that the machine can have. */
export const clientsAreHere: boolean = existsSync(programs);

/** Why a client can't be driven here; undefined where it can. */
export function whyNotHere(installed: string): string | undefined {
  return existsSync(join(programs, installed)) ? undefined : `${installed} is not installed in test/clients`;
}

/** The program of an installed client. */
export function clientProgram(name: string): string {
  return join(programs, ".bin", name);
}

export interface ClientRun {
  readonly exitCode: number | null;
  readonly output: string;
}

/** What looks for the network finds a closed door. */
export const closedNetwork = {
  HTTPS_PROXY: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
} as const;

/** A user with a home of their own, a project with one file in it, and haft. Nothing of it is left when the test is over. */
export class ClientWorld {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "haft-client-")));
  readonly home: string = join(this.root, "user");
  readonly folder: string = join(this.root, "project");
  readonly outside: string = join(this.root, "outside.txt");
  readonly haftHome: Home = new Home(join(this.home, ".haft"));
  /** haft as it is where it is installed. */
  readonly haft: string = join(inject("built"), "bin/haft.js");

  constructor() {
    for (const folder of [this.home, this.folder]) mkdirSync(folder);
    writeFileSync(join(this.folder, "note.txt"), "a note for haft\n");
    writeFileSync(this.outside, "from outside\n");
    lendProof(this.haftHome.folder, "built");
    onTestFinished(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 5 }));
  }

  put(file: string, content: unknown): void {
    const path = join(this.home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }

  read(file: string): string {
    return readFileSync(join(this.home, file), "utf8");
  }

  readProject(file: string): string | undefined {
    const path = join(this.folder, file);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  get environment(): Record<string, string> {
    // The machine's own programs, and the Node that runs this.
    const path = [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
    return {
      PATH: path,
      HOME: this.home,
      TERM: "dumb",
      NO_COLOR: "1",
    };
  }

  /** Starts a program in the project, in a group of its own, which is killed when the test is over. */
  start(
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    const child = spawn(program, args, {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    onTestFinished(() => killGroup(child, "SIGKILL"));
    return child;
  }

  async run(
    program: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<ClientRun> {
    return untilEnd(this.start(program, args, environment));
  }

  /** haft itself, for this user. */
  async runHaft(...args: string[]): Promise<string> {
    const { exitCode, output } = await this.run(process.execPath, [this.haft, ...args]);
    if (exitCode !== 0) throw new Error(`haft ${args.join(" ")} left with ${exitCode}: ${output}`);
    return output;
  }

  /** The ids of the questions that wait for a person. */
  async openQuestions(): Promise<readonly unknown[]> {
    return listIn(await this.runHaft("approvals", "--json")).map(({ id }) => id);
  }

  /** What the ledger says of each call of a tool: `cancelled`, say. */
  async callStates(tool: string): Promise<readonly unknown[]> {
    const calls = listIn(await this.runHaft("audit", "--json"));
    return calls.filter(({ toolName }) => toolName === tool).map(({ state }) => state);
  }
}

function listIn(json: string): readonly Readonly<Record<string, unknown>>[] {
  const listed = parseJson(json);
  const list = isRecord(listed) ? Object.values(listed).find(Array.isArray) : listed;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It has ended, with everything it started.
  }
}

export async function untilEnd(child: ChildProcess): Promise<ClientRun> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => void (output += text));
  }
  const exitCode = await new Promise<number | null>((done) => child.once("close", done));
  return { exitCode, output };
}
