import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startExchanging } from "../../../test/support/exchange.ts";
import { FileBench } from "../../../test/support/files.ts";

const canary = "mark: canary";
const roundMs = 1500;
/** Both names of an exchange are met by then, on any machine. */
const mostMs = 20_000;

/** A folder that is exchanged for a link to one outside, all the time. */
async function startRace(bench: FileBench): Promise<AsyncDisposable | undefined> {
  mkdirSync(bench.path("place"));
  writeFileSync(bench.path("place", "file"), "mark: inside");
  writeFileSync(join(bench.outside, "file"), canary);
  writeFileSync(join(bench.outside, "canary-name"), canary);
  symlinkSync(bench.outside, bench.path("link"));
  return startExchanging(bench.root, "place", "link");
}

type Outcomes = Map<string, number>;

/** Repeats for a bounded time, and on while that was not enough; counts what each round came to. */
async function repeat(
  round: () => Promise<string>,
  isEnough: (outcomes: Outcomes) => boolean = () => true,
): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const start = performance.now();
  for (let ms = 0; ms < roundMs || (ms < mostMs && !isEnough(outcomes)); ms = performance.now() - start) {
    const outcome = await round().catch(
      (error: { code?: string; message: string }) => error.code ?? error.message,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

test("Workspace.open() leaks nothing while a folder is exchanged for a link; a plain read does", async ({
  skip,
}) => {
  using bench = new FileBench();
  await using race = await startRace(bench);
  if (race === undefined)
    return skip("no renameat2 with Perl here to exchange a folder and a link in one step");
  const access = bench.access();
  const plain = await repeat(
    async () => readFileSync(bench.path("place", "file"), "utf8"),
    (seen) => seen.has(canary),
  );
  expect(plain.get(canary)).toBeGreaterThan(0);
  const outcomes = await repeat(
    async () => {
      const { path, within } = bench.workspace.locate("place/file", access);
      if (!within) return "outside";
      using file = bench.workspace.open(path, access);
      const buffer = Buffer.alloc(50);
      return buffer.toString("utf8", 0, file.read(buffer, 0));
    },
    (seen) => seen.has("mark: inside") && (seen.has("outside") || seen.has("PATH_OUTSIDE")),
  );
  expect(outcomes.get(canary)).toBeUndefined();
  expect(outcomes.get("mark: inside")).toBeGreaterThan(0);
  expect((outcomes.get("outside") ?? 0) + (outcomes.get("PATH_OUTSIDE") ?? 0)).toBeGreaterThan(0);
});

test("Workspace.stage() writes nothing outside while a folder is exchanged for a link", async ({ skip }) => {
  using bench = new FileBench();
  await using race = await startRace(bench);
  if (race === undefined)
    return skip("no renameat2 with Perl here to exchange a folder and a link in one step");
  const access = bench.access();
  const outcomes = await repeat(
    async () => {
      using staged = bench.workspace.stage("place/file", access);
      await staged.write(Buffer.from("mark: written"));
      staged.commit();
      return "written";
    },
    (seen) => seen.has("written"),
  );
  expect(outcomes.get("written")).toBeGreaterThan(0);
  expect(readFileSync(join(bench.outside, "file"), "utf8")).toBe(canary);
  expect(readdirSync(bench.outside).sort()).toEqual(["canary-name", "file"]);
});

test("Workspace.remove() and move() touch nothing outside while a folder is exchanged for a link", async ({
  skip,
}) => {
  using bench = new FileBench();
  await using race = await startRace(bench);
  if (race === undefined)
    return skip("no renameat2 with Perl here to exchange a folder and a link in one step");
  const access = bench.access();
  let turn = 0;
  await repeat(async () => {
    if (turn++ % 2 === 0) return String(bench.workspace.remove("place/file", access));
    await bench.workspace.move("place/file", `taken-${turn}`, access);
    return "moved";
  });
  expect(readdirSync(bench.outside).sort()).toEqual(["canary-name", "file"]);
});

test("Workspace.search(), find() and list() show nothing from outside while a folder is exchanged for a link", async ({
  skip,
}) => {
  using bench = new FileBench();
  for (let at = 0; at < 200; at++) writeFileSync(bench.path(`other-${at}`), "mark: inside\n");
  await using race = await startRace(bench);
  if (race === undefined)
    return skip("no renameat2 with Perl here to exchange a folder and a link in one step");
  const access = bench.access();
  const search = {
    pattern: "mark",
    literal: true,
    ignoreCase: false,
    multiline: false,
    include: undefined,
    type: undefined,
    exclude: [],
    gitignore: true,
    context: 0,
    maxMatches: 1000,
    maxLineChars: 100,
    maxMs: 5000,
  };
  const outcomes = await repeat(
    async () => {
      const [searched, found, listed] = await Promise.all([
        bench.workspace.search(".", access, search),
        bench.workspace.find(".", access, { pattern: "**/*", limit: 1000, gitignore: true, maxMs: 5000 }),
        bench.workspace.list(".", access, { recursive: true, limit: 1000 }),
      ]);
      const shown = JSON.stringify([searched, found, listed]);
      return shown.includes("canary") ? "leaked" : searched.matches >= 200 ? "whole" : "less";
    },
    (seen) => seen.has("whole"),
  );
  expect(outcomes.get("leaked")).toBeUndefined();
  expect(outcomes.get("whole")).toBeGreaterThan(0);
});
