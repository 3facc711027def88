import type { Migration } from "../../../db/index.ts";

/** What a call gave its model, as a digest, so that a later run can be held against it. Older rows have none. */
export const resultDigest: Migration = {
  version: 5,
  name: "result-digest",
  statements: () => [`alter table "ledger" add column "result_digest" text`],
};
