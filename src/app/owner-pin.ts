import { createHmac, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type Clock,
  getErrorCode,
  getErrorMessage,
  isRecord,
  parseJson,
  systemClock,
} from "../base/index.ts";
import { ConfigError, PinError } from "./errors.ts";
import { type Home, readIfThere } from "./home.ts";

/** Minimum length; a shorter PIN is guessed too quickly. */
const fewestChars = 4;
const mostChars = 200;
/** Wrong entries without a delay; each further one doubles the wait, from five seconds to fifteen minutes. */
const freeFailures = 3;
const firstWaitMs = 5000;
const longestWaitMs = 900_000;
/** scrypt parameters: about 0.1 s of one core and 32 MB. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 };
const keyBytes = 32;

/** How long this process remembers the last correct entry, so that a console can poll without the slow hash. */
const rememberedMs = 300_000;

interface StoredPin {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/**
 * Optional PIN that the owner types before each approval and each change of policy. It is stored as a slow hash in
 * haft's home, together with the count of wrong entries, which a restart does not reset.
 */
export class OwnerPin {
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #quickKey = randomBytes(32);
  #last: { readonly entry: Buffer; readonly hash: Buffer; readonly until: number } | undefined;

  constructor(home: Home, clock: Clock = systemClock) {
    this.#home = home;
    this.#clock = clock;
  }

  get file(): string {
    return join(this.#home.folder, "owner-pin.json");
  }

  /** Whether a PIN is required; an unreadable PIN file counts as a PIN that no entry matches. */
  get isSet(): boolean {
    return this.#home.read("owner-pin.json") !== undefined;
  }

  /** @throws {PinError} PIN_UNFIT */
  async set(pin: string): Promise<void> {
    if (pin.length < fewestChars || pin.length > mostChars) {
      throw new PinError(
        "PIN_UNFIT",
        `Cannot take that as PIN: it has ${pin.length} characters; choose one of ${fewestChars} to ${mostChars}`,
      );
    }
    const salt = randomBytes(16);
    const hash = await hashPin(pin, salt);
    const kept = { version: 1, salt: salt.toString("base64"), hash: hash.toString("base64") };
    this.#home.write("owner-pin.json", `${JSON.stringify(kept, undefined, 2)}\n`);
    this.#forgetFailures();
  }

  remove(): void {
    rmSync(this.file, { force: true });
    this.#forgetFailures();
  }

  /**
   * Resolves if `pin` is correct, or if no PIN is set.
   *
   * @throws {PinError} PIN_REQUIRED where none is given, PIN_WRONG, PIN_LOCKED after wrong ones
   */
  async check(pin: string | undefined): Promise<void> {
    if (!this.isSet) return;
    if (pin === undefined || pin === "")
      throw new PinError(
        "PIN_REQUIRED",
        "Cannot go on without the PIN: this installation asks for it; give it",
      );
    const kept = this.#stored();
    const entry = createHmac("sha256", this.#quickKey).update(pin).digest();
    if (kept !== undefined && this.#isLast(entry, kept)) return;
    this.#countAttempt();
    if (kept === undefined || !timingSafeEqual(await hashPin(pin, kept.salt), kept.hash))
      throw new PinError("PIN_WRONG", "Cannot go on: that is not the PIN; try again");
    this.#forgetFailures();
    this.#last = { entry, hash: kept.hash, until: this.#clock.now() + rememberedMs };
  }

  /** Whether the entry equals the last correct one and the PIN has not been changed since. */
  #isLast(entry: Buffer, { hash }: StoredPin): boolean {
    const last = this.#last;
    if (last === undefined || this.#clock.now() >= last.until) return false;
    return timingSafeEqual(last.entry, entry) && timingSafeEqual(last.hash, hash);
  }

  /** Counts an entry before it is verified, so that parallel attempts and killed processes are counted too. */
  #countAttempt(): void {
    const before = this.#attempts();
    const now = this.#clock.now();
    const waitMs = waitAfter(before.length) - (now - (before.at(-1) ?? 0));
    if (waitMs > 0) throw locked(waitMs);
    this.#append(`${now}\n`);
    if (this.#attempts().length > before.length + 1) throw locked(firstWaitMs);
  }

  /** Unix ms of each wrong entry since the last correct one, and of entries still being verified. */
  #attempts(): readonly number[] {
    return (this.#home.read("owner-pin.failures") ?? "").split("\n").filter(Boolean).map(Number);
  }

  #append(line: string): void {
    const file = join(this.#home.folder, "owner-pin.failures");
    try {
      appendFileSync(file, line, { mode: 0o600 });
    } catch (cause) {
      throw new ConfigError(
        "HOME_UNUSABLE",
        `Cannot write "${file}": ${getErrorCode(cause) ?? getErrorMessage(cause)}; make the folder writable`,
        { cause },
      );
    }
  }

  #forgetFailures(): void {
    rmSync(join(this.#home.folder, "owner-pin.failures"), { force: true });
  }

  #stored(): StoredPin | undefined {
    const kept = parseJson(readIfThere(this.file) ?? "");
    if (!isRecord(kept) || typeof kept["salt"] !== "string" || typeof kept["hash"] !== "string")
      return undefined;
    const hash = Buffer.from(kept["hash"], "base64");
    return hash.length === keyBytes ? { salt: Buffer.from(kept["salt"], "base64"), hash } : undefined;
  }
}

function waitAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - freeFailures));
}

function locked(waitMs: number): PinError {
  const seconds = Math.ceil(waitMs / 1000);
  return new PinError("PIN_LOCKED", `Cannot check the PIN now: wrong ones came before; wait ${seconds} s`);
}

function hashPin(pin: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(pin.normalize("NFC"), salt, keyBytes, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
