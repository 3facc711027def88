import type { SecretKeyKind } from "./secret-keys.ts";

/** The tables of secrets, as queries see them. Times are Unix ms. */
export interface Tables {
  readonly secret_key: SecretKeyRow;
  readonly secret: SecretRow;
}

/** A key by its proof: `sealed` opens with the right one only. */
export interface SecretKeyRow {
  readonly version: number;
  readonly id: string;
  readonly kind: SecretKeyKind;
  /** The salt of a passphrase. */
  readonly salt: Uint8Array | null;
  /** The parameters of scrypt for a passphrase, as JSON. */
  readonly cost: string | null;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly created_at: number;
  readonly retired_at: number | null;
}

export interface SecretRow {
  readonly scope: string;
  readonly name: string;
  readonly key_id: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly created_at: number;
  readonly changed_at: number;
}
