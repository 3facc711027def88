import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import { openStore } from "../store/index.ts";
import { indexSuffixes } from "./index-path.ts";
import { RecordReader } from "./record-reader.ts";

const program = new URL("../../../test/fixtures/store/fill-index.ts", import.meta.url).pathname;

/** Fills the index in a process of its own, which dies at one of its changes. Resolves with what it printed. */
function fill(path: string, dyingRun: number): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--conditions=haft-source", program, path, String(dyingRun)], (_, stdout) =>
      resolve(stdout),
    );
  });
}

test("a process that is killed while it fills the index leaves one that others go on from", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-reader-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await using store = await openStore({ path: join(folder, "haft.db") });
  const calls = Array.from({ length: 9000 }, (_, at) => ({
    ...sampleCall(`c_${at}`),
    paramsText: `{"mark":"needle-${at}x"}`,
  }));
  await Promise.all(calls.map((call) => store.ledger.end(call, sampleOutcome())));
  const changes = Number(await fill(store.path, 0));
  expect(changes).toBeGreaterThan(1000);
  for (const part of [0.001, 0.2, 0.45, 0.7, 0.999]) {
    for (const end of indexSuffixes) rmSync(`${store.path}${end}`, { force: true });
    expect(await fill(store.path, Math.ceil(changes * part))).toBe("");
    const reader = await RecordReader.open(store.path);
    for (const text of ["needle-7x", "needle-8999x", "needle-4096x"])
      expect((await reader.listCalls({ text })).rows).toEqual(await store.ledger.list({ text }));
    expect(await reader.countCalls({}, "tool")).toMatchObject([{ calls: 9000 }]);
    await reader.close();
  }
});
