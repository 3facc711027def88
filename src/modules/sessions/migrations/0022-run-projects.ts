import type { Migration } from "../../../db/index.ts";

/** The folder that a run works in. Only an installation of that folder goes on with it. */
export const runProjects: Migration = {
  version: 22,
  name: "run-projects",
  statements: () => [`alter table "agent_run" add column "project" text`],
};
