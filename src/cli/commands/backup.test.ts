import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { runCommand } from "../../../test/support/command-line.ts";
import { Installation } from "../../../test/support/installation.ts";
import { writeBackup } from "../../app/index.ts";
import { openStore } from "../../app/store/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { describeTargets } from "./restore.ts";

const appendCalls = fileURLToPath(new URL("../../../test/fixtures/store/append-calls.ts", import.meta.url));

let place: Installation;
let file: string;
let haft: (...args: string[]) => Promise<{ code: number; out: string; err: string }>;
const database = () => join(place.home.folder, "haft.db");

beforeEach(async () => {
  place = new Installation();
  file = join(place.root, "backup.tar");
  place.home.write("config.yml", "mode: ask\n");
  place.home.write("memory-note.md", "a note");
  haft = async (...args) => {
    const { exitCode: code, stdout: out, stderr: err } = await runCommand(args, { place });
    return { code, out, err };
  };
  await using store = await openStore({ path: database() });
  for (const data of ["in a row", "y".repeat(400_000)])
    await store.artifacts.put({ scope: "local", callId: "c", kind: "output", mimeType: "text/plain", data });
});

/** Every file of haft's own folder that a backup has, with its digest. */
function homeNow(): Record<string, string> {
  const names = readdirSync(place.home.folder, { recursive: true, encoding: "utf8" });
  const kept = names.filter((name) => !/haft\.db|sandbox-proof/.test(name));
  const isFile = (name: string) => statSync(join(place.home.folder, name)).isFile();
  const hash = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(place.home.folder, name)))
      .digest("hex");
  return Object.fromEntries(kept.filter(isFile).map((name) => [name, hash(name)]));
}

const besideHome = () => readdirSync(place.root).filter((name) => !["home", "project"].includes(name));

test("a backup that names a place of its own for the store is not restored there unseen", async () => {
  const elsewhere = join(place.root, "elsewhere", "haft.db");
  place.home.write("config.yml", `store: { path: ${elsewhere} }\n`);
  await haft("audit");
  expect(await haft("backup", file)).toMatchObject({ code: exitCodes.ok });
  rmSync(elsewhere);
  const refused = await haft("restore", "--yes", file);
  expect(refused).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining(elsewhere) });
  expect(existsSync(elsewhere)).toBe(false);
});

test("a backup made while other programs write is whole, and brings everything back", async () => {
  const writers = ["a", "b"].map((prefix) =>
    promisify(execFile)(process.execPath, [appendCalls, database(), prefix, "400"]),
  );
  const made = await haft("backup", file, "--json");
  expect(made).toMatchObject({ code: exitCodes.ok });
  for (const writer of writers) expect((await writer).stdout).toBe("done\n");
  const facts = JSON.parse(made.out) as { bytes: number; ledger: { seq: number } };
  expect(facts.bytes).toBe(statSync(file).size);
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(besideHome()).toEqual(["backup.tar"]);

  const before = homeNow();
  rmSync(place.home.folder, { recursive: true });
  expect(await haft("restore", file, "--yes")).toMatchObject({ code: exitCodes.ok });
  expect(homeNow()).toEqual(before);
  await using store = await openStore({ path: database() });
  expect(await store.check()).toEqual([]);
  const chain = await store.ledger.verify();
  expect(chain.valid && chain.rows).toBeGreaterThanOrEqual(facts.ledger.seq);
  const found = new Set(readdirSync(`${database()}-artifacts`));
  expect(found.size).toBe(1);
  expect(besideHome()).toEqual(["backup.tar"]);
});

test("what a restore replaces is kept beside it, and --check replaces nothing", async () => {
  await haft("backup", file);
  place.home.write("memory-note.md", "another note");
  const checked = await haft("restore", "--check", file);
  expect(checked.out).toMatch(/haft 1\.2\.3: \d+ files, .*: it is whole; nothing was replaced/);
  expect(place.home.read("memory-note.md")).toBe("another note");
  const restored = await haft("restore", "--yes", "--json", file);
  const { aside } = JSON.parse(restored.out) as { aside: { from: string; to: string }[] };
  expect(place.home.read("memory-note.md")).toBe("a note");
  expect(readFileSync(join(aside[0]?.to ?? "", "memory-note.md"), "utf8")).toBe("another note");
});

test("a person is told where a backup goes, and whether anything is there", () => {
  const home = place.home.folder;
  expect(describeTargets(home, undefined)).toBe(`It goes to ${home}; what is there now is kept beside it.`);
  expect(describeTargets(home, "/nowhere/haft.db")).toContain("its store to /nowhere/haft.db; what is there");
  expect(describeTargets(join(place.root, "new"), undefined)).toContain("where nothing is yet");
});

test("nothing is replaced without a yes, nor while another connection has the store open", async () => {
  await haft("backup", file);
  place.home.write("memory-note.md", "another note");
  expect(await haft("restore", file)).toMatchObject({ code: exitCodes.refused });
  await using _store = await openStore({ path: database() });
  const refused = await haft("restore", "--yes", file);
  expect(refused.code).toBe(exitCodes.busy);
  expect(refused.err).toContain(`another haft works with "${database()}"`);
  expect(place.home.read("memory-note.md")).toBe("another note");
  expect(besideHome()).toEqual(["backup.tar"]);
});

test.for([
  { name: "a changed byte in it", spoil: () => writeSync(openSync(file, "r+"), "#", 600_000) },
  { name: "its end missing", spoil: () => truncateSync(file, statSync(file).size - 4096) },
  { name: "none of its bytes", spoil: () => rmSync(file) },
])("a backup with $name is refused, and nothing is replaced", async ({ spoil }) => {
  await haft("backup", file);
  spoil();
  const refused = await haft("restore", "--yes", file);
  expect(refused.code).toBe(exitCodes.usage);
  expect(refused.err).toContain("[BACKUP_DAMAGED]");
  expect(place.home.read("memory-note.md")).toBe("a note");
  expect(besideHome().filter((name) => name !== "backup.tar")).toEqual([]);
});

test("a file that is there is left as it is, and a store with a lost artifact is not backed up in silence", async () => {
  appendFileSync(file, "mine");
  expect((await haft("backup", file)).err).toContain("[CLI_FILE_EXISTS]");
  expect(readFileSync(file, "utf8")).toBe("mine");
  rmSync(file);
  rmSync(`${database()}-artifacts`, { recursive: true });
  expect((await haft("backup", file)).err).toContain("[BACKUP_FAILED]");
  expect(existsSync(file)).toBe(false);
  expect(besideHome()).toEqual([]);
});

test("a backup that is given up leaves nothing behind", async () => {
  const given = new AbortController();
  const writing = writeBackup({
    home: place.home.folder,
    store: database(),
    version: "1",
    now: 0,
    signal: given.signal,
    scratch: place.root,
    write: async () => given.abort(new Error("Ctrl-C")),
  });
  await expect(writing).rejects.toThrow("Ctrl-C");
  expect(besideHome()).toEqual([]);
});

test("an agent in its shell neither reads the tokens out by a backup nor brings another configuration", async () => {
  await haft("backup", file);
  vi.stubEnv("CLAUDECODE", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await haft("backup", `${file}2`)).toMatchObject({ code: exitCodes.refused });
  expect(await haft("restore", "--yes", file)).toMatchObject({ code: exitCodes.refused });
  expect(await haft("restore", "--check", file)).toMatchObject({ code: exitCodes.ok });
  expect(besideHome()).toEqual(["backup.tar"]);
});
