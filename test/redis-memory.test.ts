import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RedisMemory } from "../examples/redis-memory/redis-memory.ts";
import { RedisServer, whyNoRedis } from "../examples/redis-memory/redis-server.ts";
import type { MemoryStore } from "../src/modules/memory/index.ts";
import { memoryCases } from "../src/testing/index.ts";
import { expectModelled } from "./support/memory-model.ts";

const cannot = whyNoRedis();
if (cannot !== undefined) console.log(`Memory in Redis is not tested: ${cannot}`);

const ada = { by: "agent:ada" };

/** The block that others append lines to. */
async function makeLog(memory: MemoryStore): Promise<string> {
  const entry = { kind: "block", label: "log", text: "" };
  const [made] = await memory.edit("local", [{ do: "create_block", entry }], ada);
  return made?.id ?? "";
}

async function listLines(memory: MemoryStore): Promise<readonly string[]> {
  return ((await memory.get("local", "log"))?.text ?? "").split("\n");
}

const run = promisify(execFile);

async function write(...args: readonly string[]): Promise<number> {
  const program = join(import.meta.dirname, "fixtures/redis-writer.ts");
  const { stdout } = await run(process.execPath, ["--conditions=haft-source", program, ...args]);
  return Number(stdout);
}

describe.skipIf(cannot !== undefined)("memory in Redis", () => {
  const server = new RedisServer();
  beforeAll(() => server.start());
  afterAll(() => server[Symbol.asyncDispose]());

  let prefixes = 0;
  const open = (prefix = `${prefixes++}:`) => RedisMemory.open({ url: server.url, prefix });

  test.each(memoryCases)("$name", async ({ run }) => {
    await using memory = await open();
    await run(memory);
  });

  test("is what a plain model of it is, for every scope", async () => {
    await expectModelled(async () => {
      const memory = await open();
      return { memory, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
    }, 25);
  });

  test("open() fails where there is no server", async () => {
    const nowhere = `${server.url}-that-is-not-there`;
    await expect(RedisMemory.open({ url: nowhere })).rejects.toThrow("ENOENT");
  });

  test("loses nothing of what two processes change at once", async () => {
    const prefix = `${prefixes++}:`;
    await using memory = await open(prefix);
    await makeLog(memory);
    const counts = await Promise.all([
      write(server.url, prefix, "a", "b"),
      write(server.url, prefix, "b", "a"),
    ]);
    const lines = await listLines(memory);
    for (const [index, name] of ["a", "b"].entries())
      expect(lines.filter((line) => line.startsWith(name))).toEqual(
        Array.from({ length: counts[index] ?? 0 }, (_, line) => `${name}${line}`),
      );
    const { revision } = (await memory.get("local", "log")) ?? {};
    expect(revision).toBe(1 + lines.length);
  });

  test("loses nothing that was acknowledged when Redis is killed, fails without it, and goes on with it", async () => {
    await using memory = await open("killed:");
    const id = await makeLog(memory);
    const acknowledged: string[] = [];
    const append = async () => {
      const text = `line ${acknowledged.length}`;
      await memory.edit("local", [{ do: "append_to_block", id, text }], ada);
      acknowledged.push(text);
    };
    const appendForever = async (): Promise<never> => {
      for (;;) await append();
    };
    for (let round = 1; round <= 3; round++) {
      const failing = appendForever().catch(() => "failed");
      const enough = acknowledged.length + 10;
      await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(enough);
      await server.kill();
      expect(await failing).toBe("failed");
      await expect(append()).rejects.toThrow();
      await expect(memory.list("local")).rejects.toThrow();
      await server.start();
      await using again = await open("killed:");
      const lines = await listLines(again);
      expect(lines.slice(0, acknowledged.length)).toEqual(acknowledged);
      // What was under way when it was killed is there, or is not.
      expect(lines.length - acknowledged.length).toBeLessThan(2);
      acknowledged.splice(0, Infinity, ...lines);
      await expect.poll(() => append().catch(() => "failed")).toBe(undefined);
    }
    await expect.poll(() => memory.persist().catch(() => "failed")).toBe(undefined);
    expect(await listLines(memory)).toEqual(acknowledged);
  });
});
