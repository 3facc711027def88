import fc from "fast-check";
import { expect, test } from "vitest";
import { stemWord } from "./stem.ts";
import { spaced, splitSentences, splitTerms } from "./words.ts";

test("splitTerms() splits names at case, digits and signs, and keeps a name of two parts whole as well", () => {
  expect(splitTerms("get_user-info.v2")).toEqual(["get", "user", "info", "v", "2", "v2"]);
  expect(splitTerms("getHTMLPages")).toEqual(["get", "html", "page"]);
  expect(splitTerms("GitHub base64 URLs")).toEqual(["git", "hub", "github", "base", "64", "base64", "url"]);
});

test("splitTerms() leaves out grammar, courtesies and small talk", () => {
  expect(splitTerms("There is something somebody should maybe already print")).toEqual(["print"]);
  expect(splitTerms("Hello, could you please help me with the weather?")).toEqual(["weather"]);
});

test("splitTerms() gives every character and every pair of a text without spaces", () => {
  expect(splitTerms("查询天气")).toEqual(["查", "询", "查询", "天", "询天", "气", "天气"]);
  expect(splitTerms("用GitHub搜索")).toEqual(["用", "git", "hub", "github", "搜", "索", "搜索"]);
});

test("splitTerms() folds accents, full width and ligatures", () => {
  expect(splitTerms("Café ＡＰＩ ﬁle")).toEqual(splitTerms("cafe API file"));
});

test("splitTerms() takes any text, and gives no half of a pair", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(splitTerms(`${text}\ud800`).every((term) => term.isWellFormed())).toBe(true);
    }),
  );
});

test("splitTerms() leaves out what nobody types", () => {
  expect(splitTerms(`${"x".repeat(65)} y`)).toEqual(["y"]);
});

test("spaced() gives a name as words", () => {
  expect(spaced("get_userInfo")).toBe("get user Info");
});

test.for([
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["agreed", "agre"],
  ["plastered", "plaster"],
  ["conflated", "conflat"],
  ["hopping", "hop"],
  ["fizzed", "fizz"],
  ["filing", "file"],
  ["happy", "happi"],
  ["sky", "sky"],
  ["relational", "relat"],
  ["vietnamization", "vietnam"],
  ["hopefulness", "hope"],
  ["sensibiliti", "sensibl"],
  ["electriciti", "electr"],
  ["replacement", "replac"],
  ["adoption", "adopt"],
  ["probate", "probat"],
  ["rate", "rate"],
  ["controlling", "control"],
  ["roll", "roll"],
  ["yes", "ye"],
] as const)("stemWord() makes %s %s, as Porter does", ([word, stem]) => {
  expect(stemWord(word)).toBe(stem);
});

test("stemWord() leaves other scripts, digits and very long words alone", () => {
  for (const word of ["здания", "64", "a".repeat(41), "naïvely"]) expect(stemWord(word)).toBe(word);
});

test("splitSentences() parts a message at stops and lines, not inside numbers, names and addresses", () => {
  const listTexts = (text: string) => splitSentences(text).map((sentence) => sentence.text);
  expect(listTexts("Read v2.1 of site.com. Then mail it!\nThank you")).toEqual([
    "Read v2.1 of site.com.",
    "Then mail it!",
  ]);
  expect(listTexts("查天气。发邮件。")).toEqual(["查天气。", "发邮件。"]);
});

test("splitSentences() makes at most seventeen of any text, and loses no word", () => {
  const text = Array.from({ length: 500 }, (_, at) => `word${at}.`).join(" ");
  const sentences = splitSentences(text);
  expect(sentences).toHaveLength(17);
  expect(sentences.flatMap(({ terms }) => terms)).toEqual(splitTerms(text));
  expect(sentences.flatMap((sentence) => splitTerms(sentence.text))).toEqual(splitTerms(text));
});
