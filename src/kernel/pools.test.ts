import { describe, expect, test } from "vitest";
import { createTestExecutor, settle } from "../../test/support/test-executor.ts";
import { defineTool, type Tool } from "./tool/tool.ts";

/** A tool whose calls hang until they are told to end, and which counts those that run. */
function hanging(name: string, pool?: Tool["pool"]): { tool: Tool; running: () => number; end: () => void } {
  const ends: (() => void)[] = [];
  const tool = defineTool({
    name,
    description: "Hang until told to end.",
    parameters: { type: "object" },
    ...(pool !== undefined && { pool: pool as never }),
    execute: () => new Promise<string>((resolve) => ends.push(() => resolve(name))),
  });
  return { tool, running: () => ends.length, end: () => ends.splice(0).forEach((end) => end()) };
}

describe("a tool's pool", () => {
  test("bounds the calls of its own, which take no place of others and leave none to them", async () => {
    const away = hanging("away", { name: "server", size: 2 });
    const here = hanging("here");
    const { executor } = createTestExecutor([away.tool, here.tool], { maxConcurrent: 1 });
    const calls = ["away", "away", "away", "here", "here"].map((name) => executor.execute(name, {}));
    await settle();
    expect(away.running()).toBe(2);
    expect(here.running()).toBe(1);
    away.end();
    await settle();
    expect(away.running()).toBe(1);
    away.end();
    here.end();
    await settle();
    here.end();
    expect((await Promise.all(calls)).every(({ success }) => success)).toBe(true);
  });

  test("is shared by tools that name the same one, and may be chosen by the arguments", async () => {
    const one = hanging("one", { name: "a", size: 1 });
    const other = hanging("other", (params: never) => ({ name: (params as { in: string }).in, size: 1 }));
    const { executor } = createTestExecutor([one.tool, other.tool]);
    void executor.execute("one", {});
    void executor.execute("other", { in: "a" });
    void executor.execute("other", { in: "b" });
    await settle();
    expect([one.running(), other.running()]).toEqual([1, 1]);
    one.end();
    await settle();
    expect(other.running()).toBe(2);
    other.end();
  });

  test("refuses a call that waited too long, as any queue does, and other pools hear nothing of it", async () => {
    const away = hanging("away", { name: "server", size: 1 });
    const here = hanging("here", { name: "other", size: 1 });
    const { executor, clock } = createTestExecutor([away.tool, here.tool], {
      maxWaitMs: 1000,
      timeoutMs: 600_000,
    });
    void executor.execute("away", {});
    const late = executor.execute("away", {});
    await clock.advance(1000);
    expect(await late).toMatchObject({ success: false, code: "TOOL_BUSY" });
    void executor.execute("here", {});
    await settle();
    expect(here.running()).toBe(1);
  });
});
