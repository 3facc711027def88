import { getErrorCode, shellWord } from "../../base/index.ts";

/** What to do about a store whose file is damaged. */
export function corruptRemedy(path: string): string {
  const mended = shellWord(`${path}.mended`);
  return `stop haft and keep the file; bring a backup back with \`haft restore FILE\`, put a copy of it from before in its place, or save what can be read with \`sqlite3 ${shellWord(path)} .recover | sqlite3 ${mended}\` and put that there`;
}

/** What to do about a ledger with a row that haft did not write so. */
export function ledgerRemedy(path: string): string {
  return `something other than haft wrote to ${path}: keep a copy of the file as it is, see who can write there, and compare it with a copy or an export from before; \`haft audit export\` writes out what it says now, and a new store.path in the configuration begins a new ledger`;
}

/** What to do about a store that can't be opened, beyond what its error says. */
export function openingRemedy(error: unknown): string {
  const code = getErrorCode(error);
  if (code === "STORE_CORRUPT") return "after that, `haft audit --verify` says whether the ledger is whole";
  if (code === "STORE_FULL") return "free some space on that disk, or set store.path in the configuration";
  return "make it writable, or set store.path in the configuration";
}
