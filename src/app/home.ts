import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord, parseJson } from "../base/index.ts";
import { ConfigError } from "./errors.ts";

/**
 * haft's own folder: the database, the token, the user's configuration, and the list of trusted folders. No tool
 * can write there.
 */
export class Home {
  readonly folder: string;

  /** @param folder `HAFT_HOME`, or `.haft` in the user's home folder where that is not set */
  constructor(folder: string | undefined) {
    this.folder = folder ?? join(homedir(), ".haft");
  }

  get database(): string {
    return join(this.folder, "haft.db");
  }

  get config(): string {
    return join(this.folder, "config.yml");
  }

  get #token(): string {
    return join(this.folder, "token");
  }

  get #trusted(): string {
    return join(this.folder, "trusted.json");
  }

  /** The bearer token of `haft serve`: made at the first start, and kept. */
  token(): string {
    const kept = readIfThere(this.#token)?.trim();
    if (kept !== undefined && kept.length >= 32) return kept;
    const made = randomBytes(32).toString("base64url");
    this.#write(this.#token, `${made}\n`);
    return made;
  }

  /** Whether the user has said that a project's configuration may open things up. */
  trusts(projectFolder: string): boolean {
    return this.#readTrusted().includes(projectFolder);
  }

  trust(projectFolder: string): void {
    const trusted = new Set(this.#readTrusted()).add(projectFolder);
    this.#write(this.#trusted, `${JSON.stringify([...trusted].sort(), null, 2)}\n`);
  }

  #readTrusted(): string[] {
    const kept = parseJson(readIfThere(this.#trusted) ?? "[]");
    return Array.isArray(kept) ? kept.filter((folder) => typeof folder === "string") : [];
  }

  #write(file: string, text: string): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, text, { mode: 0o600 });
      chmodSync(file, 0o600);
    } catch (cause) {
      throw new ConfigError(
        "HOME_UNUSABLE",
        `Cannot write "${file}": ${codeOf(cause)}; make the folder writable, or name another one in HAFT_HOME`,
        { cause },
      );
    }
  }
}

/** The text of a file of haft's own; undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw new ConfigError("HOME_UNUSABLE", `Cannot read "${file}": ${codeOf(cause)}; make it readable`, { cause });
  }
}

function codeOf(thrown: unknown): string {
  return isRecord(thrown) && typeof thrown["code"] === "string" ? thrown["code"] : String(thrown);
}
