import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/app/store/index.ts";
import type { LedgerCall } from "../../src/kernel/index.ts";
import type { CallRecord } from "../../src/modules/ledger/index.ts";
import { sampleCall, sampleOutcome } from "../fixtures/store/sample-call.ts";
import { Place } from "./cli-process.ts";

async function record(place: Place, calls: readonly Partial<LedgerCall>[]): Promise<void> {
  await using store = await openStore({ path: join(place.home, "haft.db") });
  for (const [index, call] of calls.entries())
    await store.ledger.end({ ...sampleCall(`c_${index}`), ...call }, sampleOutcome());
}

async function listIds(place: Place, ...args: string[]): Promise<readonly string[]> {
  const { stdout } = await place.run(["audit", "--json", ...args]);
  return (JSON.parse(stdout) as CallRecord[]).map(({ callId }) => callId);
}

test("haft audit shows the calls for its folder, with --all those for every folder, with --client one program's", async () => {
  const place = new Place();
  const codex = { name: "codex", version: "0.9" };
  await record(place, [
    { project: place.folder },
    { project: join(place.folder, "below") },
    { project: undefined },
    { project: place.folder, client: codex },
    { project: "/elsewhere", client: { ...codex, version: "1.0" } },
  ]);
  expect(await listIds(place)).toEqual(["c_3", "c_0"]);
  expect(await listIds(place, "--all")).toEqual(["c_4", "c_3", "c_2", "c_1", "c_0"]);
  expect(await listIds(place, "--client", "codex")).toEqual(["c_3"]);
  expect(await listIds(place, "--all", "--client", "codex")).toEqual(["c_4", "c_3"]);
  const here = await place.run(["audit"]);
  expect(here.stdout).toMatch(/c_3 .*codex .*\n.*c_0 .*a-client /);
  expect(here.stderr).toBe(`Calls for ${place.folder}; --all shows those for every folder\n`);
  const everywhere = await place.run(["audit", "--all"]);
  expect([everywhere.stdout, everywhere.stderr]).toEqual([
    expect.stringMatching(/c_4 .*codex .*\/elsewhere /),
    "",
  ]);
  const none = await place.run(["audit", "--client", "zed"]);
  expect(none.stderr).toContain(`for ${place.folder}; --all looks at every folder's`);
  const { stdout: shown } = await place.run(["audit", "c_4"]);
  expect(shown).toMatch(/client +codex 1\.0\nsession +s_1\nfolder +\/elsewhere\n/);
});

test("haft audit erase erases what a call was given and gave, asks first, and the proof holds", async () => {
  const place = new Place();
  await record(place, [{ project: place.folder, paramsText: '{"pin":"7281"}' }, { project: place.folder }]);
  expect(await place.run(["audit", "erase", "c_0"])).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining("add --yes"),
  });
  expect(await place.run(["audit", "erase", "c_9", "--yes"])).toMatchObject({ exitCode: 3 });
  expect(await place.run(["audit", "erase", "c_0", "--yes"])).toMatchObject({
    exitCode: 0,
    stderr: "Erased c_0; `haft audit --verify` still holds\n",
  });
  const shown = await place.run(["audit", "c_0"]);
  expect(shown.stdout).toMatch(/outcome +completed[\s\S]*arguments +erased, with the result/);
  expect(shown.stdout).not.toContain("7281");
  const verified = await place.run(["audit", "--verify"]);
  expect(verified.stdout).toContain("3 rows, the texts of 1 call erased");
  expect(await listIds(place, "--text", "7281")).toEqual([]);
});

test("haft audit narrows by several tools and outcomes, by code and duration, and stats counts what fits", async () => {
  const place = new Place();
  await using store = await openStore({ path: join(place.home, "haft.db") });
  const outcomes = [
    { durationMs: 10 },
    { durationMs: 2000 },
    { success: false, code: "TOOL_FAILED", durationMs: 30 },
    { success: false, code: "TOOL_CANCELLED", durationMs: 40 },
  ];
  for (const [at, outcome] of outcomes.entries()) {
    const call = {
      ...sampleCall(`c_${at}`),
      project: place.folder,
      toolName: at < 2 ? "read" : `tool_${at}`,
    };
    await store.ledger.end(call, { ...sampleOutcome(), ...outcome });
  }
  expect(await listIds(place, "--tool", "read", "--tool", "tool_3")).toEqual(["c_3", "c_1", "c_0"]);
  expect(await listIds(place, "--outcome", "failed", "--outcome", "cancelled")).toEqual(["c_3", "c_2"]);
  expect(await listIds(place, "--code", "TOOL_FAILED")).toEqual(["c_2"]);
  expect(await listIds(place, "--min-ms", "40")).toEqual(["c_3", "c_1"]);
  const exported = await place.run(["audit", "export", "--tool", "read", "--min-ms", "11"]);
  expect(exported.stdout.trim().split("\n")).toEqual([expect.stringContaining('"callId":"c_1"')]);
  const stats = JSON.parse((await place.run(["audit", "stats", "--json"])).stdout) as unknown;
  expect(stats).toEqual({
    by: "tool",
    rows: [
      expect.objectContaining({ value: "read", calls: 2, failed: 0, p50Ms: 10, p99Ms: 2000 }),
      expect.objectContaining({ value: "tool_3", calls: 1, stopped: 1 }),
      expect.objectContaining({ value: "tool_2", calls: 1, failed: 1 }),
    ],
  });
  const byDay = await place.run(["audit", "stats", "--by", "day", "--outcome", "completed"]);
  expect(byDay.stdout).toMatch(/^Day \(UTC\) .*Calls.*\n\d{4}-\d\d-\d\d .* 2 +0 +0 +10 +2,000 +2,000\n$/);
  const none = await place.run(["audit", "stats", "--tool", "none"]);
  expect(none.stderr).toContain("No calls are written down that fit");
});

test("haft audit --verify goes on from the last check, --all and rebuild begin anew", async () => {
  const place = new Place();
  await record(place, [{ project: place.folder }, { project: place.folder }]);
  const first = await place.run(["audit", "--verify"]);
  expect(first.stdout).toMatch(/^The ledger is whole: 2 rows\nIts end, for a later --anchor: 2:/);
  const second = await place.run(["audit", "--verify"]);
  expect(second.stdout).toMatch(
    /2 rows\nThe rows up to 2 were checked at .*; --verify --all checks them again\n/,
  );
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(join(place.home, "haft.db"));
  db.exec("drop trigger ledger_no_update; update ledger set summary = 'nothing happened' where seq = 1");
  db.close();
  expect((await place.run(["audit", "--verify"])).exitCode).toBe(0);
  const all = await place.run(["audit", "--verify", "--all"]);
  expect([all.exitCode, all.stdout]).toEqual([1, expect.stringContaining("broken at row 1")]);
  expect((await place.run(["audit", "rebuild"])).stderr).toBe("The index of calls was made anew\n");
  expect(await listIds(place)).toEqual(["c_1", "c_0"]);
});
