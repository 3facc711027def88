import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorCode } from "../../base/index.ts";
import { SecretError } from "../../modules/secrets/index.ts";

/**
 * Keys in a file for its user's eyes only, a line each: id, space, 32 bytes in base64url. Lines are only ever added,
 * in one write each, so that no process can lose the key of another, nor a rotation that of a copy of the store.
 */
export class SecretKeyFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  read(id: string): Uint8Array | undefined {
    const lines = this.#text().split("\n");
    const line = lines.find((candidate) => candidate.startsWith(`${id} `));
    return line === undefined ? undefined : Buffer.from(line.slice(id.length + 1).trim(), "base64url");
  }

  add(id: string, key: Uint8Array): void {
    this.#text();
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const file = openSync(this.#path, "a", 0o600);
      try {
        writeSync(file, `${id} ${Buffer.from(key).toString("base64url")}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch (cause) {
      throw this.#fault("write", cause, "make it and its folder writable");
    }
  }

  /** Empty where there is no file. */
  #text(): string {
    try {
      const { mode } = statSync(this.#path);
      if ((mode & 0o077) !== 0 && process.platform !== "win32") {
        throw new SecretError(
          "SECRET_KEY_UNSAFE",
          `Cannot use the key file "${this.#path}": other users may read or change it; run \`chmod 600\` on it and then \`haft secret rotate\``,
        );
      }
      return readFileSync(this.#path, "utf8");
    } catch (cause) {
      if (cause instanceof SecretError) throw cause;
      if (getErrorCode(cause) === "ENOENT") return "";
      throw this.#fault("read", cause, "make it readable for this user");
    }
  }

  #fault(action: string, cause: unknown, remedy: string): SecretError {
    return new SecretError(
      "SECRET_KEY_MISSING",
      `Cannot ${action} the key file "${this.#path}": ${getErrorCode(cause) ?? "it failed"}; ${remedy}`,
      { cause },
    );
  }
}
