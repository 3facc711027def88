import { expect, test } from "vitest";
import { namesIn, SaidNames } from "./names/names.ts";
import { packCounts, unpackCounts } from "./posting-counts.ts";
import { splitQuery, splitSought, splitWords } from "./words.ts";

test("splitWords() gives stems without accents and grammar", () => {
  expect(splitWords("The cafés were painting a Ｓunrise")).toEqual(["cafe", "paint", "sunris"]);
});

test("splitWords() keeps a word of grammar that is written as a name is", () => {
  expect(splitWords("I asked Will about it")).toEqual(["ask", "will"]);
  expect(splitWords("I will ask. Will he?")).toEqual(["ask"]);
});

test("splitWords() gives an identifier whole and in pieces", () => {
  expect(splitWords("getUserInfo")).toEqual(["getuserinfo", "get", "user", "info"]);
});

test("splitWords() gives characters and pairs of scripts without spaces", () => {
  expect(splitWords("圣诞节")).toEqual(["圣", "诞", "圣诞", "节", "诞节"]);
  expect(splitWords("ねこ")).toEqual(["ね", "こ", "ねこ"]);
});

test("splitQuery() leaves out characters of grammar, unless there is nothing else", () => {
  expect(splitQuery("我的猫")).toEqual(["我的", "猫", "的猫"]);
  expect(splitQuery("我")).toEqual(["我"]);
});

test("splitSought() has the characters of grammar too, after what says more", () => {
  expect(splitSought("我的猫")).toEqual(["我的", "猫", "的猫", "我", "的"]);
  expect(splitSought("my cat")).toEqual(["cat"]);
});

test("words of grammar of other languages are left out of what a question is about, unless English has them too", () => {
  expect(splitQuery("Wo wohnt meine Schwester?")).toEqual(["wohnt", "schwester"]);
  expect(splitQuery("Кем я работаю?")).toEqual(["работаю"]);
  expect(splitQuery("When did his son die in the war?")).toEqual(["son", "die", "war"]);
});

test("SaidNames.listSlips() allows one slip in a word of five letters, not in its first", () => {
  const isNearly = (said: string, name: string) => new SaidNames(said).listSlips(name).length > 0;
  expect(isNearly("postgers", "postgres")).toBe(true);
  expect(isNearly("postgre", "postgres")).toBe(true);
  expect(isNearly("rich hickkey", "rich hickey")).toBe(true);
  expect(isNearly("posdgres", "postgres")).toBe(true);
  expect(isNearly("mango", "mongo")).toBe(false);
  expect(isNearly("mostgres", "postgres")).toBe(false);
  expect(isNearly("rect", "reat")).toBe(false);
  expect(isNearly("pstgers", "postgres")).toBe(false);
});

test("namesIn() gives the longest stretches first", () => {
  expect(namesIn("What's Project Blue?")).toEqual([
    "what s project blue",
    "what s project",
    "s project blue",
    "what s",
    "s project",
    "project blue",
    "what",
    "s",
    "project",
    "blue",
  ]);
});

test("unpackCounts() gives what was packed, a length roughly", () => {
  const counts = { own: 3, meta: 2, asks: true, dated: false, length: 20 };
  const { length, ...others } = unpackCounts(packCounts(counts));
  expect(others).toEqual({ own: 3, meta: 2, asks: true, dated: false });
  expect(length).toBeGreaterThan(16);
  expect(length).toBeLessThan(26);
});
