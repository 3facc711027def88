import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import { runCommand } from "../../../test/support/command-line.ts";
import { openStore } from "../../app/store/index.ts";
import { findDays } from "../../app/usage/index.ts";
import { formatDay } from "../../base/index.ts";
import type { CallUsage, NewModelCall } from "../../modules/usage/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { displayWidth } from "../text/display-width.ts";
import { formatUsd } from "./format-usd.ts";

// No day ends within a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const dayMs = 86_400_000;

const priced: CallUsage = {
  inputTokens: 100_000,
  cacheReadTokens: 80_000,
  cacheWriteTokens: 0,
  outputTokens: 10_000,
  reasoningTokens: 500,
  costMicros: 250_000,
  priced: "table",
};
const unpriced: CallUsage = { ...priced, costMicros: undefined, priced: "no" };

type Ended = readonly [daysAgo: number, call: Partial<NewModelCall>, usage: CallUsage];

/** An installation that asked models so often, and what `haft usage` says of it. */
async function open(calls: readonly Ended[]) {
  const folder = mkdtempSync(join(tmpdir(), "haft-usage-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [daysAgo, call, usage] of calls) {
    const clock = createFakeClock(Date.now() - daysAgo * dayMs);
    await using store = await openStore({ path: join(folder, "haft.db"), clock });
    const one = { scope: "local", model: "test/a", purpose: "step", reserved: usage, ...call } as const;
    await store.usage.end("local", await store.usage.begin(one), { usage, stop: "end" });
  }
  const place = { folder, home: { folder } };
  return {
    path: join(folder, "haft.db"),
    runAt: (columns: number, args: readonly string[]) => runCommand(["usage", ...args], { place, columns }),
    run: (...args: readonly string[]) => runCommand(["usage", ...args], { place }),
  };
}

const ago = (days: number) => formatDay(Date.now() - days * dayMs);

test("haft usage says what was spent, draws a bar for each day, and names models, agents and purposes", async () => {
  const { run } = await open([
    [4, { agentId: "main" }, { ...priced, costMicros: 1_000_000 }],
    [2, { agentId: "main" }, { ...priced, costMicros: 500_000 }],
    [2, { model: "test/free", purpose: "memory" }, unpriced],
  ]);
  const { stdout, stderr, exitCode } = await run();
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toEqual([
    "$1.50 in 30 days: 3 requests, 330,000 tokens, 80 % of the input from caches",
    "+ 1 request unpriced",
    "→ `prices` of a model in the configuration say what it costs",
    "",
    `${ago(4)}  ${"#".repeat(61)}  $1.00`,
    ago(3),
    `${ago(2)}  ${"#".repeat(31)}${" ".repeat(30)}  $0.50`,
    ago(1),
    ago(0),
    "",
    "Model      Requests   Tokens  Cached  Output      Cost",
    "test/a            2  220,000    80 %  20,000     $1.50",
    "test/free         1  110,000    80 %  10,000  unpriced",
    "",
    "Agent   Requests   Tokens  Cached  Output      Cost",
    "main           2  220,000    80 %  20,000     $1.50",
    "(none)         1  110,000    80 %  10,000  unpriced",
    "",
    "Purpose  Requests   Tokens  Cached  Output      Cost",
    "step            2  220,000    80 %  20,000     $1.50",
    "memory          1  110,000    80 %  10,000  unpriced",
    "",
  ]);
});

test("haft usage draws tokens where no price is known, and never says that it cost nothing", async () => {
  const { run } = await open([
    [1, {}, unpriced],
    [0, {}, { ...unpriced, inputTokens: 10_000, cacheReadTokens: 0 }],
  ]);
  const { stdout } = await run("--days", "7");
  expect(stdout).toMatch(/^Unpriced in 7 days: 2 requests/);
  expect(stdout).toContain(`${ago(1)}  ####`);
  expect(stdout).toContain("  110,000 tokens\n");
  expect(stdout).not.toContain("$0");
});

test.for([40, 60, 80])("haft usage fits a terminal of %i columns, in plain characters", async (columns) => {
  const { runAt } = await open([
    [200, {}, priced],
    [2, { model: "a-provider/a-model-with-a-long-name-2026-01-31", agentId: "main" }, priced],
    [0, { agentId: "main" }, unpriced],
  ]);
  for (const args of [[], ["--days", "100"], ["--days", "3000"], ["--by", "day"], ["--by", "model"]]) {
    const { stdout } = await runAt(columns, args);
    expect(stdout).toMatch(/\d/);
    expect(stdout.split("\n").filter((line) => displayWidth(line) > columns)).toEqual([]);
  }
});

test("haft usage draws a line for several days where there are many", async () => {
  const { run } = await open([
    [99, {}, priced],
    [0, {}, priced],
  ]);
  const weeks = (await run("--days", "100")).stdout;
  expect(weeks).toContain("Each line is 7 days\n");
  expect(weeks.match(/^\d{4}-\d\d-\d\d/gm)).toHaveLength(15);
  expect((await run("--days", "3000")).stdout).toContain("Each line is 28 days\n");
});

test("haft usage --by tells apart by one key, the dearest first, twenty of them", async () => {
  const { run } = await open([
    ...Array.from(
      { length: 22 },
      (_, at): Ended => [
        1,
        { run: { id: `r${at}`, rootId: `r${at}`, step: 1 } },
        { ...priced, costMicros: at * 1000 },
      ],
    ),
    [40, { source: "terminal" }, priced],
  ]);
  const { stdout } = await run("--by", "run");
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    "Run  Requests   Tokens  Cached  Output     Cost",
    "r21         1  110,000    80 %  10,000  $0.0210",
  ]);
  expect(stdout).toContain("… 2 more (--csv and --json have all)\n");
  expect((await run("--by", "source", "--days", "60")).stdout).toMatch(/terminal +1 /);
  expect(await run("--by", "colour")).toMatchObject({ exitCode: 2 });
});

test("haft usage --json has all six counts, and null for a cost that nobody knows", async () => {
  const { run } = await open([
    [1, {}, priced],
    [1, { model: "test/free" }, unpriced],
  ]);
  const report = JSON.parse((await run("--json")).stdout) as Record<string, unknown>;
  expect(report).toMatchObject({
    from: ago(29),
    to: ago(0),
    days: 30,
    total: {
      calls: 2,
      unpriced: 1,
      inputTokens: 200_000,
      cacheReadTokens: 160_000,
      cacheWriteTokens: 0,
      outputTokens: 20_000,
      reasoningTokens: 1000,
      totalTokens: 220_000,
      costMicros: 250_000,
      costUsd: 0.25,
    },
    byDay: [{ day: ago(1), calls: 2 }],
    byModel: [
      { model: "test/a", costUsd: 0.25 },
      { model: "test/free", costUsd: null, costMicros: null },
    ],
  });
  const byModel = JSON.parse((await run("--json", "--by", "model")).stdout) as Record<string, unknown>;
  expect(byModel).toMatchObject({ by: "model", rows: [{ model: "test/a" }, { model: "test/free" }] });
});

test("haft usage --csv has a line for each day or key, and quotes what needs it", async () => {
  const { run } = await open([
    [1, { agentId: 'a "b", c' }, priced],
    [1, {}, unpriced],
  ]);
  const titles =
    "requests,failed,input_tokens,cache_read_tokens,cache_write_tokens,output_tokens,reasoning_tokens,total_tokens,cost_usd,unpriced,estimated";
  expect((await run("--csv")).stdout).toBe(
    `day,${titles}\r\n${ago(1)},2,0,200000,160000,0,20000,1000,220000,0.250000,1,0\r\n`,
  );
  expect((await run("--csv", "--by", "agent")).stdout).toBe(
    `agent,${titles}\r\n"a ""b"", c",1,0,100000,80000,0,10000,500,110000,0.250000,0,0\r\n,1,0,100000,80000,0,10000,500,110000,,1,0\r\n`,
  );
  const formulas = ["=HYPERLINK(1)", "+1", "-1", "@sum", "\t=1"];
  const { run: runFormulas } = await open(formulas.map((agentId) => [1, { agentId }, priced]));
  const { stdout } = await runFormulas("--csv", "--by", "agent");
  for (const formula of formulas) expect(stdout).toContain(`\n'${formula},`);
  expect((await run("--csv", "--json")).stderr).toContain("choose either --csv or --json");
  expect((await run("--csv", "--by", "tool")).exitCode).toBe(2);
});

test("haft usage --by tool counts the calls of the ledger", async () => {
  const { run, path } = await open([]);
  {
    await using store = await openStore({ path });
    for (const [at, toolName] of ["grep", "read", "grep"].entries())
      await store.ledger.end(
        { ...sampleCall(`c_${at}`), scope: "local", toolName, startedAt: Date.now() },
        sampleOutcome(),
      );
  }
  const { stdout } = await run("--by", "tool");
  expect(stdout).toMatch(/^Tool +Calls +Failed +Denied +Time\ngrep +2 .*\nread +1 /);
  expect(JSON.parse((await run("--by", "tool", "--json")).stdout)).toMatchObject({
    by: "tool",
    rows: [
      { tool: "grep", calls: 2 },
      { tool: "read", calls: 1 },
    ],
  });
});

test("haft usage without any request says where they come from", async () => {
  const { run } = await open([]);
  const { stdout, stderr, exitCode } = await run();
  expect([exitCode, stdout]).toEqual([0, ""]);
  expect(stderr).toMatch(
    /^No model was asked for anything in the last 30 days\n→ .*docs\/guide\/usage\.md\n$/,
  );
  expect((await run("--by", "tool")).stderr).toBe("No tool was called in the last 30 days\n");
  expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ total: { calls: 0 }, byDay: [] });
});

test("haft usage books the requests of programs that were killed, and says that they are a bound", async () => {
  const { run, path } = await open([]);
  {
    await using store = await openStore({ path });
    await store.usage.begin({
      scope: "local",
      model: "test/a",
      purpose: "step",
      reserved: { ...priced, priced: "estimated" },
    });
  }
  const { stdout } = await run();
  expect(stdout).toContain("1 request counted with the most that it may take\n");
  expect(stdout).not.toContain("under way");
});

test("formatUsd() has four digits for little, and says that a trace is more than nothing", () => {
  expect([0, 1, 99, 100, 99_999, 100_000, 1_234_567_000].map(formatUsd)).toEqual([
    "$0.00",
    "<$0.0001",
    "<$0.0001",
    "$0.0001",
    "$0.1000",
    "$0.10",
    "$1,234.57",
  ]);
});

test("findDays() begins at the midnight of a zone, also where a clock change lies between", () => {
  const offset = (at: number) => (at < Date.UTC(2026, 9, 25, 1) ? 2 : 1) * 3_600_000;
  const zone = {
    toWallTime: (at: number) => at + offset(at),
    fromWallTime: (wall: number) => wall - offset(wall - 2 * 3_600_000),
  };
  expect(findDays(3, Date.UTC(2026, 9, 26, 22, 30), zone)).toEqual({
    from: "2026-10-24",
    to: "2026-10-26",
    days: 3,
    since: Date.UTC(2026, 9, 23, 22),
  });
});
