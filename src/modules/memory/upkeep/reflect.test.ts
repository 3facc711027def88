import { describe, expect, test } from "vitest";
import {
  everything,
  now,
  openMemoryWork,
  readLines,
  scope,
  signal,
} from "../../../../test/support/memory-work.ts";
import { toObservation } from "./observe.ts";
import { reflect } from "./reflect.ts";
import { promotionWaits } from "./work-tags.ts";

type Work = Awaited<ReturnType<typeof openMemoryWork>>;

/** Adds notes of 250 tokens each. */
async function addNotes({ add }: Work, texts: readonly string[], part: object = {}) {
  for (const text of texts) {
    const content = text.padEnd(1_000, ".");
    const note = { content, priority: "medium", date: now, expires: undefined, names: [] } as const;
    await add({ ...toObservation(note, "trusted"), tags: ["generation:0"], ...part });
  }
}

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const condensed = (replaces: readonly unknown[], part: object = {}) => ({
  content: "short",
  priority: "high",
  date: "2026-06-14",
  replaces,
  ...part,
});

describe("reflect()", () => {
  test("condenses more than 4,000 tokens of observations, and keeps the old ones as superseded", async () => {
    const opened = await openMemoryWork([{ value: { notes: [condensed(["n1", "n2"]), condensed(["n3"])] } }]);
    await addNotes(opened, many("a", 16));
    await reflect(opened.work, scope, signal);
    expect(opened.model.asked).toEqual([]);
    await addNotes(opened, ["last"], { tags: ["generation:4"], at: now - 1 });
    await reflect(opened.work, scope, signal);
    const kept = await opened.all({ kinds: ["observation"] });
    expect(kept).toHaveLength(16);
    const [first, second] = kept.filter(({ text }) => text === "short");
    expect(first).toMatchObject({ tags: ["generation:5"], category: "high", trust: "trusted" });
    expect(second).toMatchObject({ tags: ["generation:1"] });
    const whole = await opened.all(everything);
    const replaced = whole.filter(({ supersededBy }) => supersededBy === first?.id);
    expect(replaced.map(({ text }) => text.replace(/\.+$/, ""))).toEqual(["a0", "last"]);
    expect(first?.author).toEqual({ by: "reflector", sources: [replaced[1]?.id, replaced[0]?.id] });
    expect(whole.every(({ deletedAt }) => deletedAt === undefined)).toBe(true);
  });

  test("leaves those alone that have yet to be remembered, and condenses each trust by itself", async () => {
    const opened = await openMemoryWork((request) => {
      const lines = readLines(request, "notes");
      return { value: { notes: [condensed(lines.map(({ id }) => id))] } };
    });
    await addNotes(opened, many("waits", 20), { tags: ["generation:0", promotionWaits] });
    await addNotes(opened, many("ours", 9));
    await addNotes(opened, many("theirs", 9), { trust: "untrusted" });
    await reflect(opened.work, scope, signal);
    const texts = opened.model.asked.map((request) => JSON.stringify(request.messages));
    expect(
      texts.map((text) => [text.includes("ours"), text.includes("theirs"), text.includes("waits")]),
    ).toEqual([
      [true, false, false],
      [false, true, false],
    ]);
    const kept = await opened.all({ kinds: ["observation"] });
    expect(kept.filter(({ text }) => text === "short").map(({ trust }) => trust)).toEqual([
      "trusted",
      "untrusted",
    ]);
    expect(kept).toHaveLength(22);
  });

  test.for([
    ["an id that was not given", [condensed(["n1", "n99"])], "none of the ids"],
    ["a note that replaces nothing", [condensed([])], "names none"],
    ["a note that two replace", [condensed(["n1"]), condensed(["n1"])], "what another replaces"],
    ["more text than before", [condensed(["n1"], { content: "x".repeat(1001) })], "longer than"],
  ] as const)("changes nothing where the answer has %s", async ([, notes, why]) => {
    const opened = await openMemoryWork(() => ({ value: { notes } }));
    await addNotes(opened, many("a", 17));
    const before = await opened.all(everything);
    await expect(reflect(opened.work, scope, signal)).rejects.toThrow(why);
    expect(await opened.all(everything)).toEqual(before);
  });

  test("refuses a note that is longer than what it replaces", async () => {
    const opened = await openMemoryWork(() => ({
      value: { notes: [condensed(["n1"], { content: "x".repeat(900) })] },
    }));
    await opened.add({ kind: "observation", text: "tiny", at: 0 });
    await addNotes(opened, many("a", 17));
    await expect(reflect(opened.work, scope, signal)).rejects.toThrow("longer than those that it replaces");
  });

  test("changes nothing where somebody changed a note meanwhile", async () => {
    const opened = await openMemoryWork(async () => {
      const [one] = await opened.all({ kinds: ["observation"] });
      if (one === undefined) throw new Error("there is none");
      await opened.memory.edit(scope, [{ do: "update_block_text", id: one.id, text: "corrected" }], {
        by: "ada",
      });
      return { value: { notes: [condensed(["n1", "n2"])] } };
    });
    await addNotes(opened, many("a", 17));
    await expect(reflect(opened.work, scope, signal)).rejects.toMatchObject({ code: "MEMORY_CHANGED" });
    expect(await opened.all({ kinds: ["observation"] })).toHaveLength(17);
  });
});
