import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  oneof,
  option,
  record,
  string,
} from "fast-check";
import { expect, test } from "vitest";
import { everything, openMemoryWork, scope, signal } from "../../../../test/support/memory-work.ts";
import { AgentError } from "../../../model/errors.ts";
import { extractGraph } from "./extract-graph.ts";
import { observe } from "./observe.ts";
import { promote } from "./promote.ts";
import { reflect } from "./reflect.ts";
import { graphWaits, promotionWaits } from "./work-tags.ts";

const id = constantFrom("m1", "m2", "n1", "n2", "k1", "k2", "x9", "other");
const text = oneof(string({ maxLength: 30 }), constantFrom("Ada", "</notes>", "x".repeat(1_500)));
const maybe = { nil: undefined } as const;
/** Nearly what is asked for, of every kind of question at once. */
const item = record({
  content: text,
  text,
  id,
  priority: constantFrom("high", "medium", "low", "urgent"),
  date: constantFrom("2026-06-14", "tomorrow", "2026-99-01"),
  expires: option(constantFrom("2026-07-01", "2020-01-01", "", "none"), maybe),
  names: option(array(text, { maxLength: 3 }), maybe),
  from: array(id, { maxLength: 3 }),
  replaces: array(id, { maxLength: 3 }),
  supersedes: option(id, maybe),
  nodes: array(record({ name: text, type: constantFrom("person", "robot") }), { maxLength: 2 }),
  edges: array(record({ source: text, relation: text, target: text }), { maxLength: 2 }),
});
const answer = oneof(
  {
    weight: 3,
    arbitrary: array(item, { maxLength: 3 }).map((items) => ({
      observations: items,
      notes: items,
      memories: items,
      text: "t",
    })),
  },
  { weight: 1, arbitrary: jsonValue() },
);

test("whatever a model answers, nothing of another scope changes, nothing is erased, and no text is another than before", async () => {
  await assert(
    asyncProperty(array(answer, { minLength: 1, maxLength: 8 }), async (answers) => {
      const opened = await openMemoryWork((_, before) => ({ value: answers[before % answers.length] }), {
        limits: { observeFromTokens: 1, reflectFromTokens: 1 },
      });
      const { work, memory, all } = opened;
      for (const where of [scope, "local", "local/other"]) {
        const entries = [
          { kind: "message", text: "Ada said", place: { session: "chat" } },
          { kind: "message", text: "Eve said", place: { session: "chat" }, trust: "untrusted" },
          { kind: "observation", text: "a longer observation of Ada", tags: [promotionWaits] },
          { kind: "observation", text: "another longer observation of Ada", category: "low" },
          { kind: "memory", text: "an observation of Ada", tags: [graphWaits] },
          { kind: "block", label: "persona", text: "core", tier: "core" },
        ] as const;
        await memory.edit(
          where,
          entries.map((entry) => ({ do: "create_block", entry })),
          { by: "test" },
        );
      }
      const before = await all(everything);
      const others = [await all(everything, "local"), await all(everything, "local/other")];
      const works = [
        () => observe(work, scope, "chat", signal),
        () => promote(work, scope, signal),
        () => extractGraph(work, scope, signal),
        () => reflect(work, scope, signal),
      ];
      for (const one of works) {
        await one().catch((thrown: unknown) => {
          if (!(thrown instanceof AgentError)) throw thrown;
        });
      }
      expect([await all(everything, "local"), await all(everything, "local/other")]).toEqual(others);
      const after = new Map((await all(everything)).map((entry) => [entry.id, entry]));
      for (const entry of before) {
        const { text: kept, deletedAt, trust, at, label } = after.get(entry.id) ?? {};
        expect({ kept, deletedAt, trust, at, label }).toEqual({
          kept: entry.text,
          deletedAt: undefined,
          trust: entry.trust,
          at: entry.at,
          label: entry.label,
        });
        const { supersededBy } = after.get(entry.id) ?? {};
        if (supersededBy !== undefined) expect(after.get(supersededBy)?.trust).toBe(entry.trust);
      }
      await opened.store.close();
    }),
    { numRuns: 25 },
  );
});
