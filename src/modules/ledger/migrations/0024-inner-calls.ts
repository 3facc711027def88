import type { Migration } from "../../../db/index.ts";

/** The call that made another, and the outermost one. Older rows have neither; a note of their end names the first. */
export const innerCalls: Migration = {
  version: 24,
  name: "inner-calls",
  statements: () => [
    `alter table "ledger" add column "parent_call_id" text`,
    `alter table "ledger" add column "root_call_id" text`,
  ],
};
