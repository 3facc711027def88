import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { ToolUse, UsageMemory } from "../search/index.ts";
import type { ContractCase } from "./contract-case.ts";

function use(toolName: string, goal: string, at: number): ToolUse {
  return { toolName, goal, at };
}

async function learnAll(memory: UsageMemory, ...uses: readonly ToolUse[]): Promise<void> {
  for (const each of uses) await memory.learn("local", each);
}

/** What is remembered of which tool served which message. */
export const usageCases: readonly ContractCase<UsageMemory>[] = [
  {
    name: "list() gives what was learnt, newest first",
    async run(memory) {
      deepStrictEqual(await memory.list("local"), []);
      const uses = [
        use("grep", "find TODOs", 2),
        use("read", "show me a.ts", 3),
        use("grep", "where is x", 1),
      ];
      await learnAll(memory, ...uses);
      deepStrictEqual(await memory.list("local"), [uses[1], uses[0], uses[2]]);
    },
  },
  {
    name: "list() gives nothing of another scope",
    async run(memory) {
      await learnAll(memory, use("grep", "find TODOs", 1));
      for (const scope of ["", "loca", "local/sub", "%"]) deepStrictEqual(await memory.list(scope), []);
    },
  },
  {
    name: "learn() keeps one message of a tool once, and makes it new",
    async run(memory) {
      await learnAll(memory, use("grep", "find TODOs", 1), use("grep", "where is x", 2));
      await learnAll(memory, use("grep", "find TODOs", 3), use("read", "find TODOs", 1));
      deepStrictEqual(await memory.list("local"), [
        use("grep", "find TODOs", 3),
        use("grep", "where is x", 2),
        use("read", "find TODOs", 1),
      ]);
    },
  },
  {
    name: "learn() lets the oldest messages of a tool go, and only of that tool",
    async run(memory) {
      await learnAll(memory, use("read", "show me a.ts", 0));
      for (let at = 1; at <= 120; at++) await memory.learn("local", use("grep", `find number ${at}`, at));
      const kept = await memory.list("local");
      const ofGrep = kept.filter(({ toolName }) => toolName === "grep");
      ok(ofGrep.length >= 5 && ofGrep.length <= 100, `${ofGrep.length} messages of one tool are kept`);
      deepStrictEqual(
        ofGrep.map(({ at }) => at),
        Array.from(ofGrep, (_, index) => 120 - index),
      );
      deepStrictEqual(kept.at(-1), use("read", "show me a.ts", 0));
    },
  },
  {
    name: "learn() keeps the beginning of a long message, and nothing of an empty one",
    async run(memory) {
      await learnAll(memory, use("grep", " \n ", 1), use("grep", `look \0 for ${"x".repeat(100_000)}`, 2));
      const [kept, ...others] = await memory.list("local");
      deepStrictEqual(others, []);
      ok(kept?.goal.startsWith("look for xxx") && kept.goal.length <= 2_000, kept?.goal.slice(0, 100));
    },
  },
  {
    name: "forget() forgets one tool, or all of a scope, and says how many messages",
    async run(memory) {
      await learnAll(memory, use("grep", "a", 1), use("grep", "b", 2), use("read", "c", 3));
      await memory.learn("other", use("grep", "a", 1));
      strictEqual(await memory.forget("local", "none"), 0);
      strictEqual(await memory.forget("local", "grep"), 2);
      deepStrictEqual(await memory.list("local"), [use("read", "c", 3)]);
      strictEqual(await memory.forget("local"), 1);
      deepStrictEqual(await memory.list("local"), []);
      deepStrictEqual(await memory.list("other"), [use("grep", "a", 1)]);
    },
  },
];
