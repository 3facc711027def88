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
