import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import {
  approvalCases,
  artifactCases,
  changeLogCases,
  grantCases,
  indexStoreCases,
  jobCases,
  ledgerCases,
  memoryCases,
  modelUsageCases,
  sessionCases,
  taskCases,
  usageCases,
  vectorCases,
} from "../../testing/index.ts";
import { openStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-contract-"));
afterAll(() => rmSync(folder, { recursive: true }));

let stores = 0;
const places = [
  { place: "in memory", choosePath: () => ":memory:" },
  { place: "in a file", choosePath: () => join(folder, `${stores++}`, "haft.db") },
];

describe.each(places)("the store $place", ({ choosePath }) => {
  test.each(ledgerCases)("ledger: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.ledger);
  });

  test.each(artifactCases)("artifacts: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.artifacts);
  });

  test.each(grantCases)("grants: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.grants);
  });

  test.each(approvalCases)("approvals: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.approvals);
  });

  test.each(changeLogCases)("changes: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.changes);
  });

  test.each(vectorCases)("vectors: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.vectors);
  });

  test.each(usageCases)("toolUsage: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.toolUsage);
  });

  test.each(indexStoreCases)("searchIndex: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.searchIndex);
  });

  test.each(sessionCases)("sessions: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store);
  });

  test.each(modelUsageCases)("usage: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.usage);
  });

  test.each(taskCases)("tasks: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.tasks);
  });

  test.each(jobCases)("jobs: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.jobs);
  });

  test.each(memoryCases)("memory: $name", async ({ run }) => {
    await using store = await openStore({ path: choosePath() });
    await run(store.memory);
  });
});
