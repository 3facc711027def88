import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { codeOf, isRecord, messageOf, parseJson } from "../base/index.ts";
import { ConfigError } from "./errors.ts";

/** The environment variable with the passphrase of the secrets. */
export const passphraseVariable = "HAFT_PASSPHRASE";

/**
 * haft's own folder: the database, the token, the user's configuration, and the list of trusted files. No tool
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

  /** The keys of the secrets, if they are kept in a file. */
  get secretKeys(): string {
    return join(this.folder, "secret.key");
  }

  get config(): string {
    return join(this.folder, "config.yml");
  }

  /** The bearer token of `haft serve`: made at the first start, and kept. */
  token(): string {
    return this.keptToken() ?? this.#make("token");
  }

  /** The token, if one was made. */
  keptToken(): string | undefined {
    return this.#kept("token");
  }

  /** What whoever answers approvals over HTTP shows: never the token that MCP clients hold. */
  ownerToken(): string {
    return this.keptOwnerToken() ?? this.#make("owner-token");
  }

  /** The owner's token, if one was made. */
  keptOwnerToken(): string | undefined {
    const kept = this.#kept("owner-token");
    return kept === this.keptToken() ? undefined : kept;
  }

  /** Signs what MCP clients bring back to a later process. */
  stateKey(): string {
    return this.keptStateKey() ?? this.#make("mcp-state.key");
  }

  /** The key, if one was made. */
  keptStateKey(): string | undefined {
    return this.#kept("mcp-state.key");
  }

  /** Whether the user has said that this file, as it is now, may open things up. */
  trusts(file: string, text: string): boolean {
    return this.#trusted().get(file) === hashOf(text);
  }

  /** Takes the user's word for a file, as it is now: once it changes, it has to be given again. */
  trust(file: string, text: string): void {
    const trusted = this.#trusted().set(file, hashOf(text));
    this.write(
      "trusted.json",
      `${JSON.stringify(Object.fromEntries([...trusted].sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
    );
  }

  #trusted(): Map<string, string> {
    const kept = parseJson(this.read("trusted.json") ?? "{}");
    if (!isRecord(kept)) return new Map();
    return new Map(
      Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  }

  /** The text of a file in the folder; undefined where there is none. */
  read(name: string): string | undefined {
    return readIfThere(join(this.folder, name));
  }

  /** Replaces a file in the folder, for its user's eyes only. */
  write(name: string, text: string): void {
    const file = join(this.folder, name);
    const draft = `${file}.${randomBytes(6).toString("hex")}`;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
        renameSync(draft, file);
      } finally {
        rmSync(draft, { force: true });
      }
    } catch (cause) {
      throw new ConfigError(
        "HOME_UNUSABLE",
        `Cannot write "${file}": ${codeOf(cause) ?? messageOf(cause)}; make the folder writable, or name another one in HAFT_HOME`,
        { cause },
      );
    }
  }

  /** A secret that is long enough to be one. */
  #kept(name: string): string | undefined {
    const kept = this.read(name)?.trim();
    return kept !== undefined && kept.length >= 32 ? kept : undefined;
  }

  #make(name: string): string {
    const made = randomBytes(32).toString("base64url");
    this.write(name, `${made}\n`);
    return made;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The text of a file of haft's own; undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw new ConfigError(
      "HOME_UNUSABLE",
      `Cannot read "${file}": ${codeOf(cause) ?? messageOf(cause)}; make it readable`,
      {
        cause,
      },
    );
  }
}
