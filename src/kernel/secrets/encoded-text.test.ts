import { expect, test } from "vitest";
import { Alphabet, type Stretch } from "./encoded-text.ts";

const digits = "0123";
const gaps = "-\\ ]^";

/** The same by the letter: one look at each character. */
function listStretches(text: string, least: number): Stretch[] {
  return Array.from(text.matchAll(/[-\\ \]^0123]+/g), ({ 0: run, index }) => ({ run, index }))
    .filter(({ run }) => run.length >= least && run.replace(/[^0123]/g, "").length >= least)
    .map(({ run, index }) => ({ start: index, end: index + run.length }));
}

test("Alphabet.stretchesIn() finds what one look at each character finds", () => {
  const alphabet = new Alphabet(digits, gaps);
  const letters = `${digits}${digits}${gaps}az\u00e9\u{1f600}`;
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: next(60) }, () => letters.charAt(next(letters.length))).join("");
    const least = 1 + next(5);
    expect([...alphabet.stretchesIn(text, 0, least)]).toEqual(listStretches(text, least));
  }
});

test("Alphabet.stretchesIn() goes once through a text of many long gaps and few digits", () => {
  const text = `${"-----z".repeat(200_000)}0123`;
  expect([...new Alphabet(digits, gaps).stretchesIn(text, 0, 4)]).toEqual([
    { start: text.length - 4, end: text.length },
  ]);
});
