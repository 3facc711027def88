import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";

/** An encrypted value. */
export interface Sealed {
  /** Never used twice with one key: 96 random bits. */
  readonly nonce: Uint8Array;
  /** The encryption, followed by its tag of 16 bytes. */
  readonly sealed: Uint8Array;
}

const tagBytes = 16;
export const keyBytes = 32;

/** Encrypts with AES-256-GCM; `place` says what the value is, and has to be the same to open it. */
export function seal(key: Uint8Array, place: string, value: string): Sealed {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { nonce, sealed };
}

/** Undefined where the key, the place or a single bit is not what it was. */
export function unseal(key: Uint8Array, place: string, { nonce, sealed }: Sealed): string | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(sealed.length - tagBytes));
    const value = decipher.update(sealed.subarray(0, sealed.length - tagBytes), undefined, "utf8");
    return value + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

/** What scrypt costs: about 128 × `N` × `r` bytes of memory, and time in proportion. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB, some 0.4 s: what OWASP recommends for passphrases. */
export const scryptCost: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };
/** More than this in a store is not ours, and would take the machine down. */
const maxMemory = 2 ** 29;

/** Undefined where the cost is not one that this program would have written. */
export function deriveKey(
  passphrase: string,
  salt: Uint8Array,
  cost: ScryptCost,
): Promise<Uint8Array | undefined> {
  const { N, r, p } = cost;
  if (128 * N * r > maxMemory || p > 4) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    scrypt(passphrase.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 2 * maxMemory }, (error, key) =>
      resolve(error === null ? key : undefined),
    );
  });
}
