import type { Migration } from "../../../db/index.ts";
import { ledger } from "./0001-ledger.ts";
import { resultDigest } from "./0005-result-digest.ts";
import { ledgerBlocks } from "./0018-ledger-blocks.ts";

export const ledgerMigrations: readonly Migration[] = [ledger, resultDigest, ledgerBlocks];
