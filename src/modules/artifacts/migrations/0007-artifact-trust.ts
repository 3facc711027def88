import type { Migration } from "../../../db/index.ts";

/** Whether somebody outside could have written an artifact. Of older ones that is not known; nothing was asked of them. */
export const artifactTrust: Migration = {
  version: 7,
  name: "artifact-trust",
  statements: () => [`alter table "artifact" add column "trust" text not null default 'trusted'`],
};
