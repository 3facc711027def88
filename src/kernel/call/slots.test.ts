import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, RecordingLedger, settle } from "../../../test/support/test-executor.ts";
import { readWaitNote } from "../ports/wait-note.ts";
import type { Effect } from "../tool/effect.ts";
import { defineTool } from "../tool/tool.ts";
import type { ToolExecutor } from "./executor.ts";
import type { ResourceLock } from "./resource-locks.ts";
import type { ToolResult } from "./result.ts";

/** A tool that works until it is told to end, and a log of what began and ended. */
class Workshop {
  readonly log: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly tool = defineTool({
    name: "work",
    description: "Work on files until told to end.",
    parameters: z.object({
      id: z.string(),
      reads: z.array(z.string()).default([]),
      writes: z.array(z.string()).default([]),
    }),
    effects: ({ reads, writes }) => [
      ...reads.map((target): Effect => ({ kind: "read", target, within: true })),
      ...writes.map((target): Effect => ({ kind: "write", target, within: true })),
    ],
    execute: ({ id }) => {
      this.log.push(`+${id}`);
      return new Promise<string>((resolve) => {
        this.#ends.set(id, () => {
          this.log.push(`-${id}`);
          this.#ends.delete(id);
          resolve(id);
        });
      });
    },
  });

  get running(): string[] {
    return [...this.#ends.keys()];
  }

  async end(id: string): Promise<void> {
    this.#ends.get(id)?.();
    await settle();
  }

  async endAll(): Promise<void> {
    for (let [id] = this.running; id !== undefined; [id] = this.running) await this.end(id);
  }
}

function start(
  executor: ToolExecutor,
  id: string,
  part: object = {},
  context: object = {},
): Promise<ToolResult> {
  return executor.execute("work", { id, ...part }, context);
}

describe("places", () => {
  test("ToolExecutor.execute() runs at most three calls at once", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool]);
    const results = ["a", "b", "c", "d", "e"].map((id) => start(executor, id));
    await settle();
    expect(shop.running).toEqual(["a", "b", "c"]);
    await shop.end("b");
    expect(shop.running).toEqual(["a", "c", "d"]);
    await shop.endAll();
    expect((await Promise.all(results)).every(({ success }) => success)).toBe(true);
    expect(shop.log).toHaveLength(10);
  });

  test("ToolExecutor.execute() lets one caller with 1,000 calls delay another by one", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 1 });
    const many = Array.from({ length: 1000 }, (_, index) =>
      start(executor, `greedy${index}`, {}, { taskId: "greedy" }),
    );
    await settle();
    void start(executor, "modest", {}, { taskId: "modest" });
    await settle();
    await shop.end("greedy0");
    await shop.end("greedy1");
    expect(shop.running).toEqual(["modest"]);
    await shop.endAll();
    expect(shop.log.indexOf("+modest")).toBe(4);
    expect((await Promise.all(many)).every(({ success }) => success)).toBe(true);
  });

  test.for<[string, object, object]>([
    ["tasks", { taskId: "a", agentId: "x" }, { taskId: "b", agentId: "x" }],
    ["agents", { agentId: "a", userId: "x" }, { agentId: "b", userId: "x" }],
    ["users", { userId: "a", scope: "x" }, { userId: "b", scope: "x" }],
    ["scopes", { scope: "a" }, { scope: "b" }],
  ])("ToolExecutor.execute() is fair between %s", async ([, first, second]) => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 1 });
    for (const id of ["a1", "a2", "a3"]) void start(executor, id, {}, first);
    for (const id of ["b1", "b2", "b3"]) void start(executor, id, {}, second);
    await settle();
    await shop.endAll();
    expect(shop.log.filter((entry) => entry.startsWith("+"))).toEqual([
      "+a1",
      "+a2",
      "+b1",
      "+a3",
      "+b2",
      "+b3",
    ]);
  });

  test("ToolExecutor.execute() refuses one call too many of a caller, and no call of another", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 1, maxWaiting: 2 });
    for (const id of ["a", "b"]) void start(executor, id, {}, { taskId: "t" });
    void start(executor, "c", { writes: ["/f"] }, { taskId: "t" });
    await settle();
    expect(await start(executor, "d", {}, { taskId: "t" })).toMatchObject({
      success: false,
      code: "TOOL_BUSY",
      error: 'Cannot start "work": 2 calls wait already; try again when some have ended',
    });
    expect(await start(executor, "e", { writes: ["/g"] }, { taskId: "t" })).toMatchObject({
      code: "TOOL_BUSY",
    });
    const other = start(executor, "f", {}, { taskId: "other" });
    await settle();
    await shop.endAll();
    expect(await other).toMatchObject({ success: true });
    expect(shop.log.filter((entry) => entry.startsWith("+"))).toEqual(["+a", "+b", "+f", "+c"]);
  });

  test("ToolExecutor.execute() counts those who wait for a file among those who wait", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxWaiting: 2 });
    for (const id of ["a", "b", "c"]) void start(executor, id, { writes: ["/f"] });
    await settle();
    expect(await start(executor, "d", { writes: ["/f"] })).toMatchObject({ code: "TOOL_BUSY" });
    for (const id of ["a", "b", "c"]) await shop.end(id);
    const later = start(executor, "e", { writes: ["/f"] });
    await settle();
    await shop.endAll();
    expect(await later).toMatchObject({ success: true });
  });

  test("ToolExecutor.execute() refuses no call that need not wait", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxWaiting: 0, maxConcurrent: 4 });
    const results = ["a", "b", "c", "d"].map((id) =>
      start(executor, id, { reads: ["/f"], writes: [`/${id}`] }),
    );
    await settle();
    expect(shop.running).toHaveLength(4);
    expect(await start(executor, "e")).toMatchObject({ code: "TOOL_BUSY" });
    await shop.endAll();
    expect((await Promise.all(results)).every(({ success }) => success)).toBe(true);
  });

  test.for<[string, object]>([
    ["a place", {}],
    ["its file", { writes: ["/f"] }],
  ])("ToolExecutor.execute() lets a call wait a minute for %s, and then gives up on it", async ([, part]) => {
    const shop = new Workshop();
    const blocker = defineTool({ ...shop.tool, name: "block", timeoutMs: 500_000 });
    const { executor, clock } = createTestExecutor([shop.tool, blocker], { maxConcurrent: 1 });
    void executor.execute("block", { id: "first", ...part });
    const pending = start(executor, "second", part);
    await clock.advance(59_999);
    expect(shop.running).toEqual(["first"]);
    await clock.advance(1);
    expect(await pending).toMatchObject({
      success: false,
      code: "TOOL_BUSY",
      error: expect.stringContaining("it waited 60000 ms for its turn"),
    });
    const third = start(executor, "third", part);
    await settle();
    await shop.endAll();
    expect(await third).toMatchObject({ success: true });
    expect(shop.log).toEqual(["+first", "-first", "+third", "-third"]);
    expect(clock.pending).toBe(0);
  });

  test.for<[string, object]>([
    ["a place", {}],
    ["its file", { writes: ["/f"] }],
  ])(
    "ToolExecutor.execute() lets a call that waits for %s be cancelled, and forgets it",
    async ([, part]) => {
      const shop = new Workshop();
      const { executor, clock } = createTestExecutor([shop.tool], { maxConcurrent: 1 });
      void start(executor, "first", part);
      const controller = new AbortController();
      const pending = start(executor, "second", part, { signal: controller.signal });
      const third = start(executor, "third", part);
      await settle();
      controller.abort();
      expect(await pending).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
      await shop.endAll();
      expect(await third).toMatchObject({ success: true });
      expect(shop.log).toEqual(["+first", "-first", "+third", "-third"]);
      expect(clock.pending).toBe(0);
    },
  );

  test("ToolExecutor.execute() answers a call at once whose caller cancelled before it had to wait", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 1 });
    void start(executor, "first", { writes: ["/f"] });
    const context = { signal: AbortSignal.abort() };
    expect(await start(executor, "second", {}, context)).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(await start(executor, "third", { writes: ["/f"] }, context)).toMatchObject({
      code: "TOOL_CANCELLED",
    });
    await shop.endAll();
  });

  test("ToolExecutor.execute() gives back the file of a call that gives up on a place", async () => {
    const shop = new Workshop();
    const blocker = defineTool({ ...shop.tool, name: "block", timeoutMs: 500_000 });
    const { executor, clock } = createTestExecutor([shop.tool, blocker], { maxConcurrent: 1 });
    void executor.execute("block", { id: "first" });
    const second = start(executor, "second", { writes: ["/f"] });
    await clock.advance(60_000);
    expect(await second).toMatchObject({ code: "TOOL_BUSY" });
    const third = start(executor, "third", { writes: ["/f"] });
    await settle();
    await shop.endAll();
    expect(await third).toMatchObject({ success: true });
  });

  test("ToolExecutor.execute() gives back the place of a tool that fails, is refused or is stopped", async () => {
    const { executor, clock } = createTestExecutor(
      [
        defineTool({
          name: "work",
          description: "Fail.",
          parameters: z.object({ id: z.enum(["throw", "hang", "fine"]) }),
          effects: ({ id }) => [{ kind: "write", target: `/${id}`, within: true }],
          execute: async ({ id }) => {
            if (id === "throw") throw new Error("no");
            if (id === "hang") await new Promise(() => {});
            return "fine";
          },
        }),
      ],
      { maxConcurrent: 1 },
    );
    await start(executor, "throw");
    await start(executor, "no such id");
    const hanging = start(executor, "hang");
    const next = start(executor, "fine");
    await clock.advance(32_000);
    expect(await hanging).toMatchObject({ stillRunning: true });
    expect(await next).toMatchObject({ success: true, result: "fine" });
  });
});

describe("locks", () => {
  test("ToolExecutor.execute() never lets two writes to one file overlap, while reads do", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 10 });
    void start(executor, "read1", { reads: ["/f"] });
    void start(executor, "read2", { reads: ["/f"] });
    void start(executor, "write1", { writes: ["/f"] });
    void start(executor, "write2", { writes: ["/f"] });
    void start(executor, "other", { writes: ["/g"] });
    await settle();
    expect(shop.running).toEqual(["read1", "read2", "other"]);
    await shop.end("read1");
    expect(shop.running).toEqual(["read2", "other"]);
    await shop.end("read2");
    expect(shop.running).toEqual(["other", "write1"]);
    await shop.end("write1");
    expect(shop.running).toEqual(["other", "write2"]);
    await shop.endAll();
  });

  test("ToolExecutor.execute() lets no reader overtake a writer that waits", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 10 });
    void start(executor, "read1", { reads: ["/f"] });
    void start(executor, "write", { writes: ["/f"] });
    await settle();
    void start(executor, "read2", { reads: ["/f"] });
    await settle();
    expect(shop.running).toEqual(["read1"]);
    await shop.end("read1");
    expect(shop.running).toEqual(["write"]);
    await shop.end("write");
    expect(shop.running).toEqual(["read2"]);
    await shop.endAll();
  });

  test("ToolExecutor.execute() keeps a call that waits for its file from taking a place", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool], { maxConcurrent: 2 });
    void start(executor, "write1", { writes: ["/f"] });
    void start(executor, "write2", { writes: ["/f"] });
    void start(executor, "other", { writes: ["/g"] });
    await settle();
    expect(shop.running).toEqual(["write1", "other"]);
    await shop.endAll();
  });

  test("ToolExecutor.execute() keeps the file of a tool that did not stop from others until it does, but not its place", async () => {
    const shop = new Workshop();
    const { executor, clock } = createTestExecutor([shop.tool], { maxConcurrent: 1 });
    const stuck = start(executor, "stuck", { writes: ["/f"] });
    await clock.advance(32_000);
    expect(await stuck).toMatchObject({ code: "TOOL_TIMEOUT", stillRunning: true });
    const [same, other] = [
      start(executor, "same", { writes: ["/f"] }),
      start(executor, "other", { writes: ["/g"] }),
    ];
    await settle();
    expect(shop.running).toEqual(["stuck", "other"]);
    await shop.end("other");
    expect(await other).toMatchObject({ success: true });
    expect(shop.running).toEqual(["stuck"]);
    await shop.end("stuck");
    await shop.end("same");
    expect(await same).toMatchObject({ success: true });
  });

  test("Tool.locks replaces the locks that its effects ask for", async () => {
    const shop = new Workshop();
    const locks = (): ResourceLock[] => [{ key: "browser", mode: "exclusive" }];
    const tools = [
      defineTool({ ...shop.tool, locks }),
      defineTool({ ...shop.tool, name: "free", locks: () => [] }),
    ];
    const { executor } = createTestExecutor(tools, { maxConcurrent: 10 });
    for (const id of ["a", "b"]) void start(executor, id, { reads: [`/${id}`] });
    for (const id of ["c", "d"]) void executor.execute("free", { id, writes: ["/f"] });
    await settle();
    expect(shop.running).toEqual(["a", "c", "d"]);
    await shop.endAll();
  });

  test("ToolExecutor.execute() lets two calls that want the same files in another order both finish", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool]);
    const both = [
      start(executor, "ab", { writes: ["/a", "/b"] }),
      start(executor, "ba", { writes: ["/b", "/a"] }),
    ];
    await settle();
    expect(shop.running).toEqual(["ab"]);
    await shop.endAll();
    expect(await Promise.all(both)).toMatchObject([{ success: true }, { success: true }]);
  });

  test("ToolExecutor.execute() lets a call that reads and writes one file run", async () => {
    const shop = new Workshop();
    const { executor } = createTestExecutor([shop.tool]);
    const pending = start(executor, "edit", { reads: ["/a"], writes: ["/a"] });
    await settle();
    await shop.endAll();
    expect(await pending).toMatchObject({ success: true });
  });

  test("ToolExecutor.execute() keeps locks and places for any interleaving of calls, endings and cancellings", async () => {
    const files = fc.uniqueArray(fc.constantFrom("/a", "/b", "/c"), { maxLength: 2 });
    const step = fc.oneof(
      fc.record({
        do: fc.constant("start" as const),
        reads: files,
        writes: files,
        caller: fc.constantFrom("x", "y"),
      }),
      fc.record({ do: fc.constant("end" as const), which: fc.nat() }),
      fc.record({ do: fc.constant("cancel" as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, maxConcurrent) => {
          const shop = new Workshop();
          const { executor, clock } = createTestExecutor([shop.tool], { maxConcurrent });
          const wanted = new Map<string, { readonly reads: string[]; readonly writes: string[] }>();
          const controllers: AbortController[] = [];
          const results: Promise<ToolResult>[] = [];
          for (const [at, one] of steps.entries()) {
            if (one.do === "start") {
              const controller = new AbortController();
              controllers.push(controller);
              wanted.set(String(at), one);
              const { reads, writes, caller } = one;
              results.push(
                start(executor, String(at), { reads, writes }, { taskId: caller, signal: controller.signal }),
              );
            } else if (one.do === "cancel") controllers[one.which % controllers.length]?.abort();
            else await shop.end(shop.running[one.which % shop.running.length] ?? "");
            await settle();

            const readers = shop.running.flatMap((id) => wanted.get(id)?.reads ?? []);
            const writers = shop.running.flatMap((id) => wanted.get(id)?.writes ?? []);
            expect(new Set(writers).size).toBe(writers.length);
            const others = readers.filter((file) => writers.includes(file));
            const ownReads = shop.running.flatMap((id) => {
              const { reads = [], writes = [] } = wanted.get(id) ?? {};
              return reads.filter((file) => writes.includes(file));
            });
            expect(others.sort()).toEqual(ownReads.sort());
          }
          await shop.endAll();
          await clock.advance(10_000);
          await shop.endAll();
          for (const { success, text } of await Promise.all(results))
            if (!success) expect(text).toContain("TOOL_CANCELLED");
          expect(clock.pending).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});

test("a call that waits for its turn says so in the ledger alone", async () => {
  const workshop = new Workshop();
  const ledger = new RecordingLedger();
  const { executor, clock } = createTestExecutor([workshop.tool], { ledger });
  const first = start(executor, "a", { writes: ["/x"] });
  const second = start(executor, "b", { writes: ["/x"] });
  await settle();
  await clock.advance(250);
  await workshop.end("a");
  await workshop.endAll();
  const [, waited] = await Promise.all([first, second]);
  expect(waited.notes).toEqual([]);
  const noted = ledger.entries.flatMap((entry) => ("outcome" in entry ? [entry.outcome.notes] : []));
  expect(noted).toEqual([[], ["waited: 250 ms for its turn, 0 ms after it began"]]);
  expect(readWaitNote(noted[1]?.[0] ?? "")).toEqual({ ms: 250, afterMs: 0 });
  expect(readWaitNote("question: a_1")).toBeUndefined();
});
