import { createHash, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getErrorCode, getErrorMessage, isRecord, parseJson } from "../base/index.ts";
import { ConfigError } from "./errors.ts";

/** The environment variable with the passphrase of the secrets. */
export const passphraseVariable = "HAFT_PASSPHRASE";

/**
 * haft's own folder: the database, the token, the user's configuration, and the list of trusted files. No tool
 * can write there.
 *
 * @example
 * ```ts
 * const home = new Home(`${process.cwd()}/.home`);
 * home.trusts("haft.config.yml", "mode: auto"); // → false
 * home.trust("haft.config.yml", "mode: auto");
 * home.trusts("haft.config.yml", "mode: auto"); // → true
 * home.trusts("haft.config.yml", "mode: locked"); // → false
 * ```
 */
export class Home {
  readonly folder: string;

  /** @param folder usually the value of `HAFT_HOME` @default `.haft` in the user's home folder */
  constructor(folder?: string) {
    this.folder = folder ?? join(homedir(), ".haft");
  }

  get database(): string {
    return join(this.folder, "haft.db");
  }

  /** The keys of the secrets, if they are kept in a file. */
  get secretKeys(): string {
    return join(this.folder, "secret.key");
  }

  /** The proof of what the sandbox holds on this machine, from one start to the next. */
  get sandboxProof(): string {
    return join(this.folder, "sandbox-proof.json");
  }

  get config(): string {
    return join(this.folder, "config.yml");
  }

  /** The folder in place of a project where there is none; no tool can read or write there. */
  get noProject(): string {
    return join(this.folder, "no-project");
  }

  /** Makes that folder, empty, and returns its path. */
  makeNoProject(): string {
    mkdirSync(this.noProject, { recursive: true, mode: 0o700 });
    return this.noProject;
  }

  /** The bearer token of `haft serve`: made at the first start, and kept. */
  token(): string {
    return this.#keptOrMade("token", () => this.keptToken());
  }

  /** The token, if one was made. */
  keptToken(): string | undefined {
    return this.#kept("token");
  }

  /** What whoever answers approvals over HTTP shows: never the token that MCP clients hold. */
  ownerToken(): string {
    return this.#keptOrMade("owner-token", () => this.keptOwnerToken());
  }

  /** The owner's token, if one was made. */
  keptOwnerToken(): string | undefined {
    const kept = this.#kept("owner-token");
    return kept === this.keptToken() ? undefined : kept;
  }

  /** Signs what MCP clients bring back to a later process. */
  stateKey(): string {
    return this.#keptOrMade("mcp-state.key", () => this.keptStateKey());
  }

  /** The key, if one was made. */
  keptStateKey(): string | undefined {
    return this.#kept("mcp-state.key");
  }

  /** Signs what host programs show to connect. Another key ends all that were signed. */
  bridgeKey(): string {
    return this.#keptOrMade("bridge.key", () => this.keptBridgeKey());
  }

  /** The key, if one was made. */
  keptBridgeKey(): string | undefined {
    return this.#kept("bridge.key");
  }

  /** Which files the user trusts, as they were then. */
  get trustedFiles(): string {
    return join(this.folder, "trusted.json");
  }

  /** Changes each time that definitions of servers were looked at. */
  get reviewMark(): string {
    return join(this.folder, "mcp-reviewed");
  }

  /** Lets programs that go on know that definitions were looked at. */
  markReview(): void {
    this.write("mcp-reviewed", `${randomBytes(8).toString("hex")}\n`);
  }

  /** Whether the user has said that this file, as it is now, may open things up. */
  trusts(file: string, text: string): boolean {
    return this.#trusted().get(file) === computeHash(text);
  }

  /** Whether the user has trusted this file at some time, whatever it said then. */
  hasTrusted(file: string): boolean {
    return this.#trusted().has(file);
  }

  /** Takes the user's word for a file, as it is now: once it changes, it has to be given again. */
  trust(file: string, text: string): void {
    this.trustAll([{ path: file, text }]);
  }

  /** Does what {@link trust} does, for several at once. */
  trustAll(files: readonly { readonly path: string; readonly text: string }[]): void {
    const trusted = this.#trusted();
    for (const { path, text } of files) trusted.set(path, computeHash(text));
    this.write(
      "trusted.json",
      `${JSON.stringify(Object.fromEntries([...trusted].sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
    );
  }

  /** The folders that the owner has named for clients of `haft serve`, by their names. */
  projects(): ReadonlyMap<string, string> {
    return textsIn(this.read(projectsFile));
  }

  /** Assigns a name to a folder; undefined removes the name. */
  nameProject(name: string, folder: string | undefined): void {
    const projects = new Map(this.projects());
    if (folder === undefined) projects.delete(name);
    else projects.set(name, folder);
    this.write(projectsFile, `${JSON.stringify(Object.fromEntries(projects), null, 2)}\n`);
  }

  #trusted(): Map<string, string> {
    return textsIn(this.read("trusted.json"));
  }

  /** The text of a file in the folder; undefined where there is none. */
  read(name: string): string | undefined {
    return readIfThere(join(this.folder, name));
  }

  /** Replaces a file in the folder, for its user's eyes only. */
  write(name: string, text: string): void {
    this.#put(name, text, renameSync);
  }

  #put(name: string, text: string, move: (draft: string, file: string) => void): void {
    const file = join(this.folder, name);
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
        move(draft, file);
      } finally {
        rmSync(draft, { force: true });
      }
    } catch (cause) {
      throw new ConfigError(
        "HOME_UNUSABLE",
        `Cannot write "${file}": ${getErrorCode(cause) ?? getErrorMessage(cause)}; make the folder writable, or name another one in HAFT_HOME`,
        { cause },
      );
    }
  }

  /** A secret that is long enough to be one. */
  #kept(name: string): string | undefined {
    const kept = this.read(name)?.trim();
    return kept !== undefined && kept.length >= 32 ? kept : undefined;
  }

  /** Several processes that make the value at once all get the same one. */
  #keptOrMade(name: string, kept: () => string | undefined): string {
    const found = kept();
    if (found !== undefined) return found;
    const made = randomBytes(32).toString("base64url");
    this.#put(name, `${made}\n`, (draft, file) => {
      // Another process was faster, or what is there is no secret, and in the way.
      if (!moveToNew(draft, file) && kept() === undefined) renameSync(draft, file);
    });
    return kept() ?? made;
  }
}

const projectsFile = "projects.json";

/** Parses a JSON object and returns its string values; empty if it is not an object. */
function textsIn(json = "{}"): Map<string, string> {
  const kept = parseJson(json);
  if (!isRecord(kept)) return new Map();
  return new Map(
    Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** False where something is there already. */
function moveToNew(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (getErrorCode(error) === "EEXIST") return false;
    // A file system without links.
    if (existsSync(file)) return false;
    renameSync(draft, file);
    return true;
  }
}

function computeHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The text of a file of haft's own; undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (getErrorCode(cause) === "ENOENT" || getErrorCode(cause) === "ENOTDIR") return undefined;
    throw new ConfigError(
      "HOME_UNUSABLE",
      `Cannot read "${file}": ${getErrorCode(cause) ?? getErrorMessage(cause)}; make it readable`,
      {
        cause,
      },
    );
  }
}
