import type { Migration } from "../../../db/index.ts";

/** The call whose result shows a message already, and the children of a run. */
export const shownMessages: Migration = {
  version: 29,
  name: "shown-messages",
  statements: (schema) => [
    `alter table "inbox" add column "shown_by" text`,
    schema.createIndex("run_parent").on("agent_run").columns(["scope", "parent_id"]).compile().sql,
  ],
};
