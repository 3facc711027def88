import type { Migration } from "../../../db/index.ts";
import { ledger } from "./0001-ledger.ts";
import { resultDigest } from "./0005-result-digest.ts";
import { ledgerBlocks } from "./0018-ledger-blocks.ts";
import { callOutcomes } from "./0021-call-outcomes.ts";
import { labels } from "./0023-labels.ts";
import { innerCalls } from "./0024-inner-calls.ts";
import { erasableTexts } from "./0025-erasable-texts.ts";

export const ledgerMigrations: readonly Migration[] = [
  ledger,
  resultDigest,
  ledgerBlocks,
  callOutcomes,
  labels,
  innerCalls,
  erasableTexts,
];
