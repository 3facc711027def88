import fc from "fast-check";
import { expect, test } from "vitest";
import { anyContent } from "../../../test/fixtures/agent/any-entries.ts";
import { answered, number, resulted, said } from "../../../test/fixtures/agent/entries.ts";
import type { Entry, EntryContent } from "../../modules/sessions/index.ts";
import { countShown, measure } from "../compaction/size.ts";
import { ShownEntries } from "./shown-entries.ts";
import { viewEntries } from "./view.ts";

/** What a journal shows after a write, worked out from all that it showed before. */
function showAnew(before: readonly Entry[], written: readonly Entry[]): readonly Entry[] {
  const all = [...before, ...written];
  const summary = written.findLast((entry) => entry.kind === "summary");
  if (summary === undefined) return all;
  return [summary, ...all.filter(({ kind, seq }) => kind !== "summary" && seq >= summary.keptFrom)];
}

/** Writes of a journal: anything may be in them, and answers often say how large their request was. */
const writes: fc.Arbitrary<readonly (readonly Entry[])[]> = fc
  .array(fc.array(fc.tuple(anyContent, fc.option(fc.nat(500)), fc.nat(50), fc.nat(12)), { maxLength: 3 }), {
    maxLength: 8,
  })
  .map((chunks) => {
    const all = number(
      ...chunks.flat().map(([content, inputTokens, , place]): EntryContent & { runId: string } => {
        if (content.kind === "summary") return { ...content, keptFrom: place };
        return content.kind === "answer" && inputTokens !== null ? { ...content, inputTokens } : content;
      }),
    );
    const sized = all.map((entry, at) => ({ ...entry, tokens: chunks.flat()[at]?.[2] ?? 0 }));
    let from = 0;
    return chunks.map(({ length }) => sized.slice(from, (from += length)));
  });

test("ShownEntries has the messages and the size of its entries, however they came to be", () => {
  fc.assert(
    fc.property(writes, fc.nat(1000), (chunks, prefixTokens) => {
      const shown = new ShownEntries([]);
      let expected: readonly Entry[] = [];
      for (const chunk of chunks) {
        shown.add(chunk);
        expected = showAnew(expected, chunk);
        expect(shown.entries).toEqual(expected);
        expect(shown.messages).toEqual(viewEntries(expected));
        expect(shown.measure(prefixTokens)).toBe(measure(expected, prefixTokens));
      }
    }),
    { numRuns: 20_000 },
  );
});

test("ShownEntries leaves messages that it gave before as they were", () => {
  const [first, ...rest] = number(
    said("List both."),
    answered(1, "I look.", ["glob", "grep"]),
    resulted("r.1.1"),
    resulted("r.1.2"),
    said("And now?"),
    said("Quick!"),
    { kind: "prune", before: 5 },
  );
  const shown = new ShownEntries([first as Entry]);
  const given = [shown.messages];
  const texts = [JSON.stringify(shown.messages)];
  for (const entry of rest) {
    shown.add([entry]);
    given.push(shown.messages);
    texts.push(JSON.stringify(shown.messages));
  }
  expect(given.map((messages) => JSON.stringify(messages))).toEqual(texts);
  expect(new Set(texts).size).toBe(7);
});

test("ShownEntries gives the same messages again, and makes those anew alone that changed", () => {
  const entries = number(
    said("Go."),
    ...Array.from({ length: 20 }).flatMap((_, at) => [
      answered(at + 1, `step ${at}`, ["a"]),
      resulted(`r.${at + 1}.1`),
    ]),
  );
  const shown = new ShownEntries(entries.slice(0, 1));
  let before = shown.messages;
  for (let at = 1; at < entries.length; at += 2) {
    shown.add(entries.slice(at, at + 2));
    const kept = shown.messages.filter((message, place) => message === before[place]);
    // All but the newest: that is made for one request.
    expect(kept.length).toBeGreaterThanOrEqual(before.length - 1);
    before = shown.messages;
  }
  expect(before).toEqual(viewEntries(entries));
});

test("ShownEntries counts what is pruned as one line", () => {
  const entries = number(
    said("Go."),
    answered(1, "", ["read"]),
    { ...resulted("r.1.1") },
    answered(2, "", ["read"]),
    resulted("r.2.1"),
  ).map((entry) => (entry.kind === "result" ? { ...entry, tokens: 5000 } : entry));
  const shown = new ShownEntries(entries);
  const whole = shown.measure(0);
  const [prune] = number({ kind: "prune", before: 4 });
  shown.add([{ ...(prune as Entry), seq: 6, tokens: 0 }]);
  expect(whole).toBe(10_003);
  expect(shown.measure(0)).toBe(countShown(entries, 4));
  expect(shown.measure(0)).toBeLessThan(5_200);
});
