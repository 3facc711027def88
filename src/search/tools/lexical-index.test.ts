import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeIndex, encodeIndex } from "./kept-index.ts";
import { LexicalIndex, ordinaryWeight } from "./lexical-index.ts";

const weights = [2 * ordinaryWeight, ordinaryWeight];

const word = fc.constantFrom("read", "file", "constructor", "__proto__", "toString", "天气", "send", "mail");
const document = fc.tuple(fc.array(word, { maxLength: 4 }), fc.array(word, { maxLength: 8 }));
const change = fc.record({ slot: fc.nat(7), document: fc.option(document, { nil: undefined }) });

function createIndex(documents: ReadonlyMap<number, readonly (readonly string[])[]>): LexicalIndex {
  const index = new LexicalIndex(weights);
  for (const [slot, terms] of documents) index.put(slot, terms);
  return index;
}

/** Zeros at the end are slots that nothing is in. */
function computeScores(index: LexicalIndex, query: readonly string[]): number[] {
  const scores = index.scores(query);
  return Array.from({ length: 8 }, (_, slot) => scores[slot] ?? 0);
}

test("LexicalIndex after any changes scores as one that was made anew", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), fc.array(word, { maxLength: 4 }), (changes, query) => {
      const index = new LexicalIndex(weights);
      const there = new Map<number, readonly (readonly string[])[]>();
      for (const { slot, document: terms } of changes) {
        if (terms === undefined) index.remove(slot);
        else index.put(slot, terms);
        if (terms === undefined) there.delete(slot);
        else there.set(slot, terms);
      }
      expect(index.size).toBe(there.size);
      const anew = computeScores(createIndex(there), query);
      for (const [slot, score] of computeScores(index, query).entries())
        expect(score).toBeCloseTo(anew[slot] ?? 0, 12);
    }),
  );
});

test("LexicalIndex.import() gives back what export() kept, through bytes", () => {
  fc.assert(
    fc.property(fc.array(document, { maxLength: 8 }), fc.array(word), (documents, query) => {
      const index = createIndex(new Map(documents.entries()));
      const { words } = decodeIndex(encodeIndex({ tools: [["é", 0, "m"]], words: index.export() }));
      const read = LexicalIndex.import(weights, words);
      expect(computeScores(read, query)).toEqual(computeScores(index, query));
      for (const slot of documents.keys()) {
        index.remove(slot);
        read.remove(slot);
      }
      expect(read.export()).toEqual(index.export());
    }),
  );
});

test("LexicalIndex.import() refuses numbers that end too soon, go on, or name what is not there", () => {
  const { terms, numbers } = createIndex(new Map([[0, [["read"], ["file"]]]])).export();
  const changed = (change: (all: number[]) => void) => {
    const all = [...numbers];
    change(all);
    return { terms, numbers: Uint32Array.from(all) };
  };
  const wrong = [
    changed((all) => all.pop()),
    changed((all) => all.push(0)),
    changed((all) => all.splice(1, 1, 5)),
    changed((all) => all.splice(1, 1, 2 ** 30)),
  ];
  for (const kept of wrong) expect(() => LexicalIndex.import(weights, kept)).toThrow(RangeError);
});

test("decodeIndex() refuses bytes of another form", () => {
  const bytes = encodeIndex({ tools: [], words: new LexicalIndex(weights).export() });
  for (const wrong of [bytes.subarray(0, 3), bytes.subarray(0, 9), new Uint8Array(64)]) {
    expect(() => decodeIndex(wrong)).toThrow();
  }
});

test("LexicalIndex.occurrences() say what each term adds to the score, and whether it is in the name", () => {
  fc.assert(
    fc.property(
      fc.array(document, { minLength: 1, maxLength: 8 }),
      fc.uniqueArray(word),
      (documents, query) => {
        const index = createIndex(new Map(documents.entries()));
        const sums = new Float64Array(index.slotCount);
        for (const term of query) {
          const { size = 0, slots, scores, named } = index.occurrences(term) ?? {};
          for (let at = 0; at < size; at++) {
            const slot = slots?.[at] ?? -1;
            sums[slot] = (sums[slot] ?? 0) + (scores?.[at] ?? 0);
            expect(named?.[at]).toBe(documents[slot]?.[0].includes(term) === true ? 1 : 0);
          }
        }
        expect(sums).toEqual(index.scores(query));
        for (const [slot, [name]] of documents.entries()) {
          expect(index.nameLength(slot)).toBe(new Set(name).size);
        }
      },
    ),
  );
});

test("LexicalIndex ranks a rare word above a common one, and a name above a description", () => {
  const index = createIndex(
    new Map([
      [0, [["read"], ["file"]]],
      [1, [["file"], ["read"]]],
      [2, [["file"], ["mail"]]],
    ]),
  );
  const [first = 0, second = 0, third] = index.scores(["read"]);
  expect(first).toBeGreaterThan(second);
  expect(third).toBe(0);
  const both = index.scores(["file", "mail"]);
  expect(both[2]).toBeGreaterThan(both[1] ?? 0);
});

test("LexicalIndex prefers of two documents the shorter one, whichever fields it has", () => {
  const index = createIndex(
    new Map([
      [0, [["file"], ["read"]]],
      [1, [["file"], ["read", "mail", "send"]]],
      [2, [["file", "mail", "send"], ["read"]]],
    ]),
  );
  const [shorter = 0, longer, otherField] = index.scores(["read"]);
  expect(shorter).toBeGreaterThan(longer ?? 0);
  expect(otherField).toBe(longer);
});

test("LexicalIndex counts more of the same word less and less", () => {
  const repeated = (times: number) => [[], Array.from({ length: times }, () => "read")];
  const index = createIndex(new Map([1, 9, 1000].map((times, slot) => [slot, repeated(times)])));
  const scores = index.scores(["read"]);
  expect(scores[1]).toBeLessThan(9 * (scores[0] ?? 0));
  expect(Number.isFinite(scores[2])).toBe(true);
});

test("LexicalIndex refuses slots that no list of tools has", () => {
  expect(() => new LexicalIndex(weights).put(2 ** 21, [["read"]])).toThrow(RangeError);
});
