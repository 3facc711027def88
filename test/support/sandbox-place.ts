import { type ChildProcessByStdio, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, type TestOptions } from "vitest";
import { keepsPromises } from "../../src/host/index.ts";
import type { ConfinedOutcome, ConfinedRequest } from "./confined-run.ts";
import { sandboxHere } from "./sandbox-levels.ts";

const program = join(import.meta.dirname, "confined-run.ts");
export const isRoot: boolean = process.getuid?.() === 0;
const nobody = 65_534;

/**
 * The `PATH` of commands in the sandbox. It names the folder of Node, which may be below `/tmp`: commands see a `/tmp` of
 * their own, and of the machine's only what `PATH` leads to.
 */
export const searchPath: string = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

export type User = "root" | "another user" | "this user";

/** For what a test makes; anybody may enter it. */
export const base: string = realpathSync(mkdtempSync(join(tmpdir(), "haft-escape-")));
chmodSync(base, 0o755);
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));

/** A home with a secret and a workspace, and haft's own folder, of one user. */
export interface Place {
  readonly home: string;
  readonly work: string;
  readonly own: string;
  readonly outside: string;
}

/** What each user finds out, or compiles, once for all its programs. */
const kept = join(base, "kept");
mkdirSync(kept);
chmodSync(kept, 0o1777);

let count = 0;

export function makePlace(user: User): Place {
  const root = join(base, `place-${++count}`);
  const place: Place = {
    home: join(root, "home"),
    work: join(root, "home", "work"),
    own: join(root, "home", ".haft"),
    outside: join(root, "outside"),
  };
  for (const folder of [root, place.home, place.work, place.own, place.outside, join(place.home, ".ssh")])
    mkdirSync(folder);
  mkdirSync(join(place.work, ".git"));
  writeFileSync(join(place.home, ".ssh", "id_rsa"), "SECRET key");
  writeFileSync(join(place.home, "notes"), "SECRET notes");
  writeFileSync(join(place.own, "haft.db"), "SECRET store");
  writeFileSync(join(place.outside, "file"), "SECRET outside");
  if (user === "another user") for (const path of everythingBelow(root)) chownSync(path, nobody, nobody);
  return place;
}

function everythingBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return [folder, ...names.map((name) => join(folder, name))];
}

export function toRequest(place: Place, line: string, more: Partial<ConfinedRequest> = {}): ConfinedRequest {
  return {
    line,
    cwd: place.work,
    environment: { PATH: searchPath, HOME: place.home },
    timeoutMs: 50_000,
    ...more,
    bounds: { writable: [place.work], ...more.bounds },
    options: {
      atLeast: "none",
      hidden: [place.own],
      protected: [join(place.work, "haft.config.yml"), join(place.work, ".haft/tools")],
      ...more.options,
    },
  };
}

/** Starts a program that runs a command line and prints a {@link ConfinedOutcome}. */
export function startAs(user: User, request: ConfinedRequest): ChildProcessByStdio<null, Readable, null> {
  const proofFile = join(kept, `proof of ${user}.json`);
  const told: ConfinedRequest = { ...request, options: { proofFile, ...request.options } };
  const command = [process.execPath, program, JSON.stringify(told)];
  const other = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"];
  const [file = "", ...args] = user === "another user" ? [...other, ...command] : command;
  return spawn(file, args, {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: "/",
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: kept },
  });
}

export function runAs(user: User, request: ConfinedRequest): Promise<ConfinedOutcome> {
  const child = startAs(user, request);
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      try {
        resolve(JSON.parse(said) as ConfinedOutcome);
      } catch (cause) {
        reject(new Error(`Cannot read what the sandboxed command came to: ${said}`, { cause }));
      }
    });
  });
}

/** Those as whom commands can be run in a sandbox here, and the options of tests that do so. */
export async function usersHere(): Promise<{
  readonly users: readonly User[];
  readonly inSandbox: TestOptions;
}> {
  const { level, inSandbox } = await sandboxHere();
  return { users: isRoot && level !== "none" ? await usersOfRoot() : ["this user"], inSandbox };
}

async function usersOfRoot(): Promise<User[]> {
  const outcome = await runAs("another user", toRequest(makePlace("another user"), "true")).catch(
    () => undefined,
  );
  if (outcome?.level !== undefined && outcome.error === undefined && keepsPromises(outcome.level))
    return ["root", "another user"];
  console.warn(
    "Escapes of another user than root are not tested here: the sandbox, node or setpriv does not run as one",
  );
  return ["root"];
}
