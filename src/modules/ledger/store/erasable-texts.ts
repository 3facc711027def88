import { randomBytes, hash as sha256 } from "node:crypto";
import type { LedgerRow } from "./tables.ts";

/**
 * The texts of a row: arguments and result. Its hash covers a salted digest of them, so they can be erased and the
 * chain still verifies. Once the salt is erased, too, no text can be found by guessing.
 */
export const erasableColumns: readonly (keyof ErasableTexts)[] = [
  "params_digest",
  "params_text",
  "summary",
  "notes",
  "result_digest",
];

export type ErasableTexts = Pick<
  LedgerRow,
  "params_digest" | "params_text" | "summary" | "notes" | "result_digest"
>;

/** The salt and the digest of a row's texts; both null for a row that has none. */
export interface TextsSeal {
  readonly salt: string | null;
  readonly hash: string | null;
}

const noTexts: TextsSeal = { salt: null, hash: null };
const saltBytes = 16;

export function sealTexts(texts: ErasableTexts): TextsSeal {
  if (haveNone(texts)) return noTexts;
  const salt = randomBytes(saltBytes).toString("base64url");
  return { salt, hash: hashTexts(salt, texts) };
}

/** Whether the texts of a row are unchanged or were erased. */
export function fitSeal(row: LedgerRow): boolean {
  // In rows from before version 25 the hash covers the texts themselves.
  if (row.texts_hash === null) return row.texts_salt === null;
  if (row.texts_salt === null) return haveNone(row);
  return hashTexts(row.texts_salt, row) === row.texts_hash;
}

/** Whether the texts of a row were erased. */
export function isErased({ texts_hash, texts_salt }: Pick<LedgerRow, "texts_hash" | "texts_salt">): boolean {
  return texts_hash !== null && texts_salt === null;
}

function haveNone(texts: ErasableTexts): boolean {
  return erasableColumns.every((column) => texts[column] === null);
}

function hashTexts(salt: string, texts: ErasableTexts): string {
  const { params_digest, params_text, summary, notes, result_digest } = texts;
  return sha256("sha256", JSON.stringify([salt, params_digest, params_text, summary, notes, result_digest]));
}
