import type { Migration } from "../../../db/index.ts";

/** The user whose calls a remembered answer is for. Older ones are for calls of no user. */
export const grantUsers: Migration = {
  version: 16,
  name: "grant-users",
  statements: () => [`alter table "tool_grant" add column "user_id" text`],
};
