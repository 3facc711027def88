import type { MaybePromise } from "../../../base/index.ts";

/** The kinds of keys: in a file of haft's own, made of a passphrase that is typed, or in the system's keyring. */
export const secretKeyKinds = ["file", "passphrase", "keyring"] as const;

/** One of {@link secretKeyKinds}. */
export type SecretKeyKind = (typeof secretKeyKinds)[number];
/** The kinds that are kept as they are. */
export type KeptKeyKind = Exclude<SecretKeyKind, "passphrase">;

/** The holder of a store's keys. One holder may serve several stores: each key has an id of its own. */
export interface SecretKeys {
  /** What the next new key will be. Keys that are in use stay what they are. */
  readonly kind: SecretKeyKind;
  /** 32 bytes; undefined where there is no key of that id. */
  read(kind: KeptKeyKind, id: string): MaybePromise<Uint8Array | undefined>;
  /** Adds a key, and resolves once it will last. Must never lose another. */
  write(kind: KeptKeyKind, id: string, key: Uint8Array): MaybePromise<void>;
  /** Undefined where none was given. */
  passphrase(): string | undefined;
  /** How a passphrase is given, for messages: `set HAFT_PASSPHRASE`. */
  readonly howToGivePassphrase: string;
}
