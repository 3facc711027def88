import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { countFileCalls } from "../../../../test/support/count-file-calls.ts";
import { FileBench } from "../../../../test/support/files.ts";
import { needs } from "../../../../test/support/needs.ts";
import { SteadyFolders } from "./steady-folders.ts";

// In a folder of its own that nothing else changes meanwhile, as the folder for temporary files is.
const base = mkdtempSync(join(process.cwd(), "node_modules/.steady-"));
afterAll(() => rmSync(base, { recursive: true }));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // Folders that a test has just made are old by then.
  vi.setSystemTime(Date.now() + 60_000);
});
afterEach(() => vi.useRealTimers());

let count = 0;

function makeFolders(): { readonly middle: string; readonly leaf: string } {
  const middle = join(base, String(++count), "middle");
  const leaf = join(middle, "leaf");
  mkdirSync(leaf, { recursive: true });
  return { middle, leaf };
}

/** Does it until the system's clock gives the folder another time. */
function untilDated(path: string, action: () => void): void {
  const { ctimeMs } = lstatSync(path);
  do action();
  while (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs === ctimeMs);
}

describe("SteadyFolders", needs("linux", process.platform === "linux"), () => {
  test("finds a folder steady that nobody touched", () => {
    const { leaf } = makeFolders();
    const folders = new SteadyFolders();
    expect([folders.see(leaf), folders.wasSteady(leaf)]).toEqual([true, true]);
  });

  test("trusts no folder that was changed in the last second", () => {
    const { leaf } = makeFolders();
    const changedAt = Math.ceil(lstatSync(leaf).ctimeMs);
    const seen = [999, 1001].map((ms) => {
      vi.setSystemTime(changedAt + ms);
      return new SteadyFolders().see(leaf);
    });
    expect(seen).toEqual([false, true]);
  });

  test("trusts no path over a link, nor to what is no folder", () => {
    const { middle } = makeFolders();
    symlinkSync(middle, `${middle}-link`);
    const folders = new SteadyFolders();
    expect([folders.see(join(`${middle}-link`, "leaf")), folders.see(join(middle, "none"))]).toEqual([
      false,
      false,
    ]);
  });

  test("does not find a folder steady that a link stood in for, though it is back", () => {
    for (const place of ["leaf", "middle"] as const) {
      const made = makeFolders();
      const folders = new SteadyFolders();
      expect(folders.see(made.leaf)).toBe(true);
      untilDated(made[place], () => {
        renameSync(made[place], `${made[place]}-away`);
        symlinkSync(tmpdir(), made[place]);
        rmSync(made[place]);
        renameSync(`${made[place]}-away`, made[place]);
      });
      expect([place, folders.wasSteady(made.leaf)]).toEqual([place, false]);
    }
  });

  test("does not find a folder steady that was made anew", () => {
    const { leaf } = makeFolders();
    const folders = new SteadyFolders();
    expect(folders.see(leaf)).toBe(true);
    untilDated(leaf, () => {
      rmdirSync(leaf);
      mkdirSync(leaf);
    });
    expect(folders.wasSteady(leaf)).toBe(false);
  });

  test("lets a search look at each file once, and at each folder twice", async () => {
    using bench = new FileBench({ in: base });
    for (let at = 0; at < 60; at++) {
      mkdirSync(bench.path(`d${at % 6}`), { recursive: true });
      writeFileSync(bench.path(`d${at % 6}`, `file${at}.ts`), "");
    }
    const options = { pattern: "**/*.ts", limit: 10, gitignore: true, maxMs: 10_000 };
    const find = async () => {
      expect((await bench.workspace.find(".", bench.access(), options)).total).toBe(60);
    };
    let fewest = { files: Infinity, folders: Infinity };
    // What somebody else changes in a folder above costs more looks; nobody does so all the time.
    for (let tries = 0; tries < 10 && fewest.files > 60; tries++) {
      const looks = ((await countFileCalls(find)).get("lstatSync") ?? []).map(String);
      const files = looks.filter((path) => path.endsWith(".ts"));
      const folders = looks.filter((path) => /\/d\d$/.test(path));
      fewest = { files: files.length, folders: folders.length };
    }
    expect(fewest).toEqual({ files: 60, folders: 12 });
  });
});
