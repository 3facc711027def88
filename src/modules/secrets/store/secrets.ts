import type { SecretSource } from "../../../kernel/index.ts";
import type { SecretError } from "./errors.ts";
import type { SecretKeyKind } from "./secret-keys.ts";

/** What may be known of a secret. */
export interface SecretInfo {
  readonly scope: string;
  readonly name: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** Unix ms; of the last value, not of its encryption. */
  readonly changedAt: number;
}

/** The key that new values are encrypted with. */
export interface SecretKeyInfo {
  /** Counts up from 1. */
  readonly version: number;
  readonly kind: SecretKeyKind;
  /** Unix ms. */
  readonly createdAt: number;
}

/**
 * Values that only those they are given to may see. On disk there is nothing but their encryption (AES-256-GCM, with
 * scope and name bound to it); names, times and lengths are in the clear.
 *
 * All methods reject with {@link SecretError} where the key is missing (SECRET_KEY_MISSING) or another one
 * (SECRET_KEY_WRONG), and where a row was changed or moved (SECRET_TAMPERED).
 */
export interface Secrets extends SecretSource {
  /**
   * Stores or replaces a value. The first one makes the key.
   *
   * @throws {SecretError} SECRET_NAME: 1 to 128 letters, digits, `_`, `.` or `-`, no digit first; SECRET_VALUE: 8 to
   * 65,536 characters; SECRET_FULL: 1,000 are stored already.
   */
  set(scope: string, name: string, value: string): Promise<SecretInfo>;
  /** Lists the secrets by name. Needs no key. */
  list(scope: string): Promise<readonly SecretInfo[]>;
  /** False where there was none. Needs no key. */
  delete(scope: string, name: string): Promise<boolean>;
  /** Shows every value of every scope, for a redactor, and returns what could not be read. */
  reveal(show: (name: string, value: string) => void): Promise<readonly SecretError[]>;
  /** Undefined before the first secret. */
  key(): Promise<SecretKeyInfo | undefined>;
  /** Encrypts everything anew with a new key, all or nothing. The old key is kept where it was: a copy of the store may need it. */
  rotate(): Promise<SecretKeyInfo>;
}
