import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/app/store/index.ts";
import { sampleCall, sampleOutcome } from "../fixtures/store/sample-call.ts";
import { finish, Place } from "./cli-process.ts";

/** Fills the ledger of a place with calls for its folder that are done. */
async function recordCalls(place: Place, count: number): Promise<void> {
  const project = place.folder;
  await using store = await openStore({ path: join(place.home, "haft.db") });
  for (let first = 0; first < count; first += 1000) {
    const ids = Array.from({ length: Math.min(1000, count - first) }, (_, index) => `c_${first + index}`);
    await Promise.all(
      ids.map((callId) => store.ledger.end({ ...sampleCall(callId), project }, sampleOutcome())),
    );
  }
}

function listLines(text: string): { readonly callId: string; readonly toolName: string }[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { callId: string; toolName: string });
}

test("haft audit export writes every call that fits, oldest first, to standard output or a new file", async () => {
  const place = new Place();
  await recordCalls(place, 1500);
  await place.run(["call", "json_parse", "--arg", "text=1", "--task", "t_1"]);
  const all = await place.run(["audit", "export"]);
  expect([all.exitCode, all.stderr]).toEqual([
    0,
    `1501 calls for ${place.folder}, all that fit; --all writes those for every folder\n`,
  ]);
  expect(
    listLines(all.stdout)
      .map(({ callId }) => callId)
      .slice(0, 1500),
  ).toEqual(Array.from({ length: 1500 }, (_, index) => `c_${index}`));
  const ofTask = await place.run(["audit", "export", "--task", "t_1"]);
  expect(listLines(ofTask.stdout)).toMatchObject([{ toolName: "json_parse" }]);
  const file = join(place.folder, "calls.jsonl");
  expect(await place.run(["audit", "export", "--output", "calls.jsonl"])).toEqual({
    exitCode: 0,
    stdout: `1501 calls for ${place.folder} are in ${file}; --all writes those for every folder\n`,
    stderr: "",
  });
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([all.stdout, 0o600]);
  expect(await place.run(["audit", "export", "--output", file])).toMatchObject({ exitCode: 2 });
  expect(readFileSync(file, "utf8")).toBe(all.stdout);
});

test("haft audit export --format otlp writes lines of OpenTelemetry traces", async () => {
  const place = new Place();
  await recordCalls(place, 3);
  const { stdout } = await place.run(["audit", "export", "--format", "otlp"]);
  const [line] = stdout.trimEnd().split("\n");
  const traces = JSON.parse(line ?? "") as {
    resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[];
  };
  expect(traces.resourceSpans[0]?.scopeSpans[0]?.spans.map(({ name }) => name)).toEqual(
    Array.from({ length: 3 }, () => "execute_tool write_file"),
  );
});

test("haft audit export leaves with a fault where its reader goes before the end", async () => {
  const place = new Place();
  await recordCalls(place, 3000);
  const child = place.start(["audit", "export"]);
  child.stdout?.once("data", () => child.stdout?.destroy());
  const { exitCode, stderr } = await finish(child);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("[CLI_FILE]")]);
});

test("haft audit export leaves with a fault where what it writes to is full or can't be written, and leaves nothing", async ({
  skip,
}) => {
  const place = new Place();
  await recordCalls(place, 3);
  const nowhere = await place.run(["audit", "export", "--output", "missing/calls.jsonl"]);
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringContaining("ENOENT")]);
  mkdirSync(join(place.folder, "folder"));
  expect(await place.run(["audit", "export", "--output", "folder"])).toMatchObject({ exitCode: 1 });
  expect(readdirSync(place.folder)).toEqual(["folder"]);
  skip(!existsSync("/dev/full"), "there is no disk here that is always full");
  const full = await place.run(["audit", "export", "--output", "/dev/full"]);
  expect([full.exitCode, full.stderr]).toEqual([1, expect.stringContaining("ENOSPC")]);
});

test("haft audit export stops at Ctrl-C and leaves no part of the file", async () => {
  const place = new Place();
  await recordCalls(place, 30_000);
  const part = join(place.folder, "calls.jsonl.part");
  const interrupt = async () => {
    const child = place.start(["audit", "export", "--format", "otlp", "--output", "calls.jsonl"]);
    const ended = finish(child);
    while (child.exitCode === null && !(statSync(part, { throwIfNoEntry: false })?.size ?? 0))
      await new Promise((later) => void setTimeout(later, 2));
    child.kill("SIGINT");
    return (await ended).exitCode;
  };
  let exitCode = await interrupt();
  // On a busy machine an export may be over before anybody looks: the next one is interrupted.
  for (; exitCode === 0; exitCode = await interrupt()) rmSync(join(place.folder, "calls.jsonl"));
  expect([exitCode, readdirSync(place.folder)]).toEqual([130, []]);
});

test("haft replay leaves with 0 where nothing has changed, with 1 at a difference and with 3 for what never was", async () => {
  const place = new Place();
  const file = join(place.folder, "notes.txt");
  writeFileSync(file, "hello\n");
  await place.run(["call", "read", "--arg", "path=notes.txt", "--task", "t_1"]);
  await place.run(["call", "write", "--arg", "path=other.txt", "--arg", "content=x", "--task", "t_1"]);
  rmSync(join(place.folder, "other.txt"));
  const same = await place.run(["replay", "t_1"]);
  expect([same.exitCode, same.stderr]).toEqual([0, ""]);
  expect(same.stdout).toMatch(
    /^same {7}c_\S+ {2}read {2}it gives the same result\nstands {5}c_\S+ {2}write {2}.*not run again\n2 calls: 1 same, 1 stands\n$/,
  );
  expect(existsSync(join(place.folder, "other.txt"))).toBe(false);
  writeFileSync(file, "hallo\n");
  const changed = await place.run(["replay", "t_1", "--json"]);
  expect([changed.exitCode, JSON.parse(changed.stdout)]).toMatchObject([
    1,
    {
      id: "t_1",
      same: false,
      complete: false,
      calls: [{ outcome: "different", what: "result", recorded: "hello\n", now: "hallo\n", at: 1 }],
    },
  ]);
  const all = await place.run(["replay", "t_1", "--all"]);
  expect([all.exitCode, all.stdout]).toEqual([
    1,
    expect.stringContaining("2 calls: 1 stands, 1 different\n"),
  ]);
  expect(await place.run(["replay", "t_2"])).toMatchObject({ exitCode: 3 });
  const { stdout } = await place.run(["audit", "--task", "replay:t_1", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([
    { toolName: "read" },
    { toolName: "read" },
    { toolName: "read" },
  ]);
});

test("haft audit --verify and haft doctor say what to do about a broken ledger and a damaged file", async () => {
  const place = new Place();
  await recordCalls(place, 3);
  const path = join(place.home, "haft.db");
  const { DatabaseSync } = await import("node:sqlite");
  const db = new DatabaseSync(path);
  db.exec("drop trigger ledger_no_update; update ledger set summary = 'nothing happened' where seq = 2");
  const { rootpage } = db.prepare("select rootpage from sqlite_schema where name = 'tool_grant'").get() as {
    rootpage: number;
  };
  db.close();
  const verified = await place.run(["audit", "--verify"]);
  expect([verified.exitCode, verified.stdout]).toEqual([
    1,
    expect.stringMatching(
      /^The ledger is broken at row 2 \(edited\)[^]*→ something other than haft wrote to .*haft\.db: keep a copy/,
    ),
  ]);
  expect((await place.run(["doctor"])).stdout.replaceAll(/\s+/g, " ")).toContain(
    "keep a copy of the file as it is",
  );
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xaa, (rootpage - 1) * 4096, rootpage * 4096));
  const doctor = (await place.run(["doctor"])).stdout.replaceAll(/\s+/g, " ");
  expect(doctor).toContain("stop haft and keep the file");
  expect(doctor).toContain(".recover | sqlite3");
});
