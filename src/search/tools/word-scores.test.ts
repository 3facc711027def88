import fc from "fast-check";
import { expect, test } from "vitest";
import { LexicalIndex, ordinaryWeight } from "./lexical-index.ts";
import { rankingWeights } from "./ranking-weights.ts";
import type { SearchedTools } from "./searched-tools.ts";
import { scoreTerms, scoreWords } from "./word-scores.ts";
import { splitSentences, splitTerms } from "./words.ts";

const weights = { wholeMessage: 1, wholeName: 0, pack: 0 };

/** Tools as name and description, in packs by number; -1: in none. */
function createIndex(tools: readonly (readonly [name: string, description: string, pack?: number])[]) {
  const index = new LexicalIndex([2 * ordinaryWeight, ordinaryWeight]);
  for (const [slot, [name, description]] of tools.entries())
    index.put(slot, [splitTerms(name), splitTerms(description)]);
  const packAt = Int32Array.from(tools, ([, , pack = -1]) => pack);
  const packSizes: number[] = [];
  for (const pack of packAt) if (pack >= 0) packSizes[pack] = (packSizes[pack] ?? 0) + 1;
  const searched: SearchedTools = {
    slots: Uint32Array.from(tools.keys()),
    packs: new Map(),
    packAt,
    packSizes,
  };
  return { index, searched };
}

function makeMessage(text: string) {
  return { terms: [...new Set(splitTerms(text))], sentences: splitSentences(text).map(({ terms }) => terms) };
}

test("scoreWords() prefers what one sentence asks for to words scattered over the message", () => {
  const { index, searched } = createIndex([
    ["holiday_dates", "public dates"],
    ["trip_dates", "public trip"],
  ]);
  const message = makeMessage("We plan a public trip. Give me the holiday dates.");
  const { scores: scattered } = scoreWords(index, message, searched, weights);
  const { scores: bySentence } = scoreWords(index, message, searched, { ...weights, wholeMessage: 0.4 });
  const lead = ([first = 0, second = 0]: Float64Array) => first - second;
  expect(lead(bySentence)).toBeGreaterThan(lead(scattered));
});

test("scoreWords() prefers a name that is asked for whole", () => {
  const { index, searched } = createIndex([
    ["get_weather", "city hour"],
    ["get_weather_alert_zone", "city hour"],
    ["other", "nothing"],
  ]);
  const message = makeMessage("weather city hour");
  const { scores: plain } = scoreWords(index, message, searched, weights);
  const { scores: named } = scoreWords(index, message, searched, { ...weights, wholeName: 0.3 });
  const ratio = (scores: Float64Array, slot: number) => (scores[slot] ?? 0) / (plain[slot] ?? 1);
  expect(ratio(named, 0)).toBeGreaterThan(ratio(named, 1));
  expect(ratio(named, 1)).toBeGreaterThan(1);
  expect(named[2]).toBe(0);
});

test("scoreWords() counts what other tools of the pack answer, and gives nothing to a tool without a word", () => {
  const { index, searched } = createIndex([
    ["clips", "channel", 0],
    ["details", "channel", 0],
    ["details", "channel"],
    ["rules", "nothing", 0],
  ]);
  const message = makeMessage("clips and details");
  const { scores } = scoreWords(index, message, searched, { ...weights, pack: 0.1 });
  expect(scores[1]).toBeGreaterThan(scores[2] ?? 0);
  expect(scores[3]).toBe(0);
});

test("scoreWords() is a number for any message and any tools, and 0 only without a word", () => {
  const word = fc.constantFrom("read", "file", "__proto__", "天气", "mail.", "Send\n", "💥", "");
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
  const one = fc.tuple(text, text, fc.integer({ min: -1, max: 2 }));
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), text, (tools, query) => {
      const { index, searched } = createIndex(tools);
      const message = makeMessage(query);
      const { scores } = scoreWords(index, message, searched, rankingWeights);
      const plain = index.scores(message.terms);
      for (const [slot, score] of scores.entries()) {
        expect(Number.isFinite(score)).toBe(true);
        expect(score > 0).toBe((plain[slot] ?? 0) > 0);
      }
    }),
  );
});

test("scoreTerms() parts a score by words, with the share of the pack that has each", () => {
  const { index, searched } = createIndex([
    ["get_clips", "of a channel", 0],
    ["get_details", "of a channel", 0],
    ["get_owner", "of a house", 0],
    ["channel", "alone"],
  ]);
  const [clips, alone] = scoreTerms(index, ["clip", "channel", "unknown"], [0, 3], searched);
  expect(Array.from(clips?.inPack ?? [])).toEqual([0, 0.5]);
  expect(Array.from(alone?.inPack ?? [])).toEqual([0, 0]);
  expect(clips?.terms[0]).toBeCloseTo(index.scores(["clip"])[0] ?? 0, 12);
  expect(alone?.terms[0]).toBe(0);
});
