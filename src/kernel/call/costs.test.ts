import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createTestExecutor, settle } from "../../../test/support/test-executor.ts";
import type { Clock } from "../../base/index.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import type { ToolContext } from "./context.ts";
import type { ToolExecutor } from "./executor.ts";

// What a call costs in things that can be counted, so that it can't grow unseen. A higher number needs a reason.

function makeTool(execute: (params: unknown, context: ToolContext) => unknown): Tool {
  return defineTool({ name: "work", description: "Work.", parameters: { type: "object" }, execute });
}

const Whole = AbortController;

describe("timers and AbortControllers", () => {
  let timers = 0;
  let controllers = 0;
  const clock: Clock = {
    now: () => 0,
    after: () => {
      timers++;
      return () => {};
    },
  };

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  /** Counts what `act` makes, with as many slots as it asks for. */
  async function count(tool: Tool, act: (executor: ToolExecutor) => Promise<unknown>, maxConcurrent = 3) {
    const { executor } = createTestExecutor([tool], { clock, maxConcurrent });
    timers = 0;
    controllers = 0;
    vi.stubGlobal(
      "AbortController",
      class extends Whole {
        constructor() {
          super();
          controllers++;
        }
      },
    );
    await act(executor);
    return { timers, controllers };
  }

  test("a call whose tool has its result at once makes none", async () => {
    const call = (executor: ToolExecutor) => executor.run("work", {});
    expect(
      await count(
        makeTool(() => "done"),
        call,
      ),
    ).toEqual({ timers: 0, controllers: 0 });
    expect(
      await count(
        makeTool(async () => "done"),
        call,
      ),
    ).toEqual({ timers: 0, controllers: 0 });
  });

  test("a call whose tool takes its time makes one timer, and an AbortController if the tool asks for its signal", async () => {
    const call = (executor: ToolExecutor) => executor.run("work", {});
    expect(await count(makeTool(settle), call)).toEqual({ timers: 1, controllers: 0 });
    const listening = makeTool(async (_, { signal }) => {
      await settle();
      return signal.aborted;
    });
    expect(await count(listening, call)).toEqual({ timers: 1, controllers: 1 });
  });

  test("a call with a signal makes one timer, and no signal of its own", async () => {
    const { signal } = new AbortController();
    const call = (executor: ToolExecutor) => executor.run("work", {}, { signal });
    expect(await count(makeTool(settle), call)).toEqual({ timers: 1, controllers: 0 });
  });

  test("a call with a signal whose tool has its result at once makes no timer and no listener", async () => {
    const { signal } = new AbortController();
    const listen = vi.spyOn(signal, "addEventListener");
    const call = (executor: ToolExecutor) => executor.run("work", {}, { signal });
    const atOnce = makeTool(async () => "done");
    expect(await count(atOnce, call)).toEqual({ timers: 0, controllers: 0 });
    expect(listen).not.toHaveBeenCalled();
  });

  test("a call that waits for its slot makes one timer more", async () => {
    const call = (executor: ToolExecutor) =>
      Promise.all(Array.from({ length: 20 }, () => executor.run("work", {})));
    expect(
      await count(
        makeTool(async () => "done"),
        call,
      ),
    ).toEqual({ timers: 17, controllers: 0 });
    expect(await count(makeTool(settle), call, 1)).toEqual({ timers: 20 + 19, controllers: 0 });
  });
});

describe("ticks of the microtask queue until the result is there", () => {
  async function countTicks(executor: ToolExecutor, name: string): Promise<number> {
    let isDone = false;
    const done = executor.execute(name, {}).then(() => {
      isDone = true;
    });
    let ticks = 0;
    for (; !isDone; ticks++) await Promise.resolve();
    await done;
    return ticks;
  }

  test.for<[string, number, (params: unknown) => unknown]>([
    ["that returns its result", 1, () => "done"],
    ["that is an async function", 3, async () => "done"],
  ])("of a tool %s: %i", async ([, most, execute]) => {
    const { executor } = createTestExecutor([makeTool(execute)]);
    await countTicks(executor, "work");
    expect(await countTicks(executor, "work")).toBeLessThanOrEqual(most);
  });
});

test("a call allocates no more than it did, nor makes more promises", () => {
  const program = fileURLToPath(new URL("../../../test/support/gate-costs.ts", import.meta.url));
  const flags = ["--expose-gc", "--min-semi-space-size=32", "--max-semi-space-size=32"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, program], { encoding: "utf8" });
  expect(stderr).toBe("");
  const costs = JSON.parse(stdout) as Record<string, { readonly bytes: number; readonly promises: number }>;
  const most = {
    sync: { bytes: 4600, promises: 6 },
    async: { bytes: 6400, promises: 11 },
    effect: { bytes: 7900, promises: 11 },
  };
  for (const [name, { bytes, promises }] of Object.entries(most)) {
    expect(costs[name]?.bytes, `bytes of ${name}`).toBeLessThan(bytes);
    expect(Math.floor(costs[name]?.promises ?? Number.NaN), `promises of ${name}`).toBeLessThanOrEqual(
      promises,
    );
  }
});
