import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { findPlace, readGoals, sumUp } from "../examples/lean/measure.ts";
import type { RecordedServer } from "../examples/lean/recording.ts";
import { type DemoResult, renderResult } from "../examples/lean/report.ts";
import { pinnedVersion, servers } from "../examples/lean/servers.ts";

const recorded = JSON.parse(readFileSync("examples/lean/recorded.json", "utf8")) as readonly RecordedServer[];

let result: DemoResult;

beforeAll(async () => {
  const demo = ["--conditions=haft-source", "examples/lean/demo.ts", "--recorded", "--words", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, demo, { maxBuffer: 2 ** 24 });
  result = JSON.parse(stdout) as DemoResult;
});

test("the demo has the tools of all servers, more than 400", () => {
  expect(result.servers.map(({ name, tools }) => ({ name, tools }))).toEqual(
    recorded.map(({ name, tools }) => ({ name, tools: tools.length })),
  );
  expect(result.tokens.all.tools).toBeGreaterThan(400);
});

test("its lean list takes less than a tenth of the tokens", () => {
  const { all, lean, saved } = result.tokens;
  expect(all.tokens).toBeGreaterThan(50_000);
  expect(lean.tokens).toBeLessThan(all.tokens / 10);
  expect(saved.request).toBeCloseTo(1 - lean.tokens / all.tokens, 3);
});

// What is reached today: a change of the search that finds less shows here.
test.for([
  { phrasing: "goal", first: 3, firstThree: 8, firstFive: 11, firstTen: 14 },
  { phrasing: "asked", first: 31, firstThree: 37, firstFive: 37, firstTen: 41 },
] as const)(
  "by words, the search finds what is needed for $phrasing as often as it did",
  ({ phrasing, ...least }) => {
    const ranking = result.rankings.find((one) => one.phrasing === phrasing);
    expect(ranking?.goals).toHaveLength(50);
    for (const [which, count] of Object.entries(least))
      expect(ranking?.sums[which as keyof typeof least], which).toBeGreaterThanOrEqual(count);
  },
);

test("what people read has every server, every goal and the sums", () => {
  const text = renderResult(result);
  for (const { name } of servers) expect(text).toContain(`\n${name} `);
  for (const { goal, asked } of readGoals()) for (const words of [goal, asked]) expect(text).toContain(words);
  expect(text).toMatch(/^as a person says it +words: +first \d+, +in the first three \d+,/m);
});

test("every goal needs tools that are there", () => {
  const names = new Set(recorded.flatMap(({ name, tools }) => tools.map((tool) => `${name}__${tool.name}`)));
  const unknown = readGoals()
    .flatMap(({ needs }) => needs.flat())
    .filter((name) => name.includes("__") && !names.has(name));
  expect(unknown).toEqual([]);
});

test("what is recorded is of the versions that are installed", () => {
  expect(recorded.map(({ name, version }) => ({ name, version }))).toEqual(
    servers.map((server) => ({ name: server.name, version: pinnedVersion(server) })),
  );
});

test("the servers are pinned, and their lock names no address that they were loaded from", () => {
  const { dependencies } = JSON.parse(readFileSync("examples/lean/servers/package.json", "utf8")) as {
    dependencies: Record<string, string>;
  };
  expect(Object.keys(dependencies).sort()).toEqual(servers.map((server) => server.package).sort());
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+(\.\d+)+$/);
  expect(readFileSync("examples/lean/servers/package-lock.json", "utf8")).not.toContain('"resolved"');
});

test("a goal that takes two tools has the place of the later one, less one", () => {
  const goal = { goal: "both", asked: "both", needs: [["a", "b"], ["c"]] };
  expect(findPlace(goal, ["c", "a", "x"])).toBe(1);
  expect(findPlace(goal, ["x", "b", "a", "c"])).toBe(3);
  expect(findPlace(goal, ["a", "b"])).toBeUndefined();
  expect(findPlace({ ...goal, needs: [["c"]] }, ["a", "b", "c"])).toBe(3);
});

test("sums count each place in all that hold it, and what was not found", () => {
  expect(sumUp([1, 2, 3, 4, 7, undefined])).toEqual({
    first: 1,
    firstThree: 3,
    firstFive: 4,
    firstTen: 5,
    notFound: 1,
  });
});
