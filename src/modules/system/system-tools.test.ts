import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { settle } from "../../../test/support/test-executor.ts";
import { type Clock, systemClock } from "../../base/index.ts";
import { Environment } from "../../host/index.ts";
import {
  type CallContext,
  defineTool,
  type Tool,
  ToolExecutor,
  ToolRegistry,
  type ToolResult,
} from "../../kernel/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { systemTools } from "./system-tools.ts";

const naughty = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../test/corpora/strings/blns.json"), "utf8"),
) as string[];

/** Runs timers at once, and remembers how long they were to take. */
class JumpingClock implements Clock {
  readonly waits: number[] = [];
  #now = Date.UTC(2026, 10, 22, 1, 30);

  now(): number {
    return this.#now;
  }

  after(delayMs: number, action: () => void): () => void {
    const timer = setImmediate(() => {
      this.waits.push(delayMs);
      this.#now += delayMs;
      action();
    });
    return () => clearImmediate(timer);
  }
}

function caller({ clock = systemClock, environment }: { clock?: Clock; environment?: Environment } = {}) {
  const registry = new ToolRegistry();
  registry.registerMany(systemTools({ clock, environment }));
  const executor = new ToolExecutor(registry, { rules: [{ decision: "allow" }] });
  return (name: string, params: unknown, context: CallContext = {}): Promise<ToolResult> =>
    executor.execute(name, params, context);
}

test("systemTools() leaves out what it has no service for", () => {
  expect(systemTools({}).map((tool) => tool.name)).toEqual(["current_time", "sleep"]);
});

test("current_time tells the time in UTC and in a time zone", async () => {
  const call = caller({ clock: new JumpingClock() });
  expect(await call("current_time", { timezone: "asia/tokyo" })).toMatchObject({
    success: true,
    result: {
      timestamp: 1795311000000,
      iso: "2026-11-22T01:30:00.000Z",
      timezone: "Asia/Tokyo",
      local: "2026-11-22T10:30:00+09:00",
      formatted: "Sunday, 22 November 2026 at 10:30:00 GMT+9",
    },
  });
  expect(await call("current_time", { timezone: "UTC" })).toMatchObject({
    result: { local: "2026-11-22T01:30:00+00:00" },
  });
  expect(await call("current_time", { timezone: "America/St_Johns" })).toMatchObject({
    result: { local: "2026-11-21T22:00:00-03:30" },
  });
  expect(await call("current_time", {})).toMatchObject({
    result: { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
  });
});

test("current_time refuses what is no time zone and names some", async () => {
  const call = caller();
  for (const timezone of ["Berlin", "", "../UTC", ...naughty]) {
    const result = await call("current_time", { timezone });
    if (!result.success) {
      expect(result.code).toBe("TOOL_VALIDATION");
      expect(result.error).toContain('use an IANA name such as "Europe/Berlin"');
    } else expect(Number.isNaN(Date.parse((result.result as { local: string }).local))).toBe(false);
  }
  expect(await call("current_time", { timezone: "Berlin" })).toMatchObject({ success: false });
});

test("sleep waits for as long as it is told, up to 300 seconds", async () => {
  const clock = new JumpingClock();
  const call = caller({ clock });
  expect(await call("sleep", { duration: 1.5 })).toMatchObject({ success: true, result: { slept: 1.5 } });
  expect(clock.waits).toEqual([1500]);
  for (const duration of [0, -1, 300.1, "long", null]) {
    expect(await call("sleep", { duration })).toMatchObject({ success: false, code: "TOOL_VALIDATION" });
  }
});

test("sleep has time to finish, and ends at once when it is cancelled", async () => {
  const sleep = systemTools({}).find((tool) => tool.name === "sleep") as Tool;
  expect((sleep.timeoutMs as (params: { duration: number }) => number)({ duration: 300 })).toBe(365_000);
  const stop = new AbortController();
  const pending = caller()("sleep", { duration: 300 }, { signal: stop.signal });
  stop.abort();
  expect(await pending).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
});

test("set_env changes what get_env reads for the same agent, and tells what was there", async () => {
  const call = caller({
    environment: new Environment({ variables: { PATH: "/bin", API_KEY: "from-outside" } }),
  });
  const me: CallContext = { agentId: "me" };
  expect(await call("get_env", { key: "PATH" }, me)).toMatchObject({ result: { value: "/bin" } });
  expect(await call("get_env", { key: "TZ" }, me)).toMatchObject({ result: { value: null } });
  expect(await call("set_env", { key: "MODE", value: "fast" }, me)).toMatchObject({
    result: { previous: null },
  });
  expect(await call("set_env", { key: "MODE", value: "slow" }, me)).toMatchObject({
    result: { previous: "fast" },
  });
  expect(await call("get_env", { key: "MODE" }, me)).toMatchObject({ result: { value: "slow" } });
  expect(await call("get_env", { key: "MODE" }, { agentId: "other" })).toMatchObject({
    code: "ENVIRONMENT_HIDDEN",
  });
  expect(await call("set_env", { key: "MODE", value: null }, me)).toMatchObject({
    result: { previous: "slow" },
  });
  expect(await call("get_env", { key: "MODE" }, me)).toMatchObject({ code: "ENVIRONMENT_HIDDEN" });
  expect(await call("get_env", { key: "API_KEY" }, me)).toMatchObject({ code: "ENVIRONMENT_HIDDEN" });
  expect(await call("set_env", { key: "LD_PRELOAD", value: "/x.so" }, me)).toMatchObject({
    code: "ENVIRONMENT_FIXED",
  });
});

test("set_env asks before it changes anything, and get_env need not", async () => {
  const registry = new ToolRegistry();
  registry.registerMany(systemTools({ environment: new Environment() }));
  const executor = new ToolExecutor(registry);
  expect(await executor.execute("set_env", { key: "A", value: "x" })).toMatchObject({
    code: "TOOL_PERMISSION",
  });
  expect(await executor.execute("get_env", { key: "PATH" })).toMatchObject({ success: true });
});

test("get_env and set_env answer every naughty string", async () => {
  const call = caller({ environment: new Environment({ variables: {} }) });
  for (const text of naughty) {
    expect(await call("get_env", { key: text })).toMatchObject({
      code: expect.stringMatching(/^ENVIRONMENT_(NAME|HIDDEN)$/),
    });
    const set = await call("set_env", { key: text, value: text });
    if (!set.success) expect(set.code).toMatch(/^ENVIRONMENT_(NAME|FIXED|VALUE)$/);
    await call("set_env", { key: "V", value: text });
    expect(await call("get_env", { key: "V" })).toMatchObject({ result: { value: text } });
  }
});

test("three naps leave every place to other calls", async () => {
  const clock = createFakeClock();
  const quick = defineTool({
    name: "quick",
    description: "Do nothing.",
    parameters: z.object({}),
    annotations: { readOnly: true, openWorld: false },
    execute: () => "done",
  });
  const registry = new ToolRegistry();
  registry.registerMany([...systemTools({ clock }), quick]);
  const executor = new ToolExecutor(registry, { clock, maxConcurrent: 3 });
  const naps = Array.from({ length: 3 }, () => executor.execute("sleep", { duration: 10 }));
  await settle();
  expect(await executor.execute("quick", {})).toMatchObject({ success: true });
  await clock.advance(10_000);
  expect((await Promise.all(naps)).map(({ text }) => text)).toEqual(Array(3).fill('{"slept":10}'));
});
