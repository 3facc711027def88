import type { Migration } from "../../../db/index.ts";

/** The script or chain that a change was made for: undoing it undoes the changes of its calls. */
export const outerCalls: Migration = {
  version: 15,
  name: "outer-calls",
  statements: () => [
    `alter table "file_change" add column "outer_call_id" text`,
    `create index "file_change_outer" on "file_change" ("scope", "outer_call_id") where "outer_call_id" is not null`,
  ],
};
