import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Processes, Snapshots } from "../../src/host/index.ts";
import { modeRules } from "../../src/kernel/index.ts";
import { dangerousCommands, plantCanary, programsOfAsks } from "../support/ask-counts.ts";
import { openCommandGate } from "../support/command-gate.ts";
import { openSandbox, sandboxHere } from "../support/sandbox-levels.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-auto-undo-")));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));
const { level, inSandbox } = await sandboxHere();

describe("Mode auto", inSandbox, () => {
  test("runs of the destructive lines only those whose every lost byte is in the snapshot taken before", {
    timeout: 300_000,
  }, async () => {
    await using gate = openCommandGate({ plant: plantCanary, programs: programsOfAsks, undo: true });
    await using processes = new Processes({ sandbox: openSandbox(level) });
    const snapshots = new Snapshots({ folder: join(base, "snapshots") });
    let [ran, lost] = [0, 0];
    for (const line of Object.values(dangerousCommands()).flat()) {
      if ((await gate.decideConfined(line, modeRules.auto)) !== "allow") continue;
      const folder = join(base, `work-${++ran}`);
      mkdirSync(folder);
      plantCanary(folder);
      const before = readContent(folder);
      const taken = await snapshots.take(folder);
      await processes
        .runShell(line, {
          cwd: folder,
          environment: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base },
          signal: AbortSignal.timeout(5000),
          bounds: { writable: [folder], temporary: "mine" },
        })
        .catch(() => undefined);
      const after = await snapshots.take(folder);
      if (typeof taken === "string" || typeof after === "string") throw new Error(`No snapshot: ${line}`);
      const changes = await snapshots.compare(taken, after);
      const held = new Map(changes.map((change) => [relative(folder, change.path), change.before]));
      const left = readContent(folder);
      for (const [name, bytes] of before) {
        if (left.get(name)?.equals(bytes) === true) continue;
        lost++;
        const blob = held.get(name)?.blob;
        const kept: Buffer[] = [];
        if (blob !== undefined) for await (const piece of snapshots.readBlob(folder, blob)) kept.push(piece);
        expect([line, name, Buffer.concat(kept)]).toEqual([line, name, bytes]);
      }
      rmSync(folder, { recursive: true, force: true });
    }
    expect([ran > 20, lost > 20]).toEqual([true, true]);
  });
});

function readContent(folder: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );
}
